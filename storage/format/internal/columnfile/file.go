package columnfile

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
)

// Kind is the type of the values of a column.
type Kind uint8

// The kinds. Timestamps count from 1970 in UTC.
const (
	Other     Kind = iota // cannot be read
	Boolean               // one bit
	Integer               // up to 64 bits, signed
	Unsigned              // 64 bits, unsigned
	Float                 // 32 bits
	Double                // 64 bits, or a decimal of up to 18 digits
	Text                  // bytes, usually UTF-8
	Days                  // a date
	Millis                // a timestamp in milliseconds
	Micros                // a timestamp in microseconds
	Nanos                 // a timestamp in nanoseconds
	FloatList             // a list of numbers; its Cells.Floats are its items
	TextList              // a list of texts
	Number                // 32 bits, unsigned: written as such, and read as Integer
)

// String names the kind in messages.
func (k Kind) String() string {
	return [...]string{
		"a type that is not read", "boolean", "integer", "unsigned integer", "float", "double", "text", "date",
		"timestamp", "timestamp", "timestamp", "list of numbers", "list of texts", "unsigned integer",
	}[k]
}

// Column is a column of a file.
type Column struct {
	Name     string // for a nested column, the names from the root, joined by dots
	Kind     Kind
	Optional bool   // values may be missing
	Type     string // type in the file's own terms, for messages
}

// Limits bound the resources that reading a file may take. All must be above 0.
type Limits struct {
	Memory  int64 // bytes of memory for pages and dictionaries, at most
	Bytes   int64 // bytes of decoded values, at most
	Columns int   // columns of a file, at most
}

// File is a file that is open for reading. It is not safe for concurrent use.
type File struct {
	in      io.ReaderAt
	size    int64 // bytes before the footer
	limits  Limits
	meta    metadata
	columns []Column
	leaves  []leaf // of the columns

	memory int64 // bytes of memory in use
	zstd   *zstd.Decoder
	read   int64 // bytes of values decoded so far
}

// leaf describes how a column is stored.
type leaf struct {
	physical physical
	item     Kind    // type of the stored values, or of the items of a list
	divisor  float64 // of decimals, which are stored as integers; otherwise 0
	unsigned bool    // values of 32 bits have no sign
	maxDef   int
	maxRep   int
	filled   int // an entry is an item of a list if its definition level is at least this
}

const (
	magic      = "PAR1"
	footerTail = 8        // the length of the footer, and the magic number
	maxFooter  = 64 << 20 // bytes of the footer; 1,000 columns in 1,000 row groups need as many
)

// IsFile reports whether a file that begins with these bytes has the magic number of a
// Parquet file.
func IsFile(start []byte) bool {
	return len(start) >= len(magic) && string(start[:len(magic)]) == magic
}

// Open reads the footer of a file of size bytes.
func Open(in io.ReaderAt, size int64, limits Limits) (*File, error) {
	f := &File{in: in, limits: limits}
	footer, err := f.footer(size)
	if err != nil {
		return nil, err
	}
	n, whole, err := readThrift(footer, f.meta.fields)
	if err != nil {
		return nil, err
	}
	if !whole || n != len(footer) {
		return nil, damaged("the footer is no record of metadata")
	}
	return f, f.schema()
}

func (f *File) footer(size int64) ([]byte, error) {
	if size < int64(len(magic))+footerTail {
		return nil, damaged("the file has %d bytes, which is too short for Parquet", size)
	}
	var start [len(magic)]byte
	var tail [footerTail]byte
	if err := readAt(f.in, start[:], 0); err != nil {
		return nil, err
	}
	if err := readAt(f.in, tail[:], size-footerTail); err != nil {
		return nil, err
	}
	switch {
	case string(tail[4:]) == "PARE" || string(start[:]) == "PARE":
		return nil, unread("the file is encrypted")
	case string(start[:]) != magic:
		return nil, damaged("the file does not begin with %s", magic)
	case string(tail[4:]) != magic:
		return nil, damaged("the file does not end with %s, and is probably cut off", magic)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:4]))
	f.size = size - footerTail - length
	switch {
	case f.size < int64(len(magic)):
		return nil, damaged("a footer of %d bytes is longer than the file", length)
	case length > maxFooter:
		return nil, limited("a footer of %d bytes exceeds the limit of %d", length, maxFooter)
	}
	footer := make([]byte, length)
	return footer, readAt(f.in, footer, f.size)
}

// readAt fills p; the size of the file says that these bytes exist.
func readAt(in io.ReaderAt, p []byte, at int64) error {
	n, err := in.ReadAt(p, at)
	if n == len(p) {
		return nil
	}
	if err == io.EOF || err == nil {
		return damaged("the file ends before byte %d", at+int64(len(p)))
	}
	return err
}

// Rows is the number of rows.
func (f *File) Rows() int64 { return f.meta.rows }

// Columns returns the columns of the file, including nested ones. The slice must not be
// written.
func (f *File) Columns() []Column { return f.columns }

// Entries returns the metadata of the file, in the order of the file. The slice must not be
// written.
func (f *File) Entries() []Entry { return f.meta.entries }

// schema makes the columns from the tree of the schema, and checks that the row groups
// match it.
func (f *File) schema() error {
	elements := f.meta.schema
	if len(elements) == 0 {
		return damaged("the file has no schema")
	}
	w := schemaWalker{file: f, elements: elements[1:]}
	for range elements[0].children {
		if err := w.element(nil, place{}); err != nil {
			return err
		}
	}
	if len(w.elements) > 0 {
		return damaged("the schema has columns that are in no other")
	}
	if len(f.columns) == 0 {
		return unread("the file has no columns")
	}
	return f.checkRows()
}

// checkRows returns an error if the numbers of rows and values that the footer states for the
// file, its row groups and their columns do not agree: rows would be missing without a sign.
func (f *File) checkRows() error {
	if !f.meta.hasRows || !f.meta.hasGroups {
		return damaged("the footer states no number of rows, or no row groups")
	}
	rows := int64(0)
	for i, group := range f.meta.groups {
		if len(group.chunks) != len(f.columns) || group.rows < 0 {
			return damaged("row group %d has %d columns and %d rows, and the schema %d columns", i, len(group.chunks), group.rows, len(f.columns))
		}
		for j, c := range group.chunks {
			if c.values < group.rows || c.values > group.rows && f.leaves[j].maxRep == 0 {
				return at(damaged("it has %d values in row group %d, which has %d rows", c.values, i, group.rows), f.columns[j].Name, 0)
			}
		}
		rows += group.rows
	}
	if f.meta.rows == 0 { // as some writers leave it; then no row is missing
		f.meta.rows = rows
	}
	if f.meta.rows != rows {
		return damaged("the footer states %d rows, and the row groups have %d", f.meta.rows, rows)
	}
	return nil
}

// schemaWalker reads the elements of a schema in depth-first order.
type schemaWalker struct {
	file     *File
	elements []element
}

// place is the position of an element in the schema.
type place struct {
	name     string
	depth    int
	def, rep int
	filled   int
}

const maxSchemaDepth = 32

func (w *schemaWalker) element(parents []*element, p place) error {
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
	p.name += e.name
	switch e.repetition {
	case repetitionOptional:
		p.def++
	case repetitionRepeated:
		p.def++
		p.rep++
		p.filled = p.def
	}
	if e.leaf {
		return w.leaf(e, parents, p)
	}
	parents = append(parents[:len(parents):len(parents)], e)
	for range e.children {
		if err := w.element(parents, p); err != nil {
			return err
		}
	}
	return nil
}

func (w *schemaWalker) leaf(e *element, parents []*element, p place) error {
	f := w.file
	if len(f.columns) == f.limits.Columns {
		return limited("the file has more than %d columns", f.limits.Columns)
	}
	item := kindOf(e)
	c := Column{Name: p.name, Kind: item, Optional: p.def > 0, Type: e.physical.String()}
	if len(parents) > 0 || p.rep > 0 {
		c.Kind = Other
		if p.rep == 1 && isList(parents) {
			if len(parents) > 0 {
				c.Name = parents[0].name
			}
			switch {
			case item.numeric():
				c.Kind = FloatList
			case item == Text:
				c.Kind = TextList
			}
		}
	}
	f.columns = append(f.columns, c)
	divisor := 0.0
	if item == Double && e.physical != physicalDouble {
		item, divisor = Integer, math.Pow10(int(e.scale))
	}
	f.leaves = append(f.leaves, leaf{e.physical, item, divisor, unsigned32(e), p.def, p.rep, p.filled})
	return nil
}

// isList reports whether a repeated value below these parents is a separate list: in the
// usual form of a group and a repeated group, or as a repeated field alone.
func isList(parents []*element) bool {
	if len(parents) == 0 {
		return true
	}
	for _, e := range parents {
		if e.children != 1 {
			return false
		}
	}
	return len(parents) <= 2 && (parents[0].logical == logicalList || parents[0].converted == convertedList)
}

func (k Kind) numeric() bool { return k == Integer || k == Unsigned || k == Float || k == Double }

func kindOf(e *element) Kind {
	physical := physicalKind(e.physical)
	switch e.logical {
	case logicalNone:
		return convertedKind(e, physical)
	case logicalString, logicalEnum, logicalJSON:
		return only(physical, Text, Text)
	case logicalInteger:
		if !e.signed && e.bits == 64 {
			return only(physical, Integer, Unsigned)
		}
		return only(physical, Integer, Integer)
	case logicalDecimal:
		return decimalKind(e, physical)
	case logicalDate:
		return only(physical, Integer, Days)
	case logicalTimestamp:
		switch e.unit {
		case unitMillis:
			return only(physical, Integer, Millis)
		case unitMicros:
			return only(physical, Integer, Micros)
		case unitNanos:
			return only(physical, Integer, Nanos)
		}
	case logicalNull:
		return physical
	}
	return Other
}

// convertedKind does the same for a column without a logical type.
func convertedKind(e *element, physical Kind) Kind {
	switch e.converted {
	case convertedNone:
		return physical
	case convertedUTF8, convertedEnum, convertedJSON:
		return only(physical, Text, Text)
	case convertedDecimal:
		return decimalKind(e, physical)
	case convertedDate:
		return only(physical, Integer, Days)
	case convertedMillis:
		return only(physical, Integer, Millis)
	case convertedMicros:
		return only(physical, Integer, Micros)
	case convertedUint64:
		return only(physical, Integer, Unsigned)
	}
	if e.converted >= convertedUint8 && e.converted <= convertedInt64 {
		return only(physical, Integer, Integer)
	}
	return Other
}

// maxScale is the number of digits of the longest decimal that 64 bits hold.
const maxScale = 18

// decimalKind is Double for decimals that are stored as integers, which is what those of up to
// maxScale digits usually are.
func decimalKind(e *element, physical Kind) Kind {
	if e.scale < 0 || e.scale > maxScale {
		return Other
	}
	return only(physical, Integer, Double)
}

// unsigned32 reports whether the 32-bit values of a column are unsigned.
func unsigned32(e *element) bool {
	return e.logical == logicalInteger && !e.signed || e.converted == convertedUint32
}

// only returns a kind that is stored in one physical way.
func only(physical, stored, kind Kind) Kind {
	if physical != stored {
		return Other
	}
	return kind
}

func physicalKind(p physical) Kind {
	switch p {
	case physicalBoolean:
		return Boolean
	case physicalInt32, physicalInt64:
		return Integer
	case physicalFloat:
		return Float
	case physicalDouble:
		return Double
	case physicalBytes:
		return Text
	}
	return Other
}
