package link

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// TestNewBatch_SameBits compares lists of pairs with single pairs. List lengths are around the
// numbers of pairs that are prefetched and that are grouped, and some pairs have isolated or equal vertices.
func TestNewBatch_SameBits(t *testing.T) {
	const n = 60
	random := rand.New(rand.NewPCG(5, 6))
	edges := make([]csr.Edge, 300)
	for i := range edges {
		edges[i] = csr.Edge{U: random.Uint32N(n - 5), V: random.Uint32N(n-5) / (1 + random.Uint32N(9))}
	}
	g := withTimes(testgraph.Of(t, n, edges...), random)
	m := vec.NewMatrix(n, 17)
	for i := range m.Data {
		m.Data[i] = random.Float32() - 0.5
	}
	for _, s := range Scorers() {
		score, err := New(s.Name, g, m)
		if err != nil {
			t.Fatal(err)
		}
		_, batch, err := NewBatch(s.Name, g, m)
		if err != nil {
			t.Fatal(err)
		}
		for _, count := range []int{0, 1, 2, ahead, ahead + 1, 3 * ahead, fewPairs - 1, fewPairs, 100, 5000} {
			pairs, out := make([]csr.Edge, count), make([]float64, count)
			sources := 1 + random.Uint32N(n)
			for i := range pairs {
				pairs[i] = csr.Edge{U: random.Uint32N(sources), V: random.Uint32N(n)}
			}
			if count > 1 {
				pairs[1].V = pairs[1].U
			}
			batch(pairs, out)
			for i, e := range pairs {
				if want := score(e.U, e.V); math.Float64bits(out[i]) != math.Float64bits(want) {
					t.Errorf("%s: pair %v is %v in a batch of %d, %v alone", s.Name, e, out[i], count, want)
				}
			}
		}
	}
}

func TestNewBatch_Errors(t *testing.T) {
	g := kite(t)
	for _, c := range []struct {
		name string
		g    *csr.Graph
		want error
	}{{"jaccard", nil, ErrNeedsGraph}, {"cosine", g, ErrNeedsEmbedding}, {"likelihood", g, ErrScorer}} {
		if _, _, err := NewBatch(c.name, c.g, nil); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, err, c.want)
		}
	}
}
