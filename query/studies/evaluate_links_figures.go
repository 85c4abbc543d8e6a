package studies

import (
	"heavytail/embedding/evaluate"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/rows"
)

// linkFigures are the figures of trials of one split. Their JSON is read back exactly.
type linkFigures struct {
	Held   int                     `json:"held"`  // edges held out
	Pairs  []NegativePairs         `json:"pairs"` // nil with ranking
	Scores []MethodScore           `json:"scores,omitempty"`
	Curves [][]evaluate.CurvePoint `json:"curves,omitempty"`

	// With ranking, these have the measures of each vertex, over which the intervals are.
	Methods  []int              `json:"methods,omitempty"` // number of the method of each ranking
	Rankings []evaluate.Ranking `json:"rankings,omitempty"`
	Chance   *evaluate.Ranking  `json:"chance,omitempty"` // nil without rankings, and for the null graph
	Ranked   int                `json:"ranked"`           // vertices of the sample
	Drawn    int                `json:"drawn"`            // vertices with a held-out edge, of which the sample is
	Popular  cells.Nullable     `json:"popular"`          // of evaluate.RankSample

	Notices []rows.Notice `json:"notices,omitempty"`
}

func (f *linkFigures) add(next linkFigures) {
	f.Held, f.Pairs, f.Ranked, f.Drawn, f.Popular = next.Held, next.Pairs, next.Ranked, next.Drawn, next.Popular
	f.Scores, f.Curves = append(f.Scores, next.Scores...), append(f.Curves, next.Curves...)
	f.Methods, f.Rankings = append(f.Methods, next.Methods...), append(f.Rankings, next.Rankings...)
	if f.Chance == nil {
		f.Chance = next.Chance
	}
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
