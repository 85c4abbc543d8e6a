package format

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// Layout is the form in which a text holds a graph.
type Layout string

const (
	// LayoutAuto detects the layout: by the first bytes (Matrix Market, GraphML, GEXF and
	// Parquet have their own; JSON is recognised in a text without an extension; a square matrix with
	// names of rows and columns by its first block), or else by
	// the extension of Options.Name (.txt, .csv and others for edge lists, .adjlist, .adj,
	// .graph, .metis, .net, .mtx, .graphml, .xml, .gexf, .json, .gml, .parquet, each also followed by
	// .gz, .zst, .bz2, .xz or .zip). A name without an extension means an edge list; an unknown extension gives
	// an EndingError. LayoutAuto never selects LayoutVertices.
	LayoutAuto Layout = "auto"
	// LayoutEdges has a line for every edge. Attributes in braces at its end, as networkx writes them,
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
	// and edges with weights, or lists of neighbours. Coordinates and parameters are ignored.
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
	// RandomReader. A Parquet file with a row for every vertex has LayoutVertices; its columns
	// of dates and timestamps become texts.
	LayoutParquet Layout = "parquet"
)

// Layouts returns all layouts, LayoutAuto first.
func Layouts() []Layout {
	return []Layout{LayoutAuto, LayoutEdges, LayoutAdjacency, LayoutMatrix, LayoutMETIS, LayoutPajek, LayoutVertices, LayoutMatrixMarket, LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutGML, LayoutParquet}
}

// Declares reports whether a text of the layout has an element for each vertex, besides its edges.
func (l Layout) Declares() bool {
	return slices.Contains([]Layout{LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutGML, LayoutPajek}, l)
}

// ParseLayout returns the layout with a name; "" is LayoutAuto.
func ParseLayout(name string) (Layout, error) {
	if name == "" {
		return LayoutAuto, nil
	}
	if !slices.Contains(Layouts(), Layout(name)) {
		return "", &OptionError{Option: "layout", Value: name, Expected: layoutNames()}
	}
	return Layout(name), nil
}

func layoutNames() []string {
	var names []string
	for _, l := range Layouts() {
		names = append(names, string(l))
	}
	return names
}

// Options configure how a text is read. The zero value reads every common form of a graph.
type Options struct {
	EdgeListOptions

	// Layout is the form of the text; "" means LayoutAuto.
	Layout Layout
	// Key is the column of a vertex table that holds the keys, by name or by number as in
	// EdgeListOptions. If it is empty, the first column called key, id, vertex or node is used,
	// or else column 1. Of GML it is the attribute of nodes that holds the keys, such as id or
	// label.
	Key string
	// Columns are the names of the attributes to read; nil reads all. For a vertex table
	// without a header they name the columns.
	Columns []string
	// Keys returns the keys of the vertices of METIS, in their order. If the function or its
	// result is nil, the numbers of the vertices are the keys. It is called once, and only if
	// the layout is METIS. Too few keys, too many keys or two equal keys give a *LineError.
	Keys func() (*KeyList, error)
	// KeysName is the name of the file that Keys reads: it gives an *OptionError with layouts
	// other than METIS. Leave it empty if Keys may remain unused.
	KeysName string
	// Ends is what the ends of links in JSON are; "" means EndsAuto.
	Ends Ends
	// MaxValue is the largest size of an attribute value in bytes; 0 means 64 KiB.
	MaxValue int
	// MaxColumns is the largest number of columns of a vertex table, or of keys that GraphML
	// declares; 0 means 1024.
	MaxColumns int
	// MaxVertices is the largest number of vertices that the size line of Matrix Market or the
	// headers of METIS and Pajek may declare; 0 means 100 million. Without a limit, a line of a
	// few bytes could ask for billions of vertices.
	MaxVertices int64
}

const (
	defaultMaxValue    = 64 << 10
	defaultMaxColumns  = 1024
	defaultMaxVertices = 100_000_000
	// A line of an adjacency list holds all neighbours of a hub, and a record of a table holds
	// all values of a vertex: at most MaxColumns times MaxValue.
	defaultLongLine = 64 << 20
)

// Validate reports all faults of the options at once. Each is an *OptionError.
func (o Options) Validate() error {
	faults := optionFaults{o.EdgeListOptions.Validate()}
	if _, err := ParseLayout(string(o.Layout)); err != nil {
		faults = append(faults, err)
	}
	if o.Ends != "" && !slices.Contains(EndsChoices(), string(o.Ends)) {
		faults = append(faults, &OptionError{Option: "ends", Value: string(o.Ends), Expected: EndsChoices()})
	}
	faults.column("key", o.Key)
	faults.notNegative("max_value", int64(o.MaxValue))
	faults.within("max_columns", int64(o.MaxColumns), maxColumns)
	faults.notNegative("max_vertices", o.MaxVertices)
	return errors.Join(faults...)
}

// fit reports options that do not apply to the detected layout.
func (o Options) fit() error {
	type use struct {
		option  string
		value   any
		what    string
		set     bool
		layouts []Layout
	}
	var faults optionFaults
	header := o.Header.String()
	for _, u := range []use{
		{"source", o.Source, "a source column", o.Source != "", []Layout{LayoutEdges, LayoutParquet}},
		{"target", o.Target, "a target column", o.Target != "", []Layout{LayoutEdges, LayoutParquet}},
		{"weight", o.Weight, "a weight column", o.Weight != "" && o.Weight != NoColumn, []Layout{LayoutEdges, LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutGML, LayoutParquet}},
		{"time", o.Time, "a time column", o.Time != "" && o.Time != NoColumn, []Layout{LayoutEdges, LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutGML, LayoutParquet}},
		{"time_unit", o.TimeUnit, "a unit of times", unitsPerSecond(o.TimeUnit) > 0, []Layout{LayoutEdges, LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutGML, LayoutParquet}},
		{"key", o.Key, "a key column", o.Key != "", []Layout{LayoutVertices, LayoutGML}},
		{"ends", string(o.Ends), "a meaning of the ends of links", o.Ends != "" && o.Ends != EndsAuto, []Layout{LayoutJSON}},
		{"keys", o.KeysName, "a file of keys", o.KeysName != "", []Layout{LayoutMETIS}},
		{"columns", strings.Join(o.Columns, ", "), "a choice of attributes", o.Columns != nil, []Layout{LayoutVertices, LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutGML}},
		{"separator", o.Separator, "a separator", o.Separator != "" && o.Separator != "auto", []Layout{LayoutEdges, LayoutAdjacency, LayoutMatrix, LayoutVertices}},
		{"header", header, "a header without names", o.Header == HeaderNone, []Layout{LayoutEdges, LayoutAdjacency, LayoutMatrix, LayoutVertices}},
		{"header", header, "a header of names", o.Header == HeaderNames, []Layout{LayoutEdges, LayoutAdjacency, LayoutMatrix, LayoutVertices}},
		{"header", header, "a header of counts", o.Header == HeaderCounts, []Layout{LayoutEdges}},
	} {
		if u.set && !slices.Contains(u.layouts, o.Layout) {
			faults.conflict(u.option, u.value, "layout %s has no use for %s", o.Layout, u.what)
		}
	}
	return errors.Join(faults...)
}

// withDefaults returns a copy with every zero replaced by its default.
func (o Options) withDefaults() Options {
	if o.MaxLine == 0 && (o.Layout == LayoutAdjacency || o.Layout == LayoutMatrix || o.Layout == LayoutMETIS || o.Layout == LayoutVertices) {
		o.MaxLine = defaultLongLine
	}
	o.EdgeListOptions = o.EdgeListOptions.withDefaults()
	o.MaxValue = cmp.Or(o.MaxValue, defaultMaxValue)
	o.MaxColumns = cmp.Or(o.MaxColumns, defaultMaxColumns)
	o.MaxVertices = cmp.Or(o.MaxVertices, defaultMaxVertices)
	return o
}
