package format

import "heavytail/storage/format/internal/scan"

// Edge is one edge of a text. The slices are valid only during the call that delivers the edge.
type Edge struct {
	Source, Target []byte  // the keys as written, unquoted: "07" and "7" differ
	Weight         float64 // 1 where none was given
	Time           int64   // 0 where none was given
	Weighted       bool    // a weight was given
	Timed          bool    // a time was given
	Dated          bool    // the time was given as a date; Time is in Unix seconds
	// Both reports that the text calls this edge undirected: a directed graph has it in both
	// directions. It is false where the text does not say.
	Both bool
	// Values has an entry for every column of Handler.EdgeColumns, as the values of a vertex. It is
	// empty if there are no columns, or the function is nil.
	Values [][]byte
}

// Edges are the edges of consecutive lines of a list without attributes, which Handler.Edges takes
// together.
type Edges struct {
	// Numbers has room for a number of the source and of the target of each edge, for Handler.Find.
	Numbers []uint32

	lines *scan.Lines
	both  bool // see Edge.both
}

// EdgesOf returns the edges of lines that were scanned, all with the same Edge.both.
func EdgesOf(lines *scan.Lines, both bool) Edges { return Edges{lines.Numbers, lines, both} }

// Len returns the number of edges.
func (e *Edges) Len() int { return e.lines.Len() }

// Measured reports whether edges may have weights or times.
func (e *Edges) Measured() bool { return e.lines.Measured() }

// Key returns the source of edge i/2 if i is even, and its target otherwise.
func (e *Edges) Key(i int) []byte { return e.lines.Key(i) }

// At returns an edge.
func (e *Edges) At(i int) Edge {
	m := e.lines.At(i)
	return Edge{Source: e.Key(2 * i), Target: e.Key(2*i + 1), Weight: m.Weight, Time: m.Time, Weighted: m.Weighted, Timed: m.Timed, Dated: m.Dated, Both: e.both}
}
