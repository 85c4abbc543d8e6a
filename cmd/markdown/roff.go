package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// manWidth is how many columns lines of a man page have at most.
const manWidth = 72

// roffSigns are the characters that roff interprets or replaces by typographic ones.
var roffSigns = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\`", "^", `\(ha`, "~", `\(ti`)

// Roff quotes what the language of man pages would interpret in a plain text.
func Roff(text string) string {
	text = roffSigns.Replace(text)
	if strings.HasPrefix(text, ".") {
		text = `\&` + text
	}
	return text
}

// Man is the body of a man page, in the macros of man(7): what is before the second heading is the section DESCRIPTION,
// and the headings below the title are sections. Tables are set as on a terminal.
func (p *Page) Man() string {
	m := &roffer{Page: p}
	m.out.WriteString(".SH DESCRIPTION\n")
	m.blocks(p.root, false)
	return m.out.String()
}

type roffer struct {
	*Page
	out strings.Builder
}

func (m *roffer) blocks(parent ast.Node, item bool) {
	begun := item // a paragraph right behind a section or a bullet has no macro of its own
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Heading:
			title := Roff(plain(m.inlines(n, 0)))
			switch n.Level {
			case 1:
			case 2:
				m.out.WriteString(".SH " + title + "\n")
			default:
				m.out.WriteString(".SS " + title + "\n")
			}
			begun = true
			continue
		case *ast.FencedCodeBlock, *ast.CodeBlock:
			m.verbatim(m.lines(n))
		case *east.Table:
			t := &printer{Page: m.Page, width: manWidth}
			t.table(n, "")
			m.verbatim(strings.Split(strings.TrimSuffix(t.out.String(), "\n"), "\n"))
		case *ast.List:
			for i := n.FirstChild(); i != nil; i = i.NextSibling() {
				m.out.WriteString(".IP \\(bu 2\n")
				m.blocks(i, true)
			}
		case *ast.HTMLBlock:
			continue
		default:
			if !begun {
				m.out.WriteString(".PP\n")
			}
			m.paragraph(m.inlines(n, 0))
		}
		begun = false
	}
}

// verbatim writes lines that keep their form.
func (m *roffer) verbatim(lines []string) {
	m.out.WriteString(".RS 4\n.nf\n")
	for _, line := range lines {
		m.out.WriteString(Roff(line) + "\n")
	}
	m.out.WriteString(".fi\n.RE\n")
}

// paragraph writes the words of a paragraph in lines of at most manWidth columns.
func (m *roffer) paragraph(pieces []piece) {
	set := func(p piece) string {
		switch text := roffSigns.Replace(p.text); p.style {
		case 0:
			return text
		case italic:
			return `\fI` + text + `\fR`
		default:
			return `\fB` + text + `\fR`
		}
	}
	for _, line := range wrap(words(pieces, set), manWidth) {
		if strings.HasPrefix(line.text, ".") {
			line.text = `\&` + line.text
		}
		m.out.WriteString(line.text + "\n")
	}
}
