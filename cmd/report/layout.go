package report

import (
	"fmt"
	"html"
	"strings"

	"heavytail/query/parser"
)

// markup is text that is HTML already.
type markup string

// layout lays out a page. Only put writes to it, so that every text is escaped. It is code and
// not a template: with package html/template in it, a program keeps all methods of all of its types,
// which is 10 MB of heavytail and 1.5 MB of memory of every process.
type layout struct{ strings.Builder }

// put adds HTML with the verbs of package fmt. Strings are escaped, first as for a terminal:
// a mark of direction in a key would reorder the line around it. Markup is not escaped.
func (l *layout) put(format string, args ...any) {
	for i, a := range args {
		if text, ok := a.(string); ok {
			args[i] = html.EscapeString(parser.Escape(text))
		}
	}
	fmt.Fprintf(l, format, args...)
}

// putIf is put for a text, and adds nothing if that is empty.
func (l *layout) putIf(format, text string) {
	if text != "" {
		l.put(format, text)
	}
}

func (l *layout) page(p page) {
	l.put(`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"/>
<meta name="color-scheme" content="light dark"/>
<title>%s</title>
<link rel="icon" href="data:,"/>
<style>%s</style>
</head>
<body>
<header>
<p class="kind">heavytail report`, p.Title, p.Style)
	l.putIf(" of %s", p.Date)
	l.put("</p>\n<h1>%s</h1>\n<dl class=\"facts\">", p.Title)
	l.tiles(p.Facts)
	l.put("</dl>\n<nav aria-label=\"Contents\">\n<ul>\n")
	for _, s := range p.Sections {
		l.contents(s.ID, s.Name, s.Blocks)
	}
	if len(p.Work) > 0 {
		l.contents("file", "The file", p.Work)
	}
	l.put("</ul>\n</nav>\n</header>\n<main>\n")
	for _, s := range p.Sections {
		l.put("<section aria-labelledby=\"%s\">\n<h2 id=\"%s\">%s</h2>\n", s.ID, s.ID, s.Name)
		l.putIf("<p class=\"source\">from %s</p>\n", s.Source)
		l.put(`<dl class="tiles">`)
		l.tiles(s.Tiles)
		l.put("</dl>\n")
		l.blocks(s.Blocks)
	}
	if len(p.Work) > 0 {
		l.put("<section aria-labelledby=\"file\">\n<h2 id=\"file\">The file</h2>\n")
		l.blocks(p.Work)
	}
	l.put(`</main>
<footer><p>Figures have four significant digits; <code>data</code> elements have all of them. The same file and options give the same page.</p></footer>
</body>
</html>
`)
}

// contents adds the blocks of a section to the table of contents.
func (l *layout) contents(id, name string, blocks []block) {
	l.put(`<li><a href="#%s">%s</a><ul>`, id, name)
	for _, b := range blocks {
		l.put(`<li><a href="#%s">%s</a></li>`, b.ID, b.Title)
	}
	l.put("</ul></li>\n")
}

func (l *layout) tiles(tiles []tile) {
	for _, t := range tiles {
		l.put("<div><dt>%s</dt><dd>", t.Name)
		l.cell(t.cell)
		l.put("</dd></div>")
	}
}

func (l *layout) cell(c cell) {
	if c.Exact != "" {
		l.put(`<data value="%s">%s</data>`, c.Exact, c.Text)
	} else {
		l.put("%s", c.Text)
	}
	if c.Bar != 0 {
		l.put(`<span class="bar" aria-hidden="true"><i style="width:%.1f%%"></i></span>`, c.percent())
	}
}

// blocks adds the blocks of a section, and its end.
func (l *layout) blocks(blocks []block) {
	for _, b := range blocks {
		l.block(b)
	}
	l.put("</section>\n")
}

func (l *layout) block(b block) {
	l.put("<article id=\"%s\">\n<h3>%s</h3>\n", b.ID, b.Title)
	l.putIf("<p class=\"lead\">%s</p>\n", b.Lead)
	l.putIf("<p class=\"failed\">Not shown: %s</p>\n", b.Failed)
	if len(b.Pictures) > 0 {
		l.put(`<div class="pictures">`)
		for _, d := range b.Pictures {
			l.drawing(d)
		}
		l.put("</div>\n")
	}
	for _, t := range b.Tables {
		l.table(t)
	}
	if len(b.Notes) > 0 {
		l.put(`<ul class="notes">`)
		for _, n := range b.Notes {
			l.put("<li>%s</li>", n)
		}
		l.put("</ul>\n")
	}
	l.putIf("<p class=\"statement\">The same figures: <code>%s</code></p>\n", b.Statement)
	l.put("</article>\n")
}

// drawing adds a picture, which is HTML already: package figure has escaped its texts.
func (l *layout) drawing(d drawing) {
	l.put("<figure%s>\n%s\n", when(d.Wide, ` class="wide"`), markup(d.SVG))
	if len(d.Legend) > 0 {
		l.put(`<ul class="legend">`)
		for _, e := range d.Legend {
			l.put("<li>%s%s</li>", markup(e.Sample), e.Name)
		}
		l.put("</ul>\n")
	}
	l.put("<figcaption>%s</figcaption>\n</figure>", d.Caption)
}

// table adds a table, which a reader can scroll, and open if it is folded.
func (l *layout) table(t table) {
	if t.Folded {
		l.put("<details><summary>%s</summary>", t.Caption)
	}
	l.put(`<div class="scroll" tabindex="0" role="region" aria-label="%s"><table%s><caption%s><span>%s</span></caption>`+"\n",
		t.Caption, when(t.Plain, ` class="plain"`), when(t.Folded, ` class="heard"`), t.Caption)
	if !t.Plain {
		l.put("<thead><tr>")
		for _, c := range t.Columns {
			l.put(`<th scope="col"%s>%s</th>`, when(c.Number, numeric), c.Name)
		}
		l.put("</tr></thead>\n")
	}
	l.put("<tbody>\n")
	for _, row := range t.Rows {
		l.row(row, t.Columns)
	}
	l.put("</tbody></table></div>%s\n", when(t.Folded, "</details>"))
}

const numeric markup = ` class="number"`

// row adds a row, whose first cell is its head.
func (l *layout) row(row []cell, columns []column) {
	l.put("<tr>")
	for i, c := range row {
		element, class := markup("td"), when(c.long(), ` class="long"`)
		if columns[i].Number {
			class = numeric
		}
		if i == 0 {
			element, class = "th", ` scope="row"`+when(columns[0].Number, numeric)
		}
		l.put("<%s%s>", element, class)
		l.cell(c)
		l.put("</%s>", element)
	}
	l.put("</tr>\n")
}

// when returns markup under a condition, and otherwise nothing.
func when(condition bool, m markup) markup {
	if condition {
		return m
	}
	return ""
}
