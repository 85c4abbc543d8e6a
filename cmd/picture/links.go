package picture

import (
	"cmp"
	"fmt"
	"slices"

	"heavytail/cmd/figure"
	"heavytail/embedding/evaluate"
	"heavytail/query/studies"
	"heavytail/storage"
)

// shownLines is the number of scorers with a colour: more lines cannot be distinguished.
const shownLines = 5

// ranked adds the lines of scorers to a chart, those of the largest figures first; the lines behind the
// first shownLines are grey and have one name.
func ranked(c *figure.Chart, lines []figure.Series, figures []float64) {
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(figures[b], figures[a]) })
	for place, i := range order {
		if lines[i].Rest = place >= shownLines; lines[i].Rest {
			lines[i].Name = ""
			if place == shownLines {
				lines[i].Name = fmt.Sprintf("%d others", len(lines)-shownLines)
			}
		}
		c.Series = append(c.Series, lines[i])
	}
}

// chance returns a reference line: that of a random scorer, or that of a model with exact
// probabilities.
func chance(name string, from, to float64) figure.Series {
	return figure.Series{Name: name, Mark: figure.Stroke, Rest: true, Points: []figure.Point{{X: 0, Y: from}, {X: 1, Y: to}}}
}

// unit returns an axis from 0 to 1.
func unit(label string) figure.Axis { return figure.Axis{Label: label, To: 1} }

// ScoreName returns the name of a score in a legend: its scorer, marked as a model if it
// was trained, and its method.
func ScoreName(result studies.EvaluateLinksResult, s studies.MethodScore) string {
	name := s.Scorer
	if s.Learned {
		name = "logistic(" + name + ")"
	}
	if s.Method >= 0 {
		name += " of " + result.Methods[s.Method]
	}
	return name
}

// nullText is the figure of the null graph in a legend: by negatives that are drawn by degree, where
// a figure means little without it.
func nullText(s studies.MethodScore, figure float64) string {
	if s.Negatives != evaluate.DegreeNegatives || !(figure > 0) {
		return ""
	}
	return fmt.Sprintf(", null graph %.3f", figure)
}

// ROC is the chart of the ROC curves of a link evaluation by one kind of negatives, with
// AUC in the legend. The result must have curves.
func ROC(result studies.EvaluateLinksResult, kind evaluate.Negatives) figure.Chart {
	c := figure.Chart{
		Title: "ROC curves, against " + string(kind) + " pairs", X: unit("false positives: fraction of the pairs without an edge"),
		Y: unit("recall: fraction of the held-out edges"), Series: []figure.Series{chance("chance", 0, 1)},
	}
	var lines []figure.Series
	var figures []float64
	for i, s := range result.Scores {
		if s.Negatives != kind {
			continue
		}
		line := figure.Series{Name: fmt.Sprintf("%s, AUC %.3f", ScoreName(result, s), s.AUC) + nullText(s, s.NullAUC), Mark: figure.Stroke, Points: []figure.Point{{}}}
		for _, p := range result.Curves[i] {
			line.Points = append(line.Points, figure.Point{X: p.FalsePositives, Y: p.Recall})
		}
		lines, figures = append(lines, line), append(figures, s.AUC)
	}
	ranked(&c, lines, figures)
	return c
}

// PrecisionRecall is the chart of the precision-recall curves of a link evaluation, with
// the average precision in the legend. It has the same arguments as ROC.
func PrecisionRecall(result studies.EvaluateLinksResult, kind evaluate.Negatives) figure.Chart {
	c := figure.Chart{
		Title: "Precision and recall, against " + string(kind) + " pairs", X: unit("recall: fraction of the held-out edges"),
		Y: unit("precision: fraction of edges among the pairs above a score"),
	}
	for _, p := range result.NegativePairs {
		if base := float64(p.Held) / float64(p.Held+p.Pairs); p.Negatives == kind {
			c.Series = append(c.Series, chance("chance", base, base))
		}
	}
	var lines []figure.Series
	var figures []float64
	for i, s := range result.Scores {
		if s.Negatives != kind {
			continue
		}
		line := figure.Series{Name: fmt.Sprintf("%s, AP %.3f", ScoreName(result, s), s.AveragePrecision) + nullText(s, s.NullAveragePrecision), Mark: figure.Stroke}
		for _, p := range result.Curves[i] {
			line.Points = append(line.Points, figure.Point{X: p.Recall, Y: p.Precision})
		}
		lines, figures = append(lines, line), append(figures, s.AveragePrecision)
	}
	ranked(&c, lines, figures)
	return c
}

// Calibration is the chart of the probabilities that models predict against the fraction
// of the held-out pairs that were edges.
func Calibration(models []storage.ModelInfo) figure.Chart {
	c := figure.Chart{
		Title: "Calibration of models", X: unit("predicted probability of an edge"), Y: unit("fraction of the pairs that are edges"),
		Series: []figure.Series{chance("exact", 0, 1)},
	}
	for _, m := range models {
		line := figure.Series{Name: fmt.Sprintf("%s, mean difference %.3f", m.Name, m.CalibrationError)}
		for _, b := range m.Bins {
			line.Points = append(line.Points, figure.Point{X: b.Predicted, Y: b.Observed})
		}
		c.Series = append(c.Series, line)
	}
	return c
}

// Best returns the result with only the scores against one kind of negatives, in
// descending order of AUC, and at most so many of them.
func Best(result studies.EvaluateLinksResult, kind evaluate.Negatives, most int) studies.EvaluateLinksResult {
	var order []int
	for i, s := range result.Scores {
		if s.Negatives == kind {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(result.Scores[b].AUC, result.Scores[a].AUC) })
	best := result
	best.Scores, best.Curves = nil, nil
	for _, i := range order[:min(most, len(order))] {
		best.Scores, best.Curves = append(best.Scores, result.Scores[i]), append(best.Curves, result.Curves[i])
	}
	return best
}
