package format

import "iter"

// Graph is the input of the writers of graphs. Its functions are called from one goroutine.
type Graph struct {
	Vertices int       // they are numbered from 0
	Key      AppendKey // must be set
	// Directed chooses that edges have a direction, from Source to Target. Edges then yields one
	// between two vertices for each direction that there is.
	Directed bool
	// Edges yields each edge once. It is iterated once, and twice by rowtext.WriteEdges and rowtext.WriteCSV if there are
	// EdgeColumns.
	Edges iter.Seq[NumberedEdge]
	// Neighbors returns the neighbours of a vertex, and in a weighted graph the weights
	// of the edges to them. graphtext.WriteMETIS needs it, and no other writer.
	Neighbors func(v uint32) (neighbors []uint32, weights []float32)
	// Weighted and Timed choose whether edges are written with their weights and their times.
	Weighted, Timed bool
	// Times is the form in which times are written.
	Times TimeForm
	// Columns are the attributes of the vertices. One without a type is Text.
	Columns []Column
	// Value appends the value that a vertex has in a column: the bytes of a Text, or the text
	// in strconv's form of any other type. ok is false if the value is missing. Value may be
	// nil if there are no columns.
	Value func(dst []byte, column int, v uint32) (value []byte, ok bool)
	// EdgeColumns are the attributes of the edges other than weight and time. One without a type is Text.
	EdgeColumns []Column
	// EdgeValue appends the value that an edge has in a column of EdgeColumns, as Value does. edge is the number
	// of the edge in the order in which Edges yields them, from 0; it does not decrease within an iteration.
	// EdgeValue may be nil if there are no such columns.
	EdgeValue func(dst []byte, column, edge int) (value []byte, ok bool)
}

// NumberedEdge is an edge between two vertices of a Graph.
type NumberedEdge struct {
	Source, Target uint32
	Weight         float32 // finite and positive
	Time           int64
	Timed          bool // it has a time
}

// AppendKey appends the key of vertex v to dst and returns the extended slice, like
// storage.Snapshot.AppendKey, so that writing does not allocate per key.
type AppendKey func(dst []byte, v uint32) []byte
