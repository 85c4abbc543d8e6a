package markdown

import (
	"fmt"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"

	"heavytail/query/parser"
)

// Text shows the page on a terminal of so many columns: paragraphs, lists and the cells of tables are
// broken at blanks, and code is indented by four. A word that is longer than a line is not broken, nor is
// code. With color, headings, emphasis and code are set by the sequences of ANSI terminals; without, titles are
// underlined and code is in backquotes.
func (p *Page) Text(width int, color bool) string {
	t := &printer{Page: p, width: max(width, 20), color: color}
	t.blocks(p.root, "")
	return t.out.String()
}

// printer writes blocks line by line.
type printer struct {
	*Page
	width int
	color bool
	out   strings.Builder
	lead  string // what begins the next line in place of its indent, such as a bullet
}

func (t *printer) line(indent, text string) {
	if t.lead != "" {
		indent, t.lead = t.lead, ""
	}
	t.out.WriteString(strings.TrimRight(indent+text, " ") + "\n")
}

// blocks writes the blocks in a block. There are empty lines between them, but not in a list without empty lines.
func (t *printer) blocks(parent ast.Node, indent string) {
	tight := false
	if item, is := parent.(*ast.ListItem); is {
		tight = item.Parent().(*ast.List).IsTight
	} else if list, is := parent.(*ast.List); is {
		tight = list.IsTight
	}
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindHTMLBlock {
			continue
		}
		if n.PreviousSibling() != nil && !tight && t.lead == "" {
			t.out.WriteString("\n")
		}
		t.block(n, indent)
	}
}

func (t *printer) block(n ast.Node, indent string) {
	switch n := n.(type) {
	case *ast.Heading:
		t.heading(n, indent)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		for _, line := range t.lines(n) {
			t.line(indent+"    ", t.set(piece{line, code}, true))
		}
	case *ast.List:
		number := n.Start
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			if item.PreviousSibling() != nil && !n.IsTight {
				t.out.WriteString("\n")
			}
			marker := "- "
			if n.IsOrdered() {
				marker = fmt.Sprintf("%d. ", number)
				number++
			}
			t.lead = indent + marker
			t.blocks(item, indent+strings.Repeat(" ", len(marker)))
		}
	case *east.Table:
		t.table(n, indent)
	case *ast.ThematicBreak:
		t.line(indent, strings.Repeat("-", t.width-len(indent)))
	case *ast.Blockquote:
		t.blocks(n, indent+"  ")
	default: // a paragraph
		for _, line := range t.wrapped(t.inlines(n, 0), t.width-len(indent)) {
			t.line(indent, line)
		}
	}
}

func (t *printer) heading(n *ast.Heading, indent string) {
	title := plain(t.inlines(n, 0))
	if t.color {
		set := "1"
		if n.Level == 1 {
			set = "1;4"
		}
		t.line(indent, "\x1b["+set+"m"+title+"\x1b[0m")
		return
	}
	t.line(indent, title)
	if n.Level < 3 {
		t.line(indent, strings.Repeat(map[int]string{1: "=", 2: "-"}[n.Level], parser.Width(title)))
	}
}

// set is a piece as the terminal shows it. A block of code has no backquotes.
func (t *printer) set(p piece, block bool) string {
	switch {
	case p.text == "" || p.style == 0:
		return p.text
	case !t.color && p.style&code != 0 && !block:
		return "`" + p.text + "`"
	case !t.color:
		return p.text
	}
	var codes []string
	for s, c := range map[style]string{bold: "1", italic: "3", code: "36"} {
		if p.style&s != 0 {
			codes = append(codes, c)
		}
	}
	slices.Sort(codes)
	return "\x1b[" + strings.Join(codes, ";") + "m" + p.text + "\x1b[0m"
}

// word is a word as it is shown, and how many columns it takes.
type word struct {
	text  string
	width int
}

// words cuts pieces at blanks. A piece of code without color is in backquotes.
func (t *printer) words(pieces []piece) []word {
	if t.color {
		return words(pieces, func(p piece) string { return t.set(p, true) })
	}
	quoted := slices.Clone(pieces)
	for i, p := range quoted {
		quoted[i].text = t.set(p, false)
	}
	return words(quoted, func(p piece) string { return p.text })
}

// words cuts pieces at blanks, and shows each part of one by a function. What no blank separates is one word.
func words(pieces []piece, shown func(piece) string) (list []word) {
	joined := false // the next part belongs to the last word
	for _, p := range pieces {
		for i, part := range strings.Split(p.text, " ") {
			if i > 0 {
				joined = false
			}
			if part == "" {
				continue
			}
			w := word{shown(piece{part, p.style}), parser.Width(part)}
			if joined {
				last := &list[len(list)-1]
				last.text, last.width = last.text+w.text, last.width+w.width
			} else {
				list = append(list, w)
			}
			joined = true
		}
	}
	return list
}

func (t *printer) wrapped(pieces []piece, width int) []string {
	var lines []string
	for _, line := range wrap(t.words(pieces), width) {
		lines = append(lines, line.text)
	}
	return lines
}

// wrap divides words into lines of at most so many columns.
func wrap(words []word, width int) (lines []word) {
	for _, w := range words {
		last := len(lines) - 1
		if last < 0 || lines[last].width+1+w.width > width {
			lines = append(lines, w)
			continue
		}
		lines[last].text += " " + w.text
		lines[last].width += 1 + w.width
	}
	return lines
}

// gap is what is between two columns of a table.
const gap = 2

// table writes a table whose cells are broken where it would be wider than the terminal.
func (t *printer) table(n *east.Table, indent string) {
	rows, right := t.cells(n)
	if t.color {
		for i, cell := range rows[0] {
			for j := range cell {
				rows[0][i][j].style |= bold
			}
		}
	}
	words := make([][][]word, len(rows))
	for i, row := range rows {
		for _, cell := range row {
			words[i] = append(words[i], t.words(cell))
		}
	}
	widths := columnWidths(words, len(right), t.width-len(indent))
	var lines [][][]word // of each row: of each cell
	broken := false
	for _, row := range words {
		var cells [][]word
		for i, cell := range row {
			cells = append(cells, wrap(cell, widths[i]))
			broken = broken || len(cells[i]) > 1
		}
		lines = append(lines, cells)
	}
	for i, cells := range lines {
		t.row(cells, widths, right, indent)
		if i == 0 {
			var rules []word
			for _, w := range widths {
				rules = append(rules, word{strings.Repeat("-", w), w})
			}
			t.line(indent, joinCells(rules, widths, right))
		} else if broken && i < len(lines)-1 {
			t.out.WriteString("\n")
		}
	}
}

// row writes the lines of one row.
func (t *printer) row(cells [][]word, widths []int, right []bool, indent string) {
	height := 1
	for _, c := range cells {
		height = max(height, len(c))
	}
	for l := range height {
		line := make([]word, len(widths))
		for i, c := range cells {
			if l < len(c) {
				line[i] = c[l]
			}
		}
		t.line(indent, joinCells(line, widths, right))
	}
}

func joinCells(cells []word, widths []int, right []bool) string {
	var b strings.Builder
	for i, c := range cells {
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		blanks := strings.Repeat(" ", max(0, widths[i]-c.width))
		if right[i] {
			b.WriteString(blanks + c.text)
		} else {
			b.WriteString(c.text + blanks)
		}
	}
	return b.String()
}

// columnWidths are the widths of columns: those of the longest cells if the table fits, else the widest are
// narrowed, none below its longest word.
func columnWidths(rows [][][]word, columns, width int) []int {
	widths, least := make([]int, columns), make([]int, columns)
	for _, row := range rows {
		for i, cell := range row {
			n := len(cell) - 1
			for _, w := range cell {
				n += w.width
				least[i] = max(least[i], w.width)
			}
			widths[i] = max(widths[i], n)
		}
	}
	total := gap * (columns - 1)
	for _, w := range widths {
		total += w
	}
	for ; total > width; total-- {
		widest := -1
		for i, w := range widths {
			if w > least[i] && (widest < 0 || w > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}
