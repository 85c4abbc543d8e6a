package graphs

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

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
)

// CountVerticesRequest asks how many vertices of a graph meet a condition.
type CountVerticesRequest struct {
	Graph      string                     // may be empty if the file has only one graph
	Where      func(where.Candidate) bool // nil admits all; it is called from one goroutine
	Attributes []string                   // that Where reads
	By         string                     // an attribute or degree, whose values are counted one by one; may be empty
	With       []Figure                   // figures of all vertices, or with By of the vertices with each value

	condition parser.Expr // of Where, for its text; may be nil
}

// attributes lists the attributes that the answer is computed from. Those of the condition
// come first, because a compiled condition reads them by number.
func (r CountVerticesRequest) attributes() []string {
	columns := []string{r.By}
	for _, f := range r.With {
		columns = append(columns, f.Of)
	}
	return engine.WithColumn(r.Attributes, columns...)
}

// ValueCount is the number of vertices that have a value.
type ValueCount struct {
	Value    storage.Value `json:"value"` // missing for the count of vertices without a value
	Vertices int           `json:"vertices"`
}

// CountVerticesResult is the answer of CountVertices.
type CountVerticesResult struct {
	Vertices int `json:"vertices"` // that meet the condition
	// Values are the values of the attribute By among these vertices, the most
	// frequent first, of equal counts the lower value; the vertices without a value
	// are last. Texts are ordered by their bytes, and false is before true.
	Values []ValueCount `json:"values,omitempty"`
	// Figures has one row for each of Values, or a single row for all vertices if By is
	// empty. A row has one value for each of CountVerticesRequest.With: an integer for a sum,
	// min or max of integers, otherwise a float; the value is missing if no vertex has a
	// number. Sums of floats are compensated (Neumaier 1974), those of integers exact.
	Figures [][]storage.Value `json:"figures,omitempty"`

	types []rows.ColumnType // of the attribute By and of the figures
}

var countVertices = &engine.Statement[*parser.CountVertices, CountVerticesRequest, storage.GraphInfo, CountVerticesResult]{
	Help: help.Statement{
		Statement: "COUNT VERTICES",
		Summary:   "counts vertices, BY for each value of an attribute or degree, with sums, means, minima and maxima",
		Detail:    "The most frequent value is first, and vertices without a value are last. WITH adds the sum, mean, minimum or maximum of a numeric attribute or of the degree over the vertices that have a value",
		Words:     "group by aggregate histogram degree distribution frequency distinct number how many nodes sizes of communities average",
		Columns:   "vertices; with BY: the attribute, vertices; with WITH: also sum_attribute, mean_attribute, …",
	},
	Bind: func(b *engine.Binder, s *parser.CountVertices) CountVerticesRequest {
		req := CountVerticesRequest{Graph: b.MarkGraph(s.Graph, s), By: b.NameOrNone(engine.PartAttribute, s.By), condition: s.Where}
		for i, f := range s.With {
			b.Mark(partFigure(i), f)
			req.With = append(req.With, Figure{FigureFunction(f.Function.Name), f.Of.Name})
		}
		info := b.Graph(req.Graph)
		condition := conditions.Compile(b.Values, s.Where, info, conditions.ToNothing)
		req.Graph, req.Where, req.Attributes = info.Name, condition.Admits, condition.Attributes
		return req
	},
	Resolve: func(c *engine.Call, req CountVerticesRequest) (storage.GraphInfo, error) {
		graph, err := scan.Check(c, req.Graph, req.Attributes, 0)
		if err != nil {
			return graph, err
		}
		if req.By != "" && req.By != "degree" {
			err = session.CheckAttributes(graph, engine.PartAttribute, req.By)
		}
		return graph, cmp.Or(err, checkFigures(graph, req.With))
	},
	Plan: func(req CountVerticesRequest, graph storage.GraphInfo) *plan.Plan {
		if req.fromCatalogue() {
			return plan.Result("count", "all vertices of graph "+fault.Name(graph.Name)+", from the catalogue")
		}
		detail := "vertices"
		if req.By != "" {
			detail = "vertices by " + fault.Name(req.By) + ", most frequent first, ties by value, those without a value last"
		}
		if req.With != nil {
			detail += ", with " + figuresText(req.With)
		}
		return plan.Result("count", detail, scan.Plan(graph, req.condition, req.attributes()))
	},
	Run: runCountVertices,
	Empty: func(req CountVerticesRequest, graph storage.GraphInfo) CountVerticesResult {
		return CountVerticesResult{types: countTypes(req, graph)}
	},
	Rows:  countVerticesRows,
	Reads: true,
}

// CountVertices counts the vertices of a graph that meet a condition, and with By the
// vertices of each value of an attribute; With adds figures of their numbers. Without Where,
// By and With it reads only the catalogue; otherwise it visits every vertex once, and By
// takes memory for each distinct value. If there are more values than Options.MaxRows, the
// error is a *LimitError.
func (s *Service) CountVertices(ctx context.Context, req CountVerticesRequest) (CountVerticesResult, error) {
	return countVertices.Answer(ctx, s.db, req)
}

// fromCatalogue reports whether the catalogue alone has the answer.
func (r CountVerticesRequest) fromCatalogue() bool {
	return r.Where == nil && r.By == "" && r.With == nil
}

func runCountVertices(c *engine.Call, req CountVerticesRequest, graph storage.GraphInfo) (CountVerticesResult, error) {
	if req.fromCatalogue() {
		return CountVerticesResult{Vertices: graph.Vertices}, nil
	}
	s, err := scan.New(c, graph.Name, req.Where, req.attributes(), 0)
	if err != nil {
		return CountVerticesResult{}, err
	}
	groups, err := countGroups(c, s, req)
	if err != nil {
		return CountVerticesResult{}, err
	}
	found := CountVerticesResult{types: countTypes(req, graph)}
	for _, g := range groups {
		found.Vertices += g.Vertices
		if req.By != "" {
			found.Values = append(found.Values, g.ValueCount)
		}
		if req.With == nil {
			continue
		}
		row, err := figuresOf(g.tallies, req.With)
		if err != nil {
			return CountVerticesResult{}, err
		}
		found.Figures = append(found.Figures, row)
	}
	return found, nil
}

// countedGroup counts the vertices with one value of the attribute of BY, or all vertices.
type countedGroup struct {
	ValueCount
	tallies []numberTally // of each figure
}

// countGroups counts the vertices of each value, in the order of CountVerticesResult.Values;
// without BY there is one group.
func countGroups(c *engine.Call, s *scan.Vertices, req CountVerticesRequest) ([]*countedGroup, error) {
	by := s.Column(req.By)
	columns := lists.Map(req.With, func(f Figure) int { return s.Column(f.Of) })
	var groups []*countedGroup
	of := map[storage.Value]*countedGroup{}
	group := func(value storage.Value) *countedGroup {
		g := of[value]
		if g == nil {
			g = &countedGroup{ValueCount{Value: value}, make([]numberTally, len(columns))}
			of[value] = g
			groups = append(groups, g)
		}
		return g
	}
	if req.By == "" {
		group(storage.Value{}) // so that there is a group even without vertices
	}
	n := int64(0)
	stop := c.Watch.Start(plan.Scan)
	err := s.Each(c.Ctx, func(v uint32) error {
		value := storage.Value{}
		if req.By != "" {
			value = s.Value(by, v)
		}
		g := group(value)
		g.Vertices++
		for i, column := range columns {
			g.tallies[i].add(s.Value(column, v))
		}
		n++
		return c.CheckRows(len(groups))
	})
	stop(n, s.Scanned())
	slices.SortFunc(groups, func(a, b *countedGroup) int { return compareCounts(a.ValueCount, b.ValueCount) })
	return groups, err
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
	order, _ := conditions.CompareValues(a.Value, b.Value)
	return order
}

func countVerticesRows(req CountVerticesRequest, found CountVerticesResult) *rows.Rows {
	columns, table := []string{"vertices"}, [][]rows.Value{{int64(found.Vertices)}}
	if req.By != "" {
		columns = []string{req.By, "vertices"}
		table = lists.Map(found.Values, func(v ValueCount) []rows.Value { return []rows.Value{cells.CellOf(v.Value), int64(v.Vertices)} })
	}
	for _, f := range req.With {
		columns = append(columns, string(f.Function)+"_"+f.Of)
	}
	for i, row := range found.Figures {
		table[i] = cells.Append(table[i], row)
	}
	rows := cells.RowsOf(columns, table)
	if req.By != "" {
		rows.TypedFrom(0, found.types[:1])
	}
	if req.With != nil {
		rows.TypedFrom(len(columns)-len(req.With), found.types[1:])
	}
	return rows
}

func countTypes(req CountVerticesRequest, graph storage.GraphInfo) []rows.ColumnType {
	names := []string{req.By}
	for _, f := range req.With {
		names = append(names, f.Of)
	}
	types := cells.TypesOfAttributes(graph, names)
	for i, f := range req.With {
		if types[i+1].NotNull = false; f.Function == FigureMean {
			types[i+1].Type = storage.Float
		}
	}
	return types
}

// FigureFunction is the function that a Figure computes.
type FigureFunction string

// The functions.
const (
	FigureSum  FigureFunction = "sum"
	FigureMean FigureFunction = "mean"
	FigureMin  FigureFunction = "min"
	FigureMax  FigureFunction = "max"
)

// FigureFunctions returns all of them.
func FigureFunctions() []FigureFunction {
	return []FigureFunction{FigureSum, FigureMean, FigureMin, FigureMax}
}

// Figure is an aggregate, such as a sum or a mean, of the numbers that vertices have in a
// column.
type Figure struct {
	Function FigureFunction
	Of       string // an attribute of integers or floats, or degree
}

// String writes the figure in the form of the language, such as "mean(age)".
func (f Figure) String() string {
	return string(f.Function) + "(" + parser.Ident{Name: f.Of}.String() + ")"
}

func figuresText(list []Figure) string {
	return strings.Join(lists.Map(list, Figure.String), ", ")
}

func partFigure(i int) fault.Part { return fault.Part(fmt.Sprintf("figure %d", i)) }

// checkFigures returns an Error for an unknown function, and for a column that is not numeric.
func checkFigures(graph storage.GraphInfo, list []Figure) error {
	for i, f := range list {
		if !slices.Contains(FigureFunctions(), f.Function) {
			names := lists.Map(FigureFunctions(), func(known FigureFunction) string { return string(known) })
			return fault.New(partFigure(i), "unknown function %s", fault.Quote(string(f.Function))).WithNearest(string(f.Function), names, nil)
		}
		if f.Of == "degree" {
			continue
		}
		a, ok := session.AttributeOf(graph, f.Of)
		if !ok {
			return session.UnknownAttribute(graph, f.Of, partFigure(i))
		}
		if a.Type != storage.Integer && a.Type != storage.Float {
			return fault.New(partFigure(i), "attribute %s is %s, and %s needs numbers", fault.Name(a.Name), a.Type, f).
				WithRemedy("BY counts the vertices of each value")
		}
	}
	return nil
}

// numberTally adds up the numbers of a column, all integers or all floats.
type numberTally struct {
	count      int64
	high       int64 // of the sum of integers, in 128 bits
	low        uint64
	sum, small float64 // the sum of floats, and the rounding errors of its additions
	min, max   storage.Value
}

// add takes a value; missing ones are left out.
func (t *numberTally) add(v storage.Value) {
	if v.IsMissing() {
		return
	}
	if order, known := conditions.CompareValues(v, t.min); !known || order < 0 {
		t.min = v
	}
	if order, known := conditions.CompareValues(v, t.max); !known || order > 0 {
		t.max = v
	}
	t.count++
	if v.Type() == storage.Integer {
		x := v.Integer()
		low, carry := bits.Add64(t.low, uint64(x), 0)
		t.low, t.high = low, t.high+x>>63+int64(carry)
		return
	}
	// Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen", 1974.
	x := v.Float()
	sum := t.sum + x
	if math.Abs(t.sum) >= math.Abs(x) {
		t.small += (t.sum - sum) + x
	} else {
		t.small += (x - sum) + t.sum
	}
	t.sum = sum
}

func figuresOf(tallies []numberTally, list []Figure) ([]storage.Value, error) {
	row := make([]storage.Value, len(list))
	for i, f := range list {
		var ok bool
		if row[i], ok = tallies[i].figure(f.Function); !ok {
			return nil, fault.New(partFigure(i), "%s is larger than a number of 64 bits holds", f).WithErr(storage.ErrLimit)
		}
	}
	return row, nil
}

// figure returns the value of a function: missing if there are no numbers. It returns false if
// the value does not fit 64 bits.
func (t *numberTally) figure(function FigureFunction) (storage.Value, bool) {
	if t.count == 0 {
		return storage.Value{}, true
	}
	integers, fits := t.min.Type() == storage.Integer, t.high == int64(t.low)>>63
	sum := t.sum + t.small
	switch {
	case integers && fits:
		sum = float64(int64(t.low))
	case integers:
		sum = math.Ldexp(float64(t.high), 64) + float64(t.low)
	}
	switch {
	case function == FigureMin:
		return t.min, true
	case function == FigureMax:
		return t.max, true
	case function == FigureSum && integers:
		return storage.IntegerValue(int64(t.low)), fits
	case math.IsInf(sum, 0) || math.IsNaN(sum):
		return storage.Value{}, false
	case function == FigureSum:
		return storage.FloatValue(sum), true
	}
	return storage.FloatValue(sum / float64(t.count)), true
}

// DegreeCount is one point of a degree distribution.
type DegreeCount struct {
	Degree   int   `json:"degree"`
	Vertices int64 `json:"vertices"` // number of vertices with this degree; at least 1
}

// Degrees returns the number of vertices of each degree that occurs in a
// graph, by ascending degree. It takes O(n) after the graph is loaded.
func (s *Service) Degrees(ctx context.Context, graph string) ([]DegreeCount, error) {
	return engine.InCall(ctx, s.db, "DESCRIBE GRAPH", func(c *engine.Call) ([]DegreeCount, error) {
		view, err := c.Graph(graph, fault.Graph)
		if err != nil {
			return nil, err
		}
		return degreeCounts(view.Graph), nil
	})
}

func degreeCounts(g *csr.Graph) []DegreeCount {
	degrees := make([]uint32, g.Vertices())
	for v := range degrees {
		degrees[v] = uint32(g.Degree(uint32(v)))
	}
	return CountDegrees(degrees)
}

// CountDegrees counts the vertices of each degree that occurs.
func CountDegrees(degrees []uint32) []DegreeCount {
	var vertices []int64 // of each degree
	for _, d := range degrees {
		if more := int(d) + 1 - len(vertices); more > 0 {
			vertices = append(vertices, make([]int64, more)...)
		}
		vertices[d]++
	}
	var counts []DegreeCount
	for d, n := range vertices {
		if n > 0 {
			counts = append(counts, DegreeCount{d, n})
		}
	}
	return counts
}
