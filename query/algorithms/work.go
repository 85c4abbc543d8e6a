package algorithms

import (
	"fmt"
	"math"
	"runtime"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Work sets the resources of a computation. The values do not depend on it. The zero
// value works.
type Work struct {
	Workers int // goroutines; 0 means GOMAXPROCS

	// Progress, if not nil, receives the units that are done, at most every 50 ms. It is
	// called from one goroutine at a time.
	Progress func(stage string, done, total int64)
}

// workersOf is the number of goroutines.
func workersOf(w Work) int {
	if w.Workers > 0 {
		return w.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// Scores are the values of a measure.
type Scores struct {
	Values []float64 // of each vertex

	Iterations int     // of an iterative method; 0 otherwise
	Residual   float64 // of the last iteration, as the method documents

	// Sources is the number of vertices from which distances were computed, for methods
	// that compute distances. If it is below the number of vertices, the values are
	// estimates, and Error is the bound of their error as the method documents.
	Sources int
	Error   float64
}

// blockVertices is the number of vertices that a worker takes at a time. It is
// part of the definition of sums over blocks.
const blockVertices = 1 << 10

// each calls f for fixed blocks of vertices in parallel.
func (w Work) each(n int, f func(lo, hi int)) {
	vec.Parallel(n, blockVertices, w.Workers, func(_, lo, hi int) { f(lo, hi) })
}

// sum computes f for fixed blocks of vertices in parallel, and adds the results in
// the order of the blocks.
func (w Work) sum(n int, f func(lo, hi int) float64) float64 {
	return w.sums(n, 1, func(lo, hi int, parts []float64) { parts[0] = f(lo, hi) })[0]
}

// sums is sum for k numbers at a time.
func (w Work) sums(n, k int, f func(lo, hi int, parts []float64)) []float64 {
	parts := make([]float64, blocksOf(n)*k)
	vec.Parallel(n, blockVertices, w.Workers, func(block, lo, hi int) { f(lo, hi, parts[block*k:block*k+k]) })
	return totals(parts, k)
}

func blocksOf(n int) int { return (n + blockVertices - 1) / blockVertices }

// totals adds k numbers of each block.
func totals(parts []float64, k int) []float64 {
	total := make([]float64, k)
	for i, p := range parts {
		total[i%k] += p
	}
	return total
}

// reporter returns a function that reports the units done.
func (w Work) reporter(stage string, total int64) func(done int64) {
	return vec.Reporter(w.Progress, stage, total)
}

// checkWeights returns an error for weights that no measure can use. It takes O(m).
func checkWeights(g *csr.Graph) error {
	for i, w := range g.Weights {
		if !(w > 0 && w <= math.MaxFloat32) { // false for NaN as well
			return fmt.Errorf("weight %v of an edge to vertex %d: %w", w, g.Targets[i], ErrWeight)
		}
	}
	return nil
}

// weightsOf returns g with its weights if weighted is set, and otherwise without them.
func weightsOf(g *csr.Graph, weighted bool) (*csr.Graph, error) {
	if !weighted || g.Weights == nil {
		return weightless(g), nil
	}
	return g, checkWeights(g)
}

func weightless(g *csr.Graph) *csr.Graph { return &csr.Graph{Offsets: g.Offsets, Targets: g.Targets} }

// Degree returns the number of neighbours of each vertex.
func Degree(g *csr.Graph) []int64 {
	degrees := make([]int64, g.Vertices())
	for v := range degrees {
		degrees[v] = int64(g.Degree(uint32(v)))
	}
	return degrees
}

// Strength returns the sum of the weights of the edges of each vertex as they were written: see
// csr.Sum. It is the degree if the graph has no weights. It takes O(n + m).
func Strength(g *csr.Graph, w Work) ([]float64, error) {
	strengths := make([]float64, g.Vertices())
	if g.Weights == nil {
		for v := range strengths {
			strengths[v] = float64(g.Degree(uint32(v)))
		}
		return strengths, nil
	}
	if err := checkWeights(g); err != nil {
		return nil, err
	}
	w.each(len(strengths), func(lo, hi int) {
		for v := lo; v < hi; v++ {
			strengths[v] = csr.Sum(g.WeightsOf(uint32(v)))
		}
	})
	return strengths, nil
}

// strength is the sum of the weights of a vertex as they are stored.
func strength(g *csr.Graph, v uint32) float64 {
	if g.Weights == nil {
		return float64(g.Degree(v))
	}
	sum := 0.0
	for _, w := range g.WeightsOf(v) {
		sum += float64(w)
	}
	return sum
}
