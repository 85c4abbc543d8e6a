package format

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/figure"
	"heavytail/storage/internal/compress"
	"heavytail/storage/internal/excerpt"
)

// ColumnarError reports a fault in a columnar file and its place. It wraps ErrDamaged if the file
// violates the format, ErrLimit if a limit was exceeded, ErrLibrary if the program does not read
// the format, and otherwise ErrSyntax.
type ColumnarError struct {
	File   string // name of the input, as the options call it; may be empty
	Column string // empty if the fault is not in one column
	Row    int64  // 1 for the first row; 0 if the fault is not in one row
	Reason string
	Kind   error
}

func (e *ColumnarError) Error() string {
	where := fault.Input(e.File)
	if e.Row > 0 {
		where += fmt.Sprintf(": row %d", e.Row)
	}
	if e.Column != "" {
		where += ": column " + excerpt.Of([]byte(e.Column))
	}
	return where + ": " + e.Reason
}

func (e *ColumnarError) Unwrap() error { return e.Kind }

// CheckColumnar returns an error that wraps ErrLibrary if the program does not read and write a format.
func CheckColumnar(form Columnar) error { return columnfile.Check(columnfile.Form(form)) }

// RandomReader is the input from which columnar files are read, such as an *os.File: the footer at
// the end of the file contains the positions of all data.
type RandomReader interface {
	io.ReaderAt
	io.Seeker
}

// maxColumnarMemory is the most memory that values of a columnar file use while it is read. Of Parquet
// one page and the dictionary of each column that is read are in memory, which is a few MiB for the
// usual pages of 1 MiB, and of Arrow these columns of one batch, and their dictionaries.
const maxColumnarMemory = 1 << 30

// StartBytes is how many of the first bytes of an input NeedsFile looks at.
const StartBytes = columnfile.MaxStart

// NeedsFile reports whether an input that begins with these bytes must be a RandomReader: Parquet, Arrow and zip.
func NeedsFile(start []byte) bool { return columnfile.FormOf(start) != "" || compress.IsZip(start) }

// File is a columnar file that is open for reading.
type File struct {
	file columnfile.File
	form Columnar
	ctx  context.Context
	in   RandomReader
	size int64
	opts *EdgeListOptions // with defaults
}

// openColumnar returns the input as a columnar file if it is to be read as one: if the layout
// or the extension requires it, or if the layout is to be detected and the input begins like
// one. For other inputs it returns nil.
func openColumnar(ctx context.Context, r io.Reader, opts Options) (*File, error) {
	open := opts.Layout == "" || opts.Layout == LayoutAuto || opts.Layout == LayoutVertices
	named := ColumnarOf(opts.Name)
	if !open {
		if named = formOf(opts.Layout); named == "" {
			return nil, nil
		}
	}
	in, random := r.(RandomReader)
	start := make([]byte, columnfile.MaxStart)
	if random {
		n, _ := in.ReadAt(start, 0) // a pipe does not support ReadAt
		start = start[:n]
	}
	begins := Columnar(columnfile.FormOf(start))
	form := cmp.Or(named, begins)
	if form == "" {
		return nil, nil
	}
	if layoutIn(named) == LayoutArrow && layoutIn(begins) == LayoutArrow {
		form = begins // of the two forms of Arrow, the bytes say which one it is
	}
	edges := opts.EdgeListOptions.withDefaults()
	if !random {
		return nil, streamedColumnar(opts.Name, form)
	}
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", fault.Input(opts.Name), err)
	}
	if strings.HasPrefix(string(start), "\x1f\x8b") || strings.HasPrefix(string(start), "\x28\xb5\x2f\xfd") {
		return nil, &ColumnarError{File: opts.Name, Reason: form.Title() + " is not read from inside another compression; it has its own", Kind: ErrSyntax}
	}
	columns := opts.withDefaults().MaxColumns
	f := &File{form: form, ctx: ctx, in: in, size: size, opts: &edges}
	f.file, err = columnfile.Open(columnfile.Form(form), in, size, columnfile.Limits{Memory: maxColumnarMemory, Bytes: edges.MaxBytes, Columns: columns})
	if err != nil {
		return nil, f.fault(err)
	}
	return f, nil
}

// streamedColumnar returns the error for a columnar file that is not in a RandomReader.
func streamedColumnar(name string, form Columnar) error {
	return &ColumnarError{File: name, Reason: form.Title() + " is read from a file, not from a stream", Kind: ErrSyntax}
}

// fault adds the name of the file to an error of package columnfile, and replaces its kind by
// the kind of this package.
func (f *File) fault(err error) error {
	var at *columnfile.Error
	if !errors.As(err, &at) {
		return fmt.Errorf("reading %s: %w", fault.Input(f.opts.Name), err)
	}
	kind := ErrSyntax
	switch at.Kind {
	case columnfile.ErrDamaged:
		kind = ErrDamaged
	case columnfile.ErrLimit:
		kind = ErrLimit
	case columnfile.ErrLibrary:
		kind = ErrLibrary
	}
	row := at.Row
	if row > 0 {
		row++ // the row that could not be read
	}
	return &ColumnarError{f.opts.Name, at.Column, row, at.Reason, kind}
}

// unfit returns the error for a column whose type does not fit its use; what is the reason.
func (f *File) unfit(column int, what string) error {
	c := f.file.Columns()[column]
	return &ColumnarError{File: f.opts.Name, Column: c.Name, Reason: fmt.Sprintf("it is %s, and %s", article(c.Kind.String()), what), Kind: ErrSyntax}
}

func article(noun string) string {
	switch {
	case strings.HasPrefix(noun, "a "):
		return noun
	case strings.ContainsRune("aeiou", rune(noun[0])):
		return "an " + noun
	}
	return "a " + noun
}

func (f *File) names() []string {
	var names []string
	for _, c := range f.file.Columns() {
		names = append(names, c.Name)
	}
	return names
}

// each calls row for every row of some columns.
func (f *File) each(stats *Stats, columns []int, row func(rows columnfile.Rows) error) error {
	rows, err := f.file.Read(columns...)
	if err != nil {
		return f.fault(err)
	}
	for rows.Next() {
		stats.Lines++
		if stats.Lines%writeCheck == 0 {
			if err := f.ctx.Err(); err != nil {
				return fmt.Errorf("reading %s: %w", fault.Input(f.opts.Name), err)
			}
			f.report(rows.Row())
		}
		if f.opts.MaxLines > 0 && stats.Lines > f.opts.MaxLines {
			return &ColumnarError{File: f.opts.Name, Row: stats.Lines, Reason: fmt.Sprintf("there are more than %d rows", f.opts.MaxLines), Kind: ErrLimit}
		}
		if err := row(rows); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return f.fault(err)
	}
	stats.Bytes = f.size
	f.report(f.file.Rows())
	return f.sum(stats)
}

// report reports the progress in bytes of the file, estimated from the row number.
func (f *File) report(row int64) {
	if f.opts.Progress != nil && f.file.Rows() > 0 {
		f.opts.Progress("reading", int64(float64(f.size)*min(1, float64(row)/float64(f.file.Rows()))), f.size)
	}
}

func (f *File) sum(stats *Stats) error {
	hash := sha256.New()
	if _, err := io.Copy(hash, io.NewSectionReader(f.in, 0, f.size)); err != nil {
		return fmt.Errorf("reading %s: %w", fault.Input(f.opts.Name), err)
	}
	hash.Sum(stats.SHA256[:0])
	return nil
}

// bad ends the read at a malformed row, or counts it under SkipBad.
func (f *File) bad(stats *Stats, column int, text string, args ...any) error {
	err := &ColumnarError{f.opts.Name, f.file.Columns()[column].Name, stats.Lines, fmt.Sprintf(text, args...), ErrSyntax}
	if !f.opts.SkipBad {
		return err
	}
	stats.skip(&LineError{f.opts.Name, stats.Lines, column + 1, err.Reason, ErrSyntax})
	return nil
}

func keyKind(k columnfile.Kind) bool {
	return k == columnfile.Text || k == columnfile.Integer || k == columnfile.Unsigned
}

func numberKind(k columnfile.Kind) bool {
	return k == columnfile.Float || k == columnfile.Double || k == columnfile.Integer || k == columnfile.Unsigned
}

func timeKind(k columnfile.Kind) bool {
	return k == columnfile.Integer || k == columnfile.Text || k == columnfile.Days || stampUnit(k) > 0
}

// stampUnit returns the number of a timestamp's units per second; 0 for other kinds.
func stampUnit(k columnfile.Kind) int64 {
	switch k {
	case columnfile.Millis:
		return 1e3
	case columnfile.Micros:
		return 1e6
	case columnfile.Nanos:
		return 1e9
	}
	return 0
}

// key appends a key as text, or returns the reason why the value is not a key.
func (f *File) key(rows columnfile.Rows, i, column int, dst []byte) (key []byte, reason string) {
	if rows.Missing(i) {
		return dst, "the key is missing"
	}
	switch f.file.Columns()[column].Kind {
	case columnfile.Text:
		dst = append(dst, rows.Text(i)...)
	case columnfile.Unsigned:
		dst = strconv.AppendUint(dst, uint64(rows.Integer(i)), 10)
	default:
		dst = strconv.AppendInt(dst, rows.Integer(i), 10)
	}
	if len(dst) > f.opts.MaxKey {
		return dst, fmt.Sprintf("key %s has %d bytes, the limit is %d", excerpt.Of(dst), len(dst), f.opts.MaxKey)
	}
	if f := fault.OfEncoding(dst); len(dst) == 0 || f.Found() {
		return dst, "key " + excerpt.Of(dst) + " is empty, not UTF-8, or has a NUL"
	}
	return dst, ""
}

func (e *columnarEdges) read() (_ ReadStats, err error) {
	var stats Stats
	e.stats = &stats
	stats.Header = strings.Join(e.names(), ",")
	if err := e.prepare(); err != nil {
		return stats.ReadStats, err
	}
	if slices.Contains(e.file.Entries(), directedEntry) {
		stats.Directed = true
		e.course.all, e.course.now = courseDirected, courseDirected
	}
	stats.IgnoredNames = e.plan.Ignored
	if e.h.EdgeColumns != nil {
		if err := e.attributes(); err != nil {
			return stats.ReadStats, err
		}
	}
	e.values, e.texts = make([][]byte, len(e.further)), make([][]byte, len(e.further))
	for i := range e.texts {
		e.texts[i] = []byte{} // not nil, so that an empty text differs from a missing value
	}
	columns := append(slices.Clone(e.columns), e.further...)
	stats.IgnoredColumns = len(e.file.Columns()) - len(columns)
	if err := e.each(&stats, columns, e.row); err != nil {
		return stats.ReadStats, err
	}
	return stats.ReadStats, e.course.declare(e.course.all)
}

// directedEntry are the metadata of the edges of a directed graph.
var directedEntry = columnfile.Entry{Key: "heavytail.directed", Text: "true"}

// attributes chooses the columns that are attributes: those of a type that an attribute can have.
func (e *columnarEdges) attributes() error {
	var columns []Column
	var ignored []string
	types := e.types()
	for i, c := range e.file.Columns() {
		switch {
		case slices.Contains(e.columns, i):
		case !heldKind(c.Kind) || c.Name == delimited.EdgeID || !delimited.IsAttribute(c.Name):
			ignored = append(ignored, c.Name)
		default:
			e.further, columns = append(e.further, i), append(columns, Column{c.Name, types[i]})
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
	plan, doubt := delimited.PlanFor(e.opts.wanted(), e.names())
	if doubt == "" && len(e.names()) < 2 {
		doubt = "an edge needs two columns, and the file has one"
	}
	if doubt != "" {
		return &ColumnarError{File: e.opts.Name, Reason: doubt, Kind: ErrSyntax}
	}
	e.plan = plan
	return e.choose()
}

// columnarEdges reads edges from the rows of some columns.
type columnarEdges struct {
	*File
	h       Handler
	stats   *Stats
	course  direction
	plan    delimited.Plan
	columns []int                // of the file
	place   [delimited.Roles]int // indices into columns; -1 if the role has no column
	scratch [2][]byte

	further  []int // columns of the file whose values are read, too
	maxValue int
	values   [][]byte // values of the current row; a missing value is empty
	texts    [][]byte // buffers of the values
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
	edge := ReadEdge{Edge: Edge{Weight: 1}}
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
			text, there, reason := e.text(rows, at, column, e.maxValue, e.texts[i][:0])
			if reason != "" {
				return e.bad(e.stats, column, "%s", reason)
			}
			if e.texts[i] = text; there {
				e.values[i] = text
			}
		}
	}
	if _, err := e.course.edge(&edge.Edge, e.stats.Edges == 0); err != nil {
		return err
	}
	e.stats.Edges++
	e.stats.setTime(&edge, figure.PerSecond(e.opts.TimeUnit), 0)
	e.stats.measured(&edge.Edge)
	edge.Values = e.values
	return e.h.Edge(edge.Edge)
}

// time returns a time in the units of edges.
func (e *columnarEdges) time(rows columnfile.Rows, i int) (at int64, dated, ok bool) {
	kind := e.file.Columns()[e.columns[i]].Kind
	switch {
	case kind == columnfile.Text:
		return ParseTime(string(rows.Text(i)))
	case kind == columnfile.Days:
		return rows.Integer(i) * figure.DaySeconds, true, true
	case stampUnit(kind) > 0:
		return columnfile.FloorDiv(rows.Integer(i), stampUnit(kind)), true, true
	}
	at = rows.Integer(i)
	return at, false, at != math.MinInt64
}

func (f *File) vertices(opts Options, h Handler) (_ ReadStats, err error) {
	var stats Stats
	names := f.names()
	stats.Header = strings.Join(names, ",")
	opts = opts.withDefaults()
	v := columnarVertices{File: f, h: h, stats: &stats, maxValue: opts.MaxValue}
	var columns []Column
	var place []int
	key, doubt := KeyColumn(opts.Key, names)
	if doubt == "" {
		columns, place, doubt = Choose(names, f.types(), key-1, opts.Columns)
	}
	if doubt != "" {
		return stats.ReadStats, &ColumnarError{File: f.opts.Name, Reason: doubt, Kind: ErrSyntax}
	}
	if !keyKind(f.file.Columns()[key-1].Kind) {
		return stats.ReadStats, f.unfit(key-1, "the key of a vertex is a text or an integer; the option key chooses another column")
	}
	v.columns = []int{key - 1}
	for column, at := range place {
		if at < 0 {
			continue
		}
		if !heldKind(f.file.Columns()[column].Kind) {
			return stats.ReadStats, f.unfit(column, "no attribute can hold it; the option columns chooses which columns are taken")
		}
		v.columns = append(v.columns, column)
	}
	v.values, v.texts = make([][]byte, len(columns)), make([][]byte, len(columns))
	for i := range v.texts {
		v.texts[i] = []byte{} // not nil, so that an empty text differs from a missing value
	}
	if err := h.Columns(columns); err != nil {
		return stats.ReadStats, err
	}
	err = f.each(&stats, v.columns, v.row)
	return stats.ReadStats, err
}

// heldKind reports whether the values of a kind can be those of an attribute: no lists and no
// records.
func heldKind(k columnfile.Kind) bool {
	return k != columnfile.Other && !k.IsList()
}

// columnarVertices reads vertices from the rows of some columns, the first of which holds the
// keys.
type columnarVertices struct {
	*File
	h        Handler
	stats    *Stats
	maxValue int
	columns  []int // of the file
	scratch  []byte
	values   [][]byte // values of the current row
	texts    [][]byte // buffers of the values
}

func (f *File) types() []Type {
	var types []Type
	for _, c := range f.file.Columns() {
		t := Text // also for dates and timestamps
		switch c.Kind {
		case columnfile.Boolean:
			t = Boolean
		case columnfile.Integer, columnfile.Unsigned:
			t = Integer
		case columnfile.Float, columnfile.Double:
			t = Float
		}
		types = append(types, t)
	}
	return types
}

func (v *columnarVertices) row(rows columnfile.Rows) error {
	key, reason := v.key(rows, 0, v.columns[0], v.scratch[:0])
	if reason != "" {
		return v.bad(v.stats, v.columns[0], "%s", reason)
	}
	v.scratch = key
	for i := range v.values {
		v.values[i] = nil
		if rows.Missing(i + 1) {
			continue
		}
		text, there, reason := v.text(rows, i+1, v.columns[i+1], v.maxValue, v.texts[i][:0])
		if reason != "" {
			return v.bad(v.stats, v.columns[i+1], "%s", reason)
		}
		if v.texts[i] = text; there {
			v.values[i] = text
		}
	}
	v.stats.Vertices++
	return v.h.Vertex(key, v.values)
}

// text appends the value of a column as text, or returns the reason why no attribute can store
// it. NaN is a missing value, as in many programs that write such files.
func (f *File) text(rows columnfile.Rows, i, column, maxValue int, dst []byte) (text []byte, there bool, reason string) {
	switch kind := f.file.Columns()[column].Kind; kind {
	case columnfile.Boolean:
		return strconv.AppendBool(dst, rows.Integer(i) != 0), true, ""
	case columnfile.Integer:
		return strconv.AppendInt(dst, rows.Integer(i), 10), true, ""
	case columnfile.Unsigned:
		if rows.Integer(i) < 0 {
			return dst, false, fmt.Sprintf("%d is above the greatest integer, %d", uint64(rows.Integer(i)), int64(math.MaxInt64))
		}
		return strconv.AppendInt(dst, rows.Integer(i), 10), true, ""
	case columnfile.Float, columnfile.Double:
		x := rows.Double(i)
		if math.IsInf(x, 0) {
			return dst, false, "the value is not finite"
		}
		if dst = strconv.AppendFloat(dst, x, 'g', -1, 64); decimal.IsInteger(dst) {
			dst = append(dst, ".0"...) // the form in which the other readers return a float
		}
		return dst, !math.IsNaN(x), ""
	case columnfile.Days:
		return time.Unix(rows.Integer(i)*figure.DaySeconds, 0).UTC().AppendFormat(dst, time.DateOnly), true, ""
	case columnfile.Millis, columnfile.Micros, columnfile.Nanos:
		return appendStamp(dst, rows.Integer(i), stampUnit(kind)), true, ""
	}
	dst = append(dst, rows.Text(i)...)
	if len(dst) > maxValue {
		return dst, false, fmt.Sprintf("value %s has %d bytes, the limit is %d", excerpt.Of(dst), len(dst), maxValue)
	}
	if f := fault.OfEncoding(dst); f.Found() {
		return dst, false, "value " + excerpt.Of(dst) + " is not UTF-8, or has a NUL"
	}
	return dst, true, ""
}

// appendStamp appends a timestamp in the form of RFC 3339.
func appendStamp(dst []byte, at, unit int64) []byte {
	seconds := columnfile.FloorDiv(at, unit)
	return time.Unix(seconds, (at-seconds*unit)*(1e9/unit)).UTC().AppendFormat(dst, time.RFC3339Nano)
}

// ReadVectorsColumnar reads vectors from a columnar file, one per row: keys, which are texts or
// integers, and lists of numbers, all of the same length. opts.Key and opts.Vector name the
// columns. By default the keys are in the column called key, id, vertex or node, or else in the
// first column that can be keys; the vectors are in the column called vector or embedding, or
// else in the first column of lists. A fault is a *ColumnarError. r must be a RandomReader.
func ReadVectorsColumnar(ctx context.Context, r io.Reader, form Columnar, opts VectorOptions, h VectorHandler) error {
	opts.MaxDim = opts.WithDefaults().MaxDim
	if layoutIn(form) == "" {
		return CheckColumnar(form)
	}
	f, err := openColumnar(ctx, r, Options{Layout: layoutIn(form), EdgeListOptions: EdgeListOptions{
		Name: opts.Name, MaxKey: opts.MaxKey, MaxBytes: opts.MaxBytes, Size: opts.Size, Progress: opts.Progress,
	}})
	if err != nil {
		return err
	}
	key, err := f.vectorColumn(opts.Key, keyKind, "a key is a text or an integer", "vertex", "key", "id", "node")
	if err != nil {
		return err
	}
	list, err := f.vectorColumn(opts.Vector, func(k columnfile.Kind) bool { return k == columnfile.FloatList }, "a vector is a list of numbers", "vector", "embedding")
	if err != nil {
		return err
	}
	v := columnarVectors{File: f, h: h, key: key, list: list, maxDim: opts.MaxDim}
	if f.file.Rows() == 0 {
		return h.Shape(0, 0)
	}
	return f.each(&v.stats, []int{key, list}, v.row)
}

// vectorColumn returns the column that the options name, or else the first with a usual name,
// or else the first of a type that fits.
func (f *File) vectorColumn(named string, fits func(columnfile.Kind) bool, what string, usual ...string) (int, error) {
	if named != "" {
		number, ok := delimited.ColumnNumber(named)
		if !ok {
			var doubt string
			if number, doubt = delimited.ColumnNamed(f.names(), named); doubt != "" {
				return 0, &ColumnarError{File: f.opts.Name, Reason: doubt, Kind: ErrSyntax}
			}
		}
		switch {
		case number < 1 || number > len(f.file.Columns()):
			return 0, &ColumnarError{File: f.opts.Name, Reason: fmt.Sprintf("there is no column %s; the file has %d", named, len(f.file.Columns())), Kind: ErrSyntax}
		case !fits(f.file.Columns()[number-1].Kind):
			return 0, f.unfit(number-1, what)
		}
		return number - 1, nil
	}
	for _, name := range append(usual, "") {
		for i, c := range f.file.Columns() {
			if (name == "" || strings.EqualFold(c.Name, name)) && fits(c.Kind) {
				return i, nil
			}
		}
	}
	return 0, &ColumnarError{File: f.opts.Name, Reason: what + ", and the file has no such column; there are " + excerpt.List(f.names()), Kind: ErrSyntax}
}

// columnarVectors reads vectors from the rows of two columns.
type columnarVectors struct {
	*File
	h         VectorHandler
	stats     Stats
	key, list int // of the file
	maxDim    int
	values    []float32
	scratch   []byte
}

func (v *columnarVectors) row(rows columnfile.Rows) error {
	list := rows.Floats(1)
	if v.values == nil {
		if err := v.shape(len(list)); err != nil {
			return err
		}
	}
	if len(list) != len(v.values) || len(list) == 0 {
		return v.bad(&v.stats, v.list, "the vector has the length %d instead of %d", len(list), len(v.values))
	}
	for i, x := range list {
		v.values[i] = float32(x)
		if math.IsNaN(x) || math.IsInf(float64(v.values[i]), 0) {
			return v.bad(&v.stats, v.list, "the value of dimension %d is not finite, or a float32 cannot hold it", i+1)
		}
	}
	key, reason := v.File.key(rows, 0, v.key, v.scratch[:0])
	if reason != "" {
		return v.bad(&v.stats, v.key, "%s", reason)
	}
	v.scratch = key
	return v.h.Row(key, v.values)
}

// shape sets the length of all vectors from that of the first.
func (v *columnarVectors) shape(dim int) error {
	if dim > v.maxDim {
		return &ColumnarError{v.opts.Name, v.file.Columns()[v.list].Name, 1, fmt.Sprintf("a vector of %d values exceeds the limit of %d", dim, v.maxDim), ErrLimit}
	}
	v.values = make([]float32, dim)
	return v.h.Shape(int(v.file.Rows()), dim)
}

// layoutIn is the layout of edges in a format; empty for no format.
func layoutIn(c Columnar) Layout {
	switch c {
	case Parquet:
		return LayoutParquet
	case Arrow, ArrowStream:
		return LayoutArrow
	}
	return ""
}

// formOf is the format of a layout of edges; empty if the layout has none.
func formOf(l Layout) Columnar {
	for _, form := range Columnars() {
		if layoutIn(form) == l {
			return form
		}
	}
	return ""
}

// Layout is the layout that a file is read in if another one is asked for: that of its edges, or LayoutVertices.
func (f *File) Layout(asked Layout) Layout {
	if asked == LayoutVertices {
		return asked
	}
	return layoutIn(f.form)
}

// Graph reads the edges of a graph or a table of vertices, with options that fit the layout.
func (f *File) Graph(opts Options, h Handler) (stats ReadStats, err error) {
	layout := f.Layout(opts.Layout)
	if layout == LayoutVertices {
		if err := f.fitVertices(opts); err != nil {
			return stats, err
		}
		stats, err = f.vertices(opts, h)
	} else {
		e := columnarEdges{File: f, h: h, course: newDirection(opts, h), maxValue: opts.withDefaults().MaxValue}
		stats, err = e.read()
	}
	stats.Layout = layout
	return stats, err
}

// fitVertices reports options that a table of vertices has no use for.
func (f *File) fitVertices(opts Options) error {
	var faults []error
	conflict := func(option string, value, text string) {
		faults = append(faults, &OptionError{Option: option, Value: value, Conflict: fmt.Sprintf(text, f.form.Title())})
	}
	if s := opts.Separator; s != "" && s != "auto" {
		conflict("separator", s, "%s has no use for a separator")
	}
	if opts.Header == HeaderNone {
		conflict("header", opts.Header.String(), "the columns of %s always have names")
	}
	return errors.Join(faults...)
}
