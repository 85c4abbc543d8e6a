package query

import (
	"fmt"

	"heavytail/embedding/evaluate"
	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
)

// This file runs EVALUATE LINKS with the option ranking.

// linkRanking gathers the rankings of all methods.
type linkRanking struct {
	opts    evaluate.RankOptions
	methods []int // of each ranking
	list    []evaluate.Ranking
	sample  evaluate.RankSample // the same for all
}

// rankLinks measures recommendations.
func rankLinks(c *call, req EvaluateLinksRequest, t *linkTrial, split *evaluate.LinkSplit) (EvaluateLinksResult, error) {
	r, err := c.rankMethods(req, t, split, false)
	if err != nil {
		return EvaluateLinksResult{}, err
	}
	result := EvaluateLinksResult{Methods: t.texts()}
	for i, s := range evaluate.CompareRankings(r.list, req.Seed, c.db.opts.Workers) {
		result.Rankings = append(result.Rankings, MethodRanking{r.methods[i], s})
	}
	c.Notice("%s held out; recommendations for %d of %s with such edges, %.1f %% of which lead to the 1 %% of vertices with most edges",
		fault.Count(int64(len(split.Edges)), "edge"), len(r.sample.Vertices), fault.Count(int64(r.sample.All), "vertex"), 100*r.sample.Popular)
	result.Notices = c.Notices
	return result, nil
}

// rankMethods ranks by the scorers and features of all methods; keep keeps the lists.
func (c *call) rankMethods(req EvaluateLinksRequest, t *linkTrial, split *evaluate.LinkSplit, keep bool) (*linkRanking, error) {
	r := &linkRanking{opts: evaluate.RankOptions{
		K: req.RankAt, Vertices: req.RankVertices, Near: req.Near, Seed: req.Seed, Keep: keep, Workers: c.db.opts.Workers, Progress: c.Meter.Update,
	}}
	stop := c.Watch.Start(plan.Score)
	if err := c.eachMethod(t, split, func(m methodVectors) error { return r.add(c, split, m) }); err != nil {
		return nil, err
	}
	stop(int64(len(r.list)), "methods included")
	return r, nil
}

// add ranks by the scorers and features of one method.
func (r *linkRanking) add(c *call, split *evaluate.LinkSplit, m methodVectors) error {
	opts := r.opts
	opts.Scorers, opts.Features = m.scorers, m.features
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

// rankColumns are those of EVALUATE LINKS with ranking.
var rankColumns = []string{
	"method", "scorer", "map", "map_low", "map_high", "behind", "behind_low", "behind_high", "recall", "recall_low", "recall_high",
	"precision", "ndcg", "ndcg_low", "ndcg_high", "mrr", "hit_rate", "coverage", "popular",
}

func rankRows(r EvaluateLinksResult) *Rows {
	table := make([][]Value, len(r.Rankings))
	for i, s := range r.Rankings {
		var method Value
		if s.Method >= 0 {
			method = r.Methods[s.Method]
		}
		row := []Value{method, scorerText(s.Scorer, s.Learned)}
		for _, x := range []evaluate.Interval{s.MAP, s.Behind, s.Recall} {
			row = append(row, x.Mean, x.Low, x.High)
		}
		table[i] = append(row, s.Precision.Mean, s.NDCG.Mean, s.NDCG.Low, s.NDCG.High, s.MRR.Mean, s.HitRate.Mean, s.Coverage, number(s.Popular))
	}
	return rowsOf(rankColumns, table)
}
