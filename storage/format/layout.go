package format

import (
	"errors"
	"slices"
	"strings"
)

// Layout is the form in which a text holds a graph.
type Layout string

const (
	// LayoutAuto finds out the layout: by the first bytes (Matrix Market, GraphML, GEXF
	// and Parquet declare themselves, and JSON does in a text without an ending), else by
	// the ending of Options.Name (.txt, .csv and others of edge lists, .adjlist, .adj,
	// .graph, .metis, .net, .mtx, .graphml, .xml, .gexf, .json, .parquet, also before .gz and
	// .zst). Without an ending it is an edge list, and another ending is an EndingError.
	// It never is LayoutVertices.
	LayoutAuto Layout = "auto"
	// LayoutEdges is a line for every edge.
	LayoutEdges Layout = "edges"
	// LayoutAdjacency is a line for every vertex: its key, then its neighbours.
	LayoutAdjacency Layout = "adjacency"
	// LayoutMETIS is the format of METIS and of the DIMACS challenge of 2011: a
	// header of counts, then the neighbours of vertex 1, 2 and so on. Weights of
	// edges are read, sizes and weights of vertices passed over. Counts that do not
	// agree with the header, or an edge that one of its ends does not list, are
	// errors.
	LayoutMETIS Layout = "metis"
	// LayoutPajek is a network of Pajek: numbered vertices whose labels are their keys,
	// then arcs and edges with weights, or lists of neighbours. Coordinates and
	// parameters are passed over.
	LayoutPajek Layout = "pajek"
	// LayoutVertices is a table of vertices and their attributes: CSV, or with
	// another separator, under a header of column names. Under HeaderAuto a first
	// line that has nothing but integers is no header, and under HeaderNone no line
	// is; then Options.Columns names the columns but that of the keys, in their
	// order, or else they are called column1, column2 and so on by their places. A
	// name may give a type behind a colon, as in "zip:text". Where a column is ":ID" or
	// "name:ID" the header is one of Neo4j, with its types; labels become the attribute
	// ":LABEL", and an array that is taken is an error. A field in quotes may hold line breaks;
	// blanks around a field without are dropped. An empty field is a missing
	// value, and so is one in quotes unless the header says that its column is text. Lines
	// may end early, and comments stand only above the header.
	LayoutVertices Layout = "vertices"
	// LayoutMatrixMarket is the adjacency matrix in the coordinate format of
	// Matrix Market.
	LayoutMatrixMarket Layout = "matrix_market"
	// LayoutGraphML is GraphML: vertices and edges with attributes, in XML.
	LayoutGraphML Layout = "graphml"
	// LayoutGEXF is GEXF, the format of Gephi: vertices and edges with attributes, in
	// XML. A label of a vertex that differs from its id becomes the attribute label.
	LayoutGEXF Layout = "gexf"
	// LayoutJSON is node-link JSON, as networkx and d3 write it: an object with the
	// arrays nodes, and links or edges. A node without an id has its place as its key,
	// from 0 on. Values that are objects or arrays become texts of JSON.
	LayoutJSON Layout = "json"
	// LayoutParquet is a Parquet file with a row for every edge. Keys are texts or
	// integers, weights numbers, and times integers, dates, timestamps or texts. It is
	// read from a RandomReader alone. A Parquet file with a row for every vertex has
	// LayoutVertices; its columns of dates and timestamps become texts.
	LayoutParquet Layout = "parquet"
)

// Layouts returns all layouts, LayoutAuto first.
func Layouts() []Layout {
	return []Layout{LayoutAuto, LayoutEdges, LayoutAdjacency, LayoutMETIS, LayoutPajek, LayoutVertices, LayoutMatrixMarket, LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutParquet}
}

// ParseLayout returns the layout of a name; "" is LayoutAuto.
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

// Options say how a text is to be read. The zero value reads every common form
// of a graph.
type Options struct {
	EdgeListOptions

	// Layout is the form of the text; "" means LayoutAuto.
	Layout Layout
	// Key is the column of a table of vertices that holds their keys, by name or
	// by number as in EdgeListOptions. If it is empty, that is the first column
	// called key, id, vertex or node, else column 1.
	Key string
	// Columns are the names of the attributes to be taken; nil takes all. In a table
	// of vertices without a header they give the columns their names.
	Columns []string
	// Keys returns the keys of the vertices of METIS, in their order, or nil if their numbers
	// are the keys; a nil function means the numbers. It is called once, and only if the
	// layout is METIS. Too few or too many keys, and two equal ones, are a *LineError.
	Keys func() (*KeyList, error)
	// KeysName is the name of a file that Keys must read: with another layout it is an
	// *OptionError. Empty means that Keys may be left unused.
	KeysName string
	// MaxValue is the most bytes of one value of an attribute; 0 means 64 KiB.
	MaxValue int
	// MaxColumns is the most columns of a table of vertices, or the most keys
	// that GraphML declares; 0 means 1024.
	MaxColumns int
	// MaxVertices is the most vertices that the size line of Matrix Market or the
	// headers of METIS and Pajek may declare, since a line of a few bytes could ask for thousands of millions;
	// 0 means 100 million.
	MaxVertices int64
}

const (
	defaultMaxValue    = 64 << 10
	defaultMaxColumns  = 1024
	defaultMaxVertices = 100_000_000
	// A line of an adjacency list holds all neighbours of a hub, and a record of a
	// table all values of a vertex: MaxColumns times MaxValue.
	defaultLongLine = 64 << 20
)

// Validate reports all faults of the options at once. Each is an *OptionError.
func (o Options) Validate() error {
	faults := optionFaults{o.EdgeListOptions.Validate()}
	if _, err := ParseLayout(string(o.Layout)); err != nil {
		faults = append(faults, err)
	}
	faults.column("key", o.Key)
	faults.notNegative("max_value", int64(o.MaxValue))
	faults.within("max_columns", int64(o.MaxColumns), maxColumns)
	faults.notNegative("max_vertices", o.MaxVertices)
	return errors.Join(faults...)
}

// fit reports options that the layout, which has been found out, cannot follow.
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
		{"weight", o.Weight, "a weight column", o.Weight != "" && o.Weight != NoColumn, []Layout{LayoutEdges, LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutParquet}},
		{"time", o.Time, "a time column", o.Time != "" && o.Time != NoColumn, []Layout{LayoutEdges, LayoutGraphML, LayoutGEXF, LayoutJSON, LayoutParquet}},
		{"key", o.Key, "a key column", o.Key != "", []Layout{LayoutVertices}},
		{"keys", o.KeysName, "a file of keys", o.KeysName != "", []Layout{LayoutMETIS}},
		{"columns", strings.Join(o.Columns, ", "), "a choice of attributes", o.Columns != nil, []Layout{LayoutVertices, LayoutGraphML, LayoutGEXF, LayoutJSON}},
		{"separator", o.Separator, "a separator", o.Separator != "" && o.Separator != "auto", []Layout{LayoutEdges, LayoutAdjacency, LayoutVertices}},
		{"header", header, "a header without names", o.Header == HeaderNone, []Layout{LayoutEdges, LayoutAdjacency, LayoutVertices}},
		{"header", header, "a header of names", o.Header == HeaderNames, []Layout{LayoutEdges, LayoutAdjacency, LayoutVertices}},
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
	if o.MaxLine == 0 && (o.Layout == LayoutAdjacency || o.Layout == LayoutMETIS || o.Layout == LayoutVertices) {
		o.MaxLine = defaultLongLine
	}
	o.EdgeListOptions = o.EdgeListOptions.withDefaults()
	if o.MaxValue == 0 {
		o.MaxValue = defaultMaxValue
	}
	if o.MaxColumns == 0 {
		o.MaxColumns = defaultMaxColumns
	}
	if o.MaxVertices == 0 {
		o.MaxVertices = defaultMaxVertices
	}
	return o
}
