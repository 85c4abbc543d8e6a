package evaluate

// CurvePoint is one threshold of a scorer: pairs that score as high or higher count as
// edges. FalsePositives against Recall is the ROC curve, and Recall against Precision the
// curve of precision and recall.
type CurvePoint struct {
	FalsePositives float64 `json:"false_positives"` // fraction of the non-edges that count as edges
	Recall         float64 `json:"recall"`          // fraction of the edges that count as edges
	Precision      float64 `json:"precision"`       // fraction of edges among the pairs that count as edges
}

// Curve returns the points of the held-out pairs by descending threshold. Of consecutive
// thresholds it keeps the first and the last, and each that is 1/steps or more from the
// one kept before it in FalsePositives or Recall: at most 2·steps + 2. With steps of at
// least the number of pairs it keeps every threshold, and the area under the lines from
// (0, 0) through the points is AUC. It returns nil if a list of pairs is empty, and sorts the
// scores.
func (p PairScores) Curve(steps int) []CurvePoint {
	r := rankScores(p.Edges, p.NonEdges)
	if r.positives == 0 || r.negatives == 0 {
		return nil
	}
	var points []CurvePoint
	found, wrong, width := int64(0), int64(0), 1/float64(max(1, steps))
	for s := range r.steps() {
		found += s.positives
		wrong += s.negatives
		next := CurvePoint{share(wrong, float64(r.negatives)), share(found, float64(r.positives)), share(found, float64(found+wrong))}
		if all := found+wrong == r.positives+r.negatives; len(points) > 0 && !all {
			last := points[len(points)-1]
			if next.FalsePositives-last.FalsePositives < width && next.Recall-last.Recall < width {
				continue
			}
		}
		points = append(points, next)
	}
	return points
}
