package repl

import (
	"math"
	"sort"
	"strconv"
	"strings"

	"heavytail/query/parser"
	"heavytail/query/rows"
)

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
			r.page[at] = r.cell(v)
		}
		width := parser.Width(r.page[at])
		r.widths[i] = max(r.widths[i], width)
		if isNumber(v) {
			r.digits[i] = max(r.digits[i], width)
		}
	}
}

func (r *pageRenderer) cell(v rows.Value) string {
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
