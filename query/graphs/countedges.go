package graphs

import (
	"context"
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

// CountEdgesRequest asks how many edges of a graph meet a condition.
type CountEdgesRequest struct {
	Graph          string                         // may be empty if the file has only one graph
	Where          func(where.EdgeCandidate) bool // as in EdgesRequest
	Attributes     []string                       // as in EdgesRequest
	EdgeAttributes []string                       // as in EdgesRequest
	By             string                         // weight, time or an attribute of the edges, whose values are counted one by one; may be empty
	With           []Figure                       // figures of all edges, or with By of the edges with each value

	condition parser.Expr // of Where, for its text; may be nil
}

// EdgeCount is the number of edges that have a value.
type EdgeCount struct {
	Value storage.Value `json:"value"` // missing for the count of edges without a value
	Edges int64         `json:"edges"`
}

// CountEdgesResult is the answer of CountEdges.
type CountEdgesResult struct {
	Edges int64 `json:"edges"` // that meet the condition
	// Values and Figures are as in CountVerticesResult. A time is an integer.
	Values  []EdgeCount       `json:"values,omitempty"`
	Figures [][]storage.Value `json:"figures,omitempty"`

	graph storage.GraphInfo
}

var countEdges = &engine.Statement[*parser.CountEdges, CountEdgesRequest, storage.GraphInfo, CountEdgesResult]{
	Help: help.Statement{
		Statement: "COUNT EDGES",
		Summary:   "counts edges, BY for each value of an attribute, of the weight or of the time, with sums, means, minima and maxima",
		Detail:    "Conditions are those of SHOW EDGES. The most frequent value is first, and edges without a value are last. WITH adds the sum, mean, minimum or maximum of a numeric attribute, of the weight or of the time over the edges that have a value",
		Words:     "group by aggregate histogram frequency distinct number how many links relationships multiplicity total weight",
		Columns:   "edges; with BY: the attribute, edges; with WITH: also sum_attribute, mean_attribute, …",
	},
	Bind: func(b *engine.Binder, s *parser.CountEdges) CountEdgesRequest {
		req := CountEdgesRequest{Graph: b.MarkGraph(s.Graph, s), By: b.NameOrNone(engine.PartAttribute, s.By), With: boundFigures(b, s.With), condition: s.Where}
		info := b.Graph(req.Graph)
		condition := conditions.CompileEdges(b.Values, s.Where, info)
		req.Graph, req.Where, req.Attributes, req.EdgeAttributes = info.Name, condition.Admits, condition.Attributes, condition.OfEdges
		return req
	},
	Resolve: func(c *engine.Call, req CountEdgesRequest) (storage.GraphInfo, error) {
		graph, err := scan.Check(c, req.Graph, req.Attributes, 0)
		if err == nil {
			err = session.CheckEdgeAttributes(graph, fault.Graph, req.EdgeAttributes...)
		}
		if err == nil && req.By != "" {
			_, err = edgeType(graph, req.By, engine.PartAttribute)
		}
		for i, f := range req.With {
			var kind storage.Type
			if err == nil {
				kind, err = edgeType(graph, f.Of, partFigure(i))
			}
			if err == nil {
				err = f.check(i, kind)
			}
			if err == nil && f.Of == "time" && graph.Times != format.TimeNumbers && f.Function != FigureMin && f.Function != FigureMax {
				err = fault.New(partFigure(i), "the times of graph %s are dates, which have no %s", fault.Name(graph.Name), f.Function).WithExpected("min", "max")
			}
		}
		return graph, err
	},
	Plan: func(req CountEdgesRequest, graph storage.GraphInfo) *plan.Plan {
		if req.fromCatalogue() {
			return plan.Result("count", "all edges of graph "+fault.Name(graph.Name)+", from the catalogue")
		}
		return plan.Result("count", countText("edges", req.By, req.With), scan.PlanOf("all edges", session.GraphPlan(graph), graph, req.condition, req.Attributes))
	},
	Run: runCountEdges,
	Empty: func(_ CountEdgesRequest, graph storage.GraphInfo) CountEdgesResult {
		return CountEdgesResult{graph: graph}
	},
	Rows:  countEdgesRows,
	Reads: true,
}

// CountEdges counts the edges of a graph that meet a condition, as CountVertices counts vertices.
func (s *Service) CountEdges(ctx context.Context, req CountEdgesRequest) (CountEdgesResult, error) {
	return countEdges.Answer(ctx, s.db, req)
}

func (r CountEdgesRequest) fromCatalogue() bool {
	return r.Where == nil && r.By == "" && r.With == nil
}

// edgeType is the type of a column of edges.
func edgeType(graph storage.GraphInfo, name string, at fault.Part) (storage.Type, error) {
	a, found := session.AttributeIn(graph.EdgeAttributes, name)
	switch {
	case found:
		return a.Type, nil
	case name == "weight":
		return storage.Float, nil
	case name == "time":
		return storage.Integer, nil
	}
	return 0, fault.New(at, "an edge has no %s", fault.Quote(name)).WithExpected(conditions.EdgeNames(graph)...)
}

func runCountEdges(c *engine.Call, req CountEdgesRequest, graph storage.GraphInfo) (CountEdgesResult, error) {
	found := CountEdgesResult{Edges: graph.Count(), graph: graph}
	if req.fromCatalogue() {
		return found, nil
	}
	s, err := newEdgeScan(c, graph, req.Where, req.Attributes, slices.Concat(req.EdgeAttributes, countedColumns(req.By, req.With)))
	if err != nil {
		return found, err
	}
	found.graph = s.Graph.Info
	columns := lists.Map(countedColumns(req.By, req.With), s.column)
	counted := newCounter(req.By, req.With)
	found.Edges = 0
	stop := c.Watch.Start(plan.Scan)
	err = s.each(c.Ctx, 0, func(p edgePlace) error {
		found.Edges++
		counted.add(columns[0](p), func(i int) storage.Value { return columns[i+1](p) })
		return c.CheckRows(len(counted.groups))
	})
	stop(found.Edges, s.scanned())
	if err != nil {
		return found, err
	}
	found.Figures, err = counted.finish()
	if req.By != "" {
		found.Values = lists.Map(counted.groups, func(g *countedGroup) EdgeCount { return EdgeCount{g.value, g.count} })
	}
	return found, err
}

// column returns the values of edges in a column; none is missing for all.
func (s *edgeScan) column(name string) func(edgePlace) storage.Value {
	if i := slices.Index(s.values.Names, name); i >= 0 {
		return func(p edgePlace) storage.Value { return s.values.At(i, p.number) }
	}
	switch name {
	case "weight":
		return func(p edgePlace) storage.Value { return storage.FloatValue(csr.Decimal(s.edges.edge(p).Weight)) }
	case "time":
		return func(p edgePlace) storage.Value {
			e := s.edges.edge(p)
			if !e.Timed {
				return storage.Value{}
			}
			return storage.IntegerValue(e.Time)
		}
	}
	return func(edgePlace) storage.Value { return storage.Value{} }
}

func countEdgesRows(req CountEdgesRequest, found CountEdgesResult) *rows.Rows {
	columns := countedColumns(req.By, req.With)
	cell := func(column int, v storage.Value) rows.Value {
		if columns[column] == "time" && !v.IsMissing() {
			return cells.TimeCell(found.graph, v.Integer())
		}
		return cells.CellOf(v)
	}
	groups := lists.Map(found.Values, func(v EdgeCount) []rows.Value { return []rows.Value{cell(0, v.Value), v.Edges} })
	figures := lists.Map(found.Figures, func(row []storage.Value) (list []rows.Value) {
		for i, v := range row {
			if req.With[i].Function == FigureMean {
				list = append(list, cells.CellOf(v))
			} else {
				list = append(list, cell(i+1, v))
			}
		}
		return list
	})
	types := lists.Map(columns, func(name string) rows.ColumnType {
		kind, _ := edgeType(found.graph, name, "")
		switch {
		case name == "time" && found.graph.Times != format.TimeNumbers:
			kind = storage.Text
		case name == "weight":
			return cells.Always(kind)
		}
		return cells.OrNull(kind)
	})
	return countRows("edges", req.By, req.With, found.Edges, groups, figures, figureTypes(types, req.With))
}
