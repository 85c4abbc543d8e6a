package studies

import (
	"heavytail/embedding/evaluate"
	"heavytail/query/internal/engine"
	"heavytail/query/rows"
)

// linkFigures are those of a split.
type linkFigures struct {
	Held   int             // edges held out
	Pairs  []NegativePairs // nil with ranking
	Scores []MethodScore
	Curves [][]evaluate.CurvePoint

	linkRanking                   // with ranking
	chance      *evaluate.Ranking // nil without rankings, and for the null graph
}

// score appends the scores of one method.
func (f *linkFigures) score(c *engine.Call, s *linkSplits, m methodVectors, req EvaluateLinksRequest) error {
	opts := evaluate.LinkOptions{Scorers: m.scorers, Features: m.features, Models: m.models, HitsAt: req.HitsAt, Workers: c.DB.Opts.Workers, Progress: c.Meter.Update}
	of := make([][]evaluate.LinkScore, len(s.kinds))
	curves := make([][][]evaluate.CurvePoint, len(s.kinds))
	for i, split := range s.of {
		err := split.EachScore(c.Ctx, m.vectors, opts, func(p evaluate.PairScores) error {
			of[i] = append(of[i], p.Measure(req.HitsAt))
			if req.CurveSteps > 0 {
				curves[i] = append(curves[i], p.Curve(req.CurveSteps))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for j := range of[0] {
		for i, kind := range s.kinds {
			f.Scores = append(f.Scores, MethodScore{Method: m.number, Negatives: kind, LinkScore: of[i][j]})
			if req.CurveSteps > 0 {
				f.Curves = append(f.Curves, curves[i][j])
			}
		}
	}
	return nil
}

// methodCell is one of the methods as a cell; nil for the number −1, of scorers without vectors.
func methodCell(methods []string, number int) rows.Value {
	if number < 0 {
		return nil
	}
	return methods[number]
}
