package graphs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"heavytail/query/algorithms"
	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/scan"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// deriveFrom makes a graph from the vertices of one graph.
func deriveFrom(c *engine.Call, req DeriveRequest, info storage.GraphInfo) (made derived, err error) {
	names := slices.Clone(req.Attributes) // a compiled condition reads them by number
	for _, name := range session.AttributeNames(info) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var edges edgeList
	var arcs *csr.Directed // where edges have attributes, or the new graph is directed
	switch {
	case !info.Directed:
	case req.How == DeriveUndirected || req.How == DeriveForest:
		if len(info.EdgeAttributes) > 0 {
			_, arcs, err = c.Directed(info.Name, fault.Graph)
		}
	default:
		edges, err = edgesOf(c, info)
		arcs = edges.directed
	}
	if err != nil {
		return made, err
	}
	s, err := scan.New(c, req.Of, req.Where, names, 0)
	if err != nil {
		return made, err
	}
	// Memory of the new graph and of the attributes.
	n, m := int64(s.Graph.Graph.Vertices()), s.Graph.Graph.Edges()
	bytes, columns := session.GraphBytes(s.Graph.Info), 16*int64(len(names))*n
	switch {
	case req.How == DeriveNull && info.Directed: // see algorithms.DirectedExchange
		bytes = 44*info.Arcs + 16*n
	case req.How == DeriveNull: // as algorithms.Exchange makes it, and then with its keys, with garbage of both
		plain := session.GraphBytes(storage.GraphInfo{Vertices: int(n), Edges: m})
		made := 36*m + 16*n
		bytes = min(session.WithGarbage(bytes, max(made-12*m, plain)), made+plain-8*(n+m)+session.StoringBytes(8*m+13*n)/2)
	case req.EdgesWhere != nil || req.Sampling == SampleEdges || req.How == DeriveForest: // see keptEdges
		if req.How == DeriveForest {
			bytes += 17*m + 4*n // see algorithms.SpanningForest
		}
		bytes += session.GraphBytes(s.Graph.Info) + 2*m + 8*n
	}
	if edges.directed != nil { // the new one, and that of the edges that are kept
		bytes += 2 * session.DirectedBytes(s.Graph.Info)
	}
	if err := c.Hold(c.DB.Cache.Reserve(bytes+columns, "graph "+fault.Name(req.Graph))); err != nil {
		return made, err
	}
	vertices, graph, err := derive(c, s, edges.orOf(s.Graph.Graph), req)
	if err != nil {
		return made, err
	}
	made = derived{
		times: s.Graph.Info.Times, key: func(v uint32) string { return s.Graph.Key(vertices[v]) },
		source: fmt.Sprintf("%s of graph %s, version %d", req.How, fault.Name(req.Of), s.Graph.Info.Version),
	}
	if edges.directed == nil {
		made.graph = graph
	} else {
		made.directed = csr.NewDirected(csr.Rows(*graph))
	}
	if made.columns, err = columnsOf(s.Graph.Info, s.Columns, vertices); err != nil || req.How == DeriveNull {
		return made, err
	}
	made.edgeColumns, err = edgeColumnsOf(c, s.Graph, made, edgesFrom(s.Graph.Graph, arcs, req.How), vertices)
	return made, err
}

// originals returns the numbers of the edges between two vertices of a graph of which an edge of another one has the
// values, the first of them that has one; -1 where there is none. It is called for ascending vertices.
type originals func(u, v uint32) [2]int64

// edgesFrom finds edges of an undirected graph, or where d is not nil those of a directed one.
func edgesFrom(g *csr.Graph, d *csr.Directed, how Derivation) originals {
	if d == nil {
		order := g.Order()
		return func(u, v uint32) [2]int64 {
			i, _ := order.Number(u, v) // the graph has it
			return [2]int64{i, -1}
		}
	}
	arc := func(u, v uint32) int64 {
		at, found := slices.BinarySearch(d.Out.Neighbors(u), v)
		if !found {
			return -1
		}
		return d.Out.Offsets[u] + int64(at)
	}
	switch how {
	case DeriveReversed:
		return func(u, v uint32) [2]int64 { return [2]int64{arc(v, u), -1} }
	case DeriveUndirected, DeriveForest:
		return func(u, v uint32) [2]int64 { return [2]int64{arc(u, v), arc(v, u)} }
	}
	return func(u, v uint32) [2]int64 { return [2]int64{arc(u, v), -1} }
}

// edgeColumnsOf returns the attributes of the edges of a graph that is made of the given vertices of
// another, ascending.
func edgeColumnsOf(c *engine.Call, view *session.Graph, made derived, from originals, vertices []uint32) (list []*storage.Column, err error) {
	set, err := c.EdgeColumns(view, session.NamesOf(view.Info.EdgeAttributes))
	if err != nil || len(set.Columns) == 0 {
		return nil, err
	}
	var order *csr.EdgeOrder
	var n int64
	if made.directed != nil {
		order, n = made.directed.Out.Order(), made.directed.Arcs()
	} else {
		order, n = made.graph.Order(), made.graph.Edges()
	}
	for _, a := range view.Info.EdgeAttributes {
		list = append(list, storage.NewColumn(a, int(n)))
	}
	if err := c.Hold(c.DB.Cache.Reserve(16*n*int64(len(list)), "attributes of edges")); err != nil {
		return nil, err
	}
	for i := range uint32(n) {
		if i%(1<<12) == 0 && c.Ctx.Err() != nil {
			return nil, c.Ctx.Err()
		}
		u, v := order.Ends(int64(i))
		at := from(vertices[u], vertices[v])
		for k, column := range list {
			var value storage.Value
			for _, place := range at {
				if place >= 0 && value.IsMissing() {
					value = set.At(k, uint32(place))
				}
			}
			if err := column.Set(i, value); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// columnsOf returns the loaded attributes of some vertices of a graph, in the graph's
// order of attributes.
func columnsOf(info storage.GraphInfo, set *session.ColumnSet, vertices []uint32) (list []*storage.Column, err error) {
	for _, a := range info.Attributes {
		if set == nil || !slices.Contains(set.Names, a.Name) {
			continue
		}
		column := storage.NewColumn(a, len(vertices))
		for i, v := range vertices {
			if err := column.Set(uint32(i), set.Value(a.Name, v)); err != nil {
				return nil, err
			}
		}
		list = append(list, column)
	}
	return list, nil
}

// derive makes the graph, of a directed one its rows by source, and returns the vertices of the
// original graph that it has, ascending.
func derive(c *engine.Call, s *scan.Vertices, edges edgeList, req DeriveRequest) (vertices []uint32, made *csr.Graph, err error) {
	stop := c.Watch.Start(plan.Scan)
	g := s.Graph.Graph
	from := edges.rows // the new graph has the edges of from between its vertices
	switch req.How {
	case DeriveSubgraph:
		err = s.Each(c.Ctx, func(v uint32) error {
			vertices = append(vertices, v)
			return nil
		})
		if err == nil && req.EdgesWhere != nil {
			scanned := &edgeScan{Vertices: s, edges: edges, admits: req.EdgesWhere}
			if scanned.values, err = c.EdgeColumns(s.Graph, req.EdgeAttributes); err != nil {
				return nil, nil, err
			}
			from, err = keptEdges(c.Ctx, edges, func(p edgePlace) bool { return req.EdgesWhere(scanned.candidate(p)) })
		}
	case DeriveComponent:
		vertices, err = componentOf(c, s.Graph, req.From)
	case DeriveEgo:
		vertices, err = egoOf(c, s.Graph, req)
	case DeriveSample:
		vertices, from, err = sampleOf(c, g, edges, req)
	case DeriveForest:
		vertices, from, err = forestOf(c, s.Graph.Info, g)
	case DeriveUndirected:
		vertices = algorithms.Sample(g.Vertices(), g.Vertices(), 0)
	case DeriveReversed:
		vertices, from = algorithms.Sample(g.Vertices(), g.Vertices(), 0), (*csr.Graph)(&edges.directed.In)
	case DeriveNull:
		vertices = algorithms.Sample(g.Vertices(), g.Vertices(), 0)
		opts := algorithms.ExchangeOptions{Work: algorithms.Work{Progress: c.Meter.Update}, PerEdge: req.Exchanges, Seed: req.Seed}
		if edges.directed == nil {
			made, err = algorithms.Exchange(c.Ctx, g, opts)
		} else if drawn, failed := algorithms.DirectedExchange(c.Ctx, edges.directed, opts); failed != nil {
			err = failed
		} else {
			made = (*csr.Graph)(&drawn.Out)
		}
		if err == nil && (g.Weights != nil || g.Times != nil) {
			c.Notice("graph %s has no weights and no times: the edges of a null model are random", fault.Name(req.Graph))
		}
		if err == nil && len(s.Graph.Info.EdgeAttributes) > 0 {
			c.Notice("graph %s has no attributes of edges: the edges of a null model are random", fault.Name(req.Graph))
		}
	default:
		return nil, nil, fault.New(fault.Statement, "unknown derivation %s", fault.Quote(string(req.How))).WithErr(fault.ErrInvalid)
	}
	if err == nil && made == nil {
		kept := vertices // which a return sets while the function may still run
		var induced *csr.Graph
		if err := c.Await(func() { induced = from.Induced(kept) }); err != nil {
			return nil, nil, err
		}
		made = induced
	}
	stop(int64(len(vertices)), s.Scanned())
	return vertices, made, err
}

// sampleOf draws a sample: its vertices, and a graph from which the sample takes the edges
// between them.
func sampleOf(c *engine.Call, g *csr.Graph, edges edgeList, req DeriveRequest) ([]uint32, *csr.Graph, error) {
	switch req.Sampling {
	case SampleForestFire:
		vertices, err := algorithms.ForestFire(c.Ctx, g, algorithms.FireOptions{Vertices: req.Vertices, Forward: req.Forward, Seed: req.Seed})
		return vertices, edges.rows, err
	case SampleEdges:
		if edges.count() > math.MaxUint32 {
			return nil, nil, fmt.Errorf("sample of %d edges: %w", edges.count(), storage.ErrLimit)
		}
		chosen := algorithms.Sample(int(edges.count()), cmp.Or(req.Edges, 1000), req.Seed)
		number := uint32(0)
		kept, err := keptEdges(c.Ctx, edges, func(edgePlace) bool {
			number++
			if len(chosen) == 0 || chosen[0] != number-1 {
				return false
			}
			chosen = chosen[1:]
			return true
		})
		if err != nil {
			return nil, nil, err
		}
		isEnd := make([]bool, kept.Vertices())
		for _, v := range kept.Targets {
			isEnd[v] = true
		}
		var ends []uint32
		for v := range uint32(kept.Vertices()) {
			if isEnd[v] || kept.Degree(v) > 0 {
				ends = append(ends, v)
			}
		}
		return ends, kept, nil
	}
	return algorithms.Sample(g.Vertices(), cmp.Or(req.Vertices, 1000), req.Seed), edges.rows, nil
}

// forestOf returns all vertices of a graph, and its minimum spanning forest.
func forestOf(c *engine.Call, info storage.GraphInfo, g *csr.Graph) ([]uint32, *csr.Graph, error) {
	c.NoteView(info)
	chosen, err := algorithms.SpanningForest(c.Ctx, g)
	if err != nil {
		return nil, nil, err
	}
	number := -1
	forest, err := keptEdges(c.Ctx, edgeList{rows: g}, func(edgePlace) bool {
		number++
		return chosen[number]
	})
	return algorithms.Sample(g.Vertices(), g.Vertices(), 0), forest, err
}

// keptEdges returns a graph with all vertices and the edges for which keep returns true;
// keep is called in the order of edgeList.each. It takes O(n + m) time, and in addition to the graph
// 2 bytes for each edge and 8 for each vertex.
func keptEdges(ctx context.Context, edges edgeList, keep func(edgePlace) bool) (*csr.Graph, error) {
	const often = 1 << 12 // edges between two checks of the context
	g := edges.rows
	marked := make([]bool, len(g.Targets))
	// The smaller neighbours of a vertex come first in its row, in the ascending order of
	// the edges; next is the position of the next one.
	next := slices.Clone(g.Offsets)
	visited := 0
	for p := range edges.each() {
		if visited++; visited%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v, kept := g.Targets[p.at], keep(p)
		if marked[p.at] = kept; edges.directed != nil {
			continue
		}
		if kept {
			marked[next[v]] = true
		}
		next[v]++
	}
	kept := &csr.Graph{Offsets: make([]int64, 1, max(1, len(g.Offsets)))}
	for v := range g.Vertices() {
		for at := g.Offsets[v]; at < g.Offsets[v+1]; at++ {
			if !marked[at] {
				continue
			}
			kept.Targets = append(kept.Targets, g.Targets[at])
			if g.Weights != nil {
				kept.Weights = append(kept.Weights, g.Weights[at])
			}
			if g.Times != nil {
				kept.Times = append(kept.Times, g.Times[at])
			}
		}
		kept.Offsets = append(kept.Offsets, int64(len(kept.Targets)))
	}
	return kept, ctx.Err()
}

// componentOf returns the vertices of the component of a vertex, or of the largest component.
func componentOf(c *engine.Call, view *session.Graph, key string) (vertices []uint32, err error) {
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

// egoOf returns a vertex and the vertices around it, ascending.
func egoOf(c *engine.Call, view *session.Graph, req DeriveRequest) ([]uint32, error) {
	v, err := c.Vertex(view, req.From, fault.Vertex)
	if err != nil {
		return nil, err
	}
	vertices, _, err := algorithms.Within(c.Ctx, view.Graph, v, cmp.Or(req.Within, 1))
	vertices = append(vertices, v)
	slices.Sort(vertices)
	return vertices, err
}

func storeDerived(c *engine.Call, name string, made derived) (storage.GraphInfo, error) {
	stop := c.Watch.Start(plan.Store)
	info, err := c.DB.Store.PutGraph(c.Ctx, name, storage.PutGraphRequest{
		Graph: made.graph, Directed: made.directed, Keys: made.key, Attributes: made.columns, EdgeAttributes: made.edgeColumns, Times: made.times, Source: made.source, Progress: c.Meter.Update,
	})
	stop(info.Count(), "")
	return info, engine.NameMistake(err, partNewGraph)
}
