package format

// Edge is one edge of a text. The slices are valid only during the call that
// delivers them.
type Edge struct {
	Source, Target []byte  // the keys as written, unquoted: "07" and "7" differ
	Weight         float64 // 1 where none was given
	Time           int64   // 0 where none was given
	Weighted       bool    // a weight was given
	Timed          bool    // a time was given
	Dated          bool    // it was given as a date, and is in Unix seconds
}

// ReadStats says what a read found. After an error it covers what was read.
type ReadStats struct {
	Layout   Layout   `json:"layout"`   // as found out or as asked for, never LayoutAuto
	Lines    int64    `json:"lines"`    // lines of any kind
	Edges    int64    `json:"edges"`    // edges delivered
	Vertices int64    `json:"vertices"` // vertices delivered to Handler.Vertex, or that would have been
	Weighted int64    `json:"weighted"` // edges with a weight of their own
	Timed    int64    `json:"timed"`    // edges with a time
	Dated    int64    `json:"dated"`    // edges whose time is a date
	Comments int64    `json:"comments"` // lines that begin with # or %
	Skipped  int64    `json:"skipped"`  // malformed lines (in GraphML, elements) left out under SkipBad
	Bytes    int64    `json:"bytes"`    // bytes of text, after decompression
	SHA256   [32]byte `json:"sha256"`   // of the input before decompression; zero unless its end was reached
	Header   string   `json:"header"`   // the header line, if there was one: column names or counts
	// CountsHeader reports that the first edge delivered is to be taken back:
	// it looks like the "n m" line of some authors' files. The reader says so
	// under HeaderAuto if that line has two columns, both positive decimal
	// integers, and the second is the number of data lines below it (malformed
	// ones counted). The caller should also require that the edges below it
	// have no more than DeclaredVertices distinct vertices.
	CountsHeader     bool       `json:"counts_header"`
	DeclaredVertices int64      `json:"declared_vertices"` // n of a counts header, delivered or not, of a size line, or of a comment of SNAP or KONECT
	DeclaredEdges    int64      `json:"declared_edges"`    // m of a counts header or of such a comment, or the entries of a size line
	IgnoredColumns   int        `json:"ignored_columns"`   // the most columns of a line that were not taken
	IgnoredNames     string     `json:"ignored_names"`     // their names in the header, with commas between, if it has any
	Directed         bool       `json:"directed"`          // the text calls edges directed; readers deliver them as they come
	FirstSkipped     *LineError `json:"first_skipped"`
}

// Handler takes what Read finds. A function that is nil is not called. An error
// that one returns ends the read and is returned as it is.
type Handler struct {
	// Edge takes an edge.
	Edge func(Edge) error
	// Columns takes the attributes of the vertices: before the first vertex that could
	// have values, and not at all in layouts without. JSON and GEXF call it again, with
	// all of them, where a vertex has a further one, which comes behind the others, and
	// at the end of the text, when their types are known.
	Columns func([]Column) error
	// Vertex takes a vertex that is in the text alone, whether or not it has
	// edges. It has a value for every column, or none where there are no
	// columns; nil is a missing value. A value of a column that has a type is
	// one of it, written so that strconv reads it. All slices are valid during
	// the call only.
	Vertex func(key []byte, values [][]byte) error
}

// Column is an attribute of the vertices.
type Column struct {
	Name string
	Type Type // "" where the text does not say
}

// Type is the type of the values of an attribute.
type Type string

// The types. Untyped stands for what a text does not say.
const (
	Untyped Type = ""
	Text    Type = "text"
	Integer Type = "integer" // int64
	Float   Type = "float"   // float64, finite
	Boolean Type = "boolean" // true or false
)

// complete replaces functions that are nil.
func (h Handler) complete() Handler {
	if h.Edge == nil {
		h.Edge = func(Edge) error { return nil }
	}
	if h.Columns == nil {
		h.Columns = func([]Column) error { return nil }
	}
	if h.Vertex == nil {
		h.Vertex = func([]byte, [][]byte) error { return nil }
	}
	return h
}
