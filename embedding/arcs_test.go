package embedding

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// arcGraph is a directed graph with weights, which differ between the arcs of a pair, a third of whose vertices have
// no arcs to others.
func arcGraph(n int, seed uint64) *csr.Directed {
	random := rand.New(rand.NewPCG(seed, 8))
	var list []csr.Edge
	for u := range uint32(n) {
		if u%3 == 2 {
			continue
		}
		for range 1 + random.IntN(6) {
			if v := uint32(float64(n) * math.Pow(random.Float64(), 2)); v != u {
				list = append(list, csr.Edge{U: u, V: v})
				if v%3 != 2 && random.IntN(3) == 0 {
					list = append(list, csr.Edge{U: v, V: u})
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b csr.Edge) int { return (int(a.U)-int(b.U))*n + int(a.V) - int(b.V) })
	out := csr.RowsOf(n, slices.Compact(list))
	out.Weights = make([]float32, len(out.Targets))
	for i := range out.Weights {
		out.Weights[i] = float32(1 + random.IntN(5))
	}
	return csr.NewDirected(out)
}

// methodsAlong are the methods whose walks can follow the direction of edges.
var methodsAlong = []string{MethodDeepWalk, MethodNode2Vec}

// TestNewWalks_Direction expects that walks against the edges are those along the edges of the reversed graph, and
// that walks in both directions are those of the undirected view.
func TestNewWalks_Direction(t *testing.T) {
	d := arcGraph(90, 1)
	g := d.Undirected()
	for _, method := range methodsAlong {
		o := WalkOptions{Walks: 3, Length: 15, Q: 2, Seed: 4}
		view := walksOf(t, g, method, o)
		o.Direction, o.Directed = DirectionBoth, d
		if !sameWalks(walksOf(t, g, method, o), view) {
			t.Errorf("%s: other walks in both directions", method)
		}
		o.Direction = DirectionOut
		along := walksOf(t, g, method, o)
		o.Direction, o.Directed = DirectionIn, d.Reversed()
		if !sameWalks(along, walksOf(t, g, method, o)) {
			t.Errorf("%s: other walks against the edges of the reversed graph", method)
		}
		if sameWalks(along, view) || sameWalks(along, walksOf(t, g, method, WalkOptions{Walks: 3, Length: 15, Q: 2, Seed: 4, Direction: DirectionIn, Directed: d})) {
			t.Errorf("%s: the direction makes no difference", method)
		}
		o.IgnoreWeights = true
		if o.UsesWeights(g) || sameWalks(along, walksOf(t, g, method, o)) {
			t.Errorf("%s: weights of edges make no difference", method)
		}
	}
}

// TestNewWalks_Direction_Weights takes the weights of edges from two vertices to each of some others, and those back.
func TestNewWalks_Direction_Weights(t *testing.T) {
	const n, rounds = 12, 20_000
	d := arcGraph(n, 3)
	for _, direction := range []Direction{DirectionOut, DirectionIn} {
		w := walksOf(t, d.Undirected(), MethodDeepWalk, WalkOptions{Walks: rounds, Length: 2, Direction: direction, Directed: d})
		counts := map[[2]uint32]float64{}
		for i := range w.Walks {
			if path := w.Append(nil, i); len(path) == 2 {
				counts[[2]uint32(path)]++
			}
		}
		sums, weights := map[uint32]float64{}, map[[2]uint32]float64{}
		for u := range uint32(n) {
			for i, v := range d.Out.Neighbors(u) {
				step := [2]uint32{u, v}
				if direction == DirectionIn {
					step = [2]uint32{v, u}
				}
				weights[step] = float64(d.Out.WeightsOf(u)[i])
				sums[step[0]] += weights[step]
			}
		}
		chi, steps := 0.0, 0.0
		for step, weight := range weights {
			e := rounds * weight / sums[step[0]]
			chi, steps = chi+(counts[step]-e)*(counts[step]-e)/e, steps+counts[step]
		}
		if freedom := float64(len(weights)); chi > freedom+6*math.Sqrt(2*freedom) || steps != rounds*float64(len(sums)) {
			t.Errorf("%s: chi-square %.0f of %v weights; %v steps from %d vertices", direction, chi, freedom, steps, len(sums))
		}
	}
}

func TestNewWalks_Direction_Errors(t *testing.T) {
	d := arcGraph(30, 2)
	for name, o := range map[string]WalkOptions{
		"no directed graph": {Direction: DirectionOut},
		"another graph":     {Direction: DirectionOut, Directed: arcGraph(29, 2)},
		"unknown direction": {Direction: "down", Directed: d},
	} {
		if _, err := NewWalks(context.Background(), d.Undirected(), MethodDeepWalk, o); !errors.Is(err, ErrOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := WalkOptions{Direction: DirectionIn, Directed: d}
	if _, err := NewWalks(context.Background(), d.Undirected(), MethodDPWalker, o); !errors.Is(err, ErrOptions) {
		t.Errorf("dp_walker: %v", err)
	}
}

// TestSamplerBytes_Direction expects at least the memory that walks take, which is estimated without the directed
// graph, also where the two weights of each pair have the same sum.
func TestSamplerBytes_Direction(t *testing.T) {
	d := arcGraph(60, 5)
	pair := csr.RowsOf(2, []csr.Edge{{U: 0, V: 1}, {U: 1, V: 0}})
	pair.Weights = []float32{1, 3}
	for _, d := range []*csr.Directed{d, csr.NewDirected(pair)} {
		for _, ignored := range []bool{false, true} {
			o := WalkOptions{Direction: DirectionOut, IgnoreWeights: ignored}
			need := int64(0)
			if !ignored {
				need = 8 * d.Arcs()
			}
			if got := SamplerBytes(d.Undirected(), MethodNode2Vec, o); got < need || got > 2*need {
				t.Errorf("%d arcs, weights ignored %v: %d bytes, needs %d", d.Arcs(), ignored, got, need)
			}
		}
	}
}

// TestWalkMethods_Direction expects the same vectors from any number of workers, and rows of vertices without
// edges in the direction of the walks that were trained and scaled as the others.
func TestWalkMethods_Direction(t *testing.T) {
	ctx := context.Background()
	d := arcGraph(1200, 6)
	g := d.Undirected()
	for method, train := range map[string]func(context.Context, *csr.Graph, WalkOptions) (*vec.Matrix, WalkStats, error){MethodDeepWalk: DeepWalk, MethodNode2Vec: Node2Vec} {
		for _, negative := range []int{0, 3} {
			o := WalkOptions{Dim: 16, Walks: 4, Length: 12, Q: 2, Negative: negative, RowNorm: new(1.0), RowScale: new(0.25), Direction: DirectionOut, Directed: d, Workers: 1, Seed: 3}
			want, stats, err := train(ctx, g, o)
			if err != nil {
				t.Fatal(err)
			}
			visits := int64(0)
			for w, i := walksOf(t, g, method, o), 0; i < w.Walks; i++ {
				visits += int64(len(w.Append(nil, i)))
			}
			if stats.Visits != visits {
				t.Errorf("%s: %d visits, and walks have %d vertices", method, stats.Visits, visits)
			}
			for _, workers := range []int{2, 5} {
				o.Workers = workers
				if got, _, err := train(ctx, g, o); err != nil || !slices.Equal(got.Data, want.Data) {
					t.Errorf("%s: other vectors with %d workers, %v", method, workers, err)
				}
			}
			o.IgnoreWeights = true // degrees without weights
			m, _, err := train(ctx, g, o)
			if err != nil {
				t.Fatal(err)
			}
			for v := range g.Vertices() {
				if degree := float64(g.Degree(uint32(v))); degree > 0 {
					length := math.Sqrt(float64(vec.Dot(m.Row(v), m.Row(v))))
					if want := math.Pow(degree, -0.25); math.Abs(length-want) > 1e-4*want {
						t.Fatalf("%s: the row of %d has length %v, want %v", method, v, length, want)
					}
				}
			}
		}
	}
}

// TestRefreshWalks_Direction expects a full training.
func TestRefreshWalks_Direction(t *testing.T) {
	ctx := context.Background()
	d := arcGraph(80, 7)
	g := d.Undirected()
	o := WalkOptions{Dim: 8, Walks: 2, Length: 10, Direction: DirectionIn, Directed: d}
	model, _, err := TrainWalks(ctx, g, MethodDeepWalk, o)
	if err != nil {
		t.Fatal(err)
	}
	want := slices.Clone(model.Vectors.Data)
	from := make([]uint32, g.Vertices())
	for v := range from {
		from[v] = uint32(v)
	}
	next, _, refresh, err := RefreshWalks(ctx, g, MethodDeepWalk, o, model, from, []uint32{1}, 1)
	if err != nil || !refresh.Full || refresh.Reason != ReasonFollows || !slices.Equal(next.Vectors.Data, want) {
		t.Errorf("%+v, %v", refresh, err)
	}
}
