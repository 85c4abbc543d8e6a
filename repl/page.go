package repl

import (
	"bufio"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// pageRows is the number of rows from which a table determines the width of
// its columns: more than a screen shows, and half a megabyte for ten cells of
// 50 bytes.
const pageRows = 1000

// style is the look of a table of padded columns.
type style struct {
	left, between, right string
	top, middle, bottom  *rule // above and below the header, and below the rows; nil: no rule
	cell                 func(rows.Value) string
	pad                  bool // pad the last column, too
	count                bool // write the number of rows below
}

// rule is a horizontal line between rows.
type rule struct {
	left, between, right string
	fill                 string // one column of it
	number               string // last character of fill above a column of numbers; empty means fill
}

var tableStyle = &style{
	left: " ", between: " | ",
	middle: &rule{left: "-", between: "-+-", right: "-", fill: "-"},
	cell:   shortText, count: true,
}

var boxStyle = &style{
	left: "│ ", between: " │ ", right: " │",
	top:    &rule{left: "┌─", between: "─┬─", right: "─┐", fill: "─"},
	middle: &rule{left: "├─", between: "─┼─", right: "─┤", fill: "─"},
	bottom: &rule{left: "└─", between: "─┴─", right: "─┘", fill: "─"},
	cell:   shortText, pad: true, count: true,
}

var markdownStyle = &style{
	left: "| ", between: " | ", right: " |",
	middle: &rule{left: "| ", between: " | ", right: " |", fill: "-", number: ":"},
	cell:   func(v rows.Value) string { return escapeMarkdown(shortText(v)) },
	pad:    true,
}

// pageRenderer writes tables of padded columns. It holds one page of rows: the
// first page decides which columns are numbers and how wide they are, later
// pages can only widen them, so a result of any length takes the memory of one
// page. If the table has a limit, floats may have fewer digits, and text
// columns become narrower, the widest first; longer texts are cut, or in a
// table of two columns continue on the next line. Numbers are never cut, even
// if the table is then too wide. A short result that is too wide is written
// with one line for each value.
type pageRenderer struct {
	out        *bufio.Writer
	style      *style
	limit      func() int // columns of the terminal when a result begins; nil or 0 means no limit
	results    int        // results with columns, so far
	header     []string
	types      []rows.ColumnType
	properties bool         // of a description, whose properties of bytes begin with this word
	page       []string     // cells of the rows that are not written yet
	values     []rows.Value // values of the first page, if there is a limit
	widths     []int
	drawn      []int  // widths of the rows above
	digits     []int  // widest number so far
	number     []bool // columns where all values so far are numbers, or missing
	seen       []bool // columns with a value so far
	precision  int    // significant digits of floats; 0 means those of the style
	fitted     bool   // widths are those that fit the terminal
	cut        bool   // something of this result was cut
	headed     bool
	rows       int
}

func (r *pageRenderer) begin(columns []string, types []rows.ColumnType) {
	r.types, r.properties = types, slices.Equal(columns, []string{"property", "value"})
	r.header, r.page, r.headed, r.rows = nil, r.page[:0], false, 0
	r.values = r.values[:0]
	r.fitted, r.cut, r.precision = false, false, 0
	if len(columns) == 0 {
		return
	}
	if r.results++; r.results > 1 {
		r.out.WriteByte('\n')
	}
	r.widths, r.digits = make([]int, len(columns)), make([]int, len(columns))
	r.number, r.seen = make([]bool, len(columns)), make([]bool, len(columns))
	for i, c := range columns {
		cell := r.style.cell(c)
		r.header = append(r.header, cell)
		r.widths[i] = max(parser.Width(cell), leastWidth)
		r.number[i] = true
	}
}

// leastWidth is the minimum width of a rule in Markdown.
const leastWidth = 3

func (r *pageRenderer) row(values []rows.Value) error {
	for i, v := range values {
		cell := r.cell(i, v, values[0])
		r.page = append(r.page, cell)
		width, number := parser.Width(cell), isNumber(v)
		if number {
			r.digits[i] = max(r.digits[i], width)
		}
		if number || !r.fitted {
			r.widths[i] = max(r.widths[i], width)
		}
		if !r.headed && v != nil {
			r.seen[i] = true
			r.number[i] = r.number[i] && number
		}
		if !r.headed && r.limit != nil {
			r.values = append(r.values, v)
		}
	}
	if r.rows++; r.rows%pageRows == 0 {
		r.flush(false)
		// Writing nothing returns the error that a bufio.Writer has kept.
		_, err := r.out.Write(nil)
		return err
	}
	return nil
}

func (r *pageRenderer) end(error) {
	if len(r.header) == 0 {
		return
	}
	if r.flush(true) {
		r.rule(r.style.bottom)
	}
	if r.style.count {
		if r.rows == 1 {
			r.out.WriteString("(1 row)\n")
		} else {
			fmt.Fprintf(r.out, "(%d rows)\n", r.rows)
		}
	}
}

// flush writes the page, and before the first page the header. It reports
// whether it wrote them as a table.
func (r *pageRenderer) flush(last bool) bool {
	if r.limit == nil && !r.fitted && slices.Equal(r.header, []string{"item", "text"}) {
		r.fit(helpColumns)
	}
	if r.limit != nil && !r.fitted {
		fits := r.fit(r.limit())
		if !fits && last && !r.headed && 0 < r.rows && r.rows <= turnedRows {
			r.turned()
			r.forget()
			return false
		}
	}
	if !r.headed {
		r.headed = true
		for i := range r.number {
			r.number[i] = r.number[i] && r.seen[i]
		}
		r.rule(r.style.top)
		r.line(r.header)
		r.rule(r.style.middle)
	} else if r.style.top != nil && !slices.Equal(r.drawn, r.widths) {
		r.rule(r.style.middle) // the columns above and below have different widths
	}
	r.drawn = append(r.drawn[:0], r.widths...)
	for cells := r.page; len(cells) > 0; cells = cells[len(r.header):] {
		r.line(cells[:len(r.header)])
	}
	r.forget()
	return true
}

func (r *pageRenderer) forget() {
	clear(r.page)
	clear(r.values)
	r.page, r.values = r.page[:0], r.values[:0]
}

// rule writes a horizontal line, if the style has it.
func (r *pageRenderer) rule(s *rule) {
	if s == nil {
		return
	}
	r.out.WriteString(s.left)
	for i, width := range r.widths {
		if i > 0 {
			r.out.WriteString(s.between)
		}
		last := s.fill
		if r.number[i] && s.number != "" {
			last = s.number
		}
		r.out.WriteString(strings.Repeat(s.fill, width-1) + last)
	}
	r.out.WriteString(s.right + "\n")
}

// line writes a row, which may take several lines of a table of two columns.
func (r *pageRenderer) line(cells []string) {
	if pieces := r.wrapped(cells); pieces != nil {
		for i, piece := range pieces {
			name := ""
			if i == 0 {
				name = cells[0]
			}
			r.oneLine([]string{name, piece})
		}
		return
	}
	r.oneLine(cells)
}

func (r *pageRenderer) oneLine(cells []string) {
	r.out.WriteString(r.style.left)
	for i, cell := range cells {
		if i > 0 {
			r.out.WriteString(r.style.between)
		}
		blank := r.widths[i] - parser.Width(cell)
		if blank < 0 {
			cell = clip(cell, r.widths[i])
			blank, r.cut = r.widths[i]-parser.Width(cell), true
		}
		if r.number[i] {
			r.blanks(blank)
		}
		r.out.WriteString(cell)
		if !r.number[i] && (i < len(cells)-1 || r.style.pad) {
			r.blanks(blank)
		}
	}
	r.out.WriteString(r.style.right + "\n")
}

// clip cuts a text that is wider than a number of columns, and adds an
// ellipsis.
func clip(text string, columns int) string {
	if n := parser.Fit(text, columns-1); n < len(text) {
		return text[:n] + "…"
	}
	return text
}

func (r *pageRenderer) blanks(n int) {
	for range n {
		r.out.WriteByte(' ')
	}
}

// escapeMarkdown escapes a text so that it is not read as markup inside a
// table cell.
func escapeMarkdown(text string) string {
	if !strings.ContainsAny(text, "\\|`*[]<>&~_") {
		return text
	}
	var b strings.Builder
	for i, c := range text {
		switch c {
		case '<':
			b.WriteString("&lt;")
			continue
		case '>':
			b.WriteString("&gt;")
			continue
		case '&':
			b.WriteString("&amp;")
			continue
		case '\\', '|', '`', '*', '[', ']', '~':
			b.WriteByte('\\')
		case '_': // inside a word it is not markup, and many names contain it
			before, _ := utf8.DecodeLastRuneInString(text[:i])
			after, _ := utf8.DecodeRuneInString(text[i+1:])
			if !isWord(before) || !isWord(after) {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(c)
	}
	return b.String()
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// This file fits tables into a terminal. A table that is too wide first loses
// digits of its floats, since the last ones are rarely read, then the ends of
// its texts. A short result that is too wide even then is turned: one line for
// each value.

const (
	leastText   = 6   // columns that a text keeps, so that it remains distinguishable
	leastDigits = 3   // significant digits that a float keeps
	turnedRows  = 20  // rows of a result that may be turned
	wrapLines   = 40  // lines that a text of a table of two columns may have
	helpColumns = 100 // of HELP where the output is no terminal
)

// fit makes columns narrower until the table takes at most limit columns of
// the terminal, as far as possible without cutting numbers, and reports
// whether it succeeded.
func (r *pageRenderer) fit(limit int) bool {
	if limit <= 0 || r.total(math.MaxInt) <= limit {
		return true
	}
	r.fitted = true
	// Floats lose digits before texts are cut, but keep more than three digits if
	// cutting all texts is enough.
	for digits := 5; digits > leastDigits && r.total(math.MaxInt) > limit; digits-- {
		r.round(digits)
	}
	if r.total(0) > limit {
		r.round(leastDigits)
	}
	most := sort.Search(limit+1, func(n int) bool { return r.total(n) > limit }) - 1
	for i := range r.widths {
		r.widths[i] = r.fitting(i, most)
	}
	return most >= 0
}

// fitting returns the width of column i if texts get at most so many columns of
// the terminal. Texts keep at least leastText columns.
func (r *pageRenderer) fitting(i, most int) int {
	w := r.widths[i]
	return min(w, max(r.digits[i], min(w, leastText), most))
}

// total returns the width of the table if texts get at most so many columns.
func (r *pageRenderer) total(most int) int {
	right := max(parser.Width(r.style.right), parser.Width(r.style.middle.right))
	sum := parser.Width(r.style.left) + right + (len(r.widths)-1)*parser.Width(r.style.between)
	for i := range r.widths {
		sum += r.fitting(i, most)
	}
	return sum
}

// round writes the floats of the page, and those of later pages, with a number
// of significant digits.
func (r *pageRenderer) round(digits int) {
	if r.headed {
		return // the rows above are already written
	}
	r.precision = digits
	for i, name := range r.header {
		r.widths[i], r.digits[i] = max(parser.Width(name), leastWidth), 0
	}
	for at, v := range r.values {
		i := at % len(r.header)
		if _, float := v.(float64); float {
			r.page[at] = r.cell(i, v, r.values[at-i])
		}
		width := parser.Width(r.page[at])
		r.widths[i] = max(r.widths[i], width)
		if isNumber(v) {
			r.digits[i] = max(r.digits[i], width)
		}
	}
}

// cell writes a value of a column, in a row with a first value.
func (r *pageRenderer) cell(column int, v, first rows.Value) string {
	if name, _ := first.(string); r.types[column].Bytes || r.properties && column == 1 && strings.HasPrefix(name, "bytes") {
		switch v := v.(type) {
		case int64:
			return fault.Amount(float64(v), "bytes")
		case float64:
			return fault.Amount(v, "bytes")
		}
	}
	if x, ok := v.(float64); ok && r.precision > 0 {
		return roundedFloat(x, r.precision)
	}
	return r.style.cell(v)
}

// roundedFloat writes a float with a number of significant digits; up to a
// million, all digits before the point are kept.
func roundedFloat(x float64, digits int) string {
	if size := math.Abs(x); size >= math.Pow10(digits) && size < 999999.5 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', digits, 64)
}

func isNumber(v rows.Value) bool {
	switch v.(type) {
	case int64, float64:
		return true
	}
	return false
}

// turned writes the page with one line for each value.
func (r *pageRenderer) turned() {
	widest := 0
	for _, name := range r.header {
		widest = max(widest, parser.Width(name))
	}
	for at, cell := range r.page {
		i := at % len(r.header)
		if i == 0 && at > 0 {
			r.out.WriteByte('\n')
		}
		r.blanks(widest - parser.Width(r.header[i]))
		r.out.WriteString(r.header[i] + " = " + cell + "\n")
	}
}

// wrapped splits the text of a table of two columns, a name and its
// description, into lines.
func (r *pageRenderer) wrapped(cells []string) []string {
	if len(cells) != 2 || r.number[1] || parser.Width(cells[1]) <= r.widths[1] {
		return nil
	}
	return wrap(cells[1], r.widths[1])
}

// wrap splits a text into lines of a number of columns, at blanks if possible.
// A text of more than wrapLines lines keeps its rest in the last line.
func wrap(text string, columns int) []string {
	var lines []string
	for len(lines) < wrapLines-1 && parser.Width(text) > columns {
		cut := parser.Fit(text, columns)
		if cut == 0 {
			break // even the first character is wider
		}
		if blank := strings.LastIndexByte(text[:min(cut+1, len(text))], ' '); blank > cut/3 {
			cut = blank
		}
		lines = append(lines, text[:cut])
		text = strings.TrimLeft(text[cut:], " ")
	}
	return append(lines, text)
}

// defaultWidth is used for a terminal that does not report its width.
const defaultWidth = 80
