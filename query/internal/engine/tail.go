package engine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/conditions"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/rowfile"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
)

// Tail is what is done with the rows of a statement, whatever it is. The rows are taken one by
// one; only an order keeps some of them.
var Tail = &Statement[*parser.Tail, TailRequest, rowfile.Form, tailAnswer]{
	Help: help.Statement{
		Statement: "INTO FILE",
		Summary:   "chooses and sorts the rows of a statement by its columns, keeps some of them, and writes them into a file",
		Detail:    "Every statement that returns rows (SHOW, DESCRIBE, COUNT, COMPUTE, PATH, NEAREST, WITHIN, SCORE, PREDICT, EVALUATE, DIFF, ESTIMATE, CHECK, and those whose work is a job) takes these clauses at its end: COLUMNS, WHERE and ORDER BY choose and sort its rows by its columns, with rows without a value last and equal rows in their order; DISTINCT shows rows with equal columns once; LIMIT keeps n rows, without the first ones of OFFSET. In WHERE and ORDER BY of SHOW VERTICES, SHOW EDGES, SHOW NEIGHBORS, NEAREST, WITHIN and PREDICT a name is first that of an attribute (or degree or key) of the vertices or edges, and else that of a column: the terms of WHERE about them, joined by AND, choose what is found, and the others choose rows. INTO FILE writes the rows into a file, by its ending as CSV, TSV, JSON, NDJSON, Markdown, Parquet or Arrow; text is compressed if the name ends in .gz or .zst",
		Words:     "distinct unique order sort limit offset columns rows save csv json pandas ndjson parquet arrow feather dataframe write output filter top export result",
		Columns:   "file, rows; without INTO FILE those of the statement, or of COLUMNS",
		Example:   "NEAREST 100 TO 'alice' USING spec INTO FILE 'near.parquet'",
	},
	Schema: tailSchema,
	Bind:   bindTail,
	Resolve: func(c *Call, req TailRequest) (form rowfile.Form, err error) {
		if !req.toFile {
			return form, nil
		}
		return ResolveIntoFile(c, req.file)
	},
	Plan: func(req TailRequest, form rowfile.Form) *plan.Plan {
		steps := req.Operation.Plan()
		if text := req.text(); text != "" {
			steps = plan.Result("rows", text, steps)
		}
		if req.toFile {
			steps = WrittenFile(form.Title, req.file.Path, steps)
		}
		return steps
	},
	Run: runTail,
	Empty: func(req TailRequest, _ rowfile.Form) (none tailAnswer) {
		if !req.toFile {
			none.rows = rows.Of(req.columns, req.types, nil)
		}
		return none
	},
	Rows: func(_ TailRequest, a tailAnswer) *rows.Rows {
		if a.rows != nil {
			return a.rows
		}
		return cells.RowsOf([]string{"file", "rows"}, [][]rows.Value{{a.written.path, a.written.rows}})
	},
	Reads: true, // the inner statement decides whether the store is written
}

// TailRequest is a statement, bound and resolved, with what is done with its rows. There is no
// typed method for it, because programs have the rows themselves.
type TailRequest struct {
	Operation
	condition     parser.Expr // of admits, for its text
	admits        func([]rows.Value) bool
	order         *parser.Order
	by            int // the column of order
	limit, offset int // 0 for none
	distinct      bool
	columns       []string
	types         []rows.ColumnType
	shown         []int // the numbers of columns in the rows of the statement; nil for all
	toFile        bool  // INTO FILE is there
	file          RowsRequest
}

type tailAnswer struct {
	rows    *rows.Rows // nil with INTO FILE
	written WrittenRows
}

func bindTail(b *Binder, s *parser.Tail) (req TailRequest) {
	b.Tail = *s
	inner, err := b.Prepare(s.Statement)
	if err != nil {
		b.Fail(err)
		return req
	}
	taken := b.Tail
	s = &taken
	req.Operation, req.condition, req.order = inner, s.Where, s.Order
	columns, types := inner.Header().Columns(), inner.Header().ColumnTypes()
	req.admits = conditions.CompileRows(b.Values, s.Where, columns, types)
	column := func(at fault.Part, name parser.Ident) int {
		i := slices.Index(columns, b.Name(at, name))
		if i < 0 {
			b.Fail(conditions.NoColumn(at, name.Name, columns))
		}
		return i
	}
	if s.Order != nil {
		req.by = column(PartOrder, s.Order.By)
	}
	req.columns, req.types = columns, types
	for i, name := range s.Columns {
		req.shown = append(req.shown, column(PartColumn(i), name))
	}
	if b.Err == nil && req.shown != nil {
		req.columns = lists.Map(req.shown, func(i int) string { return columns[i] })
		req.types = lists.Map(req.shown, func(i int) rows.ColumnType { return types[i] })
	}
	req.distinct = s.Distinct
	req.limit = b.RowLimit(s.Limit)
	req.offset = b.rowOffset(s.Offset)
	if s.File != nil {
		req.toFile, req.file = true, RowsRequest{text: parser.Text(s.Statement), Path: b.Text(fault.Into, s.File)}
		Bind(b, "INTO FILE", tailSchema(), s.Options, &req)
	}
	return req
}

func tailSchema() option.Schema[TailRequest] {
	return IntoFileFields(func(r *TailRequest) *bool { return &r.file.Overwrite }, func(r *TailRequest) *string { return &r.file.Format })
}

// text describes the clauses in a plan.
func (r TailRequest) text() string {
	var all []string
	if r.condition != nil {
		all = append(all, "where "+r.condition.String())
	}
	if r.order != nil {
		all = append(all, OrderText(r.order.By.Name, r.order.Descending))
	}
	if r.offset > 0 {
		all = append(all, fmt.Sprintf("without the first %d", r.offset))
	}
	if r.limit > 0 {
		all = append(all, fmt.Sprintf("at most %d", r.limit))
	}
	if r.shown != nil {
		what := "columns "
		if r.distinct {
			what = "distinct columns "
		}
		all = append(all, what+strings.Join(r.columns, ", "))
	}
	return strings.Join(all, ", ")
}

func runTail(c *Call, req TailRequest, form rowfile.Form) (answer tailAnswer, err error) {
	inner, err := req.Operation.Exec(c)
	if err != nil {
		return answer, err
	}
	answer.rows, err = req.of(c, inner)
	if err != nil || !req.toFile {
		return answer, err
	}
	answer.written, err = writeRows(c, req.file, form, answer.rows)
	answer.rows = nil
	return answer, err
}

// of returns what is kept of the rows of the statement.
func (r TailRequest) of(c *Call, inner *rows.Rows) (*rows.Rows, error) {
	if r.text() == "" {
		return inner, nil
	}
	if r.order != nil || r.distinct {
		table, err := r.collected(c, inner)
		return rows.Of(r.columns, r.types, table), err
	}
	made := rows.New(r.columns, r.types, func(yield func([]rows.Value, error) bool) {
		seen := 0
		for row, err := range inner.All() {
			if err != nil {
				yield(nil, err)
				return
			}
			if r.admits != nil && !r.admits(row) {
				continue
			}
			if seen++; seen <= r.offset {
				continue
			}
			if !yield(r.cut(row), nil) || r.limit > 0 && seen-r.offset == r.limit {
				return
			}
		}
	})
	made.Continued(inner.IsContinued()).AtEnd(func() []rows.Notice {
		inner.Close() // closed before the first row was read
		return c.Notices
	})
	return made, nil
}

// numbered is a row with its place.
type numbered struct {
	row []rows.Value
	at  int
}

// collected returns the rows in their order, of equal ones the first with DISTINCT. With a limit it
// keeps at most some more than twice as many as that and the offset, with DISTINCT all that differ; it
// takes the memory of the rows that it keeps from the limit of the file.
func (r TailRequest) collected(c *Call, inner *rows.Rows) ([][]rows.Value, error) {
	limit := r.limit
	if limit > 0 {
		limit += min(r.offset, math.MaxInt-limit)
	}
	var list []numbered
	places := map[string]int{} // in the list, of rows that must differ
	var key []byte
	at, reserved := 0, 0
	for row, err := range inner.All() {
		if err != nil {
			return nil, err
		}
		if r.admits != nil && !r.admits(row) {
			continue
		}
		at++
		next := numbered{slices.Clone(row), at}
		if r.distinct {
			key = r.appendShown(key[:0], row)
			if i, known := places[string(key)]; known {
				if r.compare(next, list[i]) < 0 {
					list[i] = next
				}
				continue
			}
			places[string(key)] = len(list)
			if list = append(list, next); r.order == nil && len(list) == limit {
				break
			}
		} else {
			list = lists.Kept(append(list, next), limit, r.compare)
		}
		if len(list) > reserved {
			const step = 1 << 12 // rows
			if err := c.Hold(c.DB.Cache.Reserve(step*rowBytes(row), "rows in memory")); err != nil {
				return nil, err
			}
			reserved += step
		}
		if at%1024 == 0 && c.Ctx.Err() != nil {
			return nil, c.Ctx.Err()
		}
	}
	list = lists.FirstOf(list, limit, r.compare)
	return lists.Map(list[min(r.offset, len(list)):], func(n numbered) []rows.Value { return r.cut(n.row) }), c.Ctx.Err()
}

// appendShown appends the shown columns of a row, so that different ones give different bytes. Equal
// numbers are equal, whatever their types.
func (r TailRequest) appendShown(key []byte, row []rows.Value) []byte {
	for _, i := range r.shown {
		switch v := row[i].(type) {
		case string:
			key = strconv.AppendQuote(key, v)
		case int64:
			key = strconv.AppendInt(key, v, 10)
		case float64:
			if n := int64(v); float64(n) == v && n < math.MaxInt64 {
				key = strconv.AppendInt(key, n, 10)
			} else {
				key = strconv.AppendFloat(key, v, 'g', -1, 64)
			}
		default:
			key = fmt.Append(key, v)
		}
		key = append(key, ' ')
	}
	return key
}

// rowBytes estimates the memory of a row.
func rowBytes(row []rows.Value) int64 {
	bytes := int64(48) // of the slice
	for _, cell := range row {
		bytes += 24
		if text, is := cell.(string); is {
			bytes += int64(len(text))
		}
	}
	return bytes
}

// compare orders two rows by the column: missing values last in both directions, equal values
// by their places. Values of several types are in the order of the types. Without ORDER BY only the
// places count.
func (r TailRequest) compare(a, b numbered) int {
	if r.order == nil {
		return cmp.Compare(a.at, b.at)
	}
	x, y := conditions.ValueOf(a.row[r.by]), conditions.ValueOf(b.row[r.by])
	if x.IsMissing() || y.IsMissing() {
		return cmp.Or(cmp.Compare(last(x.IsMissing()), last(y.IsMissing())), cmp.Compare(a.at, b.at))
	}
	order, comparable := conditions.CompareValues(x, y)
	if !comparable {
		order = cmp.Compare(x.Type(), y.Type())
	}
	if r.order.Descending {
		order = -order
	}
	return cmp.Or(order, cmp.Compare(a.at, b.at))
}

func last(missing bool) int {
	if missing {
		return 1
	}
	return 0
}

// cut returns the columns of a row that are shown.
func (r TailRequest) cut(row []rows.Value) []rows.Value {
	if r.shown == nil {
		return row
	}
	return lists.Map(r.shown, func(i int) rows.Value { return row[i] })
}
