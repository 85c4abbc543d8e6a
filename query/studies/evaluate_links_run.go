package studies

import (
	"math"
	"slices"

	"heavytail/embedding/evaluate"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/rows"
)

// This file runs EVALUATE LINKS.

func runEvaluateLinks(c *engine.Call, req EvaluateLinksRequest, t *linkTrial) (EvaluateLinksResult, error) {
	graph, release, err := linkGraph(c, req, t, false)
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	defer release()
	t.noteDirection(c)
	splits := make([]linkFigures, max(1, req.Splits))
	for i := range splits {
		if splits[i], err = measureLinks(c, graph, req, t, i); err != nil {
			return EvaluateLinksResult{}, err
		}
	}
	first := splits[0]
	result := EvaluateLinksResult{Methods: t.texts(), NegativePairs: first.Pairs, Curves: first.Curves}
	if req.RankAt > 0 {
		ranked(c, req, first, &result)
	} else {
		result.Scores = meanScores(splits)
	}
	if req.hasNull() {
		null, err := measureLinks(c, graph, req, t, len(splits))
		if err != nil {
			return EvaluateLinksResult{}, err
		}
		nullScores(null, result.Scores)
		nullRankings(c, req, null, result.Rankings)
	}
	if req.RankAt == 0 {
		noteNegatives(c, t, first.Held, result.NegativePairs)
		c.Advise("to learn which of them to recommend links by, add ranking := 10")
	}
	result.Notices = c.Notices
	return result, nil
}

// nullScores adds the figures of the null graph.
func nullScores(null linkFigures, scores []MethodScore) {
	left := null.Scores
	for i := range scores {
		s := &scores[i]
		s.NullAUC, s.NullAveragePrecision = math.NaN(), math.NaN()
		if len(left) > 0 && left[0].Method == s.Method && left[0].Scorer == s.Scorer && left[0].Learned == s.Learned && left[0].Negatives == s.Negatives {
			s.NullAUC, s.NullAveragePrecision = left[0].AUC, left[0].AveragePrecision
			left = left[1:]
		}
	}
}

// meanScores are the means over splits, with deviations.
func meanScores(splits []linkFigures) []MethodScore {
	scores := slices.Clone(splits[0].Scores)
	for j := range scores {
		s := &scores[j]
		of := func(figure func(*evaluate.LinkScore) *float64) (deviation float64) {
			n, mean := float64(len(splits)), 0.0
			for _, split := range splits {
				mean += *figure(&split.Scores[j].LinkScore) / n
			}
			for _, split := range splits {
				d := *figure(&split.Scores[j].LinkScore) - mean
				deviation += d * d / max(1, n-1)
			}
			*figure(&s.LinkScore) = mean
			return math.Sqrt(deviation)
		}
		s.AUCDeviation = of(func(s *evaluate.LinkScore) *float64 { return &s.AUC })
		s.AveragePrecisionDeviation = of(func(s *evaluate.LinkScore) *float64 { return &s.AveragePrecision })
		of(func(s *evaluate.LinkScore) *float64 { return &s.Precision })
		of(func(s *evaluate.LinkScore) *float64 { return &s.Recall })
		of(func(s *evaluate.LinkScore) *float64 { return &s.F1 })
		of(func(s *evaluate.LinkScore) *float64 { return &s.Hits })
	}
	return scores
}

var linkColumns = []string{"method", "scorer", "negatives", "auc", "average_precision", "precision", "recall", "f1", "hits"}

// splitColumns follow linkColumns with several splits, and nullColumns with a null graph.
var (
	splitColumns = []string{"auc_deviation", "average_precision_deviation"}
	nullColumns  = []string{"null_auc", "null_average_precision"}
)

func linkRows(req EvaluateLinksRequest, r EvaluateLinksResult) *rows.Rows {
	if req.RankAt > 0 {
		return rankRows(req, r)
	}
	columns := slices.Clone(linkColumns)
	if req.Splits > 1 {
		columns = append(columns, splitColumns...)
	}
	if req.hasNull() {
		columns = append(columns, nullColumns...)
	}
	table := make([][]rows.Value, len(r.Scores))
	for i, s := range r.Scores {
		table[i] = []rows.Value{methodCell(r.Methods, s.Method), scorerText(s.Scorer, s.Learned), string(s.Negatives),
			cells.Number(s.AUC), cells.Number(s.AveragePrecision), cells.Number(s.Precision), cells.Number(s.Recall), cells.Number(s.F1), cells.Number(s.Hits)}
		if req.Splits > 1 {
			table[i] = append(table[i], cells.Number(s.AUCDeviation), cells.Number(s.AveragePrecisionDeviation))
		}
		if req.hasNull() {
			table[i] = append(table[i], cells.Number(s.NullAUC), cells.Number(s.NullAveragePrecision))
		}
	}
	return cells.RowsOf(columns, table)
}
