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
	return engine.WithColumn(r.Attributes, countedColumns(r.By, r.With)...)
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
		req := CountVerticesRequest{Graph: b.MarkGraph(s.Graph, s), By: b.NameOrNone(engine.PartAttribute, s.By), With: boundFigures(b, s.With), condition: s.Where}
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
		return plan.Result("count", countText("vertices", req.By, req.With), scan.Plan(graph, req.condition, req.attributes()))
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
	by := s.Column(req.By)
	columns := lists.Map(req.With, func(f Figure) int { return s.Column(f.Of) })
	n, counted := int64(0), newCounter(req.By, req.With)
	stop := c.Watch.Start(plan.Scan)
	err = s.Each(c.Ctx, func(v uint32) error {
		value := storage.Value{}
		if req.By != "" {
			value = s.Value(by, v)
		}
		n++
		counted.add(value, func(i int) storage.Value { return s.Value(columns[i], v) })
		return c.CheckRows(len(counted.groups))
	})
	stop(n, s.Scanned())
	if err != nil {
		return CountVerticesResult{}, err
	}
	found := CountVerticesResult{Vertices: int(n), types: countTypes(req, graph)}
	found.Figures, err = counted.finish()
	if req.By != "" {
		found.Values = lists.Map(counted.groups, func(g *countedGroup) ValueCount { return ValueCount{g.value, int(g.count)} })
	}
	return found, err
}

// counter counts the vertices or edges of each value of the column of BY, or all of them, and tallies
// their figures.
type counter struct {
	with   []Figure
	groups []*countedGroup
	of     map[storage.Value]*countedGroup
}

// countedGroup is what has one value of the column of BY, or all.
type countedGroup struct {
	value   storage.Value
	count   int64
	tallies []numberTally // of each figure
}

func newCounter(by string, with []Figure) *counter {
	c := &counter{with: with, of: map[storage.Value]*countedGroup{}}
	if by == "" {
		c.group(storage.Value{}) // so that there is a group even where nothing is counted
	}
	return c
}

func (c *counter) group(value storage.Value) *countedGroup {
	g := c.of[value]
	if g == nil {
		g = &countedGroup{value: value, tallies: make([]numberTally, len(c.with))}
		c.of[value] = g
		c.groups = append(c.groups, g)
	}
	return g
}

// add counts one more with a value; number is what it has in the column of a figure.
func (c *counter) add(value storage.Value, number func(figure int) storage.Value) {
	g := c.group(value)
	g.count++
	for i := range g.tallies {
		g.tallies[i].add(number(i))
	}
}

// finish sorts the groups in the order of CountVerticesResult.Values, and returns the figures of each.
func (c *counter) finish() (figures [][]storage.Value, err error) {
	slices.SortFunc(c.groups, (*countedGroup).compare)
	if c.with == nil {
		return nil, nil
	}
	for _, g := range c.groups {
		row, err := figuresOf(g.tallies, c.with)
		if err != nil {
			return nil, err
		}
		figures = append(figures, row)
	}
	return figures, nil
}

// compare is the order of CountVerticesResult.Values.
func (g *countedGroup) compare(other *countedGroup) int {
	switch {
	case g.value.IsMissing():
		return 1
	case other.value.IsMissing():
		return -1
	case g.count != other.count:
		return cmp.Compare(other.count, g.count)
	}
	order, _ := conditions.CompareValues(g.value, other.value)
	return order
}

func countVerticesRows(req CountVerticesRequest, found CountVerticesResult) *rows.Rows {
	var groups [][]rows.Value
	for _, v := range found.Values {
		groups = append(groups, []rows.Value{cells.CellOf(v.Value), int64(v.Vertices)})
	}
	return countRows("vertices", req.By, req.With, int64(found.Vertices), groups, lists.Map(found.Figures, func(row []storage.Value) []rows.Value { return cells.Append(nil, row) }), found.types)
}

// countRows is the table of a count: one row, or with BY those of the groups, and the figures.
func countRows(what, by string, with []Figure, all int64, groups, figures [][]rows.Value, types []rows.ColumnType) *rows.Rows {
	columns, table := []string{what}, [][]rows.Value{{all}}
	if by != "" {
		columns, table = []string{by, what}, groups
	}
	for _, f := range with {
		columns = append(columns, string(f.Function)+"_"+f.Of)
	}
	for i, row := range figures {
		table[i] = append(table[i], row...)
	}
	rows := cells.RowsOf(columns, table)
	if by != "" {
		rows.TypedFrom(0, types[:1])
	}
	if with != nil {
		rows.TypedFrom(len(columns)-len(with), types[1:])
	}
	return rows
}

func countTypes(req CountVerticesRequest, graph storage.GraphInfo) []rows.ColumnType {
	return figureTypes(cells.TypesOfAttributes(graph, countedColumns(req.By, req.With)), req.With)
}

// figureTypes are the types of the column of BY and of figures, from those of their columns.
func figureTypes(types []rows.ColumnType, with []Figure) []rows.ColumnType {
	for i, f := range with {
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

// Figure is an aggregate, such as a sum or a mean, of the numbers that vertices or edges have in a
// column.
type Figure struct {
	Function FigureFunction
	Of       string // an attribute of integers or floats, or degree, or of edges weight or time
}

// String writes the figure in the form of the language, such as "mean(age)".
func (f Figure) String() string {
	return string(f.Function) + "(" + parser.Ident{Name: f.Of}.String() + ")"
}

// boundFigures are the figures of a statement.
func boundFigures(b *engine.Binder, list []parser.Summary) (with []Figure) {
	for i, f := range list {
		b.Mark(partFigure(i), f)
		with = append(with, Figure{FigureFunction(f.Function.Name), f.Of.Name})
	}
	return with
}

// countedColumns are the column of BY, empty without it, and those of the figures.
func countedColumns(by string, with []Figure) []string {
	return append([]string{by}, lists.Map(with, func(f Figure) string { return f.Of })...)
}

// countText describes a count in a plan.
func countText(what, by string, with []Figure) string {
	if by != "" {
		what += " by " + fault.Name(by) + ", most frequent first, ties by value, those without a value last"
	}
	if with != nil {
		what += ", with " + strings.Join(lists.Map(with, Figure.String), ", ")
	}
	return what
}

func partFigure(i int) fault.Part { return fault.Part(fmt.Sprintf("figure %d", i)) }

// checkFigures returns an Error for an unknown function, and for a column of vertices that is not numeric.
func checkFigures(graph storage.GraphInfo, list []Figure) error {
	for i, f := range list {
		a, ok := session.AttributeOf(graph, f.Of)
		switch {
		case f.Of == "degree":
			a.Type = storage.Integer
		case !ok:
			return cmp.Or(f.check(i, storage.Integer), error(session.UnknownAttribute(graph, f.Of, partFigure(i))))
		}
		if err := f.check(i, a.Type); err != nil {
			return err
		}
	}
	return nil
}

// check returns an Error for an unknown function, and for a column of a type that is not numeric.
func (f Figure) check(i int, kind storage.Type) error {
	if !slices.Contains(FigureFunctions(), f.Function) {
		names := lists.Map(FigureFunctions(), func(known FigureFunction) string { return string(known) })
		return fault.New(partFigure(i), "unknown function %s", fault.Quote(string(f.Function))).WithNearest(string(f.Function), names, nil)
	}
	if kind != storage.Integer && kind != storage.Float {
		return fault.New(partFigure(i), "attribute %s is %s, and %s needs numbers", fault.Name(f.Of), kind, f).
			WithRemedy("BY counts the vertices or edges of each value")
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
