package columnar

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/internal/excerpt"
)

func (e *columnarEdges) read() (_ format.ReadStats, err error) {
	var stats reading.Stats
	e.stats = &stats
	stats.Header = strings.Join(e.names(), ",")
	if err := e.prepare(); err != nil {
		return stats.ReadStats, err
	}
	if slices.Contains(e.file.Entries(), directedEntry) {
		stats.Directed = true
		e.course.All, e.course.Now = reading.CourseDirected, reading.CourseDirected
	}
	stats.IgnoredNames = e.plan.Ignored
	if e.h.EdgeColumns != nil {
		if err := e.attributes(); err != nil {
			return stats.ReadStats, err
		}
	}
	e.values.begin()
	columns := append(slices.Clone(e.columns), e.values.columns...)
	stats.IgnoredColumns = len(e.file.Columns()) - len(columns)
	if err := e.each(&stats, columns, e.row); err != nil {
		return stats.ReadStats, err
	}
	return stats.ReadStats, e.course.Declare(e.course.All)
}

// directedEntry are the metadata of the edges of a directed graph.
var directedEntry = columnfile.Entry{Key: "heavytail.directed", Text: "true"}

// attributes chooses the columns that are attributes: those of a type that an attribute can have.
func (e *columnarEdges) attributes() error {
	var columns []format.Column
	var ignored []string
	types := e.types()
	for i, c := range e.file.Columns() {
		switch {
		case slices.Contains(e.columns, i):
		case !heldKind(c.Kind) || c.Name == delimited.EdgeID || !delimited.IsAttribute(c.Name):
			ignored = append(ignored, c.Name)
		default:
			e.values.columns, columns = append(e.values.columns, i), append(columns, format.Column{Name: c.Name, Type: types[i]})
		}
	}
	e.stats.IgnoredNames = excerpt.List(ignored)
	if len(columns) == 0 {
		return nil
	}
	return e.h.EdgeColumns(columns)
}

// prepare decides which columns are read, and for which roles.
func (e *columnarEdges) prepare() error {
	plan, doubt := delimited.PlanFor(e.opts.Wanted(), e.names())
	if doubt == "" && len(e.names()) < 2 {
		doubt = "an edge needs two columns, and the file has one"
	}
	if doubt != "" {
		return &Error{File: e.opts.Name, Reason: doubt, Kind: format.ErrSyntax}
	}
	e.plan = plan
	return e.choose()
}

// columnarEdges reads edges from the rows of some columns.
type columnarEdges struct {
	*File
	h       format.Handler
	stats   *reading.Stats
	course  reading.Direction
	plan    delimited.Plan
	columns []int                // of the file
	place   [delimited.Roles]int // indices into columns; -1 if the role has no column
	scratch [2][]byte
	values  values // of the columns whose values are read, too
}

// choose finds the columns of all roles, and refuses columns of a wrong type.
func (e *columnarEdges) choose() error {
	for r := delimited.Source; r < delimited.Roles; r++ {
		e.place[r] = -1
		column := e.plan.At[r] - 1
		if column < 0 {
			continue
		}
		kind := e.file.Columns()[column].Kind
		switch {
		case r <= delimited.Target && !keyKind(kind):
			return e.unfit(column, fmt.Sprintf("the %s of an edge is a text or an integer; %s", r, columnsHint(e.names())))
		case r == delimited.Weight && !numberKind(kind):
			return e.unfit(column, "a weight is a number; weight := 'none' takes none")
		case r == delimited.Time && !timeKind(kind):
			return e.unfit(column, "a time is an integer, a date or a timestamp; time := 'none' takes none")
		}
		e.place[r] = len(e.columns)
		e.columns = append(e.columns, column)
	}
	return nil
}

func columnsHint(names []string) string {
	return "the options source and target choose among " + excerpt.List(names)
}

func (e *columnarEdges) row(rows columnfile.Rows) error {
	edge := reading.Edge{Edge: format.Edge{Weight: 1}}
	for i, to := range []*[]byte{&edge.Source, &edge.Target} {
		column := e.place[delimited.Source+delimited.Role(i)]
		key, reason := e.key(rows, column, e.columns[column], e.scratch[i][:0])
		if reason != "" {
			return e.bad(e.stats, e.columns[column], "%s", reason)
		}
		e.scratch[i], *to = key, key
	}
	if i := e.place[delimited.Weight]; i >= 0 && !rows.Missing(i) {
		edge.Weight, edge.Weighted = rows.Double(i), true
		if held := float32(edge.Weight); !(held > 0) || math.IsInf(float64(held), 0) {
			return e.bad(e.stats, e.columns[i], "weight %v is not a positive number that a float32 can hold", edge.Weight)
		}
	}
	if i := e.place[delimited.Time]; i >= 0 && !rows.Missing(i) {
		if edge.Time, edge.Dated, edge.Timed = e.time(rows, i); !edge.Timed {
			return e.bad(e.stats, e.columns[i], "the time is no date and no integer that is read")
		}
	}
	if column, reason := e.values.read(e.File, rows, len(e.columns)); reason != "" {
		return e.bad(e.stats, column, "%s", reason)
	}
	if _, err := e.course.Edge(&edge.Edge, e.stats.Edges == 0); err != nil {
		return err
	}
	e.stats.Edges++
	e.stats.SetTime(&edge, figure.PerSecond(e.opts.TimeUnit), 0)
	e.stats.Measured(&edge.Edge)
	edge.Values = e.values.row
	return e.h.Edge(edge.Edge)
}

// time returns a time in the units of edges.
func (e *columnarEdges) time(rows columnfile.Rows, i int) (at int64, dated, ok bool) {
	kind := e.file.Columns()[e.columns[i]].Kind
	switch {
	case kind == columnfile.Text:
		return format.ParseTime(string(rows.Text(i)))
	case kind == columnfile.Days:
		return rows.Integer(i) * figure.DaySeconds, true, true
	case stampUnit(kind) > 0:
		return columnfile.FloorDiv(rows.Integer(i), stampUnit(kind)), true, true
	}
	at = rows.Integer(i)
	return at, false, at != math.MinInt64
}
