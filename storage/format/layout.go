package format

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"heavytail/storage/format/internal/fault"
	"heavytail/storage/internal/compress"
	"heavytail/storage/internal/excerpt"
)

// Layout is the form in which a text holds a graph.
type Layout string

const (
	// LayoutAuto detects the layout: by the first bytes (Matrix Market, GraphML, GEXF and
	// Parquet and Arrow have their own; JSON is recognised in a text without an extension; a square matrix with
	// names of rows and columns by its first block), or else by
	// the extension of Options.Name (.txt, .csv and others for edge lists, .adjlist, .adj,
	// .graph, .metis, .net, .mtx, .graphml, .xml, .gexf, .json, .gml, .parquet, .arrow, .feather, .arrows, each also followed by
	// .gz, .zst, .bz2, .xz or .zip). A name without an extension means an edge list; an unknown extension gives
	// an EndingError. LayoutAuto never selects LayoutVertices.
	LayoutAuto Layout = "auto"
	// LayoutEdges has a line for every edge. Attributes are the further columns that a header or a comment names, perhaps with a
	// type as in "since:integer", and those in braces at the end of a line, as networkx writes them, which also
	// give the weight and the time. In a file .ncol the third column is the weight.
	LayoutEdges Layout = "edges"
	// LayoutAdjacency has a line for every vertex: its key, then its neighbours.
	LayoutAdjacency Layout = "adjacency"
	// LayoutMatrix is a square matrix of numbers, with a line for every row: an adjacency matrix. Names
	// of the columns may be above it, and names of the rows in front of it; otherwise the numbers of
	// the rows, from 1, are the keys. An entry that is not 0 is an edge with that weight. LayoutAuto
	// selects it if rows and columns have the same names; any other square of numbers is an error then,
	// and under LayoutAdjacency it is read so unless it may be adjacency lists.
	LayoutMatrix Layout = "matrix"
	// LayoutMETIS is the format of METIS and of the DIMACS challenge of 2011: a header of
	// counts, then the neighbours of vertex 1, 2 and so on. Weights of edges are read; sizes
	// and weights of vertices are ignored. It is an error if the counts do not match the
	// header, or if an edge is listed by only one of its ends.
	LayoutMETIS Layout = "metis"
	// LayoutPajek is the Pajek format: numbered vertices whose labels are their keys, then arcs
	// and edges with weights and attributes, or lists of neighbours. Coordinates and parameters of vertices are ignored.
	LayoutPajek Layout = "pajek"
	// LayoutVertices is a table of vertices and their attributes: CSV, or a similar text with
	// another separator, below a header of column names.
	//
	// Under HeaderAuto a first line of nothing but integers is data, and under HeaderNone every
	// first line is. Then Options.Columns names all columns except that of the keys, in their
	// order; without it they are called column1, column2 and so on, by their places. A name may
	// have a type after a colon, as in "zip:text".
	//
	// If a column is ":ID" or "name:ID", the header is Neo4j's and its types are used; labels
	// become the attribute ":LABEL", and reading an array is an error.
	//
	// A quoted field may contain line breaks; blanks around an unquoted field are dropped. An
	// empty field is a missing value, and so is an empty quoted field unless the header
	// declares its column as text. Lines may have fewer fields than the header, and comments
	// are allowed only above the header.
	LayoutVertices Layout = "vertices"
	// LayoutMatrixMarket is the adjacency matrix in the coordinate format of
	// Matrix Market.
	LayoutMatrixMarket Layout = "matrix_market"
	// LayoutGraphML is GraphML: vertices and edges with attributes, in XML.
	LayoutGraphML Layout = "graphml"
	// LayoutGEXF is GEXF, the format of Gephi: vertices and edges with attributes, in
	// XML. A label of a vertex that differs from its id becomes the attribute label.
	LayoutGEXF Layout = "gexf"
	// LayoutJSON is node-link JSON, as networkx and d3 write it: an object with the arrays
	// nodes, and links or edges, perhaps inside one member, as in JSON Graph Format; or the JSON
	// of Cytoscape. The key of a node without an id is its place in the array, counted from 0;
	// Options.Ends says what the ends of links are. Numbers have one form as keys: 2.0 is 2.
	// Values that are objects or arrays become texts of JSON, and NaN and Infinity are missing.
	LayoutJSON Layout = "json"
	// LayoutGML is GML, as networkx, igraph and Newman's collection have it. Keys are the labels
	// of the nodes if all have one of their own, and otherwise their ids; Options.Key decides
	// otherwise. The other becomes an attribute, unless ids only number the nodes.
	LayoutGML Layout = "gml"
	// LayoutParquet is a Parquet file with a row for every edge. Keys are texts or integers,
	// weights are numbers, and times are integers, dates, timestamps or texts. It needs a
	// columnar.RandomReader. A Parquet file with a row for every vertex has LayoutVertices; its columns
	// of dates and timestamps become texts.
	LayoutParquet Layout = "parquet"
	// LayoutArrow is an Arrow file, such as Feather of version 2, or an Arrow stream with a row for
	// every edge. It is read like Parquet.
	LayoutArrow Layout = "arrow"
)

// Layouts returns all layouts, LayoutAuto first.
func Layouts() []Layout {
	return []Layout{LayoutAuto, LayoutEdges, LayoutAdjacency, LayoutMatrix, LayoutMETIS, LayoutPajek, LayoutVertices, LayoutMatrixMarket, LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutGML, LayoutParquet, LayoutArrow}
}

// Declares reports whether a text of the layout has an element for each vertex, besides its edges.
func (l Layout) Declares() bool {
	return slices.Contains([]Layout{LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutGML, LayoutPajek}, l)
}

// HasColumns reports whether a file of the layout has a row for each edge, whose columns options choose.
func (l Layout) HasColumns() bool { return l == LayoutEdges || l == LayoutParquet || l == LayoutArrow }

func layoutNames() []string {
	var names []string
	for _, l := range Layouts() {
		names = append(names, string(l))
	}
	return names
}

// Ending returns the extension of a file name in lower case with its dot, such as ".csv" for
// "dir/People.CSV.gz". The extension of a compressed file (.gz, .zst, .bz2, .xz, .zip) is skipped.
// A name without another extension gives "".
func Ending(name string) string {
	base := compress.CutEnding(filepath.Base(name))
	return strings.ToLower(filepath.Ext(strings.TrimPrefix(base, ".")))
}

// EndingError reports a file name whose extension belongs to no known format. It wraps
// ErrEnding.
type EndingError struct {
	Name   string // of the file
	Ending string
	Known  []string // endings that are known, in order
}

func (e *EndingError) Error() string {
	return fmt.Sprintf("%s: the ending %s is none of %s", fault.Input(e.Name), excerpt.Of([]byte(e.Ending)), strings.Join(e.Known, ", "))
}

func (e *EndingError) Unwrap() error { return ErrEnding }

// The extensions of texts that can be read, by layout. A name without an extension, or the name
// "-", means an edge list.
var (
	edgeEndings = []string{".txt", ".edges", ".edgelist", ".edge", ".el", ".csv", ".tsv", ".ssv", ".tab", ".dat", ".data", ".ncol", ".links", ".pairs", ".lg", ".jlg"}

	layoutEndings = []struct {
		layout  Layout
		endings []string
	}{
		{LayoutEdges, edgeEndings},
		{LayoutAdjacency, []string{".adjlist", ".adj"}},
		{LayoutMETIS, []string{".graph", ".metis"}},
		{LayoutPajek, []string{".net"}},
		{LayoutMatrixMarket, []string{".mtx"}},
		{LayoutGraphML, []string{".graphml", ".xml"}},
		{LayoutGEXF, []string{".gexf"}},
		{LayoutJSON, []string{".json"}},
		{LayoutGML, []string{".gml"}},
		{LayoutParquet, ColumnarEndings(Parquet)},
		{LayoutArrow, ColumnarEndings(Arrow, ArrowStream)},
	}

	tableEndings = append([]string{".csv", ".tsv", ".txt", ".ssv", ".tab", ".dat", ".data"}, ColumnarEndings()...)
)

// LayoutOf returns the layout that belongs to the extension of a name.
func LayoutOf(name string) (Layout, error) {
	ending := Ending(name)
	if ending == "" {
		return LayoutEdges, nil
	}
	var known []string
	for _, l := range layoutEndings {
		if slices.Contains(l.endings, ending) {
			return l.layout, nil
		}
		known = append(known, l.endings...)
	}
	return "", &EndingError{name, ending, known}
}

// IsEnding reports whether an ending, as of Ending, is one of files of graphs.
func IsEnding(ending string) bool {
	_, err := LayoutOf("a" + ending)
	return ending != "" && err == nil
}

// CheckTable returns an EndingError for a name whose extension cannot belong to a table of
// vertices.
func CheckTable(name string) error {
	if ending := Ending(name); ending != "" && !slices.Contains(tableEndings, ending) {
		return &EndingError{name, ending, tableEndings}
	}
	return nil
}

// ColumnarOf returns the columnar format that the ending of a name has; empty if it has none.
func ColumnarOf(name string) Columnar {
	for _, e := range columnarEndings {
		if Ending(name) == e.ending {
			return e.form
		}
	}
	return ""
}
