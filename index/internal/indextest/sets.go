// Package indextest has the sets of vectors and the oracles with which index and the packages
// below it are tested.
package indextest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"heavytail/storage/vec"
)

// Uniform returns rows drawn from the unit cube.
func Uniform(rows, dim int, seed uint64) *vec.Matrix {
	random := rand.New(rand.NewPCG(seed, 1))
	m := vec.NewMatrix(rows, dim)
	for i := range m.Data {
		m.Data[i] = random.Float32()
	}
	return m
}

// Clustered returns rows around the given number of random centres. The distances between
// centres are about apart times those within a cluster.
func Clustered(rows, dim, clusters int, apart float64, seed uint64) *vec.Matrix {
	random := rand.New(rand.NewPCG(seed, 2))
	centres := vec.NewMatrix(clusters, dim)
	for i := range centres.Data {
		centres.Data[i] = float32(random.NormFloat64() * apart)
	}
	m := vec.NewMatrix(rows, dim)
	for v := range rows {
		centre := centres.Row(random.IntN(clusters))
		for l := range m.Row(v) {
			m.Row(v)[l] = centre[l] + float32(random.NormFloat64())
		}
	}
	return m
}

// Gridded returns few distinct points with integer coordinates, so that many rows are equal and
// many distances tie.
func Gridded(rows, dim int, seed uint64) *vec.Matrix {
	random := rand.New(rand.NewPCG(seed, 3))
	m := vec.NewMatrix(rows, dim)
	for i := range m.Data {
		m.Data[i] = float32(random.IntN(3))
	}
	return m
}

func Scaled(m *vec.Matrix, by, offset float32) *vec.Matrix {
	out := vec.NewMatrix(m.Rows, m.Dim)
	for i, x := range m.Data {
		out.Data[i] = x*by + offset
	}
	return out
}

// Rays returns rows like those of a spectral embedding: groups in orthogonal directions, with
// lengths of several orders of magnitude.
func Rays(rows, dim, groups int) *vec.Matrix {
	m := Uniform(rows, dim, 5)
	for v := range rows {
		long := math.Exp(-float64(v*7%13) / 4)
		for i, x := range m.Row(v) {
			m.Row(v)[i] = float32(long) * (x - 0.5) / 50
		}
		m.Row(v)[v%groups] += float32(long)
	}
	return m
}

// Matrices returns the inputs with which every pass over pairs is tested.
func Matrices() map[string]*vec.Matrix {
	sets := map[string]*vec.Matrix{
		"equal":       Scaled(Uniform(150, 7, 1), 0, 0.1),
		"duplicates":  Gridded(300, 3, 5),
		"line":        Gridded(120, 1, 6),
		"clusters":    Clustered(333, 200, 5, 4, 7),
		"far apart":   Clustered(333, 20, 6, 3000, 8),
		"far and off": Scaled(Clustered(200, 8, 4, 1e5, 9), 1, 1e6),
		"tiny":        Scaled(Uniform(200, 5, 10), 1e-21, 0),
		"smallest":    Scaled(Uniform(100, 3, 10), 1e-43, 0),
		"huge":        Scaled(Uniform(130, 5, 11), 2e19, 0),
		"largest":     Scaled(Scaled(Uniform(90, 3, 12), 3, -1.5), 2e38, 0),
		"wide":        Uniform(40, 1100, 13),
	}
	sizes := []int{0, 1, 2, 31, 32, 33, 97, 500}
	if testing.Short() {
		sizes = []int{0, 1, 33, 97}
	}
	for _, n := range sizes {
		for _, dim := range []int{1, 2, 3} {
			sets[fmt.Sprintf("n=%d/dim=%d", n, dim)] = Uniform(n, dim, uint64(n))
		}
	}
	sets["no columns"] = vec.NewMatrix(40, 0)
	return sets
}

// RadiiOf returns radii that contain few, some and nearly all pairs of m; some of them are
// exactly the distance of a pair.
func RadiiOf(m *vec.Matrix) []float64 {
	radii := []float64{0, 0.5, 1, math.Sqrt2}
	random := rand.New(rand.NewPCG(3, 3))
	var distances []float64 // of random pairs
	for range 500 {
		if m.Rows > 1 {
			u := random.IntN(m.Rows)
			v := (u + 1 + random.IntN(m.Rows-1)) % m.Rows
			distances = append(distances, math.Sqrt(float64(vec.L2Squared(m.Row(u), m.Row(v)))))
		}
	}
	slices.Sort(distances)
	for _, q := range []float64{0, 0.01, 0.1, 0.5, 0.9, 1} {
		if len(distances) == 0 {
			break
		}
		if r := distances[int(q*float64(len(distances)-1))]; !math.IsInf(r, 0) {
			radii = append(radii, r, max(0, math.Nextafter(r, 0)), math.Nextafter(r, math.Inf(1)))
		}
	}
	slices.Sort(radii)
	return radii
}

// BruteJoin is the oracle: it measures every pair.
func BruteJoin(m *vec.Matrix, radius float64) [][]uint32 {
	lists := make([][]uint32, m.Rows)
	for u := range m.Rows {
		for v := u + 1; v < m.Rows; v++ {
			if float64(vec.L2Squared(m.Row(u), m.Row(v))) <= radius*radius {
				lists[u] = append(lists[u], uint32(v))
			}
		}
	}
	return lists
}

func SameLists(a, b [][]uint32) bool {
	return slices.EqualFunc(a, b, func(x, y []uint32) bool { return slices.Equal(x, y) })
}

// TileRate measures the micro-kernel alone with data in the cache: the upper bound for a join,
// with two operations for each multiply-add.
func TileRate(dim int) float64 {
	const calls = 2000
	a, panel := make([]float32, vec.TileRows*dim), make([]float32, vec.TileCols*dim)
	var c [vec.TileRows * vec.TileCols]float32
	best := time.Duration(1 << 62)
	for range 20 {
		start := time.Now()
		for range calls {
			vec.Tile(&c, dim, a, 1, vec.TileRows, panel)
		}
		best = min(best, time.Since(start))
	}
	return 2 * float64(dim) * vec.TileRows * vec.TileCols * calls / best.Seconds() / 1e9
}
