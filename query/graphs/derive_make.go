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
	s, err := scan.New(c, req.Of, req.Where, names, 0)
	if err != nil {
		return made, err
	}
	// Memory of the new graph and of the attributes.
	n, edges := int64(s.Graph.Graph.Vertices()), s.Graph.Graph.Edges()
	bytes, columns := session.GraphBytes(s.Graph.Info), 16*int64(len(names))*n
	switch {
	case req.How == DeriveNull: // as algorithms.Exchange makes it, and then with its keys, with garbage of both
		plain := session.GraphBytes(storage.GraphInfo{Vertices: int(n), Edges: edges})
		made := 36*edges + 16*n
		bytes = min(session.WithGarbage(bytes, max(made-12*edges, plain)), made+plain-8*(n+edges)+session.StoringBytes(8*edges+13*n)/2)
	case req.EdgesWhere != nil || req.Sampling == SampleEdges || req.How == DeriveForest: // see keptEdges
		if req.How == DeriveForest {
			bytes += 17*edges + 4*n // see algorithms.SpanningForest
		}
		bytes += session.GraphBytes(s.Graph.Info) + 2*edges + 8*n
	}
	if err := c.Hold(c.DB.Cache.Reserve(bytes+columns, "graph "+fault.Name(req.Graph))); err != nil {
		return made, err
	}
	vertices, graph, err := derive(c, s, req)
	if err != nil {
		return made, err
	}
	made = derived{
		graph: graph, times: s.Graph.Info.Times, key: func(v uint32) string { return s.Graph.Key(vertices[v]) },
		source: fmt.Sprintf("%s of graph %s, version %d", req.How, fault.Name(req.Of), s.Graph.Info.Version),
	}
	if made.columns, err = columnsOf(s.Graph.Info, s.Columns, vertices); err != nil || req.How == DeriveNull {
		return made, err
	}
	made.edgeColumns, err = edgeColumnsOf(c, s.Graph, graph.Order(), graph.Edges(), s.Graph.Graph.Order(), vertices)
	return made, err
}

// edgeColumnsOf returns the attributes of the n edges of a part of a graph, whose vertices are given, ascending.
// of numbers the edges of the part, and whole those of the graph.
func edgeColumnsOf(c *engine.Call, view *session.Graph, of *csr.EdgeOrder, n int64, whole *csr.EdgeOrder, vertices []uint32) (list []*storage.Column, err error) {
	set, err := c.EdgeColumns(view, session.NamesOf(view.Info.EdgeAttributes))
	if err != nil || len(set.Columns) == 0 {
		return nil, err
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
		u, v := of.Ends(int64(i))
		at, _ := whole.Number(vertices[u], vertices[v])
		for k, column := range list {
			if err := column.Set(i, set.At(k, uint32(at))); err != nil {
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

// derive makes the graph, and returns the vertices of the original graph that it has,
// ascending.
func derive(c *engine.Call, s *scan.Vertices, req DeriveRequest) (vertices []uint32, made *csr.Graph, err error) {
	stop := c.Watch.Start(plan.Scan)
	g := s.Graph.Graph
	from := g // the new graph has the edges of from between its vertices
	switch req.How {
	case DeriveSubgraph:
		err = s.Each(c.Ctx, func(v uint32) error {
			vertices = append(vertices, v)
			return nil
		})
		if err == nil && req.EdgesWhere != nil {
			edges := &edgeScan{Vertices: s, admits: req.EdgesWhere}
			if edges.values, err = c.EdgeColumns(s.Graph, req.EdgeAttributes); err != nil {
				return nil, nil, err
			}
			from, err = keptEdges(c.Ctx, g, func(p edgePlace) bool { return req.EdgesWhere(edges.candidate(p)) })
		}
	case DeriveComponent:
		vertices, err = componentOf(c, s.Graph, req.From)
	case DeriveEgo:
		vertices, err = egoOf(c, s.Graph, req)
	case DeriveSample:
		vertices, from, err = sampleOf(c, g, req)
	case DeriveForest:
		vertices, from, err = forestOf(c, s.Graph.Info, g)
	case DeriveNull:
		vertices = algorithms.Sample(g.Vertices(), g.Vertices(), 0)
		made, err = algorithms.Exchange(c.Ctx, g, algorithms.ExchangeOptions{Work: algorithms.Work{Progress: c.Meter.Update}, PerEdge: req.Exchanges, Seed: req.Seed})
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
func sampleOf(c *engine.Call, g *csr.Graph, req DeriveRequest) ([]uint32, *csr.Graph, error) {
	switch req.Sampling {
	case SampleForestFire:
		vertices, err := algorithms.ForestFire(c.Ctx, g, algorithms.FireOptions{Vertices: req.Vertices, Forward: req.Forward, Seed: req.Seed})
		return vertices, g, err
	case SampleEdges:
		if g.Edges() > math.MaxUint32 {
			return nil, nil, fmt.Errorf("sample of %d edges: %w", g.Edges(), storage.ErrLimit)
		}
		chosen := algorithms.Sample(int(g.Edges()), cmp.Or(req.Edges, 1000), req.Seed)
		number := uint32(0)
		kept, err := keptEdges(c.Ctx, g, func(edgePlace) bool {
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
		var ends []uint32
		for v := range uint32(kept.Vertices()) {
			if kept.Degree(v) > 0 {
				ends = append(ends, v)
			}
		}
		return ends, kept, nil
	}
	return algorithms.Sample(g.Vertices(), cmp.Or(req.Vertices, 1000), req.Seed), g, nil
}

// forestOf returns all vertices of a graph, and its minimum spanning forest.
func forestOf(c *engine.Call, info storage.GraphInfo, g *csr.Graph) ([]uint32, *csr.Graph, error) {
	if info.Directed {
		c.Notice("graph %s is directed: a spanning forest is one of its undirected view", fault.Name(info.Name))
	}
	chosen, err := algorithms.SpanningForest(c.Ctx, g)
	if err != nil {
		return nil, nil, err
	}
	number := -1
	forest, err := keptEdges(c.Ctx, g, func(edgePlace) bool {
		number++
		return chosen[number]
	})
	return algorithms.Sample(g.Vertices(), g.Vertices(), 0), forest, err
}

// keptEdges returns a graph with all vertices of g and the edges for which keep returns true;
// keep is called in the order of eachEdge. It takes O(n + m) time, and in addition to the graph
// 2 bytes for each edge and 8 for each vertex.
func keptEdges(ctx context.Context, g *csr.Graph, keep func(edgePlace) bool) (*csr.Graph, error) {
	const often = 1 << 12 // edges between two checks of the context
	marked := make([]bool, len(g.Targets))
	// The smaller neighbours of a vertex come first in its row, in the ascending order of
	// eachEdge; next is the position of the next one.
	next := slices.Clone(g.Offsets)
	visited := 0
	for p := range eachEdge(g) {
		if visited++; visited%often == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		v := g.Targets[p.at]
		if keep(p) {
			marked[p.at], marked[next[v]] = true, true
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
		Graph: made.graph, Keys: made.key, Attributes: made.columns, EdgeAttributes: made.edgeColumns, Times: made.times, Source: made.source, Progress: c.Meter.Update,
	})
	stop(info.Edges, "")
	return info, engine.NameMistake(err, partNewGraph)
}
