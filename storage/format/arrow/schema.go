package arrow

import (
	"fmt"
	"reflect"

	"heavytail/storage/format/internal/columnfile"
)

// shape says which buffers an array has, after that of the values that are there.
type shape uint8

const (
	shapeNone       shape = iota // not even that of the values that are there, and all are missing
	shapeFixed                   // values of one width
	shapeTexts                   // offsets and bytes
	shapeViews                   // views, and any number of buffers of bytes
	shapeList                    // offsets, and one child
	shapeListViews               // offsets and sizes, and one child
	shapeFixedList               // one child
	shapeStruct                  // any number of children
	shapeUnion                   // types, and no values that are there since version 5; any number of children
	shapeDenseUnion              // the same, and offsets
	shapeRuns                    // no buffer at all, and two children
)

// node is a type in the tree of a schema.
type node struct {
	shape    shape
	kind     columnfile.Kind // of the values; Other if they are not read
	width    int             // bits of a value of one width, or of an offset
	unit     int64           // by which an integer is multiplied, or divided if it is below 0; 0 for none
	number   number
	scale    int   // of decimals
	length   int64 // of lists of one length
	children []*node

	coded   bool  // the values are numbers of values in a dictionary
	id      int64 // of the dictionary
	decoded *node // type of the values in the dictionary
}

// number is the form of a number of one width.
type number uint8

const (
	numberSigned number = iota
	numberUnsigned
	numberFloat
	numberDecimal
	numberBit
)

// The types of the specification, by their numbers.
const (
	typeNull = 1 + iota
	typeInt
	typeFloatingPoint
	typeBinary
	typeUtf8
	typeBool
	typeDecimal
	typeDate
	typeTime
	typeTimestamp
	typeInterval
	typeList
	typeStruct
	typeUnion
	typeFixedSizeBinary
	typeFixedSizeList
	typeMap
	typeDuration
	typeLargeBinary
	typeLargeUtf8
	typeLargeList
	typeRunEndEncoded
	typeBinaryView
	typeUtf8View
	typeListView
	typeLargeListView
)

// typeNames are their names in messages.
var typeNames = [...]string{
	"", "Null", "Int", "FloatingPoint", "Binary", "Utf8", "Bool", "Decimal", "Date", "Time", "Timestamp", "Interval", "List", "Struct", "Union", "FixedSizeBinary",
	"FixedSizeList", "Map", "Duration", "LargeBinary", "LargeUtf8", "LargeList", "RunEndEncoded", "BinaryView", "Utf8View", "ListView", "LargeListView",
}

const (
	maxDepth = 32
	maxNodes = 1 << 16 // types in the tree of a schema
	maxFixed = 1 << 24 // bytes of a value of one width
)

// schema is what a file says about its columns.
type schema struct {
	columns []columnfile.Column
	entries []columnfile.Entry
	fields  []*node // of the columns
}

// readSchema makes the columns, of which there may be most, from the tree of a schema.
func readSchema(t table, most int) (s schema, err error) {
	if t.int16(0, 0) != 0 {
		return s, unread("the bytes of its numbers are in the order of big-endian machines")
	}
	fields := t.tables(1)
	if len(fields) > most {
		return s, limited("%d columns exceed the limit of %d", len(fields), most)
	}
	if len(fields) == 0 {
		return s, unread("the file has no columns")
	}
	w := schemaWalker{left: maxNodes, decoded: map[int64]*node{}}
	for _, field := range fields {
		n, err := w.node(field, 0)
		if err != nil {
			return s, err
		}
		s.fields = append(s.fields, n)
		s.columns = append(s.columns, columnfile.Column{Name: field.text(0), Kind: n.kind, Optional: field.byte(1) != 0, Type: typeName(field)})
	}
	for _, entry := range t.tables(2) {
		s.entries = append(s.entries, columnfile.Entry{Key: entry.text(0), Text: entry.text(1)})
	}
	return s, nil
}

func typeName(field table) string {
	if t := int(field.byte(2)); t < len(typeNames) {
		return typeNames[t]
	}
	return fmt.Sprintf("number %d", field.byte(2))
}

// schemaWalker reads the types of a schema.
type schemaWalker struct {
	left    int             // types that may follow
	decoded map[int64]*node // types of the values of dictionaries
}

// node reads the type of a field.
func (w *schemaWalker) node(field table, depth int) (*node, error) {
	if w.left--; w.left < 0 || depth > maxDepth {
		return nil, limited("the schema has more than %d types, or more than %d inside each other", maxNodes, maxDepth)
	}
	n := &node{}
	t, ok := field.table(3)
	if !ok {
		return nil, damaged("a column has no type")
	}
	for _, child := range field.tables(5) {
		inner, err := w.node(child, depth+1)
		if err != nil {
			return nil, err
		}
		n.children = append(n.children, inner)
	}
	if err := n.set(int(field.byte(2)), t); err != nil {
		return nil, err
	}
	dictionary, coded := field.table(4)
	if !coded {
		return n, nil
	}
	outer := &node{shape: shapeFixed, width: 32, coded: true, id: dictionary.int64(0), decoded: n, kind: n.kind}
	if n.kind.IsList() {
		outer.kind = columnfile.Other
	}
	if other := w.decoded[outer.id]; other == nil {
		w.decoded[outer.id] = n
	} else if !reflect.DeepEqual(other, n) {
		return nil, damaged("the columns that have the dictionary %d have different types", outer.id)
	}
	if index, ok := dictionary.table(1); ok {
		return outer, outer.integer(index)
	}
	return outer, nil
}

// set makes a node from a type and the children that it has.
func (n *node) set(number int, t table) error {
	n.shape, n.kind = shapeFixed, columnfile.Other
	children := -1 // any number
	switch number {
	case typeNull:
		n.shape, n.kind = shapeNone, columnfile.Text
	case typeInt:
		return n.integer(t)
	case typeFloatingPoint:
		n.number, n.width, n.kind = numberFloat, 64, columnfile.Double
		if precision := t.int16(0, 0); precision < 2 {
			n.width, n.kind = 16<<max(precision, 0), columnfile.Float
		}
	case typeBool:
		n.number, n.width, n.kind = numberBit, 1, columnfile.Boolean
	case typeDecimal:
		n.number, n.width, n.kind = numberDecimal, int(t.int32(2, 128)), columnfile.Double
		n.scale = int(t.int32(1, 0))
		if n.width != 32 && n.width != 64 && n.width != 128 && n.width != 256 {
			return damaged("a decimal has %d bits", n.width)
		}
		if n.scale < -columnfile.MaxScale || n.scale > columnfile.MaxScale {
			n.kind = columnfile.Other
		}
	case typeBinary, typeUtf8:
		n.shape, n.width, n.kind = shapeTexts, 32, columnfile.Text
	case typeLargeBinary, typeLargeUtf8:
		n.shape, n.width, n.kind = shapeTexts, 64, columnfile.Text
	case typeBinaryView, typeUtf8View:
		n.shape, n.width, n.kind = shapeViews, 128, columnfile.Text
	case typeFixedSizeBinary:
		size := t.int32(0, 0)
		if size < 0 || size > maxFixed {
			return limited("a column has values of %d bytes each, and the limit is %d", size, maxFixed)
		}
		n.width, n.kind = 8*int(size), columnfile.Text
	case typeDate:
		n.width, n.kind = 32, columnfile.Days
		if t.int16(0, 1) != 0 { // milliseconds
			n.width, n.unit = 64, -86_400_000
		}
	case typeTimestamp:
		n.width = 64
		switch t.int16(0, 0) {
		case 0:
			n.kind, n.unit = columnfile.Millis, 1000
		case 1:
			n.kind = columnfile.Millis
		case 2:
			n.kind = columnfile.Micros
		case 3:
			n.kind = columnfile.Nanos
		}
	case typeTime:
		n.width = int(t.int32(1, 32))
		if n.width != 32 && n.width != 64 {
			return damaged("a time has %d bits", n.width)
		}
	case typeInterval:
		n.width = 32 << min(max(t.int16(0, 0), 0), 2)
	case typeDuration:
		n.width = 64
	case typeList, typeMap:
		n.shape, n.width, children = shapeList, 32, 1
	case typeLargeList:
		n.shape, n.width, children = shapeList, 64, 1
	case typeListView:
		n.shape, n.width, children = shapeListViews, 32, 1
	case typeLargeListView:
		n.shape, n.width, children = shapeListViews, 64, 1
	case typeFixedSizeList:
		n.shape, n.length, children = shapeFixedList, int64(t.int32(0, 0)), 1
		if n.length < 0 {
			return damaged("a list has the length %d", n.length)
		}
	case typeStruct:
		n.shape = shapeStruct
	case typeUnion:
		n.shape = shapeUnion
		if t.int16(0, 0) == 1 {
			n.shape = shapeDenseUnion
		}
	case typeRunEndEncoded:
		n.shape, children = shapeRuns, 2
	default:
		return unread("a column has a type with the number %d, which is not known", number)
	}
	if children >= 0 && children != len(n.children) {
		return damaged("a column of the type %s has %d children", typeNames[number], len(n.children))
	}
	if n.shape == shapeList || n.shape == shapeFixedList {
		n.kind = listKind(n.children[0].kind)
	}
	return nil
}

func listKind(item columnfile.Kind) columnfile.Kind {
	switch item {
	case columnfile.Integer, columnfile.Unsigned, columnfile.Float, columnfile.Double:
		return columnfile.FloatList
	case columnfile.Text:
		return columnfile.TextList
	}
	return columnfile.Other
}

// integer sets the width and the sign of integers. The kind of a dictionary's numbers stays.
func (n *node) integer(t table) error {
	n.width = int(t.int32(0, 0))
	if n.width != 8 && n.width != 16 && n.width != 32 && n.width != 64 {
		return damaged("an integer has %d bits", n.width)
	}
	kind := columnfile.Integer
	if t.byte(1) == 0 {
		n.number = numberUnsigned
		if n.width == 64 {
			kind = columnfile.Unsigned
		}
	}
	if !n.coded {
		n.kind = kind
	}
	return nil
}
