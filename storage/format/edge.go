package format

// Edge is one edge of a text. The slices are valid only during the call that delivers the edge.
type Edge struct {
	Source, Target []byte  // the keys as written, unquoted: "07" and "7" differ
	Weight         float64 // 1 where none was given
	Time           int64   // 0 where none was given
	Weighted       bool    // a weight was given
	Timed          bool    // a time was given
	Dated          bool    // the time was given as a date; Time is in Unix seconds
	cut            bool    // the time had a fraction, which is left out
	// Both reports that the text calls this edge undirected: a directed graph has it in both
	// directions. It is false where the text does not say.
	Both bool
	// Values has an entry for every column of Handler.EdgeColumns, as the values of a vertex. It is
	// empty if there are no columns, or the function is nil.
	Values [][]byte
}

// inSeconds makes a date of the time of an edge that is a number of units.
func (e *Edge) inSeconds(perSecond int64) {
	if perSecond == 0 || !e.Timed || e.Dated {
		return
	}
	t := e.Time / perSecond
	if rest := e.Time % perSecond; rest != 0 {
		e.cut = true
		if rest < 0 {
			t--
		}
	}
	e.Time, e.Dated = t, true
}

// Edges are the edges of consecutive lines of a list without attributes, which Handler.Edges takes
// together.
type Edges struct {
	// Numbers has room for a number of the source and of the target of each edge, for Handler.Find.
	Numbers []uint32

	both     bool // see Edge.Both
	text     []byte
	keys     []span     // of the source and of the target of each edge
	measures []measured // of each edge, where columns have them
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

// measured is the weight and the time of an edge.
type measured struct {
	weight                      float64
	time                        int64
	weighted, timed, dated, cut bool
}

func (m *measured) set(e *Edge) {
	e.Weight, e.Time, e.Weighted, e.Timed, e.Dated, e.cut = m.weight, m.time, m.weighted, m.timed, m.dated, m.cut
}

// Len returns the number of edges.
func (e *Edges) Len() int { return len(e.keys) / 2 }

// Measured reports whether edges may have weights or times.
func (e *Edges) Measured() bool { return len(e.measures) > 0 }

// Key returns the source of edge i/2 if i is even, and its target otherwise.
func (e *Edges) Key(i int) []byte {
	return e.keys[i].of(e.text)
}

// At returns an edge.
func (e *Edges) At(i int) Edge {
	edge := Edge{Source: e.Key(2 * i), Target: e.Key(2*i + 1), Weight: 1, Both: e.both}
	if len(e.measures) > 0 {
		e.measures[i].set(&edge)
	}
	return edge
}
