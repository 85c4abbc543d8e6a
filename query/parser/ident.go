package parser

import "strings"

// Ident is the name of something: a graph, an embedding, an option, a column.
type Ident struct {
	Range
	Name string // without quotes, as written; names are case-sensitive
}

// name reads a bare or quoted name; what is its description in an error.
func (p *parser) name(what string) Ident {
	if p.err != nil {
		return Ident{}
	}
	t := p.tok
	switch {
	case t.Kind == KindWord && !Reserved(t.Text):
		p.next()
		return Ident{t.Range, t.Text}
	case t.Kind == KindQuoted:
		p.next()
		return Ident{t.Range, strings.ReplaceAll(t.Text[1:len(t.Text)-1], `""`, `"`)}
	}
	p.expect(what)
	p.unexpected()
	return Ident{}
}

// graph and embedding read the name of one that exists.
func (p *parser) graph() Ident {
	n := p.name(graphName)
	p.named.Graph = n.Name
	return n
}

func (p *parser) embedding() Ident {
	n := p.name(embeddingName)
	p.named.Embedding = n.Name
	return n
}

// String quotes the name if it is a reserved word or not written like a bare
// name.
func (n Ident) String() string {
	if isWord(n.Name) && !Reserved(n.Name) {
		return n.Name
	}
	return `"` + strings.ReplaceAll(n.Name, `"`, `""`) + `"`
}

// isWord reports whether name is written like a bare name or keyword.
func isWord(name string) bool {
	name = name[:len(name)-generation(name)]
	for i := range len(name) {
		if !(isLetter(name[i]) || i > 0 && isDigit(name[i])) {
			return false
		}
	}
	return name != ""
}

// generation returns the number of bytes at the end of a bare name that give a
// generation: @ and a number.
func generation(name string) int {
	at := strings.LastIndexByte(name, '@')
	if at < 1 || at+1 == len(name) || digits(name[at+1:]) < len(name)-at-1 {
		return 0
	}
	return len(name) - at
}
