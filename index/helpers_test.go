package index

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/leaktest"
	"heavytail/storage/vec"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// uniform returns rows drawn from the unit cube.
func uniform(rows, dim int, seed uint64) *vec.Matrix {
	random := rand.New(rand.NewPCG(seed, 1))
	m := vec.NewMatrix(rows, dim)
	for i := range m.Data {
		m.Data[i] = random.Float32()
	}
	return m
}

// clustered returns rows around the given number of random centres. The distances between
// centres are about apart times those within a cluster.
func clustered(rows, dim, clusters int, apart float64, seed uint64) *vec.Matrix {
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

// gridded returns few distinct points with integer coordinates, so that many rows are equal and
// many distances tie.
func gridded(rows, dim int, seed uint64) *vec.Matrix {
	random := rand.New(rand.NewPCG(seed, 3))
	m := vec.NewMatrix(rows, dim)
	for i := range m.Data {
		m.Data[i] = float32(random.IntN(3))
	}
	return m
}

func scaled(m *vec.Matrix, by, offset float32) *vec.Matrix {
	out := vec.NewMatrix(m.Rows, m.Dim)
	for i, x := range m.Data {
		out.Data[i] = x*by + offset
	}
	return out
}

// matrices returns the inputs with which every pass over pairs is tested.
func matrices() map[string]*vec.Matrix {
	sets := map[string]*vec.Matrix{
		"equal":       scaled(uniform(150, 7, 1), 0, 0.1),
		"duplicates":  gridded(300, 3, 5),
		"line":        gridded(120, 1, 6),
		"clusters":    clustered(333, 200, 5, 4, 7),
		"far apart":   clustered(333, 20, 6, 3000, 8),
		"far and off": scaled(clustered(200, 8, 4, 1e5, 9), 1, 1e6),
		"tiny":        scaled(uniform(200, 5, 10), 1e-21, 0),
		"smallest":    scaled(uniform(100, 3, 10), 1e-43, 0),
		"huge":        scaled(uniform(130, 5, 11), 2e19, 0),
		"largest":     scaled(scaled(uniform(90, 3, 12), 3, -1.5), 2e38, 0),
		"wide":        uniform(40, 1100, 13),
	}
	sizes := []int{0, 1, 2, 31, 32, 33, 97, 500}
	if testing.Short() {
		sizes = []int{0, 1, 33, 97}
	}
	for _, n := range sizes {
		for _, dim := range []int{1, 2, 3} {
			sets[fmt.Sprintf("n=%d/dim=%d", n, dim)] = uniform(n, dim, uint64(n))
		}
	}
	sets["no columns"] = vec.NewMatrix(40, 0)
	return sets
}

// sample is SampleDistances with the context of the test.
func sample(t testing.TB, m *vec.Matrix, count int, seed uint64) []float64 {
	t.Helper()
	distances, err := SampleDistances(context.Background(), m, count, seed)
	if err != nil {
		t.Fatal(err)
	}
	return distances
}

// radiiOf returns radii that contain few, some and nearly all pairs of m; some of them are
// exactly the distance of a pair.
func radiiOf(t testing.TB, m *vec.Matrix) []float64 {
	t.Helper()
	radii := []float64{0, 0.5, 1, math.Sqrt2}
	if d := sample(t, m, 500, 3); len(d) > 0 {
		for _, q := range []float64{0, 0.01, 0.1, 0.5, 0.9, 1} {
			r := d[int(q*float64(len(d)-1))]
			if !math.IsInf(r, 0) {
				radii = append(radii, r, math.Nextafter(r, 0), math.Nextafter(r, math.Inf(1)))
			}
		}
	}
	radii = slices.DeleteFunc(radii, func(r float64) bool { return r < 0 })
	slices.Sort(radii)
	return radii
}

// bruteJoin is the oracle: it measures every pair.
func bruteJoin(m *vec.Matrix, radius float64) [][]uint32 {
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

// collect runs a join and checks that it yields every row once, in order.
func collect(t testing.TB, m *vec.Matrix, radius float64, opts JoinOptions) [][]uint32 {
	t.Helper()
	var lists [][]uint32
	err := Join(context.Background(), m, radius, opts, func(u uint32, neighbors []uint32) error {
		if int(u) != len(lists) {
			t.Fatalf("row %d after %d rows", u, len(lists))
		}
		lists = append(lists, slices.Clone(neighbors))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lists) != m.Rows {
		t.Fatalf("%d rows of %d", len(lists), m.Rows)
	}
	return lists
}
