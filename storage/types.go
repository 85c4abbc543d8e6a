package storage

import (
	"slices"
	"time"

	"heavytail/storage/format"
	"heavytail/storage/internal/block"
)

// GraphInfo is the catalogue entry of a graph.
type GraphInfo struct {
	Name     string    `json:"name"`
	ID       uint64    `json:"id"`      // never used again for another graph of the file
	Version  uint64    `json:"version"` // 1 when created; one more with every change
	Vertices int       `json:"vertices"`
	Directed bool      `json:"directed"` // edges have a source and a target
	Edges    int64     `json:"edges"`    // undirected edges, each counted once; of a directed graph those of its undirected view
	Arcs     int64     `json:"arcs"`     // edges of a directed graph: up to two between two vertices; 0 if it is undirected
	Weighted bool      `json:"weighted"` // some edge has a weight other than 1
	Timed    bool      `json:"timed"`    // some edge has a timestamp
	Created  time.Time `json:"created"`

	// Times is how timestamps are written. They are dates if all timestamps of the
	// first import or call that gave any were dates; numbers that are added later are
	// then Unix seconds. Otherwise they are numbers, and dates that are added later
	// become Unix seconds.
	Times    format.TimeForm `json:"times"`
	Modified time.Time       `json:"modified"`
	Source   string          `json:"source"` // where the latest edges came from, in words; or the vertices, if there never was an edge

	Attributes []Attribute `json:"attributes"` // of the vertices, in the order of their first appearance
	Values     []int       `json:"values"`     // how many vertices have a value, for each of Attributes
	Computed   []*Computed `json:"computed"`   // how the values were computed, for each of Attributes; nil if they were imported or set
	Deleted    int         `json:"deleted"`    // vertices that were deleted; their slots stay empty

	EdgeAttributes []Attribute `json:"edge_attributes"` // of the edges, in the order of their first appearance
	EdgeValues     []int64     `json:"edge_values"`     // how many edges have a value, for each of EdgeAttributes
}

// Count returns the number of edges: Arcs of a directed graph, and Edges of an undirected one.
func (g GraphInfo) Count() int64 {
	if g.Directed {
		return g.Arcs
	}
	return g.Edges
}

// Clone returns a copy that shares no memory with the original, so that both can be changed.
func (g GraphInfo) Clone() GraphInfo {
	g.Attributes, g.Values, g.Computed = slices.Clone(g.Attributes), slices.Clone(g.Values), slices.Clone(g.Computed)
	g.EdgeAttributes, g.EdgeValues = slices.Clone(g.EdgeAttributes), slices.Clone(g.EdgeValues)
	for i, c := range g.Computed {
		if c != nil {
			own := *c
			own.Options = slices.Clone(own.Options)
			g.Computed[i] = &own
		}
	}
	return g
}

// Setting is one named value of an embedding: an option, or a statistic.
type Setting struct {
	Name  string `json:"name" msgpack:"name"`
	Value string `json:"value" msgpack:"value"`
}

// Settings of embeddings that name another embedding of the graph. Where that one is renamed,
// they get its new name.
const (
	SettingStart = "start_embedding" // an option: the embedding with whose vectors a computation begins
	SettingBegan = "began with"      // a statistic: that embedding, @ and its generation, and more text
)

// EmbeddingInfo is the catalogue entry of an embedding: everything that shaped
// its vectors, and what the method reported about them.
type EmbeddingInfo struct {
	Name         string      `json:"name"`
	Graph        string      `json:"graph"`         // name of the graph
	GraphID      uint64      `json:"graph_id"`      // number of the graph, which another graph of the same name does not have
	GraphVersion uint64      `json:"graph_version"` // version of the graph that was embedded
	Generation   uint64      `json:"generation"`    // 1 for the first; one more with every replacement
	Method       string      `json:"method"`        // such as "dp_spectral"
	Options      []Setting   `json:"options"`       // every option after defaults, in the order of the method
	Seed         uint64      `json:"seed"`
	Kernel       string      `json:"kernel"`   // vec.Kind() of the machine that computed it
	Vertices     int         `json:"vertices"` // rows: row v belongs to vertex v of GraphVersion
	Dim          int         `json:"dim"`      // columns
	Eigenvalues  []float64   `json:"eigenvalues"`
	Residuals    []float64   `json:"residuals"`
	Components   int         `json:"components"`
	Iterations   int         `json:"iterations"`
	Seconds      float64     `json:"seconds"` // time that the computation took
	Created      time.Time   `json:"created"`
	Stats        []Setting   `json:"stats"`       // other statistics of the method
	StateBytes   int64       `json:"state_bytes"` // of the state stored for a refresh; 0 for none
	Stateless    bool        `json:"stateless"`   // no state is stored, so that a refresh runs in full
	Past         bool        `json:"past"`        // a generation that has been replaced
	Auto         AutoRefresh `json:"auto"`

	// Coordinates is when the coordinate system of the rows was made. Rows of two
	// generations can be compared one by one if it is the same. In PutEmbedding zero
	// means that it is new.
	Coordinates time.Time `json:"coordinates"`

	slots block.SlotMap // of the vertices of the rows
}

// AutoRefresh says when programs that keep the store open are to refresh an embedding
// automatically. This package only stores it; it stays from one generation to the next.
type AutoRefresh struct {
	Changes int           `json:"changes"` // after so many vertices changed; 0 means never
	Every   time.Duration `json:"every"`   // so often, if anything changed; 0 means never
}

// ChangeSet lists the vertices that changed between two versions of a graph, as
// vertices of the later one.
type ChangeSet struct {
	From, To uint64   // versions: changes after From up to To
	All      bool     // everything may have changed; the lists are then nil
	Touched  []uint32 // vertices that are new or whose edges changed, ascending

	Attributes   []uint32 // further vertices, of which only attributes or those of their edges changed, ascending
	Deleted      int      // vertices deleted since
	Versions     uint64   // how many of the versions changed more than attributes
	EdgesChanged bool     // an edge was added, removed or got another weight or timestamp, or a vertex was added or removed
}

// Fault is one thing that Check found wrong.
type Fault struct {
	Where  string `json:"where"`  // the object, such as `graph "social", arcs`
	What   string `json:"what"`   // what is wrong
	Remedy string `json:"remedy"` // what to do about it
}

// CheckReport is the outcome of Check.
type CheckReport struct {
	Faults     []Fault  `json:"faults"` // all that is wrong, in the order of the file's objects; nil when sound
	Notes      []string `json:"notes"`  // what is worth knowing but not wrong, such as an unfinished import
	Graphs     int      `json:"graphs"`
	Embeddings int      `json:"embeddings"`
	Records    int64    `json:"records"`    // records whose checksum and content were verified
	Pages      int64    `json:"pages"`      // pages in use
	FreePages  int64    `json:"free_pages"` // pages that later writes will use again
	Bytes      int64    `json:"bytes"`      // size of the file
}

// OK reports whether no fault was found.
func (r CheckReport) OK() bool { return len(r.Faults) == 0 }

// Computed describes how the values of an attribute were computed from the graph.
type Computed struct {
	Method       string    `json:"method"`        // such as "pagerank"
	Options      []Setting `json:"options"`       // every option after defaults, in the order of the method
	GraphVersion uint64    `json:"graph_version"` // version of the graph that they were computed from
	Created      time.Time `json:"created"`
}

// Vertex is a vertex with values of its attributes.
type Vertex struct {
	Key    string
	Values []NamedValue
}

// Edge is an edge between the vertices of two keys, as it is written and as Tx.Neighbors
// gives it. In an undirected graph the order of the keys has no meaning; in a directed one
// the edge leads from Source to Target.
type Edge struct {
	Source, Target string

	// Weight is finite and positive; 0 means that none is given. Weights are
	// kept with the precision of a float32, and read as the shortest decimal of
	// it: 0.1 as 0.1.
	Weight float64

	// Time is the timestamp, if Timed; without Timed none is given. Timed with
	// csr.NoTime says that the edge has none.
	Time  int64
	Timed bool

	// Dated says that Time is a date in Unix seconds: see GraphInfo.Times. Reading
	// leaves it unset.
	Dated bool

	// Values are values of attributes of the edge. A call that writes changes no others, and a missing
	// value removes one; reading gives those that are not missing, in the order of
	// GraphInfo.EdgeAttributes.
	Values []NamedValue
}

// Type is the type of an attribute. The zero Type is that of a missing value.
type Type = block.Type

// The types of attributes. Their numbers are part of the format.
const (
	Text    = block.Text
	Integer = block.Integer
	Float   = block.Float
	Boolean = block.Boolean
)

// Attribute is a name under which vertices or edges of a graph have values of one type.
type Attribute = block.Attribute

// Value is one value of an attribute. The zero Value is missing. Values are
// comparable with ==, which is equality of type and value.
type Value = block.Value

// TextValue returns a text.
func TextValue(s string) Value { return block.TextValue(s) }

// IntegerValue returns an integer.
func IntegerValue(i int64) Value { return block.IntegerValue(i) }

// FloatValue returns a float; zero has no sign.
func FloatValue(f float64) Value { return block.FloatValue(f) }

// BooleanValue returns true or false.
func BooleanValue(b bool) Value { return block.BooleanValue(b) }

// NamedValue is the value of the attribute Name; a missing one removes the value from a
// vertex or an edge.
type NamedValue = block.NamedValue

// Column holds the values of one attribute for vertices 0 to Len()-1 of a
// snapshot, or for its edges by their numbers in csr.EdgeOrder. It takes a bit per vertex that says whether there is a value, and 8
// bytes per vertex for integers and floats or a bit for booleans. Texts are in a
// dictionary: 4 bytes per vertex, and the bytes of each distinct text and 8 more.
// While nobody calls Set, it is safe for concurrent use.
type Column = block.Column

// NewColumn returns a column of n vertices or edges that all miss the attribute.
func NewColumn(a Attribute, n int) *Column { return block.NewColumn(a, n) }
