package evaluate

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"

	"heavytail/storage/vec"
)

// Interval is a mean over vertices and its 95 % interval.
type Interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// RankScore has the means of a Ranking over its vertices.
type RankScore struct {
	Scorer    string   `json:"scorer"`
	Learned   bool     `json:"learned"`
	Recall    Interval `json:"recall"`
	Precision Interval `json:"precision"`
	MAP       Interval `json:"map"`
	NDCG      Interval `json:"ndcg"`
	MRR       Interval `json:"mrr"`
	HitRate   Interval `json:"hit_rate"` // fraction of the vertices with a hit
	// Behind is how much higher the MAP of the best compared ranking is,
	// vertex by vertex. If Low is above 0, the difference exceeds the random
	// variation among the vertices; it does not include that of the split.
	Behind   Interval `json:"behind"`
	Coverage float64  `json:"coverage"` // see Ranking
	Popular  float64  `json:"popular"`  // see Ranking
}

// Resamples is the number of samples of a bootstrap: enough for intervals whose ends
// vary by a twentieth of their width.
const Resamples = 1000

// CompareRankings averages rankings of the same sample of vertices, and compares each
// with the one of the highest MAP, the first of equal ones. Intervals reach from the 2.5th
// to the 97.5th percentile over Resamples bootstrap samples of the vertices (Efron,
// "Bootstrap Methods", 1979), which are the same for all rankings. The same seed
// gives the same intervals, at any number of workers (0 means GOMAXPROCS). It takes
// O(Resamples · vertices · rankings) time and 16 KB for each ranking and measure.
func CompareRankings(list []Ranking, seed uint64, workers int) []RankScore {
	if len(list) == 0 {
		return nil
	}
	n := len(list[0].Of)
	columns := make([][]float64, 0, rankColumns*len(list))
	for _, r := range list {
		columns = append(columns, rankValues(r)...)
	}
	best := bestRanking(list)
	for i := range list {
		behind := columns[rankColumns*i+rankBehind]
		for v := range behind {
			behind[v] = columns[rankColumns*best+rankMAP][v] - columns[rankColumns*i+rankMAP][v]
		}
	}
	intervals := bootstrapMeans(columns, n, seed, workers, Resamples/40)
	scores := make([]RankScore, len(list))
	for i, r := range list {
		at := intervals[rankColumns*i:]
		scores[i] = RankScore{r.Scorer, r.Learned, at[0], at[1], at[rankMAP], at[3], at[4], at[5], at[rankBehind], r.Coverage, r.Popular}
	}
	return scores
}

// bestRanking returns the number of the ranking with the highest MAP, the first of equal
// ones.
func bestRanking(list []Ranking) int {
	best, highest := 0, 0.0
	for i, r := range list {
		sum := 0.0
		for _, m := range r.Of {
			sum += m.AveragePrecision
		}
		if sum > highest {
			best, highest = i, sum
		}
	}
	return best
}

// The columns of a ranking: recall, precision, MAP, NDCG, MRR, hits and the
// difference from the best.
const (
	rankMAP     = 2
	rankBehind  = 6
	rankColumns = 7
)

// rankValues returns the columns of a ranking, the last of them zeros.
func rankValues(r Ranking) [][]float64 {
	columns := make([][]float64, rankColumns)
	for _, m := range r.Of {
		for j, x := range []float64{m.Recall, m.Precision, m.AveragePrecision, m.NDCG, m.ReciprocalRank, m.Hit, 0} {
			columns[j] = append(columns[j], x)
		}
	}
	return columns
}

// bootstrapMeans returns the mean of each column of n values, with the interval that
// leaves out so many samples at either end, less one. Every sample has its own generator, so that the result does not
// depend on the number of workers.
func bootstrapMeans(columns [][]float64, n int, seed uint64, workers, tail int) []Interval {
	means := make([][]float64, len(columns))
	for j := range means {
		means[j] = make([]float64, Resamples)
	}
	vec.Parallel(Resamples, 8, workers, func(_, lo, hi int) {
		times := make([]float64, n)
		for i := lo; i < hi; i++ {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			clear(times)
			for range n {
				times[random.IntN(n)]++
			}
			for j, column := range columns {
				sum := 0.0
				for v, x := range column {
					sum += times[v] * x
				}
				means[j][i] = sum / float64(n)
			}
		}
	})
	intervals := make([]Interval, len(columns))
	for j, column := range columns {
		slices.Sort(means[j])
		intervals[j] = Interval{stat.Mean(column, nil), means[j][tail-1], means[j][Resamples-tail]}
	}
	return intervals
}
