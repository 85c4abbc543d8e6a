package columnfile

// The types below are the records of the format, with the fields that are read. Their
// numbers are those of parquet.thrift.
//
// Source: https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift

// physical is how values are stored.
type physical int64

const (
	physicalBoolean physical = 0
	physicalInt32   physical = 1
	physicalInt64   physical = 2
	physicalFloat   physical = 4
	physicalDouble  physical = 5
	physicalBytes   physical = 6
)

func (p physical) String() string {
	return nameOf("Type(?)", int64(p), "BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY")
}

// encoding is how the values of a page are encoded.
type encoding int64

const (
	encodingPlain           encoding = 0
	encodingPlainDictionary encoding = 2 // of older writers, for encodingDictionary
	encodingRuns            encoding = 3
	encodingDeltas          encoding = 5
	encodingDeltaTexts      encoding = 6
	encodingFrontTexts      encoding = 7
	encodingDictionary      encoding = 8
	encodingSplit           encoding = 9
)

func (e encoding) String() string {
	return nameOf("Encoding(?)", int64(e), "PLAIN", "Encoding(?)", "PLAIN_DICTIONARY", "RLE", "BIT_PACKED", "DELTA_BINARY_PACKED",
		"DELTA_LENGTH_BYTE_ARRAY", "DELTA_BYTE_ARRAY", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT")
}

// codec is how pages are compressed.
type codec int64

const (
	codecNone   codec = 0
	codecSnappy codec = 1
	codecGzip   codec = 2
	codecBrotli codec = 4
	codecZstd   codec = 6
	codecLZ4Raw codec = 7
)

func (c codec) String() string {
	return nameOf("CompressionCodec(?)", int64(c), "UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW")
}

func nameOf(unknown string, i int64, names ...string) string {
	if i < 0 || i >= int64(len(names)) {
		return unknown
	}
	return names[i]
}

// How often an element of the schema occurs.
const (
	repetitionNone     = -1 // the root
	repetitionOptional = 1
	repetitionRepeated = 2
)

// Converted types, which older files have instead of logical ones.
const (
	convertedNone    = -1
	convertedUTF8    = 0
	convertedList    = 3
	convertedEnum    = 4
	convertedDecimal = 5
	convertedDate    = 6
	convertedMillis  = 9
	convertedMicros  = 10
	convertedUint8   = 11
	convertedUint32  = 13
	convertedUint64  = 14
	convertedInt8    = 15
	convertedInt64   = 18
	convertedJSON    = 19
)

// Logical types, by their fields in the union of them.
const (
	logicalNone      = 0
	logicalString    = 1
	logicalList      = 3
	logicalEnum      = 4
	logicalDecimal   = 5
	logicalDate      = 6
	logicalTimestamp = 8
	logicalInteger   = 10
	logicalNull      = 11
	logicalJSON      = 12
)

// Units of timestamps.
const (
	unitMillis = 1
	unitMicros = 2
	unitNanos  = 3
)

type metadata struct {
	schema  []element // in depth-first order
	rows    int64
	groups  []rowGroup
	entries []Entry

	hasRows, hasGroups bool // the fields are there
}

func (m *metadata) fields(r *thriftReader, id int64, kind byte) {
	switch id {
	case 2:
		m.schema = readRecords(r, kind, func(e *element) fields { e.converted = convertedNone; return e.fields })
	case 3:
		m.rows, m.hasRows = r.integer(kind), true
	case 4:
		m.groups, m.hasGroups = readRecords(r, kind, func(g *rowGroup) fields { return g.fields }), true
	case 5:
		m.entries = readRecords(r, kind, func(e *Entry) fields { return e.fields })
	default:
		r.skip(kind)
	}
}

// Entry is a key of the metadata of a file with its text.
type Entry struct{ Key, Text string }

func (e *Entry) fields(r *thriftReader, id int64, kind byte) {
	switch id {
	case 1:
		e.Key = r.text(kind)
	case 2:
		e.Text = r.text(kind)
	default:
		r.skip(kind)
	}
}

type element struct {
	leaf       bool // a column, with a physical type
	physical   physical
	repetition int64
	name       string
	children   int64
	converted  int64
	scale      int64 // of a decimal, the digits after its point
	logical    int64
	bits       int64 // of logicalInteger
	signed     bool  // of logicalInteger
	unit       int64 // of logicalTimestamp
}

func (e *element) fields(r *thriftReader, id int64, kind byte) {
	switch id {
	case 1:
		e.leaf, e.physical = true, physical(r.integer(kind))
	case 3:
		e.repetition = r.integer(kind)
	case 4:
		e.name = r.text(kind)
	case 5:
		e.children = r.integer(kind)
	case 6:
		e.converted = r.integer(kind)
	case 7:
		e.scale = r.integer(kind)
	case 10:
		r.record(kind, e.logicalFields)
	default:
		r.skip(kind)
	}
}

// logicalFields reads a union of the logical types.
func (e *element) logicalFields(r *thriftReader, id int64, kind byte) {
	e.logical = id
	r.record(kind, func(r *thriftReader, id int64, kind byte) {
		switch {
		case e.logical == logicalInteger && id == 1:
			e.bits = r.integer(kind)
		case e.logical == logicalInteger && id == 2:
			e.signed = kind == thriftTrue
			r.skip(kind)
		case e.logical == logicalDecimal && id == 1:
			e.scale = r.integer(kind)
		case e.logical == logicalTimestamp && id == 2:
			r.record(kind, func(r *thriftReader, id int64, kind byte) { e.unit = id; r.skip(kind) })
		default:
			r.skip(kind)
		}
	})
}

type rowGroup struct {
	chunks []chunk
	rows   int64
}

func (g *rowGroup) fields(r *thriftReader, id int64, kind byte) {
	switch id {
	case 1:
		g.chunks = readRecords(r, kind, func(c *chunk) fields { return c.fields })
	case 3:
		g.rows = r.integer(kind)
	default:
		r.skip(kind)
	}
}

// chunk is a column of a row group.
type chunk struct {
	file       string // empty for this file
	physical   physical
	codec      codec
	values     int64 // with those that are missing, and the items of lists
	size       int64 // of all pages, compressed
	data, dict int64 // offsets of the first data page and the dictionary; 0 without one
}

func (c *chunk) fields(r *thriftReader, id int64, kind byte) {
	switch id {
	case 1:
		c.file = r.text(kind)
	case 3:
		r.record(kind, c.metaFields)
	default:
		r.skip(kind)
	}
}

func (c *chunk) metaFields(r *thriftReader, id int64, kind byte) {
	switch id {
	case 1:
		c.physical = physical(r.integer(kind))
	case 4:
		c.codec = codec(r.integer(kind))
	case 5:
		c.values = r.integer(kind)
	case 7:
		c.size = r.integer(kind)
	case 9:
		c.data = r.integer(kind)
	case 11:
		c.dict = r.integer(kind)
	default:
		r.skip(kind)
	}
}

// Types of pages.
const (
	pageData       = 0
	pageIndex      = 1
	pageDictionary = 2
	pageDataV2     = 3
)

type pageHeader struct {
	kind       int64
	size       int64 // uncompressed
	compressed int64
	crc        int64 // 0 without one
	part       int64 // type of the pages that the part below is for; -1 without one

	values    int64
	encoding  encoding
	defs      int64 // encoding of the levels, or, in version 2, their bytes
	reps      int64
	plainText bool // the values of a page of version 2 are not compressed
}

func (h *pageHeader) fields(r *thriftReader, id int64, kind byte) {
	switch id {
	case 1:
		h.kind = r.integer(kind)
	case 2:
		h.size = r.integer(kind)
	case 3:
		h.compressed = r.integer(kind)
	case 4:
		h.crc = r.integer(kind)
	case 5:
		h.detail(r, kind, pageData, h.dataFields)
	case 7:
		h.detail(r, kind, pageDictionary, h.dictionaryFields)
	case 8:
		h.detail(r, kind, pageDataV2, h.dataV2Fields)
	default:
		r.skip(kind)
	}
}

// detail reads the part of a header for a type of pages.
func (h *pageHeader) detail(r *thriftReader, kind byte, part int64, take fields) {
	if r.record(kind, take) {
		h.part = part
	}
}

func (h *pageHeader) dataFields(r *thriftReader, id int64, kind byte) {
	switch id {
	case 1:
		h.values = r.integer(kind)
	case 2:
		h.encoding = encoding(r.integer(kind))
	case 3:
		h.defs = r.integer(kind)
	case 4:
		h.reps = r.integer(kind)
	default:
		r.skip(kind)
	}
}

func (h *pageHeader) dictionaryFields(r *thriftReader, id int64, kind byte) {
	if id == 1 || id == 2 {
		h.dataFields(r, id, kind)
		return
	}
	r.skip(kind)
}

func (h *pageHeader) dataV2Fields(r *thriftReader, id int64, kind byte) {
	switch id {
	case 1:
		h.values = r.integer(kind)
	case 4:
		h.encoding = encoding(r.integer(kind))
	case 5:
		h.defs = r.integer(kind)
	case 6:
		h.reps = r.integer(kind)
	case 7:
		h.plainText = kind == thriftFalse
		r.skip(kind)
	default:
		r.skip(kind)
	}
}
