package repl

import (
	"bufio"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"heavytail/query"
	"heavytail/query/parser"
)

// pageRows is the number of rows that a table looks at before it settles the
// width of its columns: more than a screen shows, and at ten cells of 50 bytes
// half a megabyte.
const pageRows = 1000

// style is the look of a table of padded columns.
type style struct {
	left, between, right string
	rule                 func(width int, number bool) string
	ruleBetween          string
	ruleLeft, ruleRight  string
	cell                 func(query.Value) string
	pad                  bool // also behind the last column
	count                bool // write the number of rows below
}

var tableStyle = &style{
	left: " ", between: " | ",
	rule:        func(width int, _ bool) string { return strings.Repeat("-", width) },
	ruleBetween: "-+-", ruleLeft: "-", ruleRight: "-",
	cell: shortText, count: true,
}

var markdownStyle = &style{
	left: "| ", between: " | ", right: " |",
	rule: func(width int, number bool) string {
		if number {
			return strings.Repeat("-", width-1) + ":"
		}
		return strings.Repeat("-", width)
	},
	ruleBetween: " | ", ruleLeft: "| ", ruleRight: " |",
	cell: func(v query.Value) string { return escapeMarkdown(shortText(v)) },
	pad:  true,
}

// pageRenderer writes tables of padded columns. It holds one page of rows: the
// first decides which columns are numbers and how wide they are, later ones can
// only make them wider, so a result of any length needs the memory of a page.
type pageRenderer struct {
	out     *bufio.Writer
	style   *style
	results int // with columns, so far
	header  []string
	page    []string // cells of the rows that are not written yet
	widths  []int
	number  []bool // columns where all values so far are numbers, or missing
	seen    []bool // columns with a value so far
	headed  bool
	rows    int
}

func (r *pageRenderer) begin(columns []string) {
	r.header, r.page, r.headed, r.rows = nil, r.page[:0], false, 0
	if len(columns) == 0 {
		return
	}
	if r.results++; r.results > 1 {
		r.out.WriteByte('\n')
	}
	r.widths = make([]int, len(columns))
	r.number, r.seen = make([]bool, len(columns)), make([]bool, len(columns))
	for i, c := range columns {
		cell := r.style.cell(c)
		r.header = append(r.header, cell)
		r.widths[i] = max(parser.Width(cell), 3) // the least that Markdown's rule needs
		r.number[i] = true
	}
}

func (r *pageRenderer) row(values []query.Value) error {
	for i, v := range values {
		cell := r.style.cell(v)
		r.page = append(r.page, cell)
		r.widths[i] = max(r.widths[i], parser.Width(cell))
		if r.headed {
			continue
		}
		switch v.(type) {
		case nil:
		case int64, float64:
			r.seen[i] = true
		default:
			r.seen[i], r.number[i] = true, false
		}
	}
	if r.rows++; r.rows%pageRows == 0 {
		r.flush()
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
	r.flush()
	if r.style.count {
		if r.rows == 1 {
			r.out.WriteString("(1 row)\n")
		} else {
			fmt.Fprintf(r.out, "(%d rows)\n", r.rows)
		}
	}
}

// flush writes the page, and before the first one the header.
func (r *pageRenderer) flush() {
	if !r.headed {
		r.headed = true
		for i := range r.number {
			r.number[i] = r.number[i] && r.seen[i]
		}
		r.line(r.header)
		r.out.WriteString(r.style.ruleLeft)
		for i, width := range r.widths {
			if i > 0 {
				r.out.WriteString(r.style.ruleBetween)
			}
			r.out.WriteString(r.style.rule(width, r.number[i]))
		}
		r.out.WriteString(r.style.ruleRight + "\n")
	}
	for cells := r.page; len(cells) > 0; cells = cells[len(r.header):] {
		r.line(cells[:len(r.header)])
	}
	clear(r.page) // lets go of the texts
	r.page = r.page[:0]
}

func (r *pageRenderer) line(cells []string) {
	r.out.WriteString(r.style.left)
	for i, cell := range cells {
		if i > 0 {
			r.out.WriteString(r.style.between)
		}
		blank := r.widths[i] - parser.Width(cell)
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

func (r *pageRenderer) blanks(n int) {
	for range n {
		r.out.WriteByte(' ')
	}
}

// escapeMarkdown keeps a text from being read as markup inside a table cell.
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
		case '_': // inside a word it is no markup, and names are full of it
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
