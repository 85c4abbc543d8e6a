package markdown

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// tables reads tables as GitHub defines them (GitHub Flavored Markdown Spec 0.29, section 4.10), and writes them as HTML
// in which the first cell of a row is its heading. The package extension of goldmark has more than that, and takes an
// eighth of the time in which the command starts, for expressions that find links in texts.
type tables struct{}

// Transform implements parser.ParagraphTransformer: the lines of a paragraph from one above a delimiter row on are a table.
func (tables) Transform(p *ast.Paragraph, reader text.Reader, _ parser.Context) {
	source, lines := reader.Source(), p.Lines()
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		alignments := alignmentsOf(string(line.Value(source)))
		if alignments == nil {
			continue
		}
		names := cellsOf(source, lines.At(i-1))
		if len(names) > len(alignments) {
			return
		}
		table := east.NewTable()
		table.Alignments = alignments
		table.AppendChild(table, east.NewTableHeader(rowOf(names, alignments)))
		for j := i + 1; j < lines.Len(); j++ {
			table.AppendChild(table, rowOf(cellsOf(source, lines.At(j)), alignments))
		}
		p.Parent().InsertAfter(p.Parent(), p, table)
		if i == 1 {
			p.Parent().RemoveChild(p.Parent(), p)
			return
		}
		lines.SetSliced(0, i-1)
		last := lines.At(i - 2)
		lines.Set(i-2, last.TrimRightSpace(source))
		return
	}
}

// alignmentsOf are those of a delimiter row, such as |:--|--:|; nil for any other line.
func alignmentsOf(line string) (list []east.Alignment) {
	indented := strings.HasPrefix(line, "    ")
	line = strings.TrimSpace(line)
	if indented || !strings.ContainsAny(line, "|:") { // the latter is an underline
		return nil
	}
	for cell := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(line, "|"), "|"), "|") {
		cell = strings.TrimSpace(cell)
		rest, left := strings.CutPrefix(cell, ":")
		rest, right := strings.CutSuffix(rest, ":")
		if rest == "" || strings.Trim(rest, "-") != "" {
			return nil
		}
		switch {
		case left && right:
			list = append(list, east.AlignCenter)
		case left:
			list = append(list, east.AlignLeft)
		case right:
			list = append(list, east.AlignRight)
		default:
			list = append(list, east.AlignNone)
		}
	}
	return list
}

// cellsOf are the cells of a row. A bar behind a backslash is text.
func cellsOf(source []byte, row text.Segment) (cells []text.Segment) {
	row = row.TrimLeftSpace(source)
	row = row.TrimRightSpace(source)
	at, end := row.Start, row.Stop
	if at < end && source[at] == '|' {
		at++
	}
	if at < end && source[end-1] == '|' {
		end--
	}
	for ; at < end; at++ {
		begin := at
		for at < end && (source[at] != '|' || source[at-1] == '\\') {
			at++
		}
		cell := text.NewSegment(begin, at)
		cell = cell.TrimLeftSpace(source)
		cells = append(cells, cell.TrimRightSpace(source))
	}
	return cells
}

// rowOf is a row of as many cells as there are columns.
func rowOf(cells []text.Segment, alignments []east.Alignment) *east.TableRow {
	row := east.NewTableRow(alignments)
	for i, a := range alignments {
		cell := east.NewTableCell()
		cell.Alignment = a
		if i < len(cells) {
			cell.Lines().Append(cells[i])
		}
		row.AppendChild(row, cell)
	}
	return row
}

// barsInCode leaves out the backslash before a bar in the code of a table, where it is no escape.
type barsInCode struct{}

// Transform implements parser.ASTTransformer.
func (barsInCode) Transform(page *ast.Document, reader text.Reader, _ parser.Context) {
	inCell := false
	_ = ast.Walk(page, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if n.Kind() == east.KindTableCell {
			inCell = entering
		}
		if !inCell || !entering || n.Kind() != ast.KindCodeSpan {
			return ast.WalkContinue, nil
		}
		for part := n.FirstChild(); part != nil; part = part.NextSibling() {
			all := &part.(*ast.Text).Segment
			if i := bytes.Index(all.Value(reader.Source()), []byte(`\|`)); i >= 0 {
				n.InsertAfter(n, part, ast.NewRawTextSegment(all.WithStart(all.Start+i+1)))
				*all = all.WithStop(all.Start + i)
			}
		}
		return ast.WalkContinue, nil
	})
}

// RegisterFuncs implements renderer.NodeRenderer.
func (tables) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	write := func(kind ast.NodeKind, tags func(n ast.Node) (before, after string)) {
		to.Register(kind, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			tag, after := tags(n)
			if !entering {
				tag = after
			}
			_, err := w.WriteString(tag)
			return ast.WalkContinue, err
		})
	}
	write(east.KindTable, func(ast.Node) (before, after string) { return "<table>\n", "</table>\n" })
	write(east.KindTableHeader, func(n ast.Node) (before, after string) {
		if after = "</tr>\n</thead>\n"; n.NextSibling() != nil {
			after += "<tbody>\n"
		}
		return "<thead>\n<tr>\n", after
	})
	write(east.KindTableRow, func(n ast.Node) (before, after string) {
		if after = "</tr>\n"; n.NextSibling() == nil {
			after += "</tbody>\n"
		}
		return "<tr>\n", after
	})
	write(east.KindTableCell, func(n ast.Node) (before, after string) {
		name, of := "td", ""
		switch {
		case n.Parent().Kind() == east.KindTableHeader:
			name = "th"
		case n.PreviousSibling() == nil:
			name, of = "th", ` scope="row"`
		}
		if a := n.(*east.TableCell).Alignment; a != east.AlignNone {
			of += ` align="` + a.String() + `"`
		}
		return "<" + name + of + ">", "</" + name + ">\n"
	})
}
