package link

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// hiddenLinks returns a graph of overlapping groups, from which a fifth of the edges is removed.
func hiddenLinks(t *testing.T) (*csr.Graph, *vec.Matrix, Pairs) {
	t.Helper()
	const n, groups, size = 400, 80, 9
	random := rand.New(rand.NewPCG(3, 4))
	vectors := vec.NewMatrix(n, 6)
	for i := range vectors.Data {
		vectors.Data[i] = float32(random.NormFloat64())
	}
	var edges []csr.Edge
	for range groups {
		members := random.Perm(n)[:size]
		for i, u := range members {
			vectors.Row(u)[0] += float32(members[0]) / n
			for _, v := range members[:i] {
				edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)})
			}
		}
	}
	random.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	g, err := csr.FromEdges(n, edges[len(edges)/5:])
	if err != nil {
		t.Fatal(err)
	}
	var pairs Pairs
	for _, e := range edges[:len(edges)/5] {
		if !g.HasEdge(e.U, e.V) {
			pairs.Links = append(pairs.Links, e)
		}
	}
	for len(pairs.Others) < len(pairs.Links) {
		if u, v := random.Uint32N(n), random.Uint32N(n); u != v && !g.HasEdge(u, v) {
			pairs.Others = append(pairs.Others, csr.Edge{U: u, V: v})
		}
	}
	return g, vectors, pairs
}

// TestTrain_MAP compares the reported MAP of single scorers with the MAP of the lists of a
// Predictor.
func TestTrain_MAP(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains models of all kinds")
	}
	t.Parallel()
	g, vectors, pairs := hiddenLinks(t)
	held, err := csr.FromEdges(g.Vertices(), pairs.Links)
	if err != nil {
		t.Fatal(err)
	}
	lists := make([][]uint32, 400)
	for u := range lists {
		lists[u] = []uint32{uint32(u+1) % 400, uint32(u+200) % 400}
	}
	_, report, err := Train(context.Background(), g, vectors, pairs, TrainOptions{Terms: Terms{Features: "hadamard"}, Near: nearOf(lists)})
	if err != nil {
		t.Fatal(err)
	}
	top, chosen := Candidate{}, Candidate{}
	for _, c := range report.Candidates {
		if c.MAP > top.MAP {
			top = c
		}
		if c.Chosen {
			chosen = c
		}
	}
	if chosen.AUC < top.AUC || chosen.MAP < 0.9*top.MAP {
		t.Errorf("chose %+v instead of %+v", chosen, top)
	}
	if !slices.ContainsFunc(report.Candidates, func(c Candidate) bool { return strings.HasSuffix(c.Name, ", by vertex") }) {
		t.Errorf("no conditional model in %+v", report.Candidates)
	}
	for _, name := range []string{"adamic_adar", "common_neighbors"} {
		score, err := New(name, g, vectors)
		if err != nil {
			t.Fatal(err)
		}
		// Score all candidates, also those without common neighbours, as the model of one scorer does.
		p := NewPredictor(g, Scoring{Score: score, HigherIsLikelier: true}, PredictOptions{})
		sum, count := 0.0, 0.0
		for u := range uint32(g.Vertices()) {
			if held.Degree(u) == 0 {
				continue
			}
			count++
			candidates := slices.DeleteFunc(slices.Clone(lists[u]), func(v uint32) bool { return g.HasEdge(u, v) })
			list, _, err := p.For(context.Background(), u, candidates, 10)
			if err != nil {
				t.Fatal(err)
			}
			found := 0.0
			for i, l := range list {
				if held.HasEdge(u, l.V) {
					found++
					sum += found / float64(i+1) / float64(min(held.Degree(u), 10))
				}
			}
		}
		i := slices.IndexFunc(report.Candidates, func(c Candidate) bool { return c.Name == name })
		if got := report.Candidates[i].MAP; math.Abs(got-sum/count) > 1e-6 {
			t.Errorf("%s: MAP %v, by a Predictor %v", name, got, sum/count)
		}
	}
}

// TestTrain_MAPWorkers expects the same model from any number of workers.
func TestTrain_MAPWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains models several times")
	}
	t.Parallel()
	g, vectors, pairs := hiddenLinks(t)
	var first *Model
	for _, workers := range []int{1, 3} {
		m, _, err := Train(context.Background(), g, vectors, pairs, TrainOptions{Terms: Terms{Features: "hadamard"}, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = m
		}
		if m.bias != first.bias || m.slope != first.slope || !slices.EqualFunc(m.terms, first.terms, func(a, b term) bool { return a == b }) {
			t.Errorf("%d workers: %+v, one: %+v", workers, m, first)
		}
	}
}

// TestConditional_Minimum computes the objective pair by pair, and expects every change of a
// weight to increase it.
func TestConditional_Minimum(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	fill := func(rows int) *vec.Matrix {
		m := vec.NewMatrix(rows, 4)
		for i := range m.Data {
			m.Data[i] = float32(3 * random.NormFloat64())
		}
		for r := range rows {
			m.Row(r)[3] = 2 // a constant column has no weight
		}
		return m
	}
	var choices []choice
	for range 40 {
		c := choice{links: fill(1 + random.IntN(3)), others: fill(8)}
		for r := range c.links.Rows {
			c.links.Row(r)[0] += 2
		}
		for range c.others.Rows {
			c.multiplicity = append(c.multiplicity, 1+5*random.Float64())
		}
		choices = append(choices, c)
	}
	choices = append(choices, choice{})
	columns := []int{0, 2, 3}
	f := conditional(context.Background(), choices, columns, 4)
	if f[1] != 0 || f[3] != 0 || f[0] <= 0 {
		t.Fatal(f)
	}
	deviation := func(k int) float64 {
		var values []float64
		for _, c := range choices {
			for r := range c.multiplicity {
				values = append(values, float64(c.others.Row(r)[k]))
			}
		}
		mean, square := 0.0, 0.0
		for _, x := range values {
			mean += x / float64(len(values))
		}
		for _, x := range values {
			square += (x - mean) * (x - mean) / float64(len(values))
		}
		return math.Sqrt(square)
	}
	objective := func(f linear) float64 {
		total := 0.0
		for _, k := range columns[:2] {
			total += math.Pow(f[k]*deviation(k), 2) / 2
		}
		for _, c := range choices {
			if c.links == nil {
				continue
			}
			for l := range c.links.Rows {
				chosen := math.Exp(f.at(c.links.Row(l)))
				sum := chosen
				for r, s := range c.multiplicity {
					sum += s * math.Exp(f.at(c.others.Row(r)))
				}
				total -= math.Log(chosen/sum) / float64(c.links.Rows)
			}
		}
		return total
	}
	least := objective(f)
	for _, k := range columns[:2] {
		for _, change := range []float64{-1e-3, 1e-3} {
			other := slices.Clone(f)
			other[k] += change
			if objective(other) <= least {
				t.Errorf("column %d: %v instead of %v decreases the objective", k, other[k], f[k])
			}
		}
	}
}

// TestChoose has significant differences of MAP, and differences that may be chance.
func TestChoose(t *testing.T) {
	t.Parallel()
	made := func(name string, auc float64, of ...float64) *trial {
		c := &trial{Candidate: Candidate{Name: name, AUC: auc}, of: of}
		for _, x := range of {
			c.MAP += x / float64(len(of))
		}
		return c
	}
	best := made("best", 0.7, 0.5, 0.9, 0.4, 0.8)
	for _, c := range []struct {
		others []*trial
		want   string
	}{
		{nil, "best"},
		{[]*trial{made("below by .1 everywhere", 0.9, 0.4, 0.8, 0.3, 0.7)}, "best"},
		{[]*trial{made("above and below", 0.9, 0.9, 0.5, 0.8, 0.3)}, "above and below"},
		{[]*trial{made("above and below", 0.9, 0.9, 0.5, 0.8, 0.3), made("equal", 0.95, 0.5, 0.9, 0.4, 0.8)}, "equal"},
		{[]*trial{made("less apart", 0.6, 0.9, 0.5, 0.8, 0.3)}, "best"},
	} {
		if got := choose(append(c.others, best)); got.Name != c.want {
			t.Errorf("chose %s, want %s", got.Name, c.want)
		}
	}
	alone := made("scorer", 0.7, 0.4, 0.6, 0.5, 0.5)
	alone.Single = true
	tie, below := made("tie", 0.75, 0.41, 0.59, 0.5, 0.5), made("tie below", 0.8, 0.39, 0.6, 0.5, 0.5)
	tie.tie, below.tie = true, true
	weak := made("weak scorer", 0.9, 0.1, 0.2, 0.1, 0.1)
	weak.Single = true
	for _, c := range []struct {
		others []*trial
		want   string
	}{
		{[]*trial{weak}, "scorer"},
		{[]*trial{weak, made("above by chance", 0.95, 0.5, 0.6, 0.6, 0.4)}, "scorer"},
		{[]*trial{weak, made("above everywhere", 0.6, 0.5, 0.7, 0.6, 0.6)}, "above everywhere"},
		{[]*trial{weak, tie, below}, "tie"},
		{[]*trial{made("equal", 0.9, 0.4, 0.6, 0.5, 0.5)}, "equal"},
	} {
		if got := choose(append(c.others, alone)); got.Name != c.want {
			t.Errorf("chose %s, want %s", got.Name, c.want)
		}
	}
	if got := choose([]*trial{made("one vertex", 0.6, 0.9), made("apart", 0.8, 0.1)}); got.Name != "apart" {
		t.Errorf("chose %s by one vertex", got.Name)
	}
}

// bipartite returns a graph of groups, and a fifth of its edges, which are removed. Within a
// group, two vertices on different sides have an edge with probability ½. Vertices with common
// neighbours are on the same side, and edges join different sides.
func bipartite(t *testing.T) (*csr.Graph, Pairs) {
	t.Helper()
	const side, groups = 200, 10
	random := rand.New(rand.NewPCG(11, 12))
	var edges []csr.Edge
	var pairs Pairs
	for u := range side {
		for v := range side {
			if u%groups == v%groups && random.IntN(2) == 0 {
				edges = append(edges, csr.Edge{U: uint32(u), V: uint32(side + v)})
			}
		}
	}
	random.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	g, err := csr.FromEdges(2*side, edges[len(edges)/5:])
	if err != nil {
		t.Fatal(err)
	}
	pairs.Links = edges[:len(edges)/5]
	for len(pairs.Others) < len(pairs.Links) {
		if u, v := random.Uint32N(2*side), random.Uint32N(2*side); u != v && !g.HasEdge(u, v) && !slices.Contains(pairs.Links, csr.Edge{U: min(u, v), V: max(u, v)}) {
			pairs.Others = append(pairs.Others, csr.Edge{U: u, V: v})
		}
	}
	return g, pairs
}

// TestTrain_BestScorer has a graph on which only l3 finds the links, because the candidates of
// other scorers are on the wrong side: the model is that scorer.
func TestTrain_BestScorer(t *testing.T) {
	t.Parallel()
	g, pairs := bipartite(t)
	m, report, err := Train(t.Context(), g, nil, pairs, TrainOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if m.Heuristic() != "l3" {
		t.Fatalf("the model has %v of %+v", m.Heuristics(), report.Candidates)
	}
	for _, c := range report.Candidates {
		if c.Chosen != (c.Name == "l3") || c.Chosen && c.MAP < 0.3 {
			t.Errorf("%+v", c)
		}
	}
	b, err := m.Bind(g, nil)
	if err != nil {
		t.Fatal(err)
	}
	links, others := 0.0, 0.0
	for i, e := range pairs.Links {
		links += b.Score(e.U, e.V) / float64(len(pairs.Links))
		others += b.Score(pairs.Others[i].U, pairs.Others[i].V) / float64(len(pairs.Links))
	}
	if links < 0.8 || others > 0.2 {
		t.Errorf("links have a probability of %v, other pairs of %v", links, others)
	}
}
