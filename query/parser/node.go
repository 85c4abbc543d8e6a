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
// The file of a statement has all that the language knows of it: the node with its
// production of the grammar, the heading, how it is read and how it is written. The
// files ident.go, value.go, option.go, clause.go, search.go and condition.go have
// the same for the parts that statements share. The other files are called as the families
// of package query; of two of these, edits.go has the statements that change a graph,
// exchange.go imports and exports, and search.go searches and reconstructions. The
// grammar in doc.go is assembled from the productions.

// Node is any part of a statement.
type Node interface {
	// Source returns the range of source text that the node was read from.
	Source() Range
	// String returns the canonical text of the node: keywords in upper case,
	// names quoted only where they must be, one blank between words. Parsing
	// the canonical text of a statement gives the same statement, except for
	// its positions.
	String() string
}

// Statement is one of the statement nodes of this package, always a pointer.
type Statement interface {
	Node
	// Heading returns the keywords that the statement is known by, with which
	// its canonical text begins. EXPLAIN and PROFILE return the heading of the
	// statement that follows them.
	Heading() string
	setRange(Range)
}

// Heading returns the heading of a statement, and "" for nil.
func Heading(statement Statement) string {
	if statement == nil {
		return ""
	}
	return statement.Heading()
}
