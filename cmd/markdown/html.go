package markdown

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

//go:embed book.css
var bookStyle string

//go:embed book.js
var bookScript string

// Chapter is a page of a book: Name is for links.
type Chapter struct {
	Name string
	Page *Page
}

// Book is one HTML file of all chapters, with a table of contents and a search in the page. It has no
// resources outside, is light or dark as its reader's system, and fits a phone. Without scripts all of it
// is there but the search. The note is at its end.
func Book(title, note string, chapters []Chapter) string {
	var b strings.Builder
	hash := sha256.Sum256([]byte(bookScript))
	fmt.Fprintf(&b, `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'; img-src data:"/>
<meta name="color-scheme" content="light dark"/>
<title>%s</title>
<link rel="icon" href="data:,"/>
<style>%s</style>
</head>
<body>
<header>
<h1>%[2]s</h1>
<label class="search" hidden=""><span>Search</span><input type="search" autocomplete="off" spellcheck="false"/></label>
<p class="found" role="status"></p>
<nav aria-label="Contents">
<ul>
`, base64.StdEncoding.EncodeToString(hash[:]), html.EscapeString(title), bookStyle)
	for _, c := range chapters {
		c.contents(&b)
	}
	b.WriteString("</ul>\n</nav>\n</header>\n<main>\n")
	for _, c := range chapters {
		c.write(&b)
	}
	fmt.Fprintf(&b, "<footer>%s</footer>\n", html.EscapeString(note))
	fmt.Fprintf(&b, "</main>\n<script>%s</script>\n</body>\n</html>\n", bookScript)
	return b.String()
}

// contents writes the entry of a chapter, and of its sections.
func (c Chapter) contents(b *strings.Builder) {
	fmt.Fprintf(b, "<li><a href=\"#%s\">%s</a>", c.Name, html.EscapeString(c.Page.Title()))
	list := ""
	for n := c.Page.root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, is := n.(*ast.Heading); is && h.Level == 2 {
			list += fmt.Sprintf("<li><a href=\"#%s\">%s</a></li>", headingID(h), html.EscapeString(plain(c.Page.inlines(h, 0))))
		}
	}
	if list != "" {
		fmt.Fprintf(b, "<details><summary>Sections</summary><ul>%s</ul></details>", list)
	}
	b.WriteString("</li>\n")
}

func headingID(h *ast.Heading) string {
	id, _ := h.AttributeString("id")
	name, _ := id.([]byte)
	return string(name)
}

// write writes a chapter as an article, and each heading with what is below it as a section.
func (c Chapter) write(b *strings.Builder) {
	b.WriteString("<article>\n")
	renderer := markdown().Renderer()
	render := func(n ast.Node) string {
		var block bytes.Buffer
		if err := renderer.Render(&block, c.Page.source, n); err != nil {
			panic(err) // a buffer takes all
		}
		return block.String()
	}
	open, heading := false, ""
	for n := c.Page.root.FirstChild(); n != nil; n = n.NextSibling() {
		h, is := n.(*ast.Heading)
		switch {
		case is:
			if open {
				b.WriteString("</section>\n")
			}
			level, title := min(6, h.Level+1), "" // the title of the book is the only one of the first level
			for part := h.FirstChild(); part != nil; part = part.NextSibling() {
				title += render(part)
			}
			fmt.Fprintf(b, "<section aria-labelledby=\"%s\">\n<h%d id=\"%[1]s\">%[3]s</h%[2]d>\n", headingID(h), level, title)
			open, heading = true, html.EscapeString(plain(c.Page.inlines(h, 0)))
		case n.Kind() == east.KindTable:
			fmt.Fprintf(b, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">", heading)
			b.WriteString(strings.Replace(render(n), "<table>", `<table><caption class="heard">`+heading+"</caption>", 1) + "</div>\n")
		case n.Kind() != ast.KindHTMLBlock:
			b.WriteString(strings.ReplaceAll(render(n), "<pre>", `<pre tabindex="0">`))
		}
	}
	if open {
		b.WriteString("</section>\n")
	}
	b.WriteString("</article>\n")
}
