package rowtext

import (
	"fmt"
	"slices"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/internal/excerpt"
)

// Neo4j's import tool reads CSV whose header declares each column as "name:type". The types ID,
// START_ID, END_ID, LABEL and TYPE define the purpose of a column. The first three may name a
// group that has its own ids, as in "START_ID(Person)". All other types are types of
// properties; an array has "[]" after its type.

// The purposes of Neo4j's columns, and the names that these columns get here.
const (
	neo4jStart = ":START_ID"
	neo4jEnd   = ":END_ID"
	neo4jType  = ":TYPE"
	neo4jLabel = ":LABEL"
	neo4jID    = ":ID"
)

// neo4jEdge is the type that WriteCSV writes for edges without types.
const neo4jEdge = "EDGE"

// neo4jTypes are the types of properties. Types of dates and times become texts.
var neo4jTypes = map[string]format.Type{
	"int": format.Integer, "long": format.Integer, "byte": format.Integer, "short": format.Integer, "float": format.Float, "double": format.Float, "boolean": format.Boolean,
	"string": format.Text, "char": format.Text, "point": format.Text, "date": format.Text, "localtime": format.Text, "time": format.Text, "localdatetime": format.Text, "datetime": format.Text, "duration": format.Text,
}

type neo4jColumn struct {
	name   string      // of a property, or one of the constants above
	kind   format.Type // of a property; Untyped where the header does not say
	group  string      // of vertices
	array  string      // the type of the elements if the property is an array
	ignore bool
}

func neo4jField(field string) neo4jColumn {
	text, group := field, ""
	if i := strings.LastIndexByte(text, '('); i >= 0 && strings.HasSuffix(text, ")") {
		text, group = text[:i], text[i+1:len(text)-1]
	} else if i := strings.LastIndexByte(text, '{'); i >= 0 && strings.HasSuffix(text, "}") {
		text = text[:i] // settings of dates and points
	}
	i := strings.LastIndexByte(text, ':')
	if i < 0 {
		return neo4jColumn{name: field}
	}
	switch kind := text[i:]; kind {
	case neo4jStart, neo4jEnd, neo4jType, neo4jLabel, neo4jID:
		return neo4jColumn{name: kind, kind: format.Text, group: group}
	case ":IGNORE":
		return neo4jColumn{name: field, ignore: true}
	}
	kind, array := strings.CutSuffix(text[i+1:], "[]")
	known, ok := neo4jTypes[kind]
	switch {
	case !ok || i == 0:
		return neo4jColumn{name: field}
	case array:
		return neo4jColumn{name: text[:i], array: text[i+1:]}
	}
	return neo4jColumn{name: text[:i], kind: known}
}

// neo4jHeader parses a header. A place is -1 if there is no such column.
func neo4jHeader(fields []string) (columns []neo4jColumn, start, end, id int) {
	if !slices.ContainsFunc(fields, func(f string) bool { return strings.Contains(f, ":") }) {
		return nil, -1, -1, -1
	}
	for _, f := range fields {
		columns = append(columns, neo4jField(f))
	}
	place := func(name string) int {
		return slices.IndexFunc(columns, func(c neo4jColumn) bool { return c.name == name })
	}
	return columns, place(neo4jStart), place(neo4jEnd), place(neo4jID)
}

// neo4jEdges returns the names of the columns of a file of relationships, without their types,
// so that a weight is found by its name. It returns nil if the header is not Neo4j's. If such a
// file cannot be read as edges, doubt is the reason. attributes are the columns that can be attributes, by their places;
// others have no name.
func neo4jEdges(o *format.EdgeListOptions, fields []string) (names []string, attributes []format.Column, doubt string) {
	columns, start, end, id := neo4jHeader(fields)
	switch {
	case start < 0 && end < 0 && id >= 0:
		return nil, nil, "the header has :ID: this is a table of vertices of Neo4j, and not one of edges"
	case start < 0 || end < 0:
		return nil, nil, ""
	case o.Source == "" && o.Target == "" && columns[start].group != columns[end].group:
		return nil, nil, fmt.Sprintf("the ends of edges are of two groups, %s and %s, which may use the same keys for different vertices; the options source and target take the columns as they are",
			excerpt.Of([]byte(columns[start].group)), excerpt.Of([]byte(columns[end].group)))
	}
	for i, c := range columns {
		of := format.Column{Name: c.name, Type: c.kind}
		if c.array != "" || c.ignore {
			of.Name = ""
		}
		if c.array != "" {
			c.name = fields[i] // with its type in the name, an array is not taken for a weight or a time
		}
		names, attributes = append(names, c.name), append(attributes, of)
	}
	return names, attributes, ""
}

// neo4jVertices is neo4jEdges for a table of vertices. It also returns the place of the key,
// and the columns to read if the options do not choose.
func neo4jVertices(o *format.Options, fields []string) (names []string, types []format.Type, key int, taken []string, doubt string) {
	columns, start, end, id := neo4jHeader(fields)
	switch {
	case start >= 0 && end >= 0:
		return nil, nil, 0, nil, "the header has :START_ID and :END_ID: this is a table of edges of Neo4j, and not one of vertices"
	case id < 0:
		return nil, nil, 0, nil, ""
	}
	taken = []string{}
	for i, c := range columns {
		names, types = append(names, c.name), append(types, c.kind)
		wanted := o.Columns == nil || slices.Contains(o.Columns, c.name)
		switch {
		case i == id || c.ignore:
		case c.name == neo4jID:
			return nil, nil, 0, nil, fmt.Sprintf("columns %d and %d are both IDs; the key of a vertex is one of them", id+1, i+1)
		case c.array != "" && wanted:
			return nil, nil, 0, nil, fmt.Sprintf("column %s is an array (%s), which no attribute can hold; the option columns leaves it out", excerpt.Of([]byte(c.name)), c.array)
		default:
			taken = append(taken, c.name)
		}
	}
	return names, types, id, taken, ""
}
