package scan

import "heavytail/storage/format/internal/figure"

// Edge is the edge of a line: its keys, which are parts of the text, and its weight and time.
type Edge struct {
	Source, Target []byte
	figure.Measures
}

// Lines are the edges of consecutive lines.
type Lines struct {
	Numbers []uint32 // of the source and of the target of each edge, if the scanner has a function that sets them

	text     []byte
	keys     []span            // of the source and of the target of each edge
	measures []figure.Measures // of each edge, where columns have them
}

// span is a part of a text: its place, and below that its length.
type span uint32

// spanBits is the width of a length. What a span cannot hold, in a line that is so long, is not scanned.
const spanBits = 13

func (s span) of(text []byte) []byte {
	from := s >> spanBits
	to := from + s&(1<<spanBits-1)
	return text[from:to:to]
}

func newSpan(from, to int) span { return span(from<<spanBits | (to - from)) }

// Len returns the number of edges.
func (e *Lines) Len() int { return len(e.keys) / 2 }

// Measured reports whether edges may have weights or times.
func (e *Lines) Measured() bool { return len(e.measures) > 0 }

// Key returns the source of edge i/2 if i is even, and its target otherwise.
func (e *Lines) Key(i int) []byte { return e.keys[i].of(e.text) }

// At returns the weight and the time of an edge.
func (e *Lines) At(i int) figure.Measures {
	if len(e.measures) > 0 {
		return e.measures[i]
	}
	return figure.Measures{Weight: 1}
}
