package evaluate

import "heavytail/embedding/link"

// RankVerdict is the result of comparing several rankings. Rankings are named by their
// numbers in the list that was judged.
type RankVerdict struct {
	Best int `json:"best"` // the highest MAP, the first of equal ones
	// Next is the highest MAP of the others, −1 where there is none, and Margin how much
	// lower it is, vertex by vertex. If Margin.Low is above 0, the difference exceeds the random
	// variation among the vertices.
	Next   int      `json:"next"`
	Margin Interval `json:"margin"`
	// Tied are the other rankings whose difference from the best may be such variation: the low
	// end of its interval is not above 0. They come in the order of the list.
	Tied []int `json:"tied"`
	// Chance is how much higher the MAP of the best is than that of vertices drawn at
	// random. The interval is wider than 95 %, since the best of several rankings is compared: by
	// Bonferroni's correction it holds for all of them at once, as far as Resamples samples
	// can show it. If its low end is not above 0, no ranking is shown to be better than chance.
	Chance Interval `json:"chance"`
}

// JudgeRankings compares rankings of the same sample of vertices, and the best of them with
// recommendations by chance: see [LinkSplit.RankChance]. The samples of the bootstrap are
// those of [CompareRankings] with the same seed, and cost as much. It panics without rankings.
func JudgeRankings(list []Ranking, chance Ranking, seed uint64, workers int) RankVerdict {
	v := RankVerdict{Best: bestRanking(list), Next: -1, Tied: []int{}}
	n := len(chance.Of)
	var columns [][]float64
	for _, r := range list {
		columns = append(columns, aheadOf(list[v.Best], r))
	}
	behind := bootstrapMeans(columns, n, seed, workers, Resamples/40)
	for i, b := range behind {
		if i == v.Best {
			continue
		}
		if b.Low <= 0 {
			v.Tied = append(v.Tied, i)
		}
		if v.Next < 0 || b.Mean < v.Margin.Mean {
			v.Next, v.Margin = i, b
		}
	}
	columns = [][]float64{aheadOf(list[v.Best], chance)}
	v.Chance = bootstrapMeans(columns, n, seed, workers, max(1, Resamples/40/len(list)))[0]
	return v
}

// aheadOf returns by how much the average precision of a is above that of b, for each
// vertex.
func aheadOf(a, b Ranking) []float64 {
	ahead := make([]float64, len(a.Of))
	for i := range ahead {
		ahead[i] = a.Of[i].AveragePrecision - b.Of[i].AveragePrecision
	}
	return ahead
}

// RankChance measures recommendations of vertices that are drawn at random: for each
// vertex of the sample of [LinkSplit.Rank] with the same options, K different ones that it has
// no edge to in s.Graph, or all where there are fewer; with s.Sides of the other side.
func (s *LinkSplit) RankChance(opts RankOptions) (Ranking, error) {
	if err := opts.Validate(); err != nil {
		return Ranking{}, err
	}
	r, err := newRanker(s, nil, opts.withDefaults(s, false))
	if err != nil {
		return Ranking{}, err
	}
	space, err := newPairSpace(s.rows(), s.Sides)
	if err != nil {
		return Ranking{}, err
	}
	random := splitRandom(opts.Seed, "chance")
	of := Ranking{Scorer: "chance"}
	for _, v := range r.sample.Vertices {
		var list []link.PredictedLink
		for _, w := range space.drawFor(v, r.opts.K, random) {
			list = append(list, link.PredictedLink{U: v, V: w})
		}
		of.Of = append(of.Of, MeasureList(list, r.held.Neighbors(v), r.opts.K))
	}
	return of, nil
}
