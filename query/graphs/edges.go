package graphs

import (
	"cmp"
	"context"
	"iter"
	"slices"

	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// EdgesRequest asks for the edges of a graph that meet a condition.
type EdgesRequest struct {
	Graph string                         // may be empty if the file has only one graph
	Where func(where.EdgeCandidate) bool // nil admits all; it is called from one goroutine
	// Attributes are the attributes of the ends of an edge that Where reads, and EdgeAttributes those of
	// the edge itself.
	Attributes     []string
	EdgeAttributes []string
	Limit          int // largest number of edges to return; 0 for all
	// Columns are the columns of the answer after the ends of an edge: weight, time, attributes of
	// the edges, and attributes or the degree of the ends. Nil means weight and time, if the graph has
	// them, and all attributes of the edges. A name that both have is that of the edges.
	Columns []string
	// OrderBy is weight, time or an attribute of the edges, lowest first, or highest first with Descending. Edges
	// with equal values are in the default order, and edges without a value are last. Empty
	// means the default order: by source, then by target, each in the order in which the
	// vertices came into the graph.
	OrderBy    string
	Descending bool

	condition parser.Expr // of Where, for its text; may be nil
}

// EdgeRow is an edge. In an undirected graph Source is the end that came into it first.
type EdgeRow struct {
	Source string  `json:"source"`
	Target string  `json:"target"`
	Weight float64 `json:"weight"` // 1 if the edge has none
	Time   int64   `json:"time"`
	Timed  bool    `json:"timed"` // whether the edge has a time
	// Values has two values for each attribute of the ends in EdgesRequest.Columns: of the source and
	// of the target.
	Values []storage.Value `json:"values,omitempty"`
	// Attributes has a value for each attribute of the edges in EdgesRequest.Columns.
	Attributes []storage.Value `json:"attributes,omitempty"`
}

// EdgesResult is the answer of Edges: edges in the order of the request.
type EdgesResult struct {
	Edges   []EdgeRow     `json:"edges"`
	Notices []rows.Notice `json:"notices,omitempty"`
}

var showEdges = &engine.Statement[*parser.ShowEdges, EdgesRequest, storage.GraphInfo, engine.GraphStream[EdgeRow]]{
	Help: help.Statement{
		Statement: "SHOW EDGES",
		Summary:   "lists each edge once, all or by a condition on its weight, its time, its attributes and its two vertices",
		Detail:    "In an undirected graph its source is the vertex that came into the graph first. A condition tests the weight, time and attributes of an edge, and by BOTH (condition) or EITHER (condition) its two vertices. Edges are ordered by source and target, or sorted by a column with edges without a value last; LIMIT keeps the first rows",
		Words:     "links relationships list select filter sort heaviest latest table query",
		Columns:   "source, target, weight and time if the graph has any, and the attributes of edges; with COLUMNS: source, target and the columns named; an attribute of vertices gives two columns, source_attribute and target_attribute",
	},
	Bind: func(b *engine.Binder, s *parser.ShowEdges) EdgesRequest {
		req := EdgesRequest{Graph: b.MarkGraph(s.Graph, s)}
		info := b.Graph(req.Graph)
		req.Columns = b.TakeColumns("source", "target")
		of := []string{"source", "target"}
		for _, name := range req.ofEnds(info) {
			of = append(of, "source_"+name, "target_"+name)
		}
		req.condition = b.TakeWhere(storage.GraphInfo{}, of...)
		req.OrderBy, req.Descending = b.TakeOrder(storage.GraphInfo{}, of...)
		condition := conditions.CompileEdges(b.Values, req.condition, info)
		req.Graph, req.Where, req.Attributes, req.EdgeAttributes = info.Name, condition.Admits, condition.Attributes, condition.OfEdges
		req.Limit = b.TakeLimit()
		return req
	},
	Resolve: resolveEdges,
	Plan: func(req EdgesRequest, graph storage.GraphInfo) *plan.Plan {
		order := VerticesRequest{OrderBy: req.OrderBy, Descending: req.Descending}.orderText()
		if req.OrderBy == "" {
			order = "by source and target, " + order
		}
		what, input := "all edges", session.GraphPlan(graph)
		if req.readsPart() {
			what, input = "edges, until the limit is reached", session.PartPlan(graph)
		}
		return plan.Result("edges", scan.Limited(order, req.Limit), scan.PlanOf(what, input, graph, req.condition, req.attributes(graph)))
	},
	Run: runEdges,
	Empty: func(_ EdgesRequest, graph storage.GraphInfo) engine.GraphStream[EdgeRow] {
		return engine.NoRows[EdgeRow](graph)
	},
	Rows:  edgeRows,
	Reads: true,
}

// Edges returns the edges of a graph that meet a condition.
func (s *Service) Edges(ctx context.Context, req EdgesRequest) (EdgesResult, error) {
	list, notices, err := engine.Collected(showEdges.Answer(ctx, s.db, req))
	return EdgesResult{list, notices}, err
}

// EachEdge iterates over what Edges returns, as EachVertex does. With OrderBy it takes 16
// bytes of memory for each edge that meets the condition, or with a limit for at most
// twice as many edges as the limit.
func (s *Service) EachEdge(ctx context.Context, req EdgesRequest) iter.Seq2[EdgeRow, error] {
	return engine.Iterate(func() (*engine.Stream[EdgeRow], error) {
		found, err := showEdges.Answer(ctx, s.db, req)
		return found.Stream, err
	})
}

func resolveEdges(c *engine.Call, req EdgesRequest) (storage.GraphInfo, error) {
	info, err := scan.Check(c, req.Graph, req.Attributes, req.Limit)
	if err == nil {
		err = session.CheckEdgeAttributes(info, fault.Graph, req.EdgeAttributes...)
	}
	if err != nil {
		return info, err
	}
	for i, name := range req.Columns {
		if name == "key" {
			return info, fault.New(engine.PartColumn(i), "the columns source and target already contain the keys")
		}
		if conditions.OfEdge(info, name) {
			continue
		}
		if err := engine.CheckColumn(info, name, engine.PartColumn(i)); err != nil {
			return info, err
		}
	}
	if req.OrderBy != "" && !conditions.OfEdge(info, req.OrderBy) {
		return info, fault.New(engine.PartOrder, "edges cannot be ordered by %s", fault.Quote(req.OrderBy)).WithExpected(conditions.EdgeNames(info)...)
	}
	return info, nil
}

// attributes lists the attributes that the answer is computed from, as for
// VerticesRequest.
func (r EdgesRequest) attributes(graph storage.GraphInfo) []string {
	return VerticesRequest{Attributes: r.Attributes, Columns: r.ofEnds(graph)}.attributes()
}

// ofEnds lists the columns with values of the ends of an edge.
func (r EdgesRequest) ofEnds(graph storage.GraphInfo) []string {
	return slices.DeleteFunc(slices.Clone(r.Columns), func(name string) bool { return conditions.OfEdge(graph, name) })
}

// ofEdges lists the columns with attributes of the edges.
func (r EdgesRequest) ofEdges(graph storage.GraphInfo) []string {
	if r.Columns == nil {
		return session.NamesOf(graph.EdgeAttributes)
	}
	return slices.DeleteFunc(slices.Clone(r.Columns), func(name string) bool {
		_, found := session.AttributeIn(graph.EdgeAttributes, name)
		return !found
	})
}

// edgeAttributes lists the attributes of edges that the answer is computed from; those of the condition
// come first, as it reads them by number.
func (r EdgesRequest) edgeAttributes(graph storage.GraphInfo) []string {
	names := slices.Clone(r.EdgeAttributes)
	for _, name := range append(r.ofEdges(graph), r.OrderBy) {
		if _, found := session.AttributeIn(graph.EdgeAttributes, name); found && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// edgeScan is a graph in memory with the condition and columns of a request for edges.
type edgeScan struct {
	*scan.Vertices
	edges  edgeList
	admits func(where.EdgeCandidate) bool
	values *session.ColumnSet // of attributes of the edges; nil for none
	shown  []int              // of these, in the order of EdgeRow.Attributes
}

func runEdges(c *engine.Call, req EdgesRequest, graph storage.GraphInfo) (found engine.GraphStream[EdgeRow], err error) {
	if err := readEdges(c, req, graph); err != nil {
		return found, err
	}
	s, err := newEdgeScan(c, graph, req.Where, req.attributes(graph), req.edgeAttributes(graph))
	if err != nil {
		return found, err
	}
	for _, name := range req.ofEdges(graph) {
		s.shown = append(s.shown, slices.Index(s.values.Names, name))
	}
	for _, name := range req.ofEnds(graph) {
		s.Shown = append(s.Shown, s.Column(name))
	}
	stop := c.Watch.Start(plan.Scan)
	each := func(f func(EdgeRow) error) error {
		n := int64(0)
		err := s.each(c.Ctx, req.Limit, func(p edgePlace) error { n++; return f(s.row(p)) })
		stop(n, s.scanned())
		return err
	}
	if req.OrderBy != "" {
		if each, err = orderedEdges(c, s, req, stop); err != nil {
			return found, err
		}
	}
	return engine.GraphStream[EdgeRow]{Stream: engine.StreamOf(c, each), Graph: s.Graph}, nil
}

// readsPart reports whether the edges of the first vertices are enough: there is a limit, and
// neither a condition nor an order.
func (r EdgesRequest) readsPart() bool { return r.Limit > 0 && r.OrderBy == "" && r.Where == nil }

// readEdges reads the edges of the first vertices, where these are enough.
func readEdges(c *engine.Call, req EdgesRequest, graph storage.GraphInfo) error {
	if !req.readsPart() {
		return nil
	}
	readsRows := slices.ContainsFunc(req.ofEnds(graph), func(name string) bool { return name == "degree" || session.OfDirection(graph, name) })
	return c.ReadPart(graph, req.attributes(graph), func(v *storage.GraphView, p *storage.GraphPart) error {
		left, edges := req.Limit, []csr.Edge(nil)
		for u := uint32(0); left > 0 && int(u) < graph.Vertices; u++ {
			if err := p.Read(u); err != nil {
				return err
			}
			row, first := p.Out(u), 0
			if !graph.Directed {
				row = p.Neighbors(u)
				first, _ = slices.BinarySearch(row, u)
			}
			targets := row[first:][:min(left, len(row)-first)]
			p.Name(targets...)
			for _, w := range targets {
				edges = append(edges, csr.Edge{U: u, V: w})
			}
			if readsRows {
				if err := p.Read(targets...); err != nil {
					return err
				}
			}
			left -= len(targets)
		}
		return p.ReadEdgeColumns(req.edgeAttributes(graph), edges)
	})
}

// newEdgeScan loads what a condition on edges reads: attributes of the ends, and columns of edges of which some are
// attributes.
func newEdgeScan(c *engine.Call, graph storage.GraphInfo, admits func(where.EdgeCandidate) bool, attributes, columns []string) (*edgeScan, error) {
	edges, err := edgesOf(c, graph)
	if err != nil {
		return nil, err
	}
	inner, err := scan.New(c, graph.Name, nil, attributes, 0)
	if err != nil {
		return nil, err
	}
	s := &edgeScan{Vertices: inner, edges: edges.orOf(inner.Graph.Graph), admits: admits}
	var names []string
	for _, name := range columns {
		if _, found := session.AttributeIn(s.Graph.Info.EdgeAttributes, name); found && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	s.values, err = c.EdgeColumns(s.Graph, names)
	return s, err
}

func orderedEdges(c *engine.Call, s *edgeScan, req EdgesRequest, stop func(int64, string)) (func(func(EdgeRow) error) error, error) {
	most := s.edges.count()
	if req.Limit > 0 {
		most = min(most, 2*int64(req.Limit)+1024)
	}
	if err := c.Hold(c.DB.Cache.Reserve(16*most, "ordering the edges of graph "+fault.Name(s.Graph.Info.Name))); err != nil {
		return nil, err
	}
	order := edgeOrder(s.edges, req.OrderBy, req.Descending)
	if !slices.Contains(conditions.EdgeColumns, req.OrderBy) {
		order = s.valueOrder(slices.Index(s.values.Names, req.OrderBy), req.Descending)
	}
	return func(f func(EdgeRow) error) error {
		var list []edgePlace
		err := s.each(c.Ctx, 0, func(p edgePlace) error {
			list = lists.Kept(append(list, p), req.Limit, order)
			return nil
		})
		list = lists.FirstOf(list, req.Limit, order)
		stop(int64(len(list)), s.scanned())
		for i := 0; i < len(list) && err == nil; i++ {
			err = f(s.row(list[i]))
		}
		return err
	}, nil
}

// edgeOrder returns the order of two edges by weight or time: edges without a time come
// last in both directions, and equal edges are in the order of the scan.
func edgeOrder(g edgeList, by string, descending bool) func(a, b edgePlace) int {
	sign := 1
	if descending {
		sign = -1
	}
	return func(a, b edgePlace) int {
		x, y := g.edge(a), g.edge(b)
		if by == "weight" {
			return cmp.Or(sign*cmp.Compare(x.Weight, y.Weight), cmp.Compare(a.at, b.at))
		}
		if x.Timed != y.Timed {
			return cmp.Compare(scan.Without(!x.Timed), scan.Without(!y.Timed))
		}
		return cmp.Or(sign*cmp.Compare(x.Time, y.Time), cmp.Compare(a.at, b.at))
	}
}

// valueOrder is edgeOrder by an attribute of the edges, of which column is the place in values.
func (s *edgeScan) valueOrder(column int, descending bool) func(a, b edgePlace) int {
	return func(a, b edgePlace) int {
		x, y := s.values.At(column, a.number), s.values.At(column, b.number)
		order, known := conditions.CompareValues(x, y)
		switch {
		case !known:
			order = cmp.Compare(scan.Without(x.IsMissing()), scan.Without(y.IsMissing()))
		case descending:
			order = -order
		}
		return cmp.Or(order, cmp.Compare(a.at, b.at))
	}
}

// each calls f with every edge that meets the condition, up to a limit, in the order of
// eachEdge.
func (s *edgeScan) each(ctx context.Context, limit int, f func(edgePlace) error) error {
	const often = 1 << 12 // edges between two checks of the context, which take well below a millisecond
	found := 0
	for p := range s.edges.each() {
		if s.Visited++; s.Visited%often == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if s.admits != nil && !s.admits(s.candidate(p)) {
			continue
		}
		if err := f(p); err != nil {
			return err
		}
		if found++; found == limit {
			break
		}
	}
	return ctx.Err()
}

func (s *edgeScan) scanned() string { return fault.Count(s.Visited, "edge") + " visited" }

// candidate is an edge as a condition sees it.
func (s *edgeScan) candidate(p edgePlace) where.EdgeCandidate {
	e := s.edges.edge(p)
	end := func(v uint32) where.Candidate { return where.NewCandidate(s.Graph, s.Columns, v, false) }
	return where.EdgeCandidate{Source: end(e.Source), Target: end(e.Target), Weight: float64(e.Weight), Time: e.Time, Timed: e.Timed}.WithValues(s.values, p.number)
}

func (s *edgeScan) row(p edgePlace) EdgeRow {
	e := s.edges.edge(p)
	row := EdgeRow{Source: s.Graph.Key(e.Source), Target: s.Graph.Key(e.Target), Weight: csr.Decimal(e.Weight), Time: e.Time, Timed: e.Timed}
	for _, at := range s.Shown {
		row.Values = append(row.Values, s.Value(at, e.Source), s.Value(at, e.Target))
	}
	for _, column := range s.shown {
		row.Attributes = append(row.Attributes, s.values.At(column, p.number))
	}
	return row
}

func edgeRows(req EdgesRequest, answer engine.GraphStream[EdgeRow]) *rows.Rows {
	shown := req.Columns
	if shown == nil {
		shown = append(answer.EdgeColumns(), session.NamesOf(answer.Graph.Info.EdgeAttributes)...)
	}
	columns := []string{"source", "target"}
	var types []rows.ColumnType
	for _, name := range shown {
		if slices.Contains(conditions.EdgeColumns, name) {
			columns, types = append(columns, name), append(types, answer.EdgeTypes([]string{name})...)
		} else if a, found := session.AttributeIn(answer.Graph.Info.EdgeAttributes, name); found {
			columns, types = append(columns, name), append(types, cells.OrNull(a.Type))
		} else {
			columns = append(columns, "source_"+name, "target_"+name)
			types = append(types, cells.TypesOfAttributes(answer.Graph.Info, []string{name, name})...)
		}
	}
	rows := answer.Rows(columns, func(e EdgeRow) []rows.Value {
		row, values, own := []rows.Value{e.Source, e.Target}, e.Values, e.Attributes
		for _, name := range shown {
			if _, found := session.AttributeIn(answer.Graph.Info.EdgeAttributes, name); found {
				row, own = cells.Append(row, own[:1]), own[1:]
				continue
			}
			switch name {
			case "weight":
				row = append(row, e.Weight)
			case "time":
				row = append(row, answer.TimeCell(e.Time, e.Timed))
			default:
				row, values = cells.Append(row, values[:2]), values[2:]
			}
		}
		return row
	})
	return rows.TypedFrom(2, types)
}

// edgeList are the edges of a graph: those of an undirected graph from their smaller vertex, or all rows
// of a directed one by source.
type edgeList struct {
	rows     *csr.Graph
	directed *csr.Directed // nil for an undirected graph
}

// edgesOf returns the edges of a directed graph, and an empty list for an undirected one. It must be
// called before anything else loads the graph.
func edgesOf(c *engine.Call, graph storage.GraphInfo) (l edgeList, err error) {
	if graph.Directed {
		_, l.directed, err = c.Directed(graph.Name, fault.Graph)
	}
	if l.directed != nil {
		l.rows = (*csr.Graph)(&l.directed.Out)
	}
	return l, err
}

// orOf is the list, or that of an undirected graph where it is empty.
func (l edgeList) orOf(g *csr.Graph) edgeList {
	if l.rows == nil {
		l.rows = g
	}
	return l
}

func (l edgeList) count() int64 {
	if l.directed != nil {
		return l.directed.Arcs()
	}
	return l.rows.Edges()
}

// edgePlace identifies an edge by its position in the row of its source.
type edgePlace struct {
	source uint32
	number uint32 // in the order of the scan
	at     int64  // in Targets
}

// each yields every edge once, sorted by source and then by target.
func (l edgeList) each() iter.Seq[edgePlace] {
	return func(yield func(edgePlace) bool) {
		number := uint32(0)
		for u := range uint32(l.rows.Vertices()) {
			first := 0
			if l.directed == nil {
				first, _ = slices.BinarySearch(l.rows.Neighbors(u), u)
			}
			for at := l.rows.Offsets[u] + int64(first); at < l.rows.Offsets[u+1]; at++ {
				if !yield(edgePlace{source: u, number: number, at: at}) {
					return
				}
				number++
			}
		}
	}
}

func (l edgeList) edge(p edgePlace) format.NumberedEdge {
	g := l.rows
	e := format.NumberedEdge{Source: p.source, Target: g.Targets[p.at], Weight: 1}
	if g.Weights != nil {
		e.Weight = g.Weights[p.at]
	}
	if g.Times != nil && g.Times[p.at] != csr.NoTime {
		e.Time, e.Timed = g.Times[p.at], true
	}
	return e
}
