package link

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// groupsSplit is a graph of overlapping groups, of which a tenth of the edges is hidden, with vectors that
// know a little of the groups. The last vertices have no edges.
func groupsSplit(t testing.TB, seed uint64) Split {
	t.Helper()
	const n, groups, size = 300, 60, 8
	random := rand.New(rand.NewPCG(seed, 4))
	vectors := vec.NewMatrix(n, 6)
	for i := range vectors.Data {
		vectors.Data[i] = float32(random.NormFloat64())
	}
	seen := map[csr.Edge]bool{}
	var edges []csr.Edge
	for range groups {
		members := random.Perm(n - 10)[:size]
		for i, u := range members {
			vectors.Row(u)[0] += 2 * float32(members[0]) / n
			for _, v := range members[:i] {
				if e := (csr.Edge{U: uint32(min(u, v)), V: uint32(max(u, v))}); !seen[e] {
					seen[e] = true
					edges = append(edges, e)
				}
			}
		}
	}
	random.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	whole, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	rest, err := csr.FromEdges(n, edges[len(edges)/10:])
	if err != nil {
		t.Fatal(err)
	}
	return Split{Whole: whole, Graph: rest, Vectors: []*vec.Matrix{vectors}, Hidden: edges[:len(edges)/10], Seed: seed}
}

// fitted returns a model of a split.
func fitted(t testing.TB, s Split, terms Terms) *Model {
	t.Helper()
	rows, err := Draw(t.Context(), s, DrawOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := Fit(t.Context(), []*Rows{rows}, terms, 0)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// Every column of a pair is its scorer, from whichever end the paths are counted, for pairs with and
// without an edge.
func TestMeasures_Definitions(t *testing.T) {
	s := groupsSplit(t, 1)
	columns := columnsOf(false, 1)
	m, err := newMeasures(s.Graph, s.Vectors, columns)
	if err != nil {
		t.Fatal(err)
	}
	forth, back := m.newAround(), m.newAround()
	for k, c := range columns {
		if !c.single() {
			continue
		}
		score, err := New(c.name, s.Graph, s.Vectors[0])
		if err != nil {
			t.Fatal(err)
		}
		for u := uint32(0); u < 300; u += 41 {
			for v := range uint32(300) {
				if u == v {
					continue
				}
				var x, y values
				forth.start(u)
				m.set(x[:], u, v, forth.pair(v))
				m.set(y[:], v, u, back.sums(v, u))
				if want := score(u, v); x[k] != y[k] || math.Abs(x[k]-want) > 2e-5*math.Abs(want)+1e-12 {
					t.Fatalf("%s of %d and %d: %v, the other way round %v, expected %v", c.name, u, v, x[k], y[k], want)
				}
			}
		}
	}
}

func TestModel_SymmetricAndExplained(t *testing.T) {
	s := groupsSplit(t, 2)
	for _, terms := range []Terms{{Embeddings: 1}, {}, {Scorers: []string{"jaccard", "dot"}, Embeddings: 1}, {Scorers: []string{"l3"}}, {Scorers: []string{"l3"}, Embeddings: 1}} {
		m := fitted(t, s, terms)
		f, err := m.Bind(s.Graph, s.Vectors...)
		if err != nil {
			t.Fatal(err)
		}
		for u := uint32(280); u < 300; u++ { // the last ten vertices are isolated
			for v := uint32(280); v < 300; v++ {
				p := f.Score(u, v)
				out := make([]float64, 7)
				if f.Batch([]csr.Edge{{U: 1, V: 2}, {U: 3, V: 4}, {U: 5, V: 6}, {U: 7, V: 8}, {U: 9, V: 10}, {U: u, V: v}, {U: v, V: u}}, out); out[5] != p || out[6] != p {
					t.Fatalf("%v: probability of (%d, %d) is %v, in a batch %v", terms, u, v, p, out)
				}
				usual := f.Usual(u, v, 300)
				e := f.Explain(v, u, usual)
				sum := 0.0
				for _, part := range e.Parts {
					sum += part.Part
				}
				if p != f.Score(v, u) || !(p >= 0 && p <= 1) || e.Parts[0].Name != "usual" || sum != e.LogOdds || math.Abs(e.LogOdds-f.LogOdds(u, v)) > 1e-9 || math.Abs(e.Probability-p) > 1e-9 || len(usual) != e.Pairs {
					t.Fatalf("%v: probability of (%d, %d) is %v, the other way round %v, explained %+v", terms, u, v, p, f.Score(v, u), e)
				}
			}
		}
	}
}

// The pairs that a pair is compared with have about its degrees and no edge, and with them as the pair
// itself the parts are small.
func TestBound_Usual(t *testing.T) {
	s := groupsSplit(t, 21)
	f, err := fitted(t, s, Terms{Embeddings: 1}).Bind(s.Graph, s.Vectors...)
	if err != nil {
		t.Fatal(err)
	}
	pairs := f.Usual(3, 100, 300)
	low, high := min(s.Graph.Degree(3), s.Graph.Degree(100)), max(s.Graph.Degree(3), s.Graph.Degree(100))
	mean := 0.0
	for _, e := range pairs {
		a, b := s.Graph.Degree(e.U), s.Graph.Degree(e.V)
		if s.Graph.HasEdge(e.U, e.V) || e.U == e.V || min(a, b) < low/2 || max(a, b) > 2*high+1 {
			t.Errorf("%v of degrees %d and %d, for %d and %d", e, a, b, low, high)
		}
		mean += f.LogOdds(e.U, e.V) / float64(len(pairs))
	}
	if e := f.Explain(3, 100, pairs); len(pairs) < 100 || math.Abs(e.Parts[0].Part-mean) > 1e-9 {
		t.Errorf("%d pairs of a mean of %v: %+v", len(pairs), mean, e.Parts[0])
	}
}

// A model has the terms that are named, with these embeddings, and all others otherwise.
func TestTerms(t *testing.T) {
	s := groupsSplit(t, 3)
	s.Vectors = append(s.Vectors, s.Vectors[0])
	for _, c := range []struct {
		terms Terms
		want  []string
	}{
		{Terms{Scorers: []string{"l3", "jaccard"}}, []string{"l3", "jaccard"}},
		{Terms{Scorers: []string{"jaccard", "l2"}, Embeddings: 2}, []string{"jaccard", "l2", "l2"}},
		{Terms{Scorers: []string{"jaccard"}, Embeddings: 2}, []string{"jaccard", "cosine", "l2", "dot", "cosine", "l2", "dot"}},
		{Terms{Scorers: []string{"sorensen"}}, []string{"sorensen"}},
	} {
		if got, _ := fitted(t, s, c.terms).Terms(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v", c.terms, got)
		}
	}
	s.Vectors = append(s.Vectors, s.Vectors[0])
	if got, _ := fitted(t, s, Terms{Embeddings: 3}).Terms(); len(got) != 23 {
		t.Errorf("%d terms by default: %v", len(got), got)
	}
	for _, c := range []struct {
		terms Terms
		want  error
	}{
		{Terms{Scorers: []string{"nothing"}}, ErrScorer},
		{Terms{Scorers: []string{"katz", "katz"}}, ErrScorer},
		{Terms{Scorers: []string{"dot"}}, ErrNeedsEmbedding},
		{Terms{Scorers: []string{}}, ErrNoTerms},
		{Terms{Embeddings: mostEmbeddings + 1}, ErrOption},
	} {
		if err := c.terms.Validate(); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c.terms, err)
		}
	}
}

// The derivatives of the objective are those of differences, and the fit is where the first is 0, the same
// with other numbers of workers.
func TestFit_Minimum(t *testing.T) {
	var rows []*Rows
	for seed := range uint64(2) {
		r, err := Draw(t.Context(), groupsSplit(t, 5+seed), DrawOptions{Most: 60, Workers: int(2 * seed)})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	terms := Terms{Scorers: []string{"jaccard", "adamic_adar", "dot"}, Embeddings: 1}
	checkDerivatives(t, rows, terms)
	p, err := newProblem(rows, terms)
	if err != nil {
		t.Fatal(err)
	}
	if only, err := newProblem(rows, Terms{Scorers: []string{"jaccard"}, PairsOnly: true}); err != nil || only.half != 1 || math.Abs(only.loss(mat.NewVecDense(2, nil), 0, false).value-math.Ln2) > 1e-12 {
		t.Errorf("of pairs alone, without weights: %v", err)
	}
	best, err := p.minimise(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	if found := p.loss(best, 1, true); mat.Norm(found.gradient, 2) > 1e-4 {
		t.Errorf("at the minimum the gradient is %v", mat.Formatted(found.gradient.T()))
	}
	if other, err := p.minimise(t.Context(), 3); err != nil || !mat.Equal(best, other) {
		t.Errorf("another number of workers gives other weights, %v", err)
	}
	if _, err := Fit(t.Context(), nil, terms, 0); !errors.Is(err, ErrTooFew) {
		t.Errorf("without pairs: %v", err)
	}
	if _, err := Fit(t.Context(), rows, Terms{Scorers: []string{recentNeighbors}}, 0); !errors.Is(err, ErrNeedsTimes) {
		t.Errorf("without times: %v", err)
	}
}

// checkDerivatives compares the objective without weights with its definition, and the derivatives with differences.
func checkDerivatives(t *testing.T, rows []*Rows, terms Terms) {
	t.Helper()
	p, err := newProblem(rows, terms)
	if err != nil {
		t.Fatal(err)
	}
	want, all := 0.0, 0.0
	for _, r := range rows {
		for i := range r.links {
			weight := 1 / math.Sqrt(float64(1+r.degrees[i]))
			others := 1.0
			for j := r.others[i]; j < r.others[i+1]; j++ {
				others += r.weight[j-r.links-r.random]
			}
			want, all = want+weight*math.Log(others), all+weight
		}
	}
	if got := p.loss(mat.NewVecDense(p.width, nil), 0, false).value; math.Abs(got-(math.Ln2+want/all)/2) > 1e-12 {
		t.Errorf("without weights: %v, expected %v", got, (math.Ln2+want/all)/2)
	}
	w := mat.NewVecDense(p.width, nil)
	for j := range p.width {
		w.SetVec(j, 0.3*float64(j%3)-0.2)
	}
	at := p.loss(w, 0, true)
	const step = 1e-5
	for j := range p.width {
		moved := func(by float64) lossAt {
			other := mat.VecDenseCopyOf(w)
			other.SetVec(j, w.AtVec(j)+by)
			return p.loss(other, 0, true)
		}
		up, down := moved(step), moved(-step)
		if want := (up.value - down.value) / 2 / step; math.Abs(at.gradient.AtVec(j)-want) > 1e-7 {
			t.Errorf("gradient %d: %v, by differences %v", j, at.gradient.AtVec(j), want)
		}
		for i := range p.width {
			if want := (up.gradient.AtVec(i) - down.gradient.AtVec(i)) / 2 / step; math.Abs(at.hessian.At(i, j)-want) > 1e-6 {
				t.Errorf("second derivative %d, %d: %v, by differences %v", i, j, at.hessian.At(i, j), want)
			}
		}
	}
}

// No pair that is drawn as another one is an edge of the whole graph, and the hard ones are the likeliest.
func TestDraw(t *testing.T) {
	s := groupsSplit(t, 9)
	r, err := Draw(t.Context(), s, DrawOptions{})
	if err != nil {
		t.Fatal(err)
	}
	links, others := r.Pairs()
	if links != len(s.Hidden) || others < 20*links || r.random != 4*links {
		t.Fatalf("%d links of %d, %d others", links, len(s.Hidden), others)
	}
	m, err := newMeasures(s.Graph, nil, columnsOf(false, 0))
	if err != nil {
		t.Fatal(err)
	}
	score, resource := m.newAround(), New
	score.start(7)
	l3, _ := resource("l3", s.Graph, nil)
	ra, _ := resource("resource_allocation", s.Graph, nil)
	var want []PredictedLink
	for v := range uint32(300) {
		if x := l3(7, v) + ra(7, v); v != 7 && !s.Graph.HasEdge(7, v) && x > 0 {
			want = append(want, PredictedLink{7, v, x})
		}
	}
	slices.SortFunc(want, (&top{higher: true}).compare)
	for i, v := range score.likeliest(20, 0, nil) {
		if math.Abs(want[i].Score-(l3(7, v)+ra(7, v))) > 1e-4 {
			t.Errorf("candidate %d is %d, expected %v", i, v, want[i])
		}
	}
	ends := map[uint32]bool{}
	for _, e := range s.Hidden {
		ends[e.U], ends[e.V] = true, true
	}
	d := &drawing{Split: s, n: 300, random: rand.New(rand.NewPCG(1, 2)), byDegree: true}
	for range 200 {
		if e, ok := d.pair(); !ok || !ends[e.U] || !ends[e.V] || s.Whole.HasEdge(e.U, e.V) {
			t.Fatalf("%v is no pair of ends of hidden links", e)
		}
	}
	if _, err := Draw(t.Context(), Split{Whole: s.Whole, Graph: s.Graph}, DrawOptions{}); !errors.Is(err, ErrTooFew) {
		t.Errorf("without hidden links: %v", err)
	}
}

// The likeliest links by a model are those of all candidates by Score, also with limits.
func TestPredictor_Model(t *testing.T) {
	s := groupsSplit(t, 11)
	f, err := fitted(t, s, Terms{Embeddings: 1}).Bind(s.Graph, s.Vectors...)
	if err != nil {
		t.Fatal(err)
	}
	m, _ := newMeasures(s.Graph, nil, columnsOf(false, 0))
	a := m.newAround()
	least := 0.6
	for _, opts := range []PredictOptions{{}, {Threshold: &least}, {Admit: func(v uint32) bool { return v%3 > 0 }}} {
		p := NewPredictor(s.Graph, f.Scoring(), opts)
		near := []uint32{3, 200, 299}
		for u := uint32(0); u < 300; u += 7 {
			a.start(u)
			all := &top{most: 10, higher: true, threshold: opts.Threshold}
			for _, v := range slices.Compact(slices.Sorted(slices.Values(append(a.likeliest(1000, 0, nil), near...)))) {
				if v != u && !s.Graph.HasEdge(u, v) && p.admits(v) && all.wants(f.Score(u, v)) {
					all.offer(PredictedLink{u, v, f.Score(u, v)})
				}
			}
			got, _, err := p.For(t.Context(), u, near, 10)
			if want := all.sorted(); err != nil || !slices.Equal(got, want) {
				t.Fatalf("%+v, vertex %d: %v, want %v, %v", opts, u, got, want, err)
			}
		}
	}
	best, _, err := NewPredictor(s.Graph, f.Scoring(), PredictOptions{Workers: 3}).All(t.Context(), nil, 30)
	if err != nil || len(best) != 30 || best[0].Score != f.Score(best[0].U, best[0].V) {
		t.Errorf("%v, %v", best, err)
	}
	mutual, _, err := NewPredictor(s.Graph, f.Scoring(), PredictOptions{Top: 1}).All(t.Context(), nil, 5)
	if err != nil || len(mutual) == 0 || mutual[0] != best[0] {
		t.Errorf("%v, %v", mutual, err)
	}
}

func TestModel_WithPrior(t *testing.T) {
	s := groupsSplit(t, 12)
	m := fitted(t, s, Terms{Scorers: []string{"jaccard"}})
	even, _ := m.Bind(s.Graph)
	rare, err := m.WithPrior(0.01).Bind(s.Graph)
	if err != nil {
		t.Fatal(err)
	}
	odds := func(p float64) float64 { return p / (1 - p) }
	if got, want := odds(rare.Score(1, 2)), odds(even.Score(1, 2))/99; math.Abs(got-want) > 1e-9*want {
		t.Errorf("odds of %v for a fraction of 0.01, expected %v", got, want)
	}
}

// Calibration changes no order, and the log-odds by the slope and shift that it finds.
func TestModel_Calibrated(t *testing.T) {
	s := groupsSplit(t, 13)
	m := fitted(t, s, Terms{Embeddings: 1})
	pairs := slices.Concat(s.Hidden, []csr.Edge{{U: 1, V: 299}, {U: 2, V: 150}, {U: 5, V: 220}, {U: 9, V: 101}, {U: 30, V: 160}})
	linked := make([]bool, len(pairs))
	for i := range s.Hidden {
		linked[i] = true
	}
	table, err := NewTable(t.Context(), s.Graph, s.Vectors, pairs, 0)
	if err != nil {
		t.Fatal(err)
	}
	before := table.LogOdds(m)
	slope, shift := calibrate(before, linked)
	for i, x := range table.LogOdds(m.Calibrated(before, linked)) {
		if want := slope*before[i] + shift; math.Abs(x-want) > 1e-9*math.Abs(want)+1e-9 {
			t.Errorf("pair %d: %v, expected %v", i, x, want)
		}
	}
}

// One pair far above all others changes the probabilities of the others by little, and log-odds of any size
// keep their order as probabilities.
func TestModel_Outlier(t *testing.T) {
	s := groupsSplit(t, 13)
	m := fitted(t, s, Terms{Embeddings: 1})
	rng := rand.New(rand.NewPCG(3, 3))
	var odds []float64
	var linked []bool
	for range 2_000 {
		x := 2 * rng.NormFloat64()
		odds, linked = append(odds, x/2), append(linked, rng.Float64() < 1/(1+math.Exp(-x)))
	}
	table, err := NewTable(t.Context(), s.Graph, s.Vectors, s.Hidden, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := table.LogOdds(m.Calibrated(odds, linked))
	for i, x := range table.LogOdds(m.Calibrated(append(odds, 300), append(linked, true))) {
		if math.Abs(Probability01(x)-Probability01(want[i])) > 0.02 {
			t.Errorf("pair %d: log-odds %v, without an outlier %v", i, x, want[i])
		}
	}
	last := 0.0
	for odds := 1.0; odds < 1e6; odds *= 1.1 {
		p := Probability01(odds)
		if p <= last || p >= 1 {
			t.Fatalf("log-odds %v: probability %v after %v", odds, p, last)
		}
		last = p
	}
}

func TestModel_BindRefuses(t *testing.T) {
	s := groupsSplit(t, 14)
	m := fitted(t, s, Terms{Embeddings: 1})
	for _, c := range []struct {
		g       *csr.Graph
		vectors []*vec.Matrix
		want    error
	}{
		{nil, s.Vectors, ErrNeedsGraph},
		{s.Graph, nil, ErrNeedsEmbedding},
		{s.Graph, []*vec.Matrix{nil}, ErrNeedsEmbedding},
		{s.Graph, []*vec.Matrix{vec.NewMatrix(301, 6)}, ErrDimension},
	} {
		if _, err := m.Bind(c.g, c.vectors...); !errors.Is(err, c.want) {
			t.Errorf("%v, expected %v", err, c.want)
		}
	}
}

func TestModel_Codec(t *testing.T) {
	m := fitted(t, groupsSplit(t, 15), Terms{Embeddings: 1})
	var b bytes.Buffer
	if n, err := m.WriteTo(&b); err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes of %d, %v", n, b.Len(), err)
	}
	data := b.Bytes()
	if got, err := ReadModel(bytes.NewReader(data)); err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("read %+v, %v; written %+v", got, err, m)
	}
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 0x10
		if _, err := ReadModel(bytes.NewReader(damaged)); !errors.Is(err, ErrModel) && !errors.Is(err, ErrVersion) {
			t.Fatalf("byte %d: %v", i, err)
		}
		if _, err := ReadModel(bytes.NewReader(data[:i])); !errors.Is(err, ErrModel) {
			t.Fatalf("%d bytes: %v", i, err)
		}
	}
}

func FuzzReadModel(f *testing.F) {
	for _, terms := range []Terms{{Scorers: []string{"jaccard"}}, {Embeddings: 1}} {
		var b bytes.Buffer
		if _, err := fitted(f, groupsSplit(f, 16), terms).WriteTo(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes()[modelHead:])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d := decoder{rest: body}
		m := d.model()
		if d.fault != "" || len(d.rest) > 0 {
			return
		}
		var b bytes.Buffer
		if _, err := m.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes()[modelHead:], body) {
			t.Fatal("a model that was read and written again has different bytes")
		}
		if _, err := ReadModel(&b); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCalibrate_Planted(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var scores []float64
	var linked []bool
	for range 20_000 {
		odds := 2 * rng.NormFloat64()
		scores, linked = append(scores, 3*odds+1), append(linked, rng.Float64() < 1/(1+math.Exp(-odds)))
	}
	slope, shift := calibrate(scores, linked)
	if math.Abs(slope-1./3) > 0.02 || math.Abs(shift+1./3) > 0.05 {
		t.Errorf("slope %v and shift %v, expected 1/3 and -1/3", slope, shift)
	}
	// Scores that separate links from other pairs have a finite slope, and misleading scores
	// keep their order.
	if slope, shift := calibrate([]float64{1, 2, 3, 4}, []bool{false, false, true, true}); !(slope > 0 && slope < 100) || shift-shift != 0 {
		t.Errorf("slope %v and shift %v of scores that separate", slope, shift)
	}
	// Scores that are informative for only a few pairs keep their order.
	scores, linked = nil, nil
	for i := range 20_000 {
		x := rng.NormFloat64()
		is := rng.Float64() < 1/(1+math.Exp(-x))
		if i%4 == 0 {
			is, x = true, 100+x
		}
		scores, linked = append(scores, 0.1*x), append(linked, is)
	}
	slope, shift = calibrate(scores, linked)
	mean, share := 0.0, 0.0
	for i, x := range scores {
		mean += 1 / (1 + math.Exp(-(slope*x + shift))) / float64(len(scores))
		if linked[i] {
			share += 1 / float64(len(scores))
		}
	}
	if top := slope*slices.Max(scores) + shift; math.Abs(top-mostOdds) > 1e-3 || math.Abs(mean-share) > 1e-4 {
		t.Errorf("log-odds up to %v, a mean of %v and of links %v", top, mean, share)
	}
	if slope, shift := calibrate([]float64{1, 2, 3, 4, 5}, []bool{true, true, true, false, false}); !(slope > 0 && slope < 1e-5) || math.Abs(shift-math.Log(4./3)) > 1e-9 {
		t.Errorf("slope %v and shift %v of scores that mislead", slope, shift)
	}
}
