package parser

// Pos is a place in a source text. The zero Pos is the start of a text.
type Pos struct {
	Offset int // bytes before it
	Line   int // from 1
	Column int // runes from the start of the line, from 1
}

// Range is the text from Start up to, not including, End. Nodes and errors
// embed it.
type Range struct{ Start, End Pos }

// Source returns the range itself, which gives every node its Source method.
func (r Range) Source() Range { return r }

// setRange gives every statement its range, once its text is read.
func (r *Range) setRange(text Range) { *r = text }

// start is the position where a text of its own begins.
var start = Pos{Offset: 0, Line: 1, Column: 1}

// The nodes of the syntax tree are plain data: what was written, and where.
// They hold no resolved names, no defaults and nothing of a store. Statements
// are pointers, all other nodes are values. A node and its slices belong to the
// caller that parsed the text; this package never changes them afterwards.
//
// The files that are called as the families of package query have the nodes of statements, of two
// of them also edits.go, exchange.go and search.go. The files ident.go, value.go, option.go,
// clause.go and condition.go have the parts that statements share, with their productions.
// statements.go has how every statement is written; the grammar in doc.go is assembled from it
// and from the productions of the parts.

// Node is a statement or a part of one. A part has a method String, which returns its canonical
// text, as Text does that of a statement.
type Node interface {
	// Source returns the range of source text that the node was read from.
	Source() Range
}

// Statement is one of the statement nodes of this package, always a pointer. Heading returns
// the keywords that it is known by.
type Statement interface {
	Node
	setRange(Range)
}
