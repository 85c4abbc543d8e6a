package link

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Split is a graph from which links were hidden, and what is left of it.
type Split struct {
	Whole   *csr.Graph
	Graph   *csr.Graph    // without the hidden links
	Vectors []*vec.Matrix // embeddings of Graph, which have not seen the hidden links
	Hidden  []csr.Edge
	Seed    uint64 // of the pairs that are drawn
}

// DrawOptions sets how Draw works. The zero value works.
type DrawOptions struct {
	// ByDegree draws both ends of the pairs of any two vertices among the ends of the hidden links, so
	// that their degrees are those of links.
	ByDegree bool
	Most     int // hidden links to learn from at most; 0 means DefaultLinks
	Workers  int // goroutines, 0 means GOMAXPROCS; no result depends on it
}

// DefaultLinks is the number of hidden links of a split to learn from.
const DefaultLinks = 1000

// The pairs that are drawn for each hidden link.
const (
	randomPairs = 4   // of any two vertices
	anyOthers   = 10  // of one end with any vertex
	hardOthers  = 10  // of one end with one of the likeliest by l3 + resource_allocation
	hardest     = 100 // of which the hard ones are drawn
)

// Rows are the pairs of a split that a model learns from, with all their columns.
type Rows struct {
	columns    []column
	embeddings int
	// x has a row for each hidden link, then the random pairs, then for each hidden link those that
	// its source is compared with.
	x             []float64
	links, random int
	// others has for each hidden link the first row behind the random pairs, and one more.
	others []int
	// degrees are those of the sources of the hidden links, in what is left of the graph.
	degrees []int
	// weight of each row behind the random pairs: how many vertices it represents. likely is true for
	// those with one of the likeliest vertices.
	weight []float64
	likely []bool
}

// Draw draws pairs of a split, none of which is an edge of the whole graph, and computes their
// columns: for each hidden link, of which at most a number is used, 4 pairs of any two vertices, and
// of one of its ends, by chance, 10 pairs with any vertex and 10 with vertices among the 100
// likeliest by l3 + resource_allocation. Ends without edges count like others. The result does not depend
// on Workers. It takes O(m) for each link at most. Errors are ErrTooFew where there is no link or no
// other pair, ErrOption, ErrDimension, and that of ctx.
func Draw(ctx context.Context, s Split, opts DrawOptions) (*Rows, error) {
	most := opts.Most
	if most == 0 {
		most = DefaultLinks
	}
	timed := len(s.Graph.Targets) > 0 && Timed(s.Graph)
	r := &Rows{columns: columnsOf(timed, len(s.Vectors)), embeddings: len(s.Vectors)}
	m, err := newMeasures(s.Graph, s.Vectors, r.columns)
	if err != nil {
		return nil, err
	}
	d := &drawing{Split: s, m: m, n: s.Graph.Vertices(), random: rand.New(rand.NewPCG(s.Seed, 0x70616972)), byDegree: opts.ByDegree}
	links := Thin(s.Hidden, most)
	r.links = len(links)
	pairs := make([]csr.Edge, 0, len(links)*(1+randomPairs))
	for _, e := range links {
		if d.random.Uint64()&1 == 1 {
			e.U, e.V = e.V, e.U
		}
		pairs = append(pairs, e)
	}
	for range len(links) * randomPairs {
		if e, ok := d.pair(); ok {
			pairs = append(pairs, e)
		}
	}
	r.random = len(pairs) - r.links
	if min(r.links, r.random) == 0 {
		return nil, fmt.Errorf("links to learn from: %d, other pairs: %d: %w", r.links, r.random, ErrTooFew)
	}
	for _, e := range pairs[:r.links] {
		r.degrees = append(r.degrees, s.Graph.Degree(e.U))
	}
	others, weights, anys := make([][]csr.Edge, r.links), make([][]float64, r.links), make([]int, r.links)
	seed := d.random.Uint64()
	vec.Parallel(r.links, 4, opts.Workers, func(_, lo, hi int) {
		a := m.around.Get().(*around)
		defer m.around.Put(a)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			others[i], weights[i], anys[i] = d.others(a, pairs[i].U, rand.New(rand.NewPCG(seed, uint64(i))))
		}
	})
	for i, list := range others {
		r.others = append(r.others, len(pairs))
		pairs, r.weight = append(pairs, list...), append(r.weight, weights[i]...)
		for j := range list {
			r.likely = append(r.likely, j >= anys[i])
		}
	}
	r.others = append(r.others, len(pairs))
	r.x, err = m.table(ctx, pairs, opts.Workers)
	return r, err
}

// Thin returns at most a number of the elements of a list, evenly spaced; it may share the list.
func Thin[T any](list []T, most int) []T {
	if len(list) <= most {
		return list
	}
	thin := make([]T, most)
	for i := range thin {
		thin[i] = list[i*len(list)/most]
	}
	return thin
}

// drawing draws pairs without an edge.
type drawing struct {
	Split
	m        *measures
	n        int
	random   *rand.Rand
	byDegree bool
}

// attempts to draw a pair without an edge. In all but nearly complete graphs the first ones succeed.
const attempts = 64

func (d *drawing) pair() (csr.Edge, bool) {
	for range attempts {
		e := csr.Edge{U: d.end(), V: d.end()}
		if e.U != e.V && !d.Whole.HasEdge(e.U, e.V) {
			return e, true
		}
	}
	return csr.Edge{}, false
}

// end draws one end of a pair.
func (d *drawing) end() uint32 {
	if !d.byDegree {
		return uint32(d.random.IntN(d.n))
	}
	e := d.Hidden[d.random.IntN(len(d.Hidden))]
	if d.random.Uint64()&1 == 1 {
		return e.U
	}
	return e.V
}

// others draws what the links of a source are compared with: pairs with any vertex, whose number is anys,
// and then with likely ones.
func (d *drawing) others(a *around, u uint32, random *rand.Rand) (pairs []csr.Edge, weights []float64, anys int) {
	for range anyOthers {
		for range attempts {
			if v := uint32(random.IntN(d.n)); v != u && !d.Whole.HasEdge(u, v) {
				pairs = append(pairs, csr.Edge{U: u, V: v})
				break
			}
		}
	}
	anys = len(pairs)
	for range pairs {
		weights = append(weights, float64(d.n)/float64(len(pairs)))
	}
	a.start(u)
	hard := a.likeliest(hardest, 0, func(v uint32) bool { return !d.Whole.HasEdge(u, v) })
	all := float64(len(hard))
	for i := range min(hardOthers, len(hard)) {
		j := i + random.IntN(len(hard)-i)
		hard[i], hard[j] = hard[j], hard[i]
		pairs, weights = append(pairs, csr.Edge{U: u, V: hard[i]}), append(weights, all/float64(min(hardOthers, len(hard))))
	}
	return pairs, weights, anys
}

// table computes the columns of pairs, a row each.
func (m *measures) table(ctx context.Context, pairs []csr.Edge, workers int) ([]float64, error) {
	width := len(m.columns)
	x := make([]float64, len(pairs)*width)
	vec.Parallel(len(pairs), 32, workers, func(_, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		a := m.around.Get().(*around)
		defer m.around.Put(a)
		for i := lo; i < hi; i++ {
			e := pairs[i]
			if i+2 < hi && pairs[i+1].U == e.U && pairs[i+2].U == e.U {
				a.start(e.U)
			}
			m.set(x[i*width:(i+1)*width], e.U, e.V, a.sums(e.U, e.V))
		}
	})
	return x, ctx.Err()
}

// Table has all columns of pairs.
type Table struct {
	columns []column
	x       []float64
}

// NewTable computes all columns of pairs of a graph with some embeddings. The result does not depend on
// the number of workers. Errors are those of [Model.Bind].
func NewTable(ctx context.Context, g *csr.Graph, vectors []*vec.Matrix, pairs []csr.Edge, workers int) (*Table, error) {
	m, err := newMeasures(g, vectors, columnsOf(len(g.Targets) > 0 && Timed(g), len(vectors)))
	if err != nil {
		return nil, err
	}
	x, err := m.table(ctx, pairs, workers)
	return &Table{m.columns, x}, err
}

// LogOdds returns the log-odds of all pairs by a model.
func (t *Table) LogOdds(m *Model) []float64 {
	at := make([]int, len(m.terms))
	for i, term := range m.terms {
		at[i] = slices.IndexFunc(t.columns, func(c column) bool { return c.name == term.name && c.of == term.of })
	}
	list := make([]float64, len(t.x)/len(t.columns))
	for i := range list {
		var x values
		for j, k := range at {
			if k >= 0 { // times can be missing in a part of a graph that has some
				x[j] = t.x[i*len(t.columns)+k]
			}
		}
		list[i] = m.logOdds(&x)
	}
	return list
}

// Single is one scorer of a table.
type Single struct {
	Scorer    string
	Embedding int       // number of the embedding that it reads, -1 for the graph
	Values    []float64 // of all pairs, larger ones for likelier links: distances are negated
}

// Singles returns the scorers of the table, those of the graph first.
func (t *Table) Singles() []Single {
	var list []Single
	for k, c := range t.columns {
		if !c.single() || c.name == "probability" { // which has the order of l2
			continue
		}
		s := Single{c.name, c.of, make([]float64, len(t.x)/len(t.columns))}
		for i := range s.Values {
			if s.Values[i] = t.x[i*len(t.columns)+k]; !c.higher() {
				s.Values[i] = -s.Values[i]
			}
		}
		list = append(list, s)
	}
	return list
}

// positiveMedian is the median of the positive values of a column of several tables; 1 without any.
func positiveMedian(rows []*Rows, column int) float64 {
	var list []float64
	for _, r := range rows {
		for i := column; i < len(r.x); i += len(r.columns) {
			if x := r.x[i]; x > 0 && finite(x) {
				list = append(list, x)
			}
		}
	}
	if len(list) == 0 {
		return 1
	}
	slices.Sort(list)
	return list[len(list)/2]
}

// EachCandidates calls f, from several goroutines, for each of some vertices with the candidates that a
// Predictor has for it by a model, ascending, and a table of its pairs with them. near has further
// candidates of each vertex. A table is valid until f returns.
func EachCandidates(ctx context.Context, g *csr.Graph, vectors []*vec.Matrix, vertices []uint32, near [][]uint32, workers int, f func(i int, candidates []uint32, t *Table)) error {
	m, err := newMeasures(g, vectors, columnsOf(len(g.Targets) > 0 && Timed(g), len(vectors)))
	if err != nil {
		return err
	}
	vec.Parallel(len(vertices), 1, workers, func(_, lo, hi int) {
		a := m.around.Get().(*around)
		defer m.around.Put(a)
		for i := lo; i < hi && ctx.Err() == nil; i++ {
			u := vertices[i]
			a.start(u)
			list := a.likeliest(LeastCandidates, 0, nil)
			for _, v := range near[i] {
				if v != u && !a.to[v].linked {
					list = append(list, v)
				}
			}
			slices.Sort(list)
			list = slices.Compact(list)
			t := &Table{m.columns, make([]float64, len(list)*len(m.columns))}
			for j, v := range list {
				m.set(t.x[j*len(m.columns):], u, v, a.pair(v))
			}
			f(i, list, t)
		}
	})
	return ctx.Err()
}

// Pairs returns the numbers of links and of other pairs.
func (r *Rows) Pairs() (links, others int) { return r.links, len(r.x)/len(r.columns) - r.links }
