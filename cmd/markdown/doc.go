// Package markdown shows pages of Markdown on a terminal, as man pages and as one HTML file that
// can be searched. It parses them by goldmark, with tables.
package markdown

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Page is a page that was parsed.
type Page struct {
	source []byte
	root   ast.Node
}

// markdown is goldmark with tables and names of headings.
func markdown() goldmark.Markdown {
	return goldmark.New(append(tableOptions(), goldmark.WithParserOptions(parser.WithAutoHeadingID()))...)
}

func tableOptions() []goldmark.Option {
	return []goldmark.Option{
		goldmark.WithParserOptions(parser.WithParagraphTransformers(util.Prioritized(tables{}, 200)), parser.WithASTTransformers(util.Prioritized(barsInCode{}, 0))),
		goldmark.WithRendererOptions(html.WithXHTML(), renderer.WithNodeRenderers(util.Prioritized(tables{}, 500))),
	}
}

// Parse reads a page. Any text is one; comments of HTML are left out when it is shown. The links of its headings
// begin with name.
func Parse(name, source string) *Page {
	p := &Page{source: []byte(source)}
	ids := parser.NewContext(parser.WithIDs(&headingIDs{name: name, used: map[string]bool{}}))
	p.root = markdown().Parser().Parse(text.NewReader(p.source), parser.WithContext(ids))
	return p
}

// headingIDs gives each heading of a page a link: the name of the page, and for all but the title a
// hyphen and the words of the heading.
type headingIDs struct {
	name string
	used map[string]bool
}

func (h *headingIDs) Generate(value []byte, _ ast.NodeKind) []byte {
	id := h.name
	if len(h.used) > 0 {
		id += "-" + strings.Join(strings.FieldsFunc(strings.ToLower(string(value)), func(c rune) bool {
			return (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '_'
		}), "-")
	}
	for base, n := id, 2; h.used[id]; n++ {
		id = fmt.Sprintf("%s-%d", base, n)
	}
	h.used[id] = true
	return []byte(id)
}

func (h *headingIDs) Put(value []byte) { h.used[string(value)] = true }

// Title is the text of the first heading.
func (p *Page) Title() string {
	for n := p.root.FirstChild(); n != nil; n = n.NextSibling() {
		if n.Kind() == ast.KindHeading {
			return plain(p.inlines(n, 0))
		}
	}
	return ""
}

// style is how a piece of a text is set: a sum of bold, italic and code.
type style uint8

const (
	bold style = 1 << iota
	italic
	code
)

// piece is a text of one style.
type piece struct {
	text  string
	style style
}

func plain(pieces []piece) (s string) {
	for _, p := range pieces {
		s += p.text
	}
	return s
}

// inlines are the pieces of a paragraph, a heading or a cell.
func (p *Page) inlines(parent ast.Node, s style) (list []piece) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			value := n.Segment.Value(p.source)
			if s&code == 0 {
				value = util.UnescapePunctuations(util.ResolveEntityNames(util.ResolveNumericReferences(value)))
			}
			list = append(list, piece{string(value), s})
			if n.SoftLineBreak() || n.HardLineBreak() {
				list = append(list, piece{" ", s})
			}
		case *ast.String:
			list = append(list, piece{string(n.Value), s})
		case *ast.CodeSpan:
			list = append(list, piece{plain(p.inlines(n, s|code)), s | code}) // in a table several texts, if it has bars
		case *ast.Emphasis:
			set := italic
			if n.Level > 1 {
				set = bold
			}
			list = append(list, p.inlines(n, s|set)...)
		case *ast.Link:
			list = append(append(list, p.inlines(n, s)...), piece{" (" + string(n.Destination) + ")", s})
		case *ast.AutoLink:
			list = append(list, piece{string(n.Label(p.source)), s})
		default:
			list = append(list, p.inlines(n, s)...)
		}
	}
	return list
}

// lines are the lines of a block of code.
func (p *Page) lines(n ast.Node) (list []string) {
	for i := range n.Lines().Len() {
		at := n.Lines().At(i)
		line := string(at.Value(p.source))
		for len(line) > 0 && (line[len(line)-1] == '\n' || line[len(line)-1] == '\r') {
			line = line[:len(line)-1]
		}
		list = append(list, line)
	}
	return list
}

// cells are the rows of a table, the names of its columns first, and the columns of numbers.
func (p *Page) cells(table *east.Table) (rows [][][]piece, right []bool) {
	for _, a := range table.Alignments {
		right = append(right, a == east.AlignRight)
	}
	for r := table.FirstChild(); r != nil; r = r.NextSibling() {
		var row [][]piece
		for c := r.FirstChild(); c != nil; c = c.NextSibling() {
			row = append(row, p.inlines(c, 0))
		}
		rows = append(rows, row)
	}
	return rows, right
}
