package spectral

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/.ci/testgraph"
	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
)

// givenLists yields the lists of a graph in memory, in runs of about run arcs.
type givenLists struct {
	g      *csr.Graph
	run    int
	before func(reading int) error // called before each reading; may be nil
	calls  *int
}

func listsOf(g *csr.Graph, run int) givenLists { return givenLists{g: g, run: run, calls: new(int)} }

func (l givenLists) Vertices() int  { return l.g.Vertices() }
func (l givenLists) Weighted() bool { return l.g.Weighted() }

func (l givenLists) Each(ctx context.Context, f func(sources, targets []uint32, weights []float32) error) error {
	*l.calls++
	if l.before != nil {
		if err := l.before(*l.calls); err != nil {
			return err
		}
	}
	var sources, targets []uint32
	var weights []float32
	flush := func() error {
		err := f(sources, targets, weights)
		sources, targets, weights = sources[:0], targets[:0], weights[:0]
		return errors.Join(err, ctx.Err())
	}
	for v := range uint32(l.g.Vertices()) {
		for i, u := range l.g.Neighbors(v) {
			sources, targets = append(sources, v), append(targets, u)
			if l.g.Weighted() {
				weights = append(weights, l.g.WeightsOf(v)[i])
			}
			if len(sources) == l.run {
				if err := flush(); err != nil {
					return err
				}
			}
		}
	}
	return flush()
}

// together returns the graphs side by side, in a random order of all vertices.
func together(tb testing.TB, r *rand.Rand, graphs ...*csr.Graph) *csr.Graph {
	tb.Helper()
	n := 0
	for _, g := range graphs {
		n += g.Vertices()
	}
	place := r.Perm(n)
	var edges []csr.Edge
	first := 0
	for _, g := range graphs {
		for v := range g.Vertices() {
			for _, u := range g.Neighbors(uint32(v)) {
				edges = append(edges, csr.Edge{U: uint32(place[first+v]), V: uint32(place[first+int(u)])})
			}
		}
		first += g.Vertices()
	}
	return testgraph.Of(tb, n, edges...)
}

// The eigenpairs from lists are those of the graph in memory, bit for bit, with any memory
// for edges, any runs and any number of workers.
func TestSolveLists_SameBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: solves 48 graphs twice; TestEmbedLists compares one")
	}
	r := rand.New(rand.NewPCG(7, 3))
	hubs := testgraph.Hubs(t, 500, 0.02, 4)
	apart := together(t, r, testgraph.Hubs(t, 2600, 0.003, 1), testgraph.Hubs(t, 2300, 0.003, 2), path(t, 40), testgraph.Complete(t, 9), path(t, 2), path(t, 1), path(t, 1))
	star := testgraph.Star(t, 20_000) // the list of the hub is longer than each limit
	equal := testgraph.Weighted(hubs, func(_, _ uint32) float32 { return 3 })
	for i, c := range []struct {
		name  string
		g     *csr.Graph
		bytes []int64 // limits for the edges in memory
	}{
		{"nothing", testgraph.Of(t, 0), []int64{MinListBytes}},
		{"one vertex", testgraph.Of(t, 1), []int64{MinListBytes}},
		{"no edges", testgraph.Of(t, 5), []int64{MinListBytes}},
		{"one edge", path(t, 2), []int64{MinListBytes}},
		{"star", star, []int64{1 << 13, 1 << 16}},
		{"wheel, weights", testgraph.RandomWeights(testgraph.Wheel(t, 900), 4, 1), []int64{MinListBytes, 7777}},
		{"complete", testgraph.Complete(t, 260), []int64{MinListBytes, 20_000}},
		{"hubs", hubs, []int64{MinListBytes, 5000, 1 << 30}},
		{"hubs, weights", testgraph.RandomWeights(hubs, 5, 2), []int64{MinListBytes, 5000}},
		{"equal weights", equal, []int64{5000}},
		{"components", apart, []int64{4096, 1 << 17}},
		{"components, wts", testgraph.RandomWeights(apart, 3, 9), []int64{1 << 14}},
	} {
		for j, o := range []struct {
			method string
			Options
		}{
			{MethodDPSpectral, Options{}},
			{MethodDPSpectral, Options{Normalization: Degree, IgnoreWeights: true}},
			{MethodDPSpectral, Options{Components: Joint}},
			{MethodLaplacianEigenmaps, Options{}},
		} {
			if (i+j)%repeat.Every(2) > 0 {
				continue // in the step repeat
			}
			o.Dim, o.MaxIterations, o.Tolerance = 4, 8, 1e-3
			t.Run(fmt.Sprintf("%s/%s/%s/%s", c.name, o.method, o.Normalization, o.Components), func(t *testing.T) {
				want, err := Solve(t.Context(), c.g, o.method, o.Options)
				if err != nil {
					t.Fatal(err)
				}
				wantRows, err := want.Rows(0.25, 0.5)
				if err != nil {
					t.Fatal(err)
				}
				for i, bytes := range c.bytes {
					o.Workers = i + 1
					got, read, err := SolveLists(t.Context(), listsOf(c.g, 100+1000*i), bytes, o.method, o.Options)
					if err != nil {
						t.Fatal(err)
					}
					sameBits(t, want.Vectors.Data, got.Vectors.Data)
					rows, err := got.Rows(0.25, 0.5)
					if err != nil {
						t.Fatal(err)
					}
					sameBits(t, wantRows.Data, rows.Data)
					if !slices.Equal(want.Degrees, got.Degrees) || want.Stats.Products != got.Stats.Products || want.Stats.Weighted != got.Stats.Weighted || want.Stats.Components != got.Stats.Components {
						t.Errorf("degrees or statistics differ: %+v, want %+v", got.Stats, want.Stats)
					}
					if read.Bytes > bytes {
						t.Errorf("%d bytes of edges in memory, allowed are %d", read.Bytes, bytes)
					}
				}
			})
		}
	}
}

func sameBits(t *testing.T, want, got []float32) {
	t.Helper()
	if !slices.EqualFunc(want, got, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) }) {
		t.Error("vectors differ")
	}
}

// EmbedLists gives the vectors and the state of Embed.
func TestEmbedLists(t *testing.T) {
	g := realGraph(t, "ca-GrQc")
	o := Options{Dim: 16, Tolerance: 1e-3}
	want, wantState, _, err := Embed(t.Context(), g, MethodDPSpectral, o)
	if err != nil {
		t.Fatal(err)
	}
	bytes := int64(len(g.Targets)) * 4 / 5 // its small components need half of it
	got, state, _, read, err := EmbedLists(t.Context(), listsOf(g, 700), bytes, MethodDPSpectral, o)
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, want.Data, got.Data)
	if !slices.Equal(wantState.Places, state.Places) || !slices.Equal(wantState.Degrees, state.Degrees) || wantState.spacing != state.spacing {
		t.Error("states differ")
	}
	if read.Readings < 10 || read.Bytes > bytes {
		t.Errorf("%+v", read)
	}
}

// Every fault of lists, in the first or a later reading, is an error. leaktest finds leaked
// goroutines.
func TestSolveLists_Errors(t *testing.T) {
	g := testgraph.Hubs(t, 500, 0.02, 4)
	damaged := errors.New("damaged")
	ctx, cancel := context.WithCancel(t.Context())
	for _, c := range []struct {
		name  string
		lists func() Lists
		bytes int64
		want  error
	}{
		{"too little memory", func() Lists { return listsOf(g, 100) }, MinListBytes - 1, base.ErrOptions},
		{"damage at once", func() Lists {
			return givenLists{g, 100, func(int) error { return damaged }, new(int)}
		}, MinListBytes, damaged},
		{"damage later", func() Lists {
			return givenLists{g, 100, func(reading int) error {
				if reading > 9 {
					return damaged
				}
				return nil
			}, new(int)}
		}, MinListBytes, damaged},
		{"cancelled", func() Lists {
			return givenLists{g, 100, func(reading int) error {
				if reading > 9 {
					cancel()
				}
				return nil
			}, new(int)}
		}, MinListBytes, context.Canceled},
		{"descending", func() Lists { return rawLists{3, [][2]uint32{{0, 2}, {0, 1}}, nil, new(bool)} }, MinListBytes, ErrLists},
		{"beyond the vertices", func() Lists { return rawLists{3, [][2]uint32{{0, 3}}, nil, new(bool)} }, MinListBytes, ErrLists},
		{"a loop", func() Lists { return rawLists{3, [][2]uint32{{1, 1}}, nil, new(bool)} }, MinListBytes, ErrLists},
		{"fewer arcs later", func() Lists {
			return rawLists{3, [][2]uint32{{0, 1}, {0, 2}, {1, 0}, {1, 2}, {2, 0}, {2, 1}}, [][2]uint32{{0, 1}}, new(bool)}
		}, MinListBytes, ErrLists},
		{"a vertex outside later", func() Lists {
			return rawLists{3, [][2]uint32{{0, 1}, {0, 2}, {1, 0}, {2, 0}}, [][2]uint32{{0, 1}, {0, 9}, {1, 0}, {2, 0}}, new(bool)}
		}, MinListBytes, ErrLists},
		{"components that need too much", func() Lists {
			return listsOf(together(t, rand.New(rand.NewPCG(1, 1)), path(t, 300), path(t, 299)), 100)
		}, MinListBytes, base.ErrOptions},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, _, err := SolveLists(ctx, c.lists(), c.bytes, MethodDPSpectral, Options{Dim: 2, Workers: 2}); !errors.Is(err, c.want) {
				t.Errorf("error is %v, want %v", err, c.want)
			}
		})
		if c.want == context.Canceled {
			ctx = t.Context()
		}
	}
}

// rawLists yields any arcs; others, if not nil, are the arcs of all readings after the first.
type rawLists struct {
	n            int
	arcs, others [][2]uint32
	read         *bool
}

func (l rawLists) Vertices() int  { return l.n }
func (l rawLists) Weighted() bool { return false }

func (l rawLists) Each(_ context.Context, f func(sources, targets []uint32, weights []float32) error) error {
	var sources, targets []uint32
	arcs := l.arcs
	if *l.read && l.others != nil {
		arcs = l.others
	}
	*l.read = true
	for _, a := range arcs {
		sources, targets = append(sources, a[0]), append(targets, a[1])
	}
	return f(sources, targets, nil)
}
