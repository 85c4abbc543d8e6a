package query

import (
	"context"
	"errors"
	"fmt"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/internal/where"
	"heavytail/query/measure"
	"heavytail/query/parser"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// Derivation is how a graph is made from another one.
type Derivation string

// The derivations.
const (
	DeriveSubgraph  Derivation = "subgraph"  // the vertices that meet a condition, and the edges between them
	DeriveComponent Derivation = "component" // a connected component
	DeriveSample    Derivation = "sample"    // random vertices, and the edges between them
	DeriveNull      Derivation = "null"      // random edges with the degrees of all vertices kept
)

// DeriveRequest asks for a graph made from another one.
type DeriveRequest struct {
	Graph string // the new one
	Of    string
	How   Derivation
	// Where is the condition of a subgraph, as in VerticesRequest, and Attributes are those
	// that it reads.
	Where      func(Candidate) bool
	Attributes []string
	From       string // key of a vertex of the component; empty for the largest component
	Vertices   int    // of a sample; 0 is 1,000
	Exchanges  int    // attempts per edge of a null model; 0 is 10
	Seed       uint64 // of a sample or null model

	condition parser.Expr // of Where, for its text; may be nil
}

// DeriveResult is the answer of Derive.
type DeriveResult struct {
	Graph   storage.GraphInfo `json:"graph"`
	Seconds float64           `json:"seconds"`
	Notices []Notice          `json:"notices,omitempty"`
}

var deriveGraph = &statement[*parser.DeriveGraph, DeriveRequest, storage.GraphInfo, DeriveResult]{
	help:    createGraphHelp(),
	bind:    bindDerive,
	resolve: resolveDerive,
	plan: func(req DeriveRequest, info storage.GraphInfo) *plan.Plan {
		return plan.Result("graph", fault.Name(req.Graph)+", "+string(req.How)+" of "+fault.Name(info.Name),
			scanPlan("all vertices", info, req.condition, session.AttributeNames(info)))
	},
	run: runDerive,
	rows: func(_ DeriveRequest, r DeriveResult) *Rows {
		return rowsOf([]string{"graph", "vertices", "edges", "seconds"}, [][]Value{{r.Graph.Name, int64(r.Graph.Vertices), r.Graph.Edges, r.Seconds}})
	},
}

// deriveOptions are the options of CREATE GRAPH … AS.
func deriveOptions() []OptionInfo {
	return []OptionInfo{
		{Name: "vertices", Type: "int", Default: "1000", Doc: "SAMPLE: how many vertices"},
		{Name: "exchanges", Type: "int", Default: "10", Doc: "NULL: attempts per edge to exchange an end with another edge"},
		{Name: "seed", Type: "int", Default: "0", Doc: "SAMPLE and NULL: the same seed gives the same graph"},
	}
}

// Derive makes a graph from another one, with its attributes but not how COMPUTE made
// them. The name must be free, or that of a graph that never had a vertex.
func (db *DB) Derive(ctx context.Context, req DeriveRequest) (DeriveResult, error) {
	return deriveGraph.answer(ctx, db, req)
}

var derivationOf = map[parser.Derivation]Derivation{
	parser.Subgraph: DeriveSubgraph, parser.Component: DeriveComponent, parser.Sample: DeriveSample, parser.NullModel: DeriveNull,
}

// partNewGraph is the graph that is made.
const partNewGraph fault.Part = "new graph"

func bindDerive(b *binder, s *parser.DeriveGraph) (DeriveRequest, error) {
	b.Mark(partNewGraph, s.Graph)
	b.Mark(fault.Graph, s.Of)
	req := DeriveRequest{Graph: s.Graph.Name, Of: s.Of.Name, How: derivationOf[s.How], condition: s.Where}
	info, err := b.GraphInfo(req.Of, fault.Graph)
	if err != nil {
		return req, err
	}
	condition, err := where.Compile(b.Values, s.Where, info, where.ToNothing)
	if err != nil {
		return req, err
	}
	req.Where, req.Attributes = condition.Admits, condition.Attributes
	if s.From != nil {
		if req.From, err = b.vertexKey(fault.Vertex, s.From); err != nil {
			return req, err
		}
	}
	set, err := b.Settings("CREATE GRAPH", deriveOptions(), s.Options)
	if err != nil {
		return req, err
	}
	for _, name := range []string{"vertices", "exchanges"} {
		if n, given := set[name].(int64); given && n < 1 {
			return req, fault.New(fault.Option(name), "option %s is %d, and must be at least 1", name, n)
		}
	}
	req.Vertices, req.Exchanges, req.Seed = set.Size("vertices"), set.Size("exchanges"), set.Seed()
	return req, nil
}

func resolveDerive(c *call, req DeriveRequest) (storage.GraphInfo, error) {
	if err := c.checkNewGraph(req.Graph, partNewGraph); err != nil {
		return storage.GraphInfo{}, err
	}
	info, err := c.GraphInfo(req.Of, fault.Graph)
	switch {
	case err != nil:
		return info, err
	case req.How == DeriveSubgraph && req.Where == nil:
		return info, fault.New(fault.Where, "a subgraph needs a condition")
	case req.From != "":
		return info, c.CheckVertex(info, req.From, fault.Vertex)
	}
	return info, checkAttributes(info, req.Attributes)
}

func runDerive(c *call, req DeriveRequest, info storage.GraphInfo) (r DeriveResult, err error) {
	began := c.Meter.Now()
	names := append([]string(nil), req.Attributes...) // a compiled condition reads them by number
	for _, a := range info.Attributes {
		if !contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	s, err := c.newScan(req.Of, req.Where, names, 0)
	if err != nil {
		return r, err
	}
	// The graph that is made, its edges in the set of a null model, and its attributes.
	bytes := session.GraphBytes(s.graph.Info) + 16*int64(len(names))*int64(s.graph.Graph.Vertices())
	if req.How == DeriveNull {
		bytes += 70 * s.graph.Graph.Edges()
	}
	release, err := c.db.cache.Reserve(bytes, "graph "+fault.Name(req.Graph))
	if err != nil {
		return r, err
	}
	defer release()
	vertices, made, err := c.derive(s, req)
	if err != nil {
		return r, err
	}
	r.Graph, err = c.storeDerived(s, req, vertices, made)
	r.Seconds, r.Notices = c.Meter.Now().Sub(began).Seconds(), c.Notices
	return r, err
}

func contains(list []string, name string) bool {
	for _, s := range list {
		if s == name {
			return true
		}
	}
	return false
}

// derive makes the graph, and returns which vertices it has, ascending.
func (c *call) derive(s *vertexScan, req DeriveRequest) (vertices []uint32, made *csr.Graph, err error) {
	stop := c.Watch.Start(plan.Scan)
	g := s.graph.Graph
	switch req.How {
	case DeriveSubgraph:
		err = s.each(c.Ctx, func(v uint32) error {
			vertices = append(vertices, v)
			return nil
		})
	case DeriveComponent:
		vertices, err = c.componentOf(s.graph, req.From)
	case DeriveSample:
		count := req.Vertices
		if count == 0 {
			count = 1000
		}
		vertices = measure.Sample(g.Vertices(), count, req.Seed)
	case DeriveNull:
		vertices = measure.Sample(g.Vertices(), g.Vertices(), 0)
		made, err = measure.Exchange(c.Ctx, g, measure.ExchangeOptions{Work: measure.Work{Progress: c.Meter.Update}, PerEdge: req.Exchanges, Seed: req.Seed})
		if err == nil && (g.Weights != nil || g.Times != nil) {
			c.Notice("graph %s has no weights and no times: the edges of a null model are others", fault.Name(req.Graph))
		}
	default:
		e := fault.New(fault.Statement, "there is no derivation %s", fault.Quote(string(req.How)))
		e.Err = errors.Join(ErrInvalid)
		return nil, nil, e
	}
	if err == nil && made == nil {
		err = c.Await(func() { made = g.Induced(vertices) })
	}
	stop(int64(len(vertices)), s.scanned())
	return vertices, made, err
}

// componentOf are the vertices of the component of a vertex, or of the largest one.
func (c *call) componentOf(view *session.Graph, key string) (vertices []uint32, err error) {
	var components *csr.Components
	if err := c.Await(func() { components = view.Graph.Components() }); err != nil {
		return nil, err
	}
	wanted := uint32(0)
	if key != "" {
		v, err := c.Vertex(view, key, fault.Vertex)
		if err != nil {
			return nil, err
		}
		wanted = components.Label[v]
	}
	for v, label := range components.Label {
		if label == wanted {
			vertices = append(vertices, uint32(v))
		}
	}
	return vertices, nil
}

// storeDerived stores the graph with the attributes of its vertices.
func (c *call) storeDerived(s *vertexScan, req DeriveRequest, vertices []uint32, made *csr.Graph) (storage.GraphInfo, error) {
	put := storage.PutGraphRequest{
		Graph: made, Keys: func(v uint32) string { return s.graph.Key(vertices[v]) }, Times: s.graph.Info.Times,
		Source: fmt.Sprintf("%s of graph %s, version %d", req.How, fault.Name(req.Of), s.graph.Info.Version), Progress: c.Meter.Update,
	}
	for _, a := range s.graph.Info.Attributes {
		column := storage.NewColumn(a, len(vertices))
		at := s.column(a.Name)
		for i, v := range vertices {
			if err := column.Set(uint32(i), s.columns.At(at, v)); err != nil {
				return storage.GraphInfo{}, err
			}
		}
		put.Attributes = append(put.Attributes, column)
	}
	stop := c.Watch.Start(plan.Store)
	info, err := c.db.store.PutGraph(c.Ctx, req.Graph, put)
	stop(info.Edges, "")
	return info, nameMistake(err, partNewGraph)
}

// createGraphHelp is the help of CREATE GRAPH, with AS and without.
func createGraphHelp() Help {
	return Help{
		Statement: "CREATE GRAPH", Syntax: "CREATE GRAPH graph [AS SUBGRAPH OF graph WHERE condition | COMPONENT OF graph [FROM vertex] | SAMPLE OF graph | NULL OF graph [WITH (option := value, …)]]",
		Summary: "creates an empty graph, or with AS a graph from another one, with its attributes: the vertices that meet a condition, the largest component or that of a vertex, or random vertices, each with the edges between them; or the null model, whose edges are random and whose vertices have the same degrees, without weights and times. IMPORT and GENERATE create their graphs themselves",
		Columns: "with AS: graph, vertices, edges, seconds",
		Options: deriveOptions(),
		Example: "CREATE GRAPH adults AS SUBGRAPH OF social WHERE age >= 18",
	}
}
