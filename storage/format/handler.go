package format

import (
	"fmt"
	"slices"
	"strings"
)

// ReadStats describes a finished read. After an error it covers the part that was read.
type ReadStats struct {
	Layout   Layout `json:"layout"`   // as detected or as asked for, never LayoutAuto
	Lines    int64  `json:"lines"`    // lines of any kind
	Edges    int64  `json:"edges"`    // edges delivered
	Vertices int64  `json:"vertices"` // vertices delivered to Handler.Vertex, or that would have been
	Weighted int64  `json:"weighted"` // edges with a weight of their own
	Timed    int64  `json:"timed"`    // edges with a time
	Dated    int64  `json:"dated"`    // edges whose time is a date
	Comments int64  `json:"comments"` // lines that begin with # or %
	// LateComments are the comments of a list of edges that have as many columns as its first line
	// and are below it: edges whose first key begins so, without quotes, look the same.
	LateComments int64 `json:"late_comments"`
	// Ends are the names of the columns of the two ends of a list of edges, if a line or a comment names
	// them. The caller remarks vertices that are called so: the line may be repeated.
	Ends    [2]string `json:"-"`
	Skipped int64     `json:"skipped"` // malformed lines (in GraphML, elements) skipped under SkipBad
	Bytes   int64     `json:"bytes"`   // bytes of text, after decompression
	SHA256  [32]byte  `json:"sha256"`  // of the input before decompression; zero unless its end was reached
	Header  string    `json:"header"`  // the header line, if there was one: column names or counts
	// CountsHeader reports that the first delivered edge must be removed: it looks like the "n
	// m" line at the top of some authors' files, perhaps below names of the columns. Under HeaderAuto the
	// reader sets it if that line has two columns, both positive decimal integers, and the second is the number of
	// data lines below it (including malformed ones). The caller should also require that the
	// edges below it have no more than DeclaredVertices distinct vertices.
	CountsHeader bool `json:"counts_header"`
	// NamedCounts reports that Header names the columns, and the line of counts is below it.
	NamedCounts bool `json:"named_counts"`
	// NamesHeader reports that the first delivered edge may be a line of column names, which Header
	// then is: it has words, and they are not among the keys of the lines below that were read
	// before it was delivered. rowtext.TakeHeader decides at the end.
	NamesHeader      bool       `json:"names_header"`
	DeclaredVertices int64      `json:"declared_vertices"` // n of a counts header, delivered or not, of a size line, or of a comment of SNAP or KONECT
	DeclaredEdges    int64      `json:"declared_edges"`    // m of a counts header or of such a comment, or the entries of a size line
	IgnoredColumns   int        `json:"ignored_columns"`   // the most unused columns of a line
	IgnoredNames     string     `json:"ignored_names"`     // their names in the header, separated by commas
	Directed         bool       `json:"directed"`          // the text calls its edges directed
	FirstSkipped     *LineError `json:"first_skipped"`
	Remarks          []Remark   `json:"remarks"` // what was left out, renamed or chosen, one of each kind
}

// IsEdge sets that the line of CountsHeader is an edge, as there are more vertices than it says.
func (s *ReadStats) IsEdge() {
	if !s.NamedCounts {
		s.Header = ""
	}
	s.CountsHeader, s.NamedCounts, s.DeclaredVertices, s.DeclaredEdges = false, false, 0, 0
}

// Handler receives what graphfile.Read finds. A nil function is not called. An error that a function
// returns ends the read and is returned unchanged.
type Handler struct {
	// Edge takes an edge.
	Edge func(Edge) error
	// Edges, if it is not nil, takes edges of consecutive lines in place of Edge, where these are plain: it returns how
	// many of them it took, with that of an error. They are valid only during the call.
	Edges func(*Edges) (done int, err error)
	// Find, if it is not nil, is called for the edges that Edges takes, at any time before, from several goroutines at
	// once and in any order. It sets Numbers.
	Find func(*Edges)
	// Direction receives whether the edges of the text have a direction, from Source to Target. It is
	// called at most once, before the first edge, and only if the text says so and
	// Options.Directed does not decide. If the text calls an edge directed later, and the function has
	// not received true, the read ends with a *LineError that names the option; without the function
	// that is a remark.
	Direction func(directed bool) error
	// EdgeColumns receives the attributes of the edges other than weight and time, as Columns receives those
	// of the vertices: before the first edge that could have values, and again with a new one at the end where an edge has one that
	// nothing declares (JSON, GML, Pajek, labels of GEXF, dictionaries of networkx, types of Neo4j), and at the end of the
	// text with the types. None is called weight or time. If it is nil, attributes of edges are left out, with a remark or in
	// ReadStats.IgnoredColumns.
	EdgeColumns func([]Column) error
	// Columns receives the attributes of the vertices. It is called before the first vertex
	// that could have values, and never in layouts without attributes. JSON and GEXF call it
	// again with all attributes when a vertex has a new one, which is added at the end of the
	// list, and at the end of the text, when the types are known. Columns of a table may have the
	// same name.
	Columns func([]Column) error
	// Vertex receives a vertex that the text lists as such, whether or not it has edges. values
	// has an entry for every column, and is empty if there are no columns; a nil entry is a
	// missing value. A value of a typed column has that type, written so that strconv reads it.
	// All slices are valid only during the call.
	Vertex func(key []byte, values [][]byte) error
}

// remarkNames is how many names a remark keeps: enough to recognise the file, few enough for one
// line.
const remarkNames = 5

// MissingValues is the kind of remark on words that mean missing values, see IsMissing.
const MissingValues = "values taken as missing in attributes of numbers or booleans"

// MissingRemedy is its remedy.
const MissingRemedy = `the type text in a header keeps them, as in "age:text"`

// Remark is one kind of thing that a reader left out, renamed or had to choose, so that nothing of
// a file is lost without being said. A read has one remark of each kind, in the order in which the
// kinds first appear in the file.
type Remark struct {
	What   string   `json:"what"`   // what was done, in the plural: "attributes of edges left out"
	Count  int64    `json:"count"`  // how often
	Names  []string `json:"names"`  // the first distinct names or values concerned, at most five
	Line   int64    `json:"line"`   // of the first, from 1; 0 if the format has no lines
	Remedy string   `json:"remedy"` // the option that decides otherwise; empty if there is none
}

// String returns the remark as a sentence without a full stop, such as "attributes of edges left
// out: 3 (since, kind), the first in line 7".
func (n Remark) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d", n.What, n.Count)
	if len(n.Names) > 0 {
		fmt.Fprintf(&b, " (%s)", strings.Join(n.Names, ", "))
	}
	if n.Line > 0 {
		fmt.Fprintf(&b, ", the first in line %d", n.Line)
	}
	if n.Remedy != "" {
		b.WriteString("; " + n.Remedy)
	}
	return b.String()
}

// Add adds a remark; its count is added to one of the same kind.
func (s *ReadStats) Add(r Remark) {
	i := slices.IndexFunc(s.Remarks, func(n Remark) bool { return n.What == r.What })
	if i < 0 {
		s.Remarks = append(s.Remarks, r)
		return
	}
	n := &s.Remarks[i]
	n.Count += r.Count
	for _, name := range r.Names {
		if len(n.Names) < remarkNames && !slices.Contains(n.Names, name) {
			n.Names = append(n.Names, name)
		}
	}
}
