package storage

import (
	"time"
)

// GraphInfo is the catalogue entry of a graph.
type GraphInfo struct {
	Name     string
	ID       uint64 // never used again for another graph of the file
	Version  uint64 // 1 when created; one more with every change
	Vertices int
	Edges    int64 // undirected edges, each counted once
	Weighted bool  // some edge has a weight other than 1
	Timed    bool  // some edge has a timestamp
	Created  time.Time
	Modified time.Time
	Source   string // where the latest edges came from, in words

	Attributes []Attribute // of the vertices, in the order of their first appearance
	Values     []int       // how many vertices have a value, for each of Attributes
	Deleted    int         // vertices that were deleted; their slots stay empty
}

// Setting is one named value of an embedding: an option, or a statistic.
type Setting struct{ Name, Value string }

// EmbeddingInfo is the catalogue entry of an embedding: everything that shaped
// its vectors, and what the method reported about them.
type EmbeddingInfo struct {
	Name         string
	Graph        string    // name of the graph
	GraphID      uint64    // number of the graph, by which it is known when another one has its name
	GraphVersion uint64    // version of the graph that was embedded
	Generation   uint64    // 1 for the first; one more with every replacement
	Method       string    // such as "dp_spectral"
	Options      []Setting // every option after defaults, in the order of the method
	Seed         uint64
	Kernel       string // vec.Kind() of the machine that computed it
	Vertices     int    // rows: row v belongs to vertex v of GraphVersion
	Dim          int    // columns
	Eigenvalues  []float64
	Residuals    []float64
	Components   int
	Iterations   int
	Seconds      float64 // time that the computation took
	Created      time.Time
	Stats        []Setting // other statistics of the method
	StateBytes   int64     // of what is stored beside the rows for bringing them up to date; 0 for nothing
	Stateless    bool      // nothing is to be stored beside the rows, so that a refresh runs in full
	Past         bool      // a generation that has been replaced
	Auto         AutoRefresh

	// Coordinates is when the coordinates of the rows were made, which tells them
	// from those of other generations: rows of two generations can be compared one by
	// one where it is the same. To PutEmbedding, zero says that they are new.
	Coordinates time.Time

	slots slotMap // of the vertices of the rows
}

// AutoRefresh says when an embedding is to be brought up to date by itself, by
// programs that keep the store open. What does it is not known here; it stays
// from one generation to the next.
type AutoRefresh struct {
	Changes int           // after so many vertices changed; 0 is never by changes
	Every   time.Duration // so often, if anything changed; 0 is never by time
}

// ChangeSet says which vertices changed between two versions of a graph, as
// vertices of the later one.
type ChangeSet struct {
	From, To uint64   // versions: changes after From up to To
	All      bool     // everything may have changed; the lists are then nil
	Touched  []uint32 // vertices that are new or whose edges changed, ascending

	Attributes   []uint32 // further vertices, of which only attributes changed, ascending
	Deleted      int      // vertices deleted since
	Versions     uint64   // how many of the versions changed more than attributes
	EdgesChanged bool     // an edge came, went or changed its weight or timestamp, or a vertex came or went
}

// Fault is one thing that Check found wrong.
type Fault struct {
	Where  string // the object, such as `graph "social", arcs`
	What   string // what is wrong
	Remedy string // what to do about it
}

// CheckReport is the outcome of Check.
type CheckReport struct {
	Faults     []Fault  // all that is wrong, in the order of the file's objects; nil when sound
	Notes      []string // what is worth knowing and no fault, such as an unfinished import
	Graphs     int
	Embeddings int
	Records    int64 // records whose checksum and content were verified
	Pages      int64 // pages in use
	FreePages  int64 // pages that later writes will use again
	Bytes      int64 // size of the file
}

// OK reports whether no fault was found.
func (r CheckReport) OK() bool { return len(r.Faults) == 0 }
