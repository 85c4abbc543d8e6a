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
