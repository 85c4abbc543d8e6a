package embedding_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/.ci/repeat"
	"heavytail/embedding"
	"heavytail/embedding/skipgram"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// town is a graph that changes: groups of vertices with many edges inside and a few edges
// to neighbouring groups, in components of a few groups each.
type town struct {
	n     int
	edges map[[2]uint32]bool
	r     *rand.Rand
}

func newTown(islands, groups, size int, r *rand.Rand) *town {
	w := &town{n: islands * groups * size, edges: map[[2]uint32]bool{}, r: r}
	for v := range uint32(w.n) {
		group := v / uint32(size)
		for range 4 {
			w.link(v, group*uint32(size)+uint32(r.IntN(size)))
		}
		if island := group / uint32(groups); r.IntN(6) == 0 {
			w.link(v, (island*uint32(groups)+uint32(r.IntN(groups)))*uint32(size)+uint32(r.IntN(size)))
		}
	}
	return w
}

func (w *town) link(u, v uint32) {
	if u != v {
		w.edges[[2]uint32{min(u, v), max(u, v)}] = true
	}
}

// graph returns the graph, with its edges in an order that does not depend on
// the map.
func (w *town) graph() *csr.Graph {
	g, err := csr.FromEdges(w.n, w.list())
	if err != nil {
		panic(err)
	}
	return g
}

func (w *town) list() []csr.Edge {
	var list []csr.Edge
	for e := range w.edges {
		list = append(list, csr.Edge{U: e[0], V: e[1]})
	}
	slices.SortFunc(list, func(a, b csr.Edge) int {
		return int(a.U)<<20 + int(a.V) - int(b.U)<<20 - int(b.V)
	})
	return list
}

// change deletes edges, closes triangles, adds and deletes vertices. It returns the old
// number of every vertex, skipgram.Added for new ones, and the touched vertices.
func (w *town) change(edges, come, leave int) (from, touched []uint32) {
	marked := map[uint32]bool{}
	list := w.list()
	for range edges {
		e := list[w.r.IntN(len(list))]
		if w.r.IntN(2) == 0 {
			delete(w.edges, [2]uint32{e.U, e.V})
			marked[e.U], marked[e.V] = true, true
			continue
		}
		f := list[w.r.IntN(len(list))]
		if f.U/40 == e.U/40 && f.U != e.U {
			w.link(e.U, f.U)
			marked[e.U], marked[f.U] = true, true
		}
	}
	gone := map[uint32]bool{}
	for range leave {
		gone[uint32(w.r.IntN(w.n))] = true
	}
	now := make([]uint32, w.n)
	for v := range uint32(w.n) {
		if now[v] = uint32(len(from)); !gone[v] {
			from = append(from, v)
		}
	}
	next := map[[2]uint32]bool{}
	touches := map[uint32]bool{}
	for e := range w.edges {
		switch {
		case gone[e[0]] && gone[e[1]]:
		case gone[e[0]]:
			touches[now[e[1]]] = true
		case gone[e[1]]:
			touches[now[e[0]]] = true
		default:
			next[[2]uint32{now[e[0]], now[e[1]]}] = true
		}
	}
	for v := range marked {
		if !gone[v] {
			touches[now[v]] = true
		}
	}
	w.edges = next
	w.n = len(from)
	for range come {
		v := uint32(w.n)
		from = append(from, skipgram.Added)
		touches[v] = true
		w.n++
		for range w.r.IntN(4) {
			u := uint32(w.r.IntN(int(v)))
			w.link(u, v)
			touches[u] = true
		}
	}
	for v := range touches {
		touched = append(touched, v)
	}
	slices.Sort(touched)
	return from, touched
}

// align moves rows and state to the present numbers of the vertices.
func align(from []uint32, rows *vec.Matrix, state *embedding.SpectralState) (*vec.Matrix, *embedding.SpectralState) {
	m := vec.NewMatrix(len(from), rows.Dim)
	s := *state
	s.Places = make([]uint32, len(from))
	if state.Degrees != nil {
		s.Degrees = make([]float64, len(from))
	}
	for v, old := range from {
		if s.Places[v] = embedding.NoPlace; old == skipgram.Added {
			continue
		}
		copy(m.Row(v), rows.Row(int(old)))
		s.Places[v] = state.Places[old]
		if state.Degrees != nil {
			s.Degrees[v] = state.Degrees[old]
		}
	}
	return m, &s
}

// Consecutive refreshes, while vertices and edges are added and deleted and components
// merge and split, find the eigenvalues of a full run; distances within components are
// those of D^-δ T Λ^γ, and components stay apart.
func TestRefreshSpectral_ManyInARow(t *testing.T) {
	if testing.Short() {
		t.Skip("a dozen solves")
	}
	ctx := context.Background()
	for _, c := range []struct {
		method string
		opts   embedding.SpectralOptions
	}{
		{embedding.MethodDPSpectral, embedding.SpectralOptions{Dim: 12}},
		{embedding.MethodDPSpectral, embedding.SpectralOptions{Dim: 12, Common: new(0.0), Beta: new(0.5)}},
		{embedding.MethodDPSpectral, embedding.SpectralOptions{Dim: 12, Normalization: embedding.Degree, RowScale: new(0.25), Components: embedding.Joint}},
		{embedding.MethodLaplacianEigenmaps, embedding.SpectralOptions{Dim: 12}},
	} {
		w := newTown(3, 12, 40, rand.New(rand.NewPCG(3, 9)))
		rows, state, _, err := embedding.Spectral(ctx, w.graph(), c.method, c.opts)
		if err != nil {
			t.Fatal(err)
		}
		refined := 0
		for round := range 8 {
			from, touched := w.change(10, round%3, round%4)
			g := w.graph()
			rows, state = align(from, rows, state)
			var stats embedding.SpectralStats
			var refresh embedding.RefreshStats
			rows, state, stats, refresh, err = embedding.RefreshSpectral(ctx, g, c.method, c.opts, rows, state, touched, 0.02)
			if err != nil {
				t.Fatal(err)
			}
			refined += refresh.Refined
			if refresh.Full || refresh.Residual > 0.02 {
				t.Errorf("%s, round %d: %+v", c.method, round, refresh)
			}
			full, err := embedding.SolveSpectral(ctx, g, c.method, c.opts)
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range full.Stats.Eigenvalues {
				if stats.Eigenvalues != nil && math.Abs(v-stats.Eigenvalues[j]) > 0.01*full.Stats.Eigenvalues[0] {
					t.Errorf("%s, round %d: eigenvalue %d is %g, not %g", c.method, round, j, stats.Eigenvalues[j], v)
				}
			}
			checkApart(t, g, c.opts.Components, rows)
		}
		if refined < 4 {
			t.Errorf("%s: %d parts took a step, the others were solved", c.method, refined)
		}
	}
}

// After many refreshes with edges deleted and inserted, links are predicted and degrees
// reconstructed as well as after a full run on the last graph.
func TestRefreshSpectral_KeepsItsQuality(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: many refreshes and solves of a real graph")
	}
	ctx := context.Background()
	s := churn(realgraph.Load(t, "ego-facebook"), 0.001, repeat.Times(10))
	for _, method := range []string{embedding.MethodDPSpectral, embedding.MethodLaplacianEigenmaps} {
		o := embedding.SpectralOptions{Dim: 128}
		rows, state, _, err := embedding.Spectral(ctx, s.first, method, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, g := range s.graphs {
			rows, state = align(s.from[i], rows, state)
			if rows, state, _, _, err = embedding.RefreshSpectral(ctx, g, method, o, rows, state, s.touched[i], 0); err != nil {
				t.Fatal(err)
			}
		}
		full, _, _, err := embedding.Spectral(ctx, s.graphs[len(s.graphs)-1], method, o)
		if err != nil {
			t.Fatal(err)
		}
		p, auc := s.quality(t, rows)
		fullP, fullAUC := s.quality(t, full)
		if math.Abs(p-fullP) > 0.01 || math.Abs(auc-fullAUC) > 0.005 {
			t.Errorf("%s: Pearson %.4f, AUC %.4f; after a full run %.4f and %.4f", method, p, auc, fullP, fullAUC)
		}
	}
}

// The bytes of a refresh are the same with any number of workers.
func TestRefreshSpectral_WorkersDoNotMatter(t *testing.T) {
	ctx := context.Background()
	for _, method := range []string{embedding.MethodDPSpectral, embedding.MethodLaplacianEigenmaps} {
		var want []float32
		for _, workers := range []int{1, 3} {
			w := newTown(1, 30, 40, rand.New(rand.NewPCG(3, 9)))
			o := embedding.SpectralOptions{Dim: 12, Workers: workers}
			rows, state, _, err := embedding.Spectral(ctx, w.graph(), method, o)
			if err != nil {
				t.Fatal(err)
			}
			from, touched := w.change(10, 2, 2)
			rows, state = align(from, rows, state)
			rows, _, _, refresh, err := embedding.RefreshSpectral(ctx, w.graph(), method, o, rows, state, touched, 0.05)
			if err != nil {
				t.Fatal(err)
			}
			if refresh.Refined == 0 {
				t.Errorf("%s: nothing took a step: %+v", method, refresh)
			}
			if want == nil {
				want = rows.Data
			} else if !slices.Equal(rows.Data, want) {
				t.Errorf("%s: the rows depend on workers", method)
			}
		}
	}
}

// checkApart verifies that rows of different components are farther from each
// other than rows within one.
func checkApart(t *testing.T, g *csr.Graph, mode embedding.ComponentMode, rows *vec.Matrix) {
	t.Helper()
	if mode == embedding.Joint {
		return
	}
	label := g.Components().Label
	within, between := 0.0, math.Inf(1)
	for u := range rows.Rows {
		for v := range u {
			d := math.Sqrt(float64(vec.L2Squared(rows.Row(u), rows.Row(v))))
			if label[u] == label[v] {
				within = max(within, d)
			} else {
				between = min(between, d)
			}
		}
	}
	if between < 1.5*within {
		t.Errorf("components are %g apart, and %g wide", between, within)
	}
}

// Unchanged rows keep their bits: all rows if nothing changed, and otherwise those of the
// components without a change.
func TestRefreshSpectral_KeepsWhatDidNotChange(t *testing.T) {
	ctx := context.Background()
	w := newTown(4, 6, 20, rand.New(rand.NewPCG(3, 9)))
	g := w.graph()
	o := embedding.SpectralOptions{Dim: 8}
	rows, state, _, err := embedding.Spectral(ctx, g, embedding.MethodDPSpectral, o)
	if err != nil {
		t.Fatal(err)
	}
	before := &vec.Matrix{Rows: rows.Rows, Dim: rows.Dim, Data: slices.Clone(rows.Data)}
	rows, state, _, refresh, err := embedding.RefreshSpectral(ctx, g, embedding.MethodDPSpectral, o, rows, state, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(rows.Data, before.Data) || refresh.Refined+refresh.Solved > 0 || refresh.MaxDrift != 0 {
		t.Errorf("nothing changed, and %+v", refresh)
	}
	w.link(0, 119) // in the first island
	g = w.graph()
	label := g.Components().Label
	rows, _, _, refresh, err = embedding.RefreshSpectral(ctx, g, embedding.MethodDPSpectral, o, rows, state, []uint32{0, 119}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if refresh.Kept == 0 || refresh.Refined+refresh.Solved != 1 {
		t.Errorf("one component changed: %+v", refresh)
	}
	for v := range rows.Rows {
		if label[v] != label[0] && !slices.Equal(rows.Row(v), before.Row(v)) {
			t.Fatalf("vertex %d of another component moved", v)
		}
	}
}

func TestRefreshSpectral_FullAndErrors(t *testing.T) {
	ctx := context.Background()
	w := newTown(1, 4, 20, rand.New(rand.NewPCG(3, 9)))
	g := w.graph()
	rows, state, _, err := embedding.Spectral(ctx, g, embedding.MethodDPSpectral, embedding.SpectralOptions{Dim: 6})
	if err != nil {
		t.Fatal(err)
	}
	got, _, _, refresh, err := embedding.RefreshSpectral(ctx, g, embedding.MethodDPSpectral, embedding.SpectralOptions{Dim: 9}, rows, state, nil, 0)
	if err != nil || !refresh.Full || refresh.Reason == "" || got.Dim != 9 {
		t.Errorf("other coordinates: %+v, %v", refresh, err)
	}
	fresh := &embedding.SpectralState{Places: slices.Repeat([]uint32{embedding.NoPlace}, w.n)}
	all := make([]uint32, w.n)
	for v := range all {
		all[v] = uint32(v)
	}
	if _, _, _, refresh, err := embedding.RefreshSpectral(ctx, g, embedding.MethodDPSpectral, embedding.SpectralOptions{Dim: 6}, vec.NewMatrix(w.n, 6), fresh, all, 0); err != nil || !refresh.Full || refresh.Solved == 0 {
		t.Errorf("all vertices are others: %+v, %v", refresh, err)
	}
	state.Places = state.Places[1:]
	if _, _, _, _, err := embedding.RefreshSpectral(ctx, g, embedding.MethodDPSpectral, embedding.SpectralOptions{Dim: 6}, rows, state, nil, 0); !errors.Is(err, embedding.ErrOptions) {
		t.Errorf("a place too few: %v", err)
	}
}

// Consecutive refreshes of walks give the same bytes at any number of workers, keep the
// vectors of untouched vertices near their old places, and place new vertices near their
// neighbours.
func TestRefreshWalks_ManyInARow(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: refreshes again and again")
	}
	ctx := context.Background()
	for _, method := range []string{embedding.MethodDPWalker, embedding.MethodDeepWalk, embedding.MethodNode2Vec} {
		o := embedding.WalkOptions{Dim: 16, Walks: 6, Length: 20, Window: 4, Seed: 5}
		if method == embedding.MethodDeepWalk {
			o.Negative = 4
		}
		var want *skipgram.Model
		for _, workers := range []int{1, 3} {
			o.Workers = workers
			w := newTown(1, 10, 40, rand.New(rand.NewPCG(4, 4)))
			model, _, err := embedding.TrainWalks(ctx, w.graph(), method, o)
			if err != nil {
				t.Fatal(err)
			}
			for turn := range 6 {
				from, touched := w.change(6, 2, turn%3)
				var refresh embedding.RefreshStats
				model, _, refresh, err = embedding.RefreshWalks(ctx, w.graph(), method, o, model, from, touched, turn)
				if err != nil {
					t.Fatal(err)
				}
				if refresh.Full || refresh.Walks == 0 || refresh.Walks > 6*len(touched) || refresh.MeanDrift > 0.2 {
					t.Errorf("%s: %+v", method, refresh)
				}
			}
			if want == nil {
				want = model
				nearer(t, method, w.graph(), model.Vectors)
			} else if !slices.Equal(model.Vectors.Data, want.Vectors.Data) || !slices.Equal(model.Nodes.Data, want.Nodes.Data) {
				t.Errorf("%s: the result depends on workers", method)
			}
		}
	}
}

// nearer verifies that the newest vertices are nearer to their neighbours than to other
// vertices.
func nearer(t *testing.T, method string, g *csr.Graph, m *vec.Matrix) {
	t.Helper()
	linked, others, edges, pairs := 0.0, 0.0, 0, 0
	for v := uint32(g.Vertices() - 8); int(v) < g.Vertices(); v++ {
		for u := range v {
			d := float64(vec.L2Squared(m.Row(int(u)), m.Row(int(v))))
			if g.HasEdge(u, v) {
				linked += d
				edges++
			} else {
				others += d
				pairs++
			}
		}
	}
	if edges == 0 || linked/float64(edges) > others/float64(pairs) {
		t.Errorf("%s: mean squared distance of new vertices to %d neighbours %g, to others %g", method, edges, linked/float64(edges), others/float64(pairs))
	}
}

func TestRefreshWalks_Full(t *testing.T) {
	ctx := context.Background()
	w := newTown(1, 4, 20, rand.New(rand.NewPCG(4, 4)))
	o := embedding.WalkOptions{Dim: 8, Walks: 2, Length: 10}
	model, _, err := embedding.TrainWalks(ctx, w.graph(), embedding.MethodDPWalker, o)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]uint32, w.n)
	for v := range all {
		all[v] = uint32(v)
	}
	next, _, refresh, err := embedding.RefreshWalks(ctx, w.graph(), embedding.MethodDPWalker, o, model, all, all, 0)
	if err != nil || !refresh.Full || next.Vectors.Rows != w.n {
		t.Errorf("all touched: %+v, %v", refresh, err)
	}
	// Each refresh touches a quarter of the vertices: the seventeenth is computed in full,
	// and the count starts again.
	for turn := range 20 {
		if next, _, refresh, err = embedding.RefreshWalks(ctx, w.graph(), embedding.MethodDPWalker, o, next, all, all[:w.n/4], turn); err != nil {
			t.Fatal(err)
		}
		if refresh.Full != (turn == 16) {
			t.Errorf("refresh %d: %+v", turn+1, refresh)
		}
	}
	if _, _, _, err := embedding.RefreshWalks(ctx, w.graph(), embedding.MethodDPWalker, o, next, all[1:], nil, 0); !errors.Is(err, embedding.ErrOptions) {
		t.Errorf("a vertex too few: %v", err)
	}
}
