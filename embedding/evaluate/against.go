package evaluate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"heavytail/embedding/jsonnull"
)

// AgainstScore measures the scores of edges against those of other pairs by the definitions of published
// tables: Hu et al., "Open Graph Benchmark", NeurIPS 2020, and Li et al., "Evaluating Graph Neural
// Networks for Link Prediction: Current Pitfalls and New Benchmarking" (HeaRT), NeurIPS 2023.
type AgainstScore struct {
	// MRR is the mean over the edges of 1/rank. The rank of an edge is 1, plus the number of pairs of its
	// list with a higher score, plus half of those with the same score: the mean of the best and the
	// worst rank that it can have.
	MRR              float64  `json:"mrr"`
	Hits             []HitsAt `json:"hits"`
	AUC              float64  `json:"auc"`               // of all edges and all other pairs; see the function AUC
	AveragePrecision float64  `json:"average_precision"` // likewise; it depends on how many pairs there are for each edge
}

// HitsAt is the fraction of the edges that are near the top. Where all edges have the same list, those count
// that score higher than the K-th highest of the other pairs; where each has a list of its own, those
// whose rank is at most K. It is NaN if a list has fewer than K pairs.
type HitsAt struct {
	K        int     `json:"k"`
	Fraction float64 `json:"fraction"`
}

// MarshalJSON writes null for a figure that is not defined.
func (h HitsAt) MarshalJSON() ([]byte, error) { return jsonnull.Marshal(h) }

// UnmarshalJSON reads what MarshalJSON has written; null is NaN.
func (h *HitsAt) UnmarshalJSON(text []byte) error { return jsonnull.Unmarshal(text, h) }

// MeasureAgainst measures scores, larger ones for likelier edges. All edges are compared with all other
// pairs; with own the pairs are lists of equal length, one for each edge in their order, and
// an edge is ranked in its own list. hits are the K of Hits, each at least 1. NaN is below every number.
// The error is ErrShape for an empty list, and where the pairs do not divide into such lists. It takes
// O(n log n) time and 16 bytes for each score.
func MeasureAgainst(edges, others []float64, own bool, hits []int) (s AgainstScore, err error) {
	lists := 1
	if own {
		lists = len(edges)
	}
	if min(len(edges), len(others)) == 0 || len(others)%lists != 0 {
		return s, fmt.Errorf("%d edges, %d pairs in %d lists: %w", len(edges), len(others), lists, ErrShape)
	}
	n := len(others) / lists
	for _, k := range hits {
		s.Hits = append(s.Hits, HitsAt{K: k})
	}
	var list []float64 // of the edge, ascending
	for i, x := range edges {
		if i < lists {
			list = append(list[:0], others[i*n:(i+1)*n]...)
			slices.Sort(list)
		}
		first, _ := slices.BinarySearch(list, x)
		above := n - sort.Search(n, func(j int) bool { return cmp.Compare(list[j], x) > 0 })
		rank := 1 + float64(above+n-first)/2
		s.MRR += 1 / rank
		for j := range s.Hits {
			h := &s.Hits[j]
			if own && rank <= float64(h.K) || !own && h.K <= n && cmp.Compare(x, list[n-h.K]) > 0 {
				h.Fraction++
			}
		}
	}
	all := float64(len(edges))
	s.MRR /= all
	for j := range s.Hits {
		if s.Hits[j].Fraction /= all; s.Hits[j].K > n {
			s.Hits[j].Fraction = math.NaN()
		}
	}
	r := rankScores(slices.Clone(edges), slices.Clone(others))
	s.AUC, s.AveragePrecision = r.auc(), r.averagePrecision()
	return s, nil
}
