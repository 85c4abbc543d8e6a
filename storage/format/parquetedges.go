package format

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/internal/excerpt"
)

func (e *parquetEdges) read() (stats ReadStats, err error) {
	e.stats = &stats
	stats.Header = strings.Join(e.names(), ",")
	if err := e.prepare(); err != nil {
		return stats, err
	}
	e.values, e.texts = make([][]byte, len(e.further)), make([][]byte, len(e.further))
	columns := append(slices.Clone(e.columns), e.further...)
	stats.IgnoredColumns, stats.IgnoredNames = len(e.Columns())-len(columns), e.plan.Ignored
	return stats, e.each(&stats, columns, e.row)
}

// prepare decides which columns are read, and for which roles.
func (e *parquetEdges) prepare() error {
	plan, doubt := delimited.PlanFor(e.opts.wanted(), e.names())
	if doubt == "" && len(e.names()) < 2 {
		doubt = "an edge needs two columns, and the file has one"
	}
	if doubt != "" {
		return &ParquetError{File: e.opts.Name, Reason: doubt, Kind: ErrSyntax}
	}
	e.plan = plan
	return e.choose()
}

// parquetEdges reads edges from the rows of some columns.
type parquetEdges struct {
	*parquetFile
	h       Handler
	stats   *ReadStats
	plan    delimited.Plan
	columns []int                // of the file
	place   [delimited.Roles]int // indices into columns; -1 if the role has no column
	scratch [2][]byte

	further []int    // columns of the file whose values are read, too
	values  [][]byte // values of the current row; a missing value is empty
	texts   [][]byte // buffers of the values
}

// choose finds the columns of all roles, and refuses columns of a wrong type.
func (e *parquetEdges) choose() error {
	for r := delimited.Source; r < delimited.Roles; r++ {
		e.place[r] = -1
		column := e.plan.At[r] - 1
		if column < 0 {
			continue
		}
		kind := e.Columns()[column].Kind
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

func (e *parquetEdges) row(rows columnfile.Rows) error {
	var edge Edge
	edge.Weight = 1
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
	for i, column := range e.further {
		e.values[i] = nil
		if at := len(e.columns) + i; !rows.Missing(at) {
			text, there, reason := e.text(rows, at, column, math.MaxInt, e.texts[i][:0])
			if reason != "" {
				return e.bad(e.stats, column, "%s", reason)
			}
			if e.texts[i] = text; there {
				e.values[i] = text
			}
		}
	}
	e.stats.Edges++
	e.stats.setTime(&edge, unitsPerSecond(e.opts.TimeUnit), 0)
	e.stats.measured(edge)
	return e.h.Edge(edge)
}

// time returns a time in the units of edges.
func (e *parquetEdges) time(rows columnfile.Rows, i int) (at int64, dated, ok bool) {
	kind := e.Columns()[e.columns[i]].Kind
	switch {
	case kind == columnfile.Text:
		return ParseTime(string(rows.Text(i)))
	case kind == columnfile.Days:
		return rows.Integer(i) * daySeconds, true, true
	case stampUnit(kind) > 0:
		return floorDiv(rows.Integer(i), stampUnit(kind)), true, true
	}
	at = rows.Integer(i)
	return at, false, at != math.MinInt64
}
