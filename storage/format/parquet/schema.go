package parquet

import (
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"heavytail/storage/format/internal/columnfile"
)

// metadata is the footer of a file, with the fields that are read: those of the library's package
// format have many more, which are required or take memory.
type metadata struct {
	Schema    thrift.Slice[format.SchemaElement] `thrift:"2,required"`
	NumRows   int64                              `thrift:"3,required"`
	RowGroups thrift.Slice[rowGroup]             `thrift:"4,required"`
	Entries   thrift.Slice[keyValue]             `thrift:"5,optional"`
}

type rowGroup struct {
	Columns thrift.Slice[columnChunk] `thrift:"1,required"`
	NumRows int64                     `thrift:"3,required"`
}

type columnChunk struct {
	FilePath string         `thrift:"1,optional"`
	MetaData columnMetaData `thrift:"3,optional"`
}

type columnMetaData struct {
	Type                 format.Type             `thrift:"1,required"`
	Codec                format.CompressionCodec `thrift:"4,required"`
	NumValues            int64                   `thrift:"5,required"` // with those that are missing, and the items of lists
	TotalCompressedSize  int64                   `thrift:"7,required"` // of all pages
	DataPageOffset       int64                   `thrift:"9,required"`
	DictionaryPageOffset int64                   `thrift:"11,optional"` // 0 without one
}

type keyValue struct {
	Key  string `thrift:"1,required"`
	Text string `thrift:"2,optional"`
}

// leaf describes how a column is stored.
type leaf struct {
	physical format.Type
	length   int             // bytes of a value of fixed length
	item     columnfile.Kind // type of the values, or of the items of a list
	form     form
	scale    int // of decimals
	maxDef   int
	maxRep   int
	filled   int // an entry is an item of a list if its definition level is at least this
}

// form is what a stored value has to be converted from.
type form uint8

const (
	formPlain    form = iota
	formUnsigned      // 32 bits have no sign
	formDecimal
	formHalf  // a number of 16 bits
	formStamp // a day and the nanoseconds in it, in 96 bits
	formUUID
)

// place is the position of an element in the schema.
type place struct {
	name     string
	depth    int
	def, rep int
	filled   int
}

const (
	maxSchemaDepth = 32
	maxNames       = 64 << 20  // bytes of the names of all columns with those of their parents
	maxPage        = 128 << 20 // bytes of a page; 1 MiB is usual, and up to 100 MiB occurs
)

// schemaWalker reads the elements of a schema in depth-first order.
type schemaWalker struct {
	elements []format.SchemaElement
	most     int // columns
	names    int // bytes of the names so far
	columns  []columnfile.Column
	leaves   []leaf // of the columns
}

// walkSchema makes the columns from the tree of a schema.
func walkSchema(elements []format.SchemaElement, most int) (*schemaWalker, error) {
	if len(elements) == 0 {
		return nil, damaged("the file has no schema")
	}
	w := &schemaWalker{elements: elements[1:], most: most}
	for range elements[0].NumChildren.V {
		if err := w.element(nil, place{}); err != nil {
			return nil, err
		}
	}
	if len(w.elements) > 0 {
		return nil, damaged("the schema has columns that are in no other")
	}
	if len(w.columns) == 0 {
		return nil, unread("the file has no columns")
	}
	return w, nil
}

func (w *schemaWalker) element(parents []*format.SchemaElement, p place) error {
	if len(w.elements) == 0 {
		return damaged("the schema ends before its last column")
	}
	e := &w.elements[0]
	w.elements = w.elements[1:]
	if p.depth++; p.depth > maxSchemaDepth {
		return limited("the columns are nested more than %d deep", maxSchemaDepth)
	}
	if p.name != "" {
		p.name += "."
	}
	p.name += e.Name
	if w.names += len(p.name); w.names > maxNames {
		return limited("the names of the columns have more than %d bytes", maxNames)
	}
	switch e.RepetitionType.V {
	case format.Optional:
		p.def++
	case format.Repeated:
		p.def++
		p.rep++
		p.filled = p.def
	}
	if e.Type.Valid {
		return w.leaf(e, parents, p)
	}
	parents = append(parents[:len(parents):len(parents)], e)
	for range e.NumChildren.V {
		if err := w.element(parents, p); err != nil {
			return err
		}
	}
	return nil
}

func (w *schemaWalker) leaf(e *format.SchemaElement, parents []*format.SchemaElement, p place) error {
	if len(w.columns) == w.most {
		return limited("the file has more than %d columns", w.most)
	}
	l := leafOf(e)
	c := columnfile.Column{Name: p.name, Kind: l.item, Optional: p.def > 0, Type: e.Type.V.String()}
	if len(parents) > 0 || p.rep > 0 {
		c.Kind = columnfile.Other
		if p.rep == 1 && isList(parents) {
			if len(parents) > 0 {
				c.Name = parents[0].Name
			}
			switch l.item {
			case columnfile.Integer, columnfile.Unsigned, columnfile.Float, columnfile.Double:
				c.Kind = columnfile.FloatList
			case columnfile.Text:
				c.Kind = columnfile.TextList
			}
		}
	}
	l.maxDef, l.maxRep, l.filled = p.def, p.rep, p.filled
	w.columns = append(w.columns, c)
	w.leaves = append(w.leaves, l)
	return nil
}

// isList reports whether a repeated value below these parents is a separate list: in the
// usual form of a group and a repeated group, or as a repeated field alone.
func isList(parents []*format.SchemaElement) bool {
	if len(parents) == 0 {
		return true
	}
	for _, e := range parents {
		if e.NumChildren.V != 1 {
			return false
		}
	}
	_, list := parents[0].LogicalType.Value.(*format.ListType)
	return len(parents) <= 2 && (list || is(parents[0], deprecated.List))
}

// is reports whether an element has a converted type, which older files have instead of a logical
// one.
func is(e *format.SchemaElement, t deprecated.ConvertedType) bool {
	return e.ConvertedType.Valid && e.ConvertedType.V == t
}

// leafOf returns how the values of an element are stored. Its item is columnfile.Other if they
// are not read.
func leafOf(e *format.SchemaElement) leaf {
	l := leaf{physical: e.Type.V, length: int(e.TypeLength.V), item: physicalKind(e.Type.V)}
	if l.physical == format.FixedLenByteArray && (l.length <= 0 || l.length > maxPage) {
		l.item = columnfile.Other
	}
	if l.physical == format.Int96 {
		l.form = formStamp
	}
	switch t := e.LogicalType.Value.(type) {
	case nil:
		l.convert(e)
	case *format.NullType:
	case *format.StringType, *format.EnumType, *format.JsonType:
		l.only(columnfile.Text, columnfile.Text)
	case *format.IntType:
		l.integer(t.IsSigned, t.BitWidth == 64)
	case *format.DecimalType:
		l.decimal(t.Scale)
	case *format.DateType:
		l.only(columnfile.Integer, columnfile.Days)
	case *format.TimestampType:
		switch t.Unit.Value.(type) {
		case *format.MilliSeconds:
			l.only(columnfile.Integer, columnfile.Millis)
		case *format.MicroSeconds:
			l.only(columnfile.Integer, columnfile.Micros)
		case *format.NanoSeconds:
			l.only(columnfile.Integer, columnfile.Nanos)
		default:
			l.item = columnfile.Other
		}
	case *format.Float16Type:
		l.fixed(2, formHalf, columnfile.Float)
	case *format.UUIDType:
		l.fixed(16, formUUID, columnfile.Text)
	default:
		l.item = columnfile.Other
	}
	return l
}

// convert does the same for an element without a logical type.
func (l *leaf) convert(e *format.SchemaElement) {
	if !e.ConvertedType.Valid {
		return
	}
	switch t := e.ConvertedType.V; t {
	case deprecated.UTF8, deprecated.Enum, deprecated.Json:
		l.only(columnfile.Text, columnfile.Text)
	case deprecated.Decimal:
		l.decimal(e.Scale.V)
	case deprecated.Date:
		l.only(columnfile.Integer, columnfile.Days)
	case deprecated.TimestampMillis:
		l.only(columnfile.Integer, columnfile.Millis)
	case deprecated.TimestampMicros:
		l.only(columnfile.Integer, columnfile.Micros)
	case deprecated.Uint8, deprecated.Uint16, deprecated.Uint32, deprecated.Uint64:
		l.integer(false, t == deprecated.Uint64)
	case deprecated.Int8, deprecated.Int16, deprecated.Int32, deprecated.Int64:
		l.integer(true, false)
	default:
		l.item = columnfile.Other
	}
}

// only sets the kind of values that are stored in one physical way.
func (l *leaf) only(stored, kind columnfile.Kind) {
	if l.item != stored {
		kind = columnfile.Other
	}
	l.item = kind
}

func (l *leaf) integer(signed, long bool) {
	kind := columnfile.Integer
	if !signed {
		l.form = formUnsigned
		if long {
			kind = columnfile.Unsigned
		}
	}
	l.only(columnfile.Integer, kind)
}

func (l *leaf) decimal(scale int32) {
	l.form, l.scale = formDecimal, int(scale)
	if l.item != columnfile.Integer && l.item != columnfile.Text || scale < 0 || scale > columnfile.MaxScale {
		l.item = columnfile.Other
		return
	}
	l.item = columnfile.Double
}

func (l *leaf) fixed(length int, form form, kind columnfile.Kind) {
	if l.physical != format.FixedLenByteArray || l.length != length {
		kind = columnfile.Other
	}
	l.form, l.item = form, kind
}

func physicalKind(p format.Type) columnfile.Kind {
	switch p {
	case format.Boolean:
		return columnfile.Boolean
	case format.Int32, format.Int64:
		return columnfile.Integer
	case format.Int96:
		return columnfile.Micros
	case format.Float:
		return columnfile.Float
	case format.Double:
		return columnfile.Double
	case format.ByteArray, format.FixedLenByteArray:
		return columnfile.Text
	}
	return columnfile.Other
}

// width is the number of bytes of a stored value; 0 if it has no fixed number.
func (l *leaf) width() int {
	switch l.physical {
	case format.Int32, format.Float:
		return 4
	case format.Int64, format.Double:
		return 8
	case format.Int96:
		return 12
	case format.FixedLenByteArray:
		return l.length
	}
	return 0
}
