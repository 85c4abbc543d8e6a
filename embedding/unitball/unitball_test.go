package unitball

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/generate"
	"heavytail/storage/vec"
)

func graphOf(t testing.TB, n int, edges ...csr.Edge) *csr.Graph {
	t.Helper()
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// grown returns a graph with hubs, grown by preferential attachment.
func grown(t testing.TB, n, m int) *csr.Graph {
	t.Helper()
	g, err := generate.PreferentialAttachment{N: n, M: m, Seed: 3}.Generate(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func star(t testing.TB, leaves int) *csr.Graph {
	var edges []csr.Edge
	for v := range leaves {
		edges = append(edges, csr.Edge{U: 0, V: uint32(v + 1)})
	}
	return graphOf(t, leaves+1, edges...)
}

// bipartite returns the complete bipartite graph: two groups of vertices with the same
// neighbours.
func bipartite(t testing.TB, a, b int) *csr.Graph {
	var edges []csr.Edge
	for u := range a {
		for v := range b {
			edges = append(edges, csr.Edge{U: uint32(u), V: uint32(a + v)})
		}
	}
	return graphOf(t, a+b, edges...)
}

func complete(t testing.TB, n int) *csr.Graph {
	var edges []csr.Edge
	for u := range n {
		for v := range u {
			edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)})
		}
	}
	return graphOf(t, n, edges...)
}

// count counts wrong pairs by the definition.
func count(g *csr.Graph, m *vec.Matrix) Wrong {
	w := Wrong{Edges: g.Edges()}
	for u := range m.Rows {
		for v := range u {
			near := float64(vec.L2Squared(m.Row(u), m.Row(v))) <= 1
			switch edge := g.HasEdge(uint32(u), uint32(v)); {
			case edge && !near:
				w.Missed++
			case near && !edge:
				w.False++
			}
		}
	}
	return w
}

func embed(t testing.TB, g *csr.Graph, o Options) (*vec.Matrix, Stats) {
	t.Helper()
	return embedMany(t, g, o, manyVertices)
}

// embedMany is embed where so many vertices are many.
func embedMany(t testing.TB, g *csr.Graph, o Options, many int) (*vec.Matrix, Stats) {
	t.Helper()
	rows, stats, err := place(t.Context(), g, o, many)
	if err != nil {
		t.Fatal(err)
	}
	if want := count(g, rows); stats.Wrong != want {
		t.Errorf("the certificate counts %+v, brute force %+v", stats.Wrong, want)
	}
	return rows, stats
}

// TestEmbed_Exact expects a placement without wrong pairs for graphs that are known to have one.
func TestEmbed_Exact(t *testing.T) {
	var path, cycle []csr.Edge
	for v := range uint32(30) {
		path = append(path, csr.Edge{U: v, V: v + 1})
		cycle = append(cycle, csr.Edge{U: v, V: (v + 1) % 30})
	}
	two := append(slices.Clone(cycle), csr.Edge{U: 40, V: 41}, csr.Edge{U: 41, V: 42}) // and isolated ones
	for _, c := range []struct {
		name string
		g    *csr.Graph
		dim  int
	}{
		{"no vertex", graphOf(t, 0), 8},
		{"one vertex", graphOf(t, 1), 1},
		{"no edge", graphOf(t, 300), 4},
		{"no edge on a line", graphOf(t, 6), 1},
		{"one edge", graphOf(t, 2, csr.Edge{U: 0, V: 1}), 1},
		{"path", graphOf(t, 31, path...), 8},
		{"cycle", graphOf(t, 30, cycle...), 8},
		{"several components", graphOf(t, 60, two...), 8},
		{"complete", complete(t, 40), 2},
		{"star of 5 in the plane", star(t, 5), 2},
		{"star of 40", star(t, 40), 16},
		{"same neighbours", bipartite(t, 2, 20), 32},
		{"hubs", grown(t, 400, 5), 64},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, many := range []int{manyVertices, 0} {
				rows, stats := embedMany(t, c.g, Options{Dim: c.dim, Passes: 600, Seed: 1}, many)
				if rows.Rows != c.g.Vertices() || rows.Dim != c.dim {
					t.Fatalf("rows are %d × %d", rows.Rows, rows.Dim)
				}
				if stats.Wrong.Pairs() != 0 {
					t.Errorf("many are %d: %d of %d edges missed and %d false ones after %d passes", many, stats.Wrong.Missed, stats.Wrong.Edges, stats.Wrong.False, stats.Passes)
				}
			}
		})
	}
}

// TestEmbed_TooFewDimensions places a star of 6 leaves in the plane, where 5 leaves have room:
// the best rows are returned, with few wrong pairs.
func TestEmbed_TooFewDimensions(t *testing.T) {
	_, stats := embed(t, star(t, 6), Options{Dim: 2, Passes: 400, Seed: 1})
	if wrong := stats.Wrong.Pairs(); wrong < 1 || wrong > 2 {
		t.Errorf("%d wrong pairs, expected 1 or 2: the hub has room for 5 leaves", wrong)
	}
	if stats.Reason != "all passes were made" || stats.Passes != 400 {
		t.Errorf("ended after %d passes: %s", stats.Passes, stats.Reason)
	}
}

// TestEmbed_Rounds expects rounds after the first to find the placement that it misses, to end
// while too many pairs are wrong, and to continue from a checkpoint of any pass.
func TestEmbed_Rounds(t *testing.T) {
	g := grown(t, 300, 6)
	o := Options{Dim: 24, Passes: 60, Rounds: 1, Seed: 1}
	_, one := embed(t, g, o)
	o.Rounds = 0
	want, all := embed(t, g, o)
	if one.Passes != 60 || one.Wrong.Pairs() == 0 || all.Wrong.Pairs() != 0 || all.Passes <= 60 {
		t.Fatalf("one round: %d wrong pairs after %d passes; all: %d after %d", one.Wrong.Pairs(), one.Passes, all.Wrong.Pairs(), all.Passes)
	}
	for stop := 55; stop < all.Passes; stop += 1 + 7*(stop%2) {
		saved, err := stopAt(t, g, o, stop, manyVertices)
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at pass %d: %v", stop, err)
		}
		again := o
		again.Checkpoints.From = bytes.NewReader(saved)
		if got, stats := embed(t, g, again); !slices.Equal(got.Data, want.Data) || stats.Passes != all.Passes {
			t.Errorf("different rows after a stop at pass %d", stop)
		}
	}
	if _, few := embed(t, g, Options{Dim: 2, Passes: 40, Seed: 1}); few.Passes != 40 {
		t.Errorf("%d wrong pairs of %d edges, and %d passes", few.Wrong.Pairs(), g.Edges(), few.Passes)
	}
}

func TestEmbed_Tolerance(t *testing.T) {
	g := grown(t, 300, 4)
	_, exact := embed(t, g, Options{Dim: 64, Seed: 1})
	_, near := embed(t, g, Options{Dim: 64, Seed: 1, Tolerance: 50})
	if near.Wrong.Pairs() > 50 || near.Passes >= exact.Passes {
		t.Errorf("tolerance of 50 wrong pairs: %d passes with %d wrong pairs; without tolerance %d passes", near.Passes, near.Wrong.Pairs(), exact.Passes)
	}
}

// TestForces compares the gradient with its definition, over all pairs.
func TestForces(t *testing.T) {
	g := grown(t, 120, 6)
	for _, c := range []struct {
		margin float64
		pass   int
		power  float64
	}{{0.05, 0, 1}, {0.3, 0, 1}, {0.3, 105, 0.5}, {0.3, 225, -0.25}} {
		r, err := newRun(g, Options{Dim: 6, Seed: 2, Anchor: new(0.25), Margin: c.margin, Passes: 300}.WithDefaults(), manyVertices)
		if err != nil {
			t.Fatal(err)
		}
		r.pass, r.bestWrong.Missed = c.pass, g.Edges()
		margin, _ := r.schedule()
		random := rand.New(rand.NewPCG(1, 2))
		for i := range r.x.Data {
			r.x.Data[i] += 0.2 * float32(random.NormFloat64())
		}
		for v := range r.weights {
			r.weights[v] = 0.5 + random.Float64()
		}
		if err := r.look(t.Context()); err != nil {
			t.Fatal(err)
		}
		if math.Abs(r.rule.power-c.power) > 1e-12 {
			t.Errorf("the power of pass %d is %g, not %g", c.pass, r.rule.power, c.power)
		}
		if want := count(g, r.x); r.f.wrong != want {
			t.Errorf("margin %g: %+v are wrong, not %+v", margin, want, r.f.wrong)
		}
		for v := range r.n {
			r.gradient(v, r.anchor())
			want := gradientOf(r, v, margin)
			for i, x := range r.gradients.Row(v) {
				if math.Abs(float64(x)-want[i]) > 1e-4*(1+math.Abs(want[i])) {
					t.Fatalf("margin %g: coordinate %d of the gradient at %d is %g, not %g", margin, i, v, x, want[i])
				}
			}
		}
	}
}

// hinge returns a power of a violation, 0 if the bound holds.
func hinge(violation, power float64) float64 {
	if violation <= 0 {
		return 0
	}
	return math.Pow(violation, power)
}

// gradientOf returns the gradient of the objective at v, with an initial anchor of 0.25.
func gradientOf(r *run, v int, margin float64) []float64 {
	sum := make([]float64, r.k)
	for u := range r.n {
		if u == v {
			continue
		}
		d := math.Sqrt(float64(vec.L2Squared(r.x.Row(u), r.x.Row(v))))
		by := 0.0
		if r.g.HasEdge(uint32(u), uint32(v)) {
			by = 2 * math.Sqrt(r.weights[u]*r.weights[v]) * hinge(d-(1-margin), r.rule.power)
		} else {
			by = -2 * hinge(1+margin-d, r.rule.power)
		}
		for i := range sum {
			sum[i] += by * float64(r.x.Row(v)[i]-r.x.Row(u)[i]) / d
		}
	}
	fell := max(0, (margin/r.o.Margin-0.15)/0.85)
	for i := range sum {
		sum[i] += 2 * 0.25 * fell * fell * float64(r.x.Row(v)[i]-r.start.Row(v)[i])
	}
	return sum
}

// TestEmbed_SameBytes expects the same rows with any number of workers, and with any skin for
// which the list of near pairs is always sure.
func TestEmbed_SameBytes(t *testing.T) {
	for _, dim := range []int{50, 16, 64} {
		if testing.Short() && dim != 50 {
			t.Skip("-short: 50 dimensions only, which have whole blocks of coordinates and a remainder")
		}
		passes := 40
		if testing.Short() {
			passes = 20
		}
		sameBytes(t, grown(t, 500, 10), Options{Dim: dim, Passes: passes, Seed: 5, Anchor: new(0.01)})
	}
}

func sameBytes(t *testing.T, g *csr.Graph, o Options) {
	for _, many := range []int{0, manyVertices} {
		want, _ := embedMany(t, g, o, many)
		for _, workers := range []int{1, 3} {
			o.Workers = workers
			if got, _ := embedMany(t, g, o, many); !slices.Equal(got.Data, want.Data) {
				t.Errorf("many are %d: different rows with %d workers", many, workers)
			}
		}
	}
	var first []float32
	for _, skin := range []float64{firstSkin, 0, 0.01, 2} {
		r, err := newRun(g, o.WithDefaults(), manyVertices)
		if err != nil {
			t.Fatal(err)
		}
		r.near.least, r.near.Part = 1, 1
		for r.pass < o.Passes {
			r.near.Skin = skin
			if err := r.look(t.Context()); err != nil {
				t.Fatal(err)
			}
			if !r.near.sure {
				t.Fatalf("pass %d: the list is not sure", r.pass)
			}
			_, step := r.schedule()
			r.move(step)
			r.pass++
		}
		if err := r.look(t.Context()); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = r.best.Data
		}
		if !slices.Equal(r.best.Data, first) {
			t.Errorf("different rows with a skin of %g", skin)
		}
	}
}

// TestEmbed_Anchored begins with rows that are similar within communities. The anchor pulls
// them together after every move, so that many pairs come near at once. At the end every pair
// must be right, and the last pass must report that.
func TestEmbed_Anchored(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: embeds three times")
	}
	g, start := communities(t, 40, 12, 64)
	for _, anchor := range []float64{0.1, StartAnchor, 1} {
		reported := int64(0)
		o := Options{Dim: 64, Seed: 3, Start: start, Anchor: &anchor, Progress: func(_, _ int, wrong Wrong) { reported = wrong.Pairs() }}
		if _, stats := embed(t, g, o); stats.Wrong.Pairs() != 0 || reported != 0 {
			t.Errorf("anchor %g: %+v are wrong, and the last pass reported %d", anchor, stats.Wrong, reported)
		}
	}
}

// communities returns a graph of groups of vertices, and rows with about the same direction
// within a group.
func communities(t *testing.T, groups, size, dim int) (*csr.Graph, *vec.Matrix) {
	t.Helper()
	random := rand.New(rand.NewPCG(8, 9))
	n := groups * size
	rows, centre := vec.NewMatrix(n, dim), make([]float32, dim)
	var edges []csr.Edge
	for v := range n {
		if v%size == 0 {
			for i := range centre {
				centre[i] = float32(random.NormFloat64())
			}
		}
		for i := range centre {
			rows.Row(v)[i] = centre[i] + 0.3*float32(random.NormFloat64())
		}
		for u := range v {
			chance := 0.01
			if u/size == v/size {
				chance = 0.4
			}
			if random.Float64() < chance {
				edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)})
			}
		}
	}
	return graphOf(t, n, edges...), rows
}

// TestNearList_Sure compares the counts of a run with those of all pairs: equal if the list is
// sure, and otherwise slightly smaller at most.
func TestNearList_Sure(t *testing.T) {
	r, err := newRun(grown(t, 300, 8), Options{Dim: 64, Passes: 40, Seed: 5}.WithDefaults(), manyVertices)
	if err != nil {
		t.Fatal(err)
	}
	unsure := 0
	for ; r.pass < 30; r.pass++ {
		if err := r.look(t.Context()); err != nil {
			t.Fatal(err)
		}
		all := count(r.g, r.x)
		late := all.False - r.f.wrong.False
		if r.f.wrong.Missed != all.Missed || late < 0 || r.near.sure && late != 0 || late > 5+all.False/10 {
			t.Errorf("pass %d: %+v, of all pairs %+v, sure is %v", r.pass, r.f.wrong, all, r.near.sure)
		}
		if !r.near.sure {
			unsure++
		}
		_, step := r.schedule()
		r.move(step)
	}
	if unsure == 0 {
		t.Error("the list was always sure")
	}
}

// TestNearList_Late moves two groups towards each other, as an anchor does: into each other's
// reach, although each move is less than the list allows for independent moves. The list must
// be rebuilt in time, and rows that seemed good only without the late pairs must not remain the
// best rows.
func TestNearList_Late(t *testing.T) {
	const size, apart, move = 5, 1.45, 0.24
	edges := []csr.Edge{{U: 2 * size, V: 2*size + 1}}
	for v := range 2 * size {
		for u := range v {
			if u/size == v/size {
				edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)})
			}
		}
	}
	r, err := newRun(graphOf(t, 2*size+2, edges...), Options{Dim: 64, Seed: 3}.WithDefaults(), manyVertices)
	if err != nil {
		t.Fatal(err)
	}
	look := func(pass int, sure bool, want Wrong) {
		t.Helper()
		r.pass = pass
		if err := r.look(t.Context()); err != nil {
			t.Fatal(err)
		}
		want.Edges = r.g.Edges()
		if r.near.sure != sure || r.f.wrong != want || r.bestWrong != want {
			t.Errorf("pass %d: sure is %v, wrong are %+v, and %+v in the best rows; expected %v and %+v", pass, r.near.sure, r.f.wrong, r.bestWrong, sure, want)
		}
	}
	clear(r.x.Data)
	for v := range 2 * size {
		r.x.Row(v)[0] = apart * float32(v/size)
		r.x.Row(v)[1+v] = 0.01
	}
	r.x.Row(2 * size)[20], r.x.Row(2*size + 1)[20] = 3, -3 // an edge that is always too long
	look(0, true, Wrong{Missed: 1})
	for v := range 2 * size {
		r.x.Row(v)[0] += move * (1 - 2*float32(v/size))
	}
	look(mostAge-1, false, Wrong{Missed: 1})
	look(mostAge, true, Wrong{Missed: 1, False: size * size})
}

func TestNearList_Judge(t *testing.T) {
	l := newNearList(grown(t, 50, 3), 64, 1, false)
	for _, c := range []struct {
		late, all int
		many      bool
		part      float64
	}{{3, 10, true, 0.5}, {1, 10, false, 0.5}, {10, 10, true, 1}, {10, 10, true, 1}, {0, 0, false, 1}, {0, 10, false, math.Sqrt(0.5)}, {0, 10, false, 0.5}, {0, 100, false, math.Sqrt(0.125)}, {1, 100, false, 0.25}, {1, 100, false, 0.25}} {
		if many := l.judge(c.late, c.all); many != c.many || math.Abs(l.Part-c.part) > 1e-12 {
			t.Errorf("%d of %d pairs were late: many is %v and the fraction %g, expected %v and %g", c.late, c.all, many, l.Part, c.many, c.part)
		}
	}
}

// TestNearList_Full expects a list without room for all pairs to contain a sample, whose weighted
// count is close to the count of all pairs.
func TestNearList_Full(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: looks at all pairs of 3,000 vertices")
	}
	g := star(t, 3000)
	r, err := newRun(g, Options{Dim: 2, Seed: 1}.WithDefaults(), manyVertices)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	all := r.f.wrong.False
	r.near = newNearList(g, 2, 0, false)
	r.near.most = 100_000
	if err := r.look(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.near.pairs > r.near.most || r.near.Thin == 0 {
		t.Fatalf("a list for %d pairs has %d", r.near.most, r.near.pairs)
	}
	if ratio := float64(r.f.wrong.False) / float64(all); ratio < 0.95 || ratio > 1.05 {
		t.Errorf("estimated %d false pairs of %d", r.f.wrong.False, all)
	}
}

func TestEmbed_Start(t *testing.T) {
	g := grown(t, 200, 5)
	start := vec.NewMatrix(200, 32) // all equal, and some zero
	for i := range start.Data[:32*150] {
		start.Data[i] = 3
	}
	if _, stats := embed(t, g, Options{Dim: 32, Passes: 600, Start: start}); stats.Wrong.Pairs() > 20 {
		t.Errorf("%d wrong pairs from equal rows", stats.Wrong.Pairs())
	}
	if _, _, err := Embed(t.Context(), g, Options{Dim: 31, Start: start}); !errors.Is(err, ErrStart) {
		t.Errorf("a different dimension: %v", err)
	}
	start.Data[7] = float32(math.NaN())
	if _, _, err := Embed(t.Context(), g, Options{Dim: 32, Start: start}); !errors.Is(err, ErrStart) {
		t.Errorf("not a number: %v", err)
	}
}

// TestEmbed_StartLine begins in one dimension with the vertices of a path in their order, with
// rows that are 0, and with numbers that are not finite.
func TestEmbed_StartLine(t *testing.T) {
	var path []csr.Edge
	for v := range uint32(11) {
		path = append(path, csr.Edge{U: v, V: v + 1})
	}
	g, start := graphOf(t, 12, path...), vec.NewMatrix(12, 1)
	for v := range start.Data {
		start.Data[v] = 1e6 * (float32(v) - 5.5)
	}
	if _, stats := embed(t, g, Options{Dim: 1, Start: start}); stats.Wrong.Pairs() != 0 {
		t.Errorf("%d wrong pairs on a path that begins in the order of its vertices", stats.Wrong.Pairs())
	}
	clear(start.Data)
	if rows, _ := embed(t, g, Options{Dim: 1, Start: start, Passes: 1}); rows.Data[0] == rows.Data[1] {
		t.Error("rows of zeros begin at one point")
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		start.Data[3] = float32(bad)
		if _, _, err := Embed(t.Context(), g, Options{Dim: 1, Start: start}); !errors.Is(err, ErrStart) {
			t.Errorf("start rows with %g: %v", bad, err)
		}
	}
}

func TestOptions_Validate(t *testing.T) {
	for _, o := range []Options{
		{Dim: -1}, {Dim: maxDim + 1}, {Passes: -1}, {Step: -1}, {Step: math.NaN()}, {Step: 5}, {Margin: 0.6}, {Margin: -1},
		{Anchor: new(-1.0)}, {Anchor: new(math.NaN())}, {Balance: new(2.0)}, {Tolerance: -1}, {Workers: -1},
	} {
		if _, _, err := Embed(t.Context(), graphOf(t, 2), o); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if err := (Options{}).Validate(); err != nil {
		t.Error(err)
	}
}
