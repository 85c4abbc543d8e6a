package parser

import (
	"fmt"
	"slices"
	"strings"
)

// The form of a statement is the list of its clauses, each with pointers into the node. By
// it a text is read into the node and the node is written; it has the keywords and the classes
// that Next offers, its production of the grammar, and the syntax that HELP shows.

// clause is a piece of a form.
type clause interface {
	// read reads the clause. It returns false, without an error and with nothing read, if
	// something else is next; the clause has then been added to what is expected.
	read(p *parser) bool
	// given reports whether the node has what the clause needs.
	given() bool
	// write appends the canonical text of the clause; nothing where it was left out.
	write(w *writer)
	// syntax returns the clause in a notation; empty for what is not in the text.
	syntax(n notation) string
}

// notation is a way to write a form for people: as a production of the grammar, or as HELP
// shows it.
type notation struct{ grammar bool }

// words writes keywords.
func (n notation) words(text string) string {
	if !n.grammar {
		return text
	}
	return `"` + strings.ReplaceAll(text, " ", `" "`) + `"`
}

// option writes what may be left out.
func (n notation) option(text string) string {
	if n.grammar {
		return "[ " + text + " ]"
	}
	return "[" + text + "]"
}

func (n notation) alternatives(all []string) string {
	text := strings.Join(all, " | ")
	if n.grammar && len(all) > 1 {
		return "( " + text + " )"
	}
	return text
}

// writer collects the words of a canonical text, with one blank between them, and none before a
// comma.
type writer struct{ strings.Builder }

func (w *writer) add(text string) {
	if text == "" {
		return
	}
	if w.Len() > 0 && text != "," {
		w.WriteByte(' ')
	}
	w.WriteString(text)
}

// form is clauses behind each other.
type form []clause

func (f form) read(p *parser) bool {
	begin := p.tok.Start.Offset
	for _, c := range f {
		if !c.read(p) {
			if p.tok.Start.Offset == begin {
				return false
			}
			p.unexpected()
		}
	}
	return true
}

func (f form) given() bool { return !slices.ContainsFunc(f, func(c clause) bool { return !c.given() }) }

func (f form) write(w *writer) {
	for _, c := range f {
		c.write(w)
	}
}

func (f form) syntax(n notation) string {
	var all []string
	for _, c := range f {
		if text := c.syntax(n); text != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, " ")
}

// word is keywords.
type word string

func (c word) read(p *parser) bool      { return p.words(string(c)) }
func (c word) given() bool              { return true }
func (c word) write(w *writer)          { w.add(string(c)) }
func (c word) syntax(n notation) string { return n.words(string(c)) }

// words reads keywords, or nothing if the first is not next.
func (p *parser) words(text string) bool {
	first, rest, _ := strings.Cut(text, " ")
	if !p.keyword(first) {
		return false
	}
	for rest != "" {
		first, rest, _ = strings.Cut(rest, " ")
		p.needKeyword(first)
	}
	return true
}

// maybe is a form that may be left out. Its first word decides.
type maybe form

func (c maybe) read(p *parser) bool {
	form(c).read(p)
	return true
}

func (c maybe) given() bool { return true }

func (c maybe) write(w *writer) {
	if form(c).given() {
		form(c).write(w)
	}
}

func (c maybe) syntax(n notation) string { return n.option(form(c).syntax(n)) }

// either is one of several forms. Their first words decide; only the last may begin with
// something else. The first that is given is written.
type either []form

func (c either) read(p *parser) bool {
	return slices.ContainsFunc(c, func(f form) bool { return f.read(p) })
}

func (c either) given() bool { return slices.ContainsFunc(c, form.given) }

func (c either) write(w *writer) {
	if i := slices.IndexFunc(c, form.given); i >= 0 {
		c[i].write(w)
	}
}

func (c either) syntax(n notation) string {
	var all []string
	for _, f := range c {
		all = append(all, f.syntax(n))
	}
	return n.alternatives(all)
}

// choice is a keyword that is the value of a field.
type choice[K ~string] struct {
	to    *K
	value K
}

func choose[K ~string](to *K, value K) choice[K] { return choice[K]{to, value} }

func (c choice[K]) read(p *parser) bool {
	yes := p.keyword(string(c.value))
	if yes {
		*c.to = c.value
	}
	return yes
}

func (c choice[K]) given() bool              { return *c.to == c.value }
func (c choice[K]) write(w *writer)          { w.add(string(c.value)) }
func (c choice[K]) syntax(n notation) string { return n.words(string(c.value)) }

// oneOf is one of several keywords that are the values of a field.
func oneOf[K ~string](to *K, values []K) either {
	var all either
	for _, value := range values {
		all = append(all, form{choose(to, value)})
	}
	return all
}

// is a value of a field that the words before it say. It has no text.
type is[K comparable] struct {
	to    *K
	value K
}

func (c is[K]) read(*parser) bool {
	*c.to = c.value
	return true
}

func (c is[K]) given() bool            { return *c.to == c.value }
func (c is[K]) write(*writer)          {}
func (c is[K]) syntax(notation) string { return "" }

// toggle is keywords that may be left out.
type toggle struct {
	text string
	to   *bool
}

func (c toggle) read(p *parser) bool {
	*c.to = p.words(c.text)
	return true
}

func (c toggle) given() bool { return true }

func (c toggle) write(w *writer) {
	if *c.to {
		w.add(c.text)
	}
}

func (c toggle) syntax(n notation) string { return n.option(n.words(c.text)) }

// part is a kind of value of a node: how the grammar and HELP write it, and how it is read.
type part[T fmt.Stringer] struct {
	rule, shown string
	read        func(p *parser) T
}

// piece is a value of a node, with the words before it, if any.
type piece[T fmt.Stringer] struct {
	words    string
	part     *part[T]
	to       *T
	optional bool // the words decide
}

// one is a value, may one that may be left out, whose zero value is nil.
func one[T fmt.Stringer](words string, part *part[T], to *T) piece[T] {
	return piece[T]{words, part, to, false}
}

func may[T fmt.Stringer](words string, part *part[T], to *T) piece[T] {
	return piece[T]{words, part, to, true}
}

func (c piece[T]) read(p *parser) bool {
	if c.words != "" && !p.words(c.words) {
		return c.optional
	}
	*c.to = c.part.read(p)
	return true
}

// set reports whether the field has a value.
func (c piece[T]) set() bool {
	if name, is := any(*c.to).(Ident); is {
		return name.Name != ""
	}
	return any(*c.to) != nil
}

func (c piece[T]) given() bool { return c.optional || c.set() }

func (c piece[T]) write(w *writer) {
	if c.set() {
		w.add(c.words)
		w.add((*c.to).String())
	}
}

func (c piece[T]) syntax(n notation) string {
	return n.clause(c.words, c.part.name(n), c.optional)
}

func (k *part[T]) name(n notation) string {
	if n.grammar {
		return k.rule
	}
	return k.shown
}

// clause writes a piece with the words before it.
func (n notation) clause(words, text string, optional bool) string {
	if words != "" {
		text = n.words(words) + " " + text
	}
	if optional {
		return n.option(text)
	}
	return text
}

// pointer is a value that a node points to.
type pointer[T fmt.Stringer] struct {
	words    string
	part     *part[T]
	to       **T
	optional bool
}

// oneAt and mayAt are one and may for a value that a node points to.
func oneAt[T fmt.Stringer](words string, part *part[T], to **T) pointer[T] {
	return pointer[T]{words, part, to, false}
}

func mayAt[T fmt.Stringer](words string, part *part[T], to **T) pointer[T] {
	return pointer[T]{words, part, to, true}
}

func (c pointer[T]) read(p *parser) bool {
	if c.words != "" && !p.words(c.words) {
		return c.optional
	}
	*c.to = new(c.part.read(p))
	return true
}

func (c pointer[T]) given() bool { return c.optional || *c.to != nil }

func (c pointer[T]) write(w *writer) {
	if *c.to != nil {
		w.add(c.words)
		w.add((**c.to).String())
	}
}

func (c pointer[T]) syntax(n notation) string {
	return n.clause(c.words, c.part.name(n), c.optional)
}

// list is values with commas between them.
type list[T fmt.Stringer] struct {
	words       string
	part        *part[T]
	to          *[]T
	least, most int // numbers of values; none is left out, and only where words decide
}

// some is one or more values, mayList any number, of which the words decide.
func some[T fmt.Stringer](words string, part *part[T], to *[]T) list[T] {
	return list[T]{words, part, to, 1, 0}
}

func maySome[T fmt.Stringer](words string, part *part[T], to *[]T) list[T] {
	return list[T]{words, part, to, 0, 0}
}

func (c list[T]) read(p *parser) bool {
	if c.words != "" && !p.words(c.words) {
		return c.least == 0
	}
	for more := true; more && p.err == nil; {
		*c.to = append(*c.to, c.part.read(p))
		if len(*c.to) < c.least {
			p.needSign(",")
		} else {
			more = len(*c.to) != c.most && p.sign(",")
		}
	}
	return true
}

func (c list[T]) given() bool { return len(*c.to) >= c.least }

func (c list[T]) write(w *writer) {
	if len(*c.to) > 0 {
		w.add(c.words)
		w.add(joined(*c.to))
	}
}

func (c list[T]) syntax(n notation) string {
	first := c.part.name(n)
	text := first
	for range c.least - 1 {
		text += n.comma() + first
	}
	switch {
	case c.most == 1:
	case n.grammar:
		text += ` { "," ` + first + " }"
	default:
		text += ", …"
	}
	return n.clause(c.words, text, c.least == 0)
}

func (n notation) comma() string {
	if n.grammar {
		return ` "," `
	}
	return ", "
}

// own is a clause that is read and written by functions of its own.
type own struct {
	rule, shown string
	in          func(p *parser) bool
	out         func() string
	needed      bool // the node is of another form without it
}

func (c own) read(p *parser) bool { return c.in(p) }
func (c own) given() bool         { return !c.needed || c.out() != "" }
func (c own) write(w *writer)     { w.add(c.out()) }

func (c own) syntax(n notation) string {
	if n.grammar {
		return c.rule
	}
	return c.shown
}
