package algorithms

import (
	"math"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

// distancesOf has the length of a shortest way from each vertex to each, and the number of the shortest
// ones. Lengths are multiples of a quarter, whose sums are exact.
func distancesOf(d *csr.Directed, weighted bool) (lengths, counts [][]float64) {
	n := d.Vertices()
	arcs := arcsOf(d)
	for i := range arcs {
		if !weighted {
			arcs[i].weight = 1
		}
	}
	for s := range n {
		length := slices.Repeat([]float64{math.Inf(1)}, n)
		length[s] = 0
		for range n {
			for _, a := range arcs {
				length[a.to] = min(length[a.to], length[a.from]+float64(a.weight))
			}
		}
		order := identity(n)
		slices.SortFunc(order, func(u, v uint32) int {
			switch {
			case length[u] < length[v]:
				return -1
			case length[u] > length[v]:
				return 1
			}
			return 0
		})
		count := make([]float64, n)
		count[s] = 1
		for _, v := range order {
			for _, a := range arcs {
				if a.from == v && !math.IsInf(length[v], 1) && length[v]+float64(a.weight) == length[a.to] {
					count[a.to] += count[v]
				}
			}
		}
		lengths, counts = append(lengths, length), append(counts, count)
	}
	return lengths, counts
}

func TestDirectedDistances_Naive(t *testing.T) {
	for i, d := range directedSamples(t) {
		n := d.Vertices()
		for _, weighted := range []bool{false, true} {
			lengths, counts := distancesOf(d, weighted)
			harmonic, near, between, far := make([]float64, n), make([]float64, n), make([]float64, n), make([]int64, n)
			for v := range n {
				sum, reached := 0.0, 0.0
				for u := range n {
					if x := lengths[u][v]; u != v && !math.IsInf(x, 1) {
						harmonic[v] += 1 / x
						sum += x
						reached++
					}
					if x := lengths[v][u]; !weighted && !math.IsInf(x, 1) {
						far[v] = max(far[v], int64(x))
					}
					for s := range n {
						if s != v && u != v && s != u && counts[s][u] > 0 && lengths[s][v]+lengths[v][u] == lengths[s][u] {
							between[v] += counts[s][v] * counts[v][u] / counts[s][u]
						}
					}
				}
				if sum > 0 {
					near[v] = reached / float64(n-1) * reached / sum
				}
			}
			opts := DistanceOptions{Weighted: weighted}
			compareScores(t, i, "harmonic", harmonic)(DirectedHarmonic(t.Context(), d, opts))
			compareScores(t, i, "closeness", near)(DirectedCloseness(t.Context(), d, opts))
			compareScores(t, i, "betweenness", between)(DirectedBetweenness(t.Context(), d, opts))
			if got, err := DirectedEccentricity(t.Context(), d, EccentricityOptions{}); !weighted && (err != nil || !slices.Equal(got, far) && n > 0) {
				t.Fatalf("graph %d: eccentricity %v, want %v, %v", i, got, far, err)
			}
			opts.Normalized = true
			scale(between, 1/math.Max(1, float64(n-1)*float64(n-2)))
			compareScores(t, i, "betweenness normalized", between)(DirectedBetweenness(t.Context(), d, opts))
		}
	}
}

func compareScores(t *testing.T, graph int, what string, want []float64) func(Scores, error) {
	return func(got Scores, err error) {
		t.Helper()
		if err != nil || len(want) > 0 && (got.Sources != len(want) || got.Error != 0) {
			t.Fatal(graph, what, got, err)
		}
		near(t, what, got.Values, want, 1e-12)
	}
}

// TestDirected_Symmetric holds the measures of a graph with both arcs of each edge to those of the
// undirected one.
func TestDirected_Symmetric(t *testing.T) {
	for _, g := range samples(t) {
		d := csr.NewDirected(csr.Rows{Offsets: g.Offsets, Targets: g.Targets, Weights: g.Weights})
		opts := DistanceOptions{Weighted: true}
		same := func(what string, factor, tolerance float64) func(got Scores, err error) func(want Scores, err error) {
			return func(got Scores, err error) func(Scores, error) {
				return func(want Scores, other error) {
					if err != nil || other != nil {
						t.Fatal(what, err, other)
					}
					scale(want.Values, factor)
					near(t, what, got.Values, want.Values, tolerance)
				}
			}
		}
		same("harmonic", 1, 1e-12)(DirectedHarmonic(t.Context(), d, opts))(Harmonic(t.Context(), g, opts))
		same("closeness", 1, 1e-12)(DirectedCloseness(t.Context(), d, opts))(Closeness(t.Context(), g, opts))
		same("betweenness", 2, 1e-12)(DirectedBetweenness(t.Context(), d, opts))(Betweenness(t.Context(), g, opts))
		same("pagerank", 1, 1e-10)(DirectedPageRank(t.Context(), d, PageRankOptions{}))(PageRank(t.Context(), g, PageRankOptions{}))
	}
}

// TestDirectedBetweenness_Bound holds estimates to their bounds of the error.
func TestDirectedBetweenness_Bound(t *testing.T) {
	for i, d := range directedSamples(t)[30:50] {
		n := d.Vertices()
		for _, sources := range []int{2, 5, 15} {
			exact, err := DirectedBetweenness(t.Context(), d, DistanceOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got, err := DirectedBetweenness(t.Context(), d, DistanceOptions{Sources: sources, Seed: uint64(i)})
			if err != nil || got.Sources != min(sources, n) {
				t.Fatal(got, err)
			}
			for v, x := range got.Values {
				if off := math.Abs(x - exact.Values[v]); off > got.Error+1e-9 {
					t.Errorf("graph %d from %d: vertex %d is off by %v, above %v", i, sources, v, off, got.Error)
				}
			}
		}
	}
}
