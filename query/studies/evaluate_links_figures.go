package studies

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heavytail/embedding/evaluate"
	"heavytail/query/fault"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// This file runs EVALUATE LINKS with the option ranking.

type linkRanking struct {
	opts    evaluate.RankOptions
	methods []int // number of the method of each ranking
	list    []evaluate.Ranking
	sample  evaluate.RankSample // the same for all methods
}

// ranked puts the rankings of a split into a result, and says which of them is best.
func ranked(c *engine.Call, req EvaluateLinksRequest, f linkFigures, result *EvaluateLinksResult) {
	for i, s := range evaluate.CompareRankings(f.list, req.Seed, c.DB.Opts.Workers) {
		result.Rankings = append(result.Rankings, MethodRanking{Method: f.methods[i], RankScore: s})
	}
	if f.chance != nil {
		v := evaluate.JudgeRankings(f.list, *f.chance, req.Seed, c.DB.Opts.Workers)
		result.Verdict = &v
		c.Notice("%s", verdictText(v, *result))
	}
	c.Notice("%s held out; recommendations for %d of %s with such edges, %.1f %% of which lead to the 1 %% of vertices with most edges",
		fault.Count(int64(f.Held), "edge"), len(f.sample.Vertices), fault.Count(int64(f.sample.All), "vertex"), 100*f.sample.Popular)
}

// nullRankings adds the figures of a split of the null graph.
func nullRankings(c *engine.Call, req EvaluateLinksRequest, null linkFigures, rankings []MethodRanking) {
	left := evaluate.CompareRankings(null.list, req.Seed, c.DB.Opts.Workers)
	for i := range rankings {
		r := &rankings[i]
		r.NullMAP, r.NullRecall = math.NaN(), math.NaN()
		if at := len(null.list) - len(left); len(left) > 0 && null.methods[at] == r.Method && left[0].Scorer == r.Scorer && left[0].Learned == r.Learned {
			r.NullMAP, r.NullRecall = left[0].MAP.Mean, left[0].Recall.Mean
			left = left[1:]
		}
	}
}

// verdictText says in a sentence what to recommend by.
func verdictText(v evaluate.RankVerdict, r EvaluateLinksResult) string {
	name := func(i int) string {
		s := r.Rankings[i]
		text := scorerText(s.Scorer, s.Learned)
		if s.Method >= 0 {
			text += " of " + r.Methods[s.Method]
		}
		return text
	}
	best := fmt.Sprintf("its MAP of %.3g", r.Rankings[v.Best].MAP.Mean)
	if v.Chance.Low <= 0 {
		return fmt.Sprintf("none of them is shown to recommend better than chance: the best is %s, and %s is not clearly above that of vertices drawn at random", name(v.Best), best)
	}
	text := fmt.Sprintf("to recommend links, use %s: %s is the highest", name(v.Best), best)
	if v.Next < 0 {
		return text
	}
	equal := v.Margin == evaluate.Interval{} // the next one recommends as well to every vertex, as katz and local_path often do
	if equal {
		text += fmt.Sprintf(", and that of %s is equal", name(v.Next))
	} else {
		text += fmt.Sprintf(", %.2g above %s (95 %% interval %.2g to %.2g)", v.Margin.Mean, name(v.Next), v.Margin.Low, v.Margin.High)
	}
	var tied []string
	for _, i := range v.Tied {
		if !equal || i != v.Next {
			tied = append(tied, name(i))
		}
	}
	switch {
	case equal && len(r.Rankings) == 2:
		return text
	case tied == nil:
		return text + "; the difference from all others is more than chance among the vertices"
	}
	return text + "; the difference may be chance among the vertices for " + strings.Join(tied, ", ")
}

// rankMethods ranks by the scorers and features of the members of eachMethod from first to
// end; with keep it also returns the lists.
func rankMethods(c *engine.Call, req EvaluateLinksRequest, t *linkTrial, split *evaluate.LinkSplit, keep bool) (r linkRanking, err error) {
	r.opts = evaluate.RankOptions{
		K: req.RankAt, Vertices: req.RankVertices, Near: req.Near, Seed: req.Seed, Keep: keep, Workers: c.DB.Opts.Workers, Progress: c.Meter.Update,
	}
	stop := c.Watch.Start(plan.Score)
	if err := eachMethod(c, t, split, func(m methodVectors) error { return r.add(c, split, m) }); err != nil {
		return r, err
	}
	stop(int64(len(r.list)), "methods included")
	return r, nil
}

func (r *linkRanking) add(c *engine.Call, split *evaluate.LinkSplit, m methodVectors) error {
	opts := r.opts
	opts.Scorers, opts.Features, opts.Models = m.scorers, m.features, m.models
	list, sample, err := split.Rank(c.Ctx, m.vectors, opts)
	if err != nil {
		return fmt.Errorf("recommending: %w", err)
	}
	for _, ranking := range list {
		r.methods, r.list = append(r.methods, m.number), append(r.list, ranking)
	}
	r.sample = sample
	return nil
}

var rankColumns = []string{
	"method", "scorer", "map", "map_low", "map_high", "behind", "behind_low", "behind_high", "recall", "recall_low", "recall_high",
	"precision", "ndcg", "ndcg_low", "ndcg_high", "mrr", "hit_rate", "coverage", "popular",
}

var nullRankColumns = []string{"null_map", "null_recall"}

func rankRows(req EvaluateLinksRequest, r EvaluateLinksResult) *rows.Rows {
	columns := slices.Clone(rankColumns)
	if req.Null {
		columns = append(columns, nullRankColumns...)
	}
	table := make([][]rows.Value, len(r.Rankings))
	for i, s := range r.Rankings {
		row := []rows.Value{methodCell(r.Methods, s.Method), scorerText(s.Scorer, s.Learned)}
		for _, x := range []evaluate.Interval{s.MAP, s.Behind, s.Recall} {
			row = append(row, x.Mean, x.Low, x.High)
		}
		table[i] = append(row, s.Precision.Mean, s.NDCG.Mean, s.NDCG.Low, s.NDCG.High, s.MRR.Mean, s.HitRate.Mean, s.Coverage, cells.Number(s.Popular))
		if req.Null {
			table[i] = append(table[i], cells.Number(s.NullMAP), cells.Number(s.NullRecall))
		}
	}
	return cells.RowsOf(columns, table).Typed("behind", cells.OrNull(storage.Float))
}

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
