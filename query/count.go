package query

import (
	"cmp"
	"context"
	"slices"

	"heavytail/query/internal/fault"
	"heavytail/query/internal/plan"
	"heavytail/query/internal/session"
	"heavytail/query/internal/where"
	"heavytail/query/parser"
	"heavytail/storage"
)

// CountVerticesRequest asks how many vertices of a graph meet a condition.
type CountVerticesRequest struct {
	Graph      string               // may be empty where the file has one graph
	Where      func(Candidate) bool // nil admits all; it is called from one goroutine
	Attributes []string             // that Where reads
	By         string               // an attribute whose values are counted one by one; may be empty

	condition parser.Expr // of Where, for its text; may be nil
}

// attributes are those that the answer is computed from.
func (r CountVerticesRequest) attributes() []string {
	if r.By == "" || slices.Contains(r.Attributes, r.By) {
		return r.Attributes
	}
	return append(slices.Clip(r.Attributes), r.By) // behind the others, which a compiled condition reads by number
}

// ValueCount is how many vertices have a value.
type ValueCount struct {
	Value    storage.Value `json:"value"` // missing for the vertices that have none
	Vertices int           `json:"vertices"`
}

// CountVerticesResult is the answer of CountVertices.
type CountVerticesResult struct {
	Vertices int `json:"vertices"` // that meet the condition
	// Values are the values of the attribute By among these vertices, the most
	// frequent first, of equal counts the lower value; the vertices without a value
	// are last. Texts are ordered by their bytes, and false is before true.
	Values []ValueCount `json:"values,omitempty"`
}

var countVertices = &statement[*parser.CountVertices, CountVerticesRequest, storage.GraphInfo, CountVerticesResult]{
	help: Help{
		Statement: "COUNT VERTICES", Syntax: "COUNT VERTICES [IN graph] [WHERE condition] [BY attribute]",
		Summary: "counts vertices; BY counts them for each value of an attribute, the most frequent first, and those without a value last",
		Columns: "vertices; with BY: the attribute, vertices",
		Example: "COUNT VERTICES IN social WHERE degree > 10 BY city",
	},
	bind:    bindCountVertices,
	resolve: resolveCountVertices,
	plan: func(req CountVerticesRequest, graph storage.GraphInfo) *plan.Plan {
		if req.Where == nil && req.By == "" {
			return plan.Result("count", "all vertices of graph "+fault.Name(graph.Name)+", from the catalogue")
		}
		detail := "vertices"
		if req.By != "" {
			detail = "vertices by " + fault.Name(req.By) + ", most frequent first, ties by value, those without a value last"
		}
		return plan.Result("count", detail, scanPlan("all vertices", graph, req.condition, req.attributes()))
	},
	run:   runCountVertices,
	rows:  countVerticesRows,
	reads: true,
}

// CountVertices counts the vertices of a graph that meet a condition, and with By the
// vertices of each value of an attribute. Without Where and By it reads the catalogue
// alone; otherwise it visits every vertex once, and By takes memory for each distinct
// value. More values than Options.MaxRows are a *LimitError.
func (db *DB) CountVertices(ctx context.Context, req CountVerticesRequest) (CountVerticesResult, error) {
	return countVertices.answer(ctx, db, req)
}

func bindCountVertices(b *binder, s *parser.CountVertices) (CountVerticesRequest, error) {
	req := CountVerticesRequest{Graph: b.markGraph(s.Graph, s), condition: s.Where}
	if s.By != nil {
		b.Mark(partAttribute, s.By)
		req.By = s.By.Name
	}
	info, err := b.graphOrOnly(req.Graph)
	if err != nil {
		return req, err
	}
	condition, err := where.Compile(b.Values, s.Where, info, where.ToNothing)
	req.Graph, req.Where, req.Attributes = info.Name, condition.Admits, condition.Attributes
	return req, err
}

func resolveCountVertices(c *call, req CountVerticesRequest) (storage.GraphInfo, error) {
	graph, err := c.checkScan(req.Graph, req.Attributes, 0)
	if err != nil || req.By == "" {
		return graph, err
	}
	if _, ok := session.AttributeOf(graph, req.By); !ok {
		return graph, session.UnknownAttribute(graph, req.By, partAttribute)
	}
	return graph, nil
}

func runCountVertices(c *call, req CountVerticesRequest, graph storage.GraphInfo) (CountVerticesResult, error) {
	if req.Where == nil && req.By == "" {
		return CountVerticesResult{Vertices: graph.Vertices}, nil
	}
	names := req.attributes()
	s, err := c.newScan(graph.Name, req.Where, names, 0)
	if err != nil {
		return CountVerticesResult{}, err
	}
	by := slices.Index(names, req.By)
	counts := map[storage.Value]int{}
	found := CountVerticesResult{}
	stop := c.Watch.Start(plan.Scan)
	err = s.each(c.Ctx, func(v uint32) error {
		found.Vertices++
		if by < 0 {
			return nil
		}
		counts[s.columns.At(by, v)]++
		return c.checkRows(len(counts))
	})
	stop(int64(found.Vertices), s.scanned())
	if err != nil {
		return CountVerticesResult{}, err
	}
	for value, n := range counts {
		found.Values = append(found.Values, ValueCount{value, n})
	}
	slices.SortFunc(found.Values, compareCounts)
	return found, nil
}

// compareCounts is the order of CountVerticesResult.Values.
func compareCounts(a, b ValueCount) int {
	switch {
	case a.Value.IsMissing():
		return 1
	case b.Value.IsMissing():
		return -1
	case a.Vertices != b.Vertices:
		return cmp.Compare(b.Vertices, a.Vertices)
	}
	order, _ := where.CompareValues(a.Value, b.Value)
	return order
}

func countVerticesRows(req CountVerticesRequest, found CountVerticesResult) *Rows {
	if req.By == "" {
		return rowsOf([]string{"vertices"}, [][]Value{{int64(found.Vertices)}})
	}
	table := make([][]Value, len(found.Values))
	for i, v := range found.Values {
		table[i] = []Value{cellOf(v.Value), int64(v.Vertices)}
	}
	return rowsOf([]string{req.By, "vertices"}, table)
}
