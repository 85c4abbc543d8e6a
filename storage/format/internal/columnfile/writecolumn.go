package columnfile

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/zstd"
)

const (
	// pageBytes of values, before encoding, end a page. Numbers of a dictionary and truth
	// values count as four bytes.
	pageBytes = 256 << 10
	// pageValues end a page, too: missing values take no bytes.
	pageValues = 1 << 20
	// dictionaryBytes is the size beyond which a column of texts continues without a
	// dictionary.
	dictionaryBytes = 1 << 20
	// boundBytes is the size beyond which the bounds of texts are left out, as by
	// parquet-java.
	boundBytes = 4096
)

// columnWriter collects the values of a column into pages, and those into a chunk.
type columnWriter struct {
	element
	kind Kind
	list bool
	set  bool // has a value in the present row

	// The page.
	defs, reps []byte // levels, which are 0 or 1
	entries    int64  // values and missing ones
	rows       int64
	plain      []byte   // values, as stored
	numbers    []uint32 // or their numbers in the dictionary, or truth values
	bounds     bounds

	// The dictionary, for texts.
	indexed  bool // the values of the page are numbers in it
	dict     map[string]uint32
	dictText []byte // its values, as stored

	// The chunk.
	pages     [][]byte // with their headers
	shared    bool     // some page has numbers in the dictionary, which then is written
	plainSize int64    // bytes of the pages before compression
	values    int64    // including missing ones
	total     bounds
}

func newColumnWriter(c Column) *columnWriter {
	w := &columnWriter{element: storedAs(c.Kind), kind: c.Kind, list: c.Kind == FloatList || c.Kind == TextList}
	w.name = c.Name
	if c.Optional && !w.list {
		w.repetition = repetitionOptional
	}
	if w.indexed = w.physical == physicalBytes; w.indexed {
		w.dict = map[string]uint32{}
	}
	return w
}

// storedAs returns how the values of a column, or the items of its lists, are stored.
func storedAs(k Kind) element {
	e := element{leaf: true, converted: convertedNone}
	switch k {
	case Boolean:
		e.physical = physicalBoolean
	case Integer:
		e.physical, e.converted, e.logical, e.bits, e.signed = physicalInt64, convertedInt64, logicalInteger, 64, true
	case Number:
		e.physical, e.converted, e.logical, e.bits = physicalInt32, convertedUint32, logicalInteger, 32
	case Float, FloatList:
		e.physical = physicalFloat
	case Double:
		e.physical = physicalDouble
	case Millis:
		e.physical, e.converted, e.logical, e.unit = physicalInt64, convertedMillis, logicalTimestamp, unitMillis
	case Days:
		e.physical, e.converted, e.logical = physicalInt32, convertedDate, logicalDate
	default:
		e.physical, e.converted, e.logical = physicalBytes, convertedUTF8, logicalString
	}
	return e
}

// elements returns the column as elements of the schema. A list is a group of one repeated
// group, as the specification demands.
func (c *columnWriter) elements() []element {
	if !c.list {
		return []element{c.element}
	}
	item := c.element
	item.name = "element"
	return []element{
		{name: c.name, children: 1, converted: convertedList, logical: logicalList},
		{name: "list", repetition: repetitionRepeated, children: 1, converted: convertedNone},
		item,
	}
}

// levels reports whether values may be missing. Then they have levels.
func (c *columnWriter) levels() bool { return c.list || c.repetition == repetitionOptional }

// enter adds an entry: for a value, or with the level 0 for a missing one. Of a list, all
// but the first have a repetition level of 1.
func (c *columnWriter) enter(def byte) {
	if c.list {
		rep := byte(0)
		if c.set {
			rep = 1
		}
		c.reps = append(c.reps, rep)
	}
	if c.levels() {
		c.defs = append(c.defs, def)
	}
	c.entries++
	c.set = true
}

// number adds an integer, a truth value or the number of a float.
func (c *columnWriter) number(x int64) {
	c.bounds.add(&bounds{some: true, least: x, most: x})
	if c.kind == Boolean {
		c.numbers = append(c.numbers, uint32(x))
		return
	}
	c.plain = c.appendNumber(c.plain, x)
}

// float adds a float.
func (c *columnWriter) float(x float64) {
	c.bounds.unordered = c.bounds.unordered || x != x
	c.number(numberOf(x))
}

// numberOf returns an integer that is less for a lesser float, and the bits of the float
// for this integer.
func numberOf(x float64) int64 { return flip(int64(math.Float64bits(x))) }

func flip(x int64) int64 { return x ^ int64(uint64(x>>63)>>1) }

// appendNumber appends what number gets, as it is stored.
func (c *columnWriter) appendNumber(dst []byte, x int64) []byte {
	switch c.kind {
	case Boolean:
		return append(dst, byte(x))
	case Float:
		return binary.LittleEndian.AppendUint32(dst, math.Float32bits(float32(math.Float64frombits(uint64(flip(x))))))
	case Double:
		return binary.LittleEndian.AppendUint64(dst, uint64(flip(x)))
	case Days, Number:
		return binary.LittleEndian.AppendUint32(dst, uint32(x))
	}
	return binary.LittleEndian.AppendUint64(dst, uint64(x))
}

func (c *columnWriter) text(text []byte) {
	c.bounds.add(&bounds{some: true, first: text, last: text})
	if !c.indexed {
		c.plain = appendText(c.plain, text)
		return
	}
	i, known := c.dict[string(text)]
	if !known {
		i = uint32(len(c.dict))
		c.dict[string(text)] = i
		c.dictText = appendText(c.dictText, text)
	}
	c.numbers = append(c.numbers, i)
}

func appendText(dst, text []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(dst, uint32(len(text))), text...)
}

// full reports whether the page has enough values.
func (c *columnWriter) full() bool {
	return len(c.plain)+4*len(c.numbers) >= pageBytes || c.entries >= pageValues || c.overflown()
}

func (c *columnWriter) overflown() bool { return c.indexed && len(c.dictText) > dictionaryBytes }

// pageWriter has what all columns share to make pages.
type pageWriter struct {
	zstd   *zstd.Encoder
	header thriftWriter
	values []byte
	body   []byte
}

func (c *columnWriter) endPage(p *pageWriter) {
	if c.entries == 0 {
		return
	}
	p.body = p.body[:0]
	if c.list {
		p.body = appendRuns(p.body, c.reps, 1)
	}
	reps := int64(len(p.body))
	if c.levels() {
		p.body = appendRuns(p.body, c.defs, 1)
	}
	defs := int64(len(p.body)) - reps
	values, in := c.encode(p)
	c.pages = append(c.pages, c.page(p, pageDataV2, values, func(t *thriftWriter) {
		t.i32(1, c.entries)
		t.i32(2, c.bounds.missing)
		t.i32(3, c.rows)
		t.i32(4, int64(in))
		t.i32(5, defs)
		t.i32(6, reps)
		t.flag(7, true) // compressed
		t.record(8, func() { c.writeBounds(t, &c.bounds) })
	}))
	c.indexed = c.indexed && !c.overflown()
	c.values += c.entries
	c.total.add(&c.bounds)
	c.bounds.reset()
	c.entries, c.rows = 0, 0
	c.defs, c.reps, c.plain, c.numbers = c.defs[:0], c.reps[:0], c.plain[:0], c.numbers[:0]
}

func (c *columnWriter) encode(p *pageWriter) ([]byte, encoding) {
	switch {
	case c.kind == Boolean:
		p.values = pack(p.values[:0], c.numbers, 1)
		return p.values, encodingPlain
	case len(c.numbers) == 0:
		return c.plain, encodingPlain
	case len(c.pages) == 0 && len(c.dict) == len(c.numbers):
		c.indexed = false // the texts of the first page are all different
		return c.dictText, encodingPlain
	}
	c.shared = true
	width := bits.Len(uint(len(c.dict) - 1))
	p.values = appendRuns(append(p.values[:0], byte(width)), c.numbers, width)
	return p.values, encodingDictionary
}

// page returns a page with its header, whose part for its type is written by part: the
// levels of p.body, and the compressed values.
func (c *columnWriter) page(p *pageWriter, kind int64, values []byte, part func(t *thriftWriter)) []byte {
	size := len(p.body) + len(values)
	p.body = p.zstd.EncodeAll(values, p.body)
	t := &p.header
	t.data = t.data[:0]
	t.item(func() {
		t.i32(1, kind)
		t.i32(2, int64(size))
		t.i32(3, int64(len(p.body)))
		t.i32(4, int64(int32(crc32.ChecksumIEEE(p.body))))
		id := 8
		if kind == pageDictionary {
			id = 7
		}
		t.record(id, func() { part(t) })
	})
	c.plainSize += int64(len(t.data) + size)
	return slices.Concat(t.data, p.body)
}

// endChunk ends the chunk, and puts its dictionary before its pages.
func (c *columnWriter) endChunk(p *pageWriter) {
	c.endPage(p)
	if !c.shared {
		return
	}
	p.body = p.body[:0]
	c.pages = slices.Insert(c.pages, 0, c.page(p, pageDictionary, c.dictText, func(t *thriftWriter) {
		t.i32(1, int64(len(c.dict)))
		t.i32(2, int64(encodingPlain))
	}))
}

// write writes the fields of the record of the chunk, whose pages begin at byte at.
func (c *columnWriter) write(t *thriftWriter, at int64) {
	in, path := []encoding{encodingPlain}, []string{c.name}
	if c.levels() {
		in = append(in, encodingRuns)
	}
	if c.shared {
		in = append(in, encodingDictionary)
	}
	if c.list {
		path = append(path, "list", "element")
	}
	t.i64(2, 0) // the record is nowhere else
	t.record(3, func() {
		t.i32(1, int64(c.physical))
		t.list(2, thriftI32, len(in))
		for _, e := range in {
			t.data = binary.AppendVarint(t.data, int64(e))
		}
		t.list(3, thriftBinary, len(path))
		for _, name := range path {
			t.textItem(name)
		}
		t.i32(4, int64(codecZstd))
		t.i64(5, c.values)
		t.i64(6, c.plainSize)
		size := int64(0)
		for _, page := range c.pages {
			size += int64(len(page))
		}
		t.i64(7, size)
		if c.shared {
			t.i64(9, at+int64(len(c.pages[0])))
			t.i64(11, at)
		} else {
			t.i64(9, at)
		}
		t.record(12, func() { c.writeBounds(t, &c.total) })
	})
}

func (c *columnWriter) reset() {
	c.pages, c.plainSize, c.values = nil, 0, 0
	c.total.reset()
	clear(c.dict)
	c.dictText, c.shared, c.indexed = c.dictText[:0], false, c.dict != nil
}

// bounds are the least and the greatest of some values.
type bounds struct {
	missing     int64
	some        bool // there are values
	unordered   bool // one of them is NaN
	least, most int64
	first, last []byte // the same for texts
}

func (b *bounds) add(other *bounds) {
	b.missing += other.missing
	b.unordered = b.unordered || other.unordered
	if !other.some {
		return
	}
	if !b.some || other.least < b.least {
		b.least = other.least
	}
	if !b.some || other.most > b.most {
		b.most = other.most
	}
	if !b.some || bytes.Compare(other.first, b.first) < 0 {
		b.first = append(b.first[:0], other.first...)
	}
	if !b.some || bytes.Compare(other.last, b.last) > 0 {
		b.last = append(b.last[:0], other.last...)
	}
	b.some = true
}

func (b *bounds) reset() { *b = bounds{first: b.first[:0], last: b.last[:0]} }

// writeBounds writes the fields of statistics. As the specification demands, there are no
// bounds of NaN, and those that are zero include both zeros.
func (c *columnWriter) writeBounds(t *thriftWriter, b *bounds) {
	t.i64(3, b.missing)
	if !b.some || b.unordered {
		return
	}
	least, most := b.first, b.last
	if c.physical != physicalBytes {
		low, high, negativeZero := b.least, b.most, numberOf(math.Copysign(0, -1))
		if c.kind == Float || c.kind == Double {
			if low == 0 {
				low = negativeZero
			}
			if high == negativeZero {
				high = 0
			}
		}
		least, most = c.appendNumber(nil, low), c.appendNumber(nil, high)
	}
	if len(least)+len(most) <= boundBytes {
		t.text(5, string(most))
		t.text(6, string(least))
	}
}

// appendRuns appends integers of width bits in the hybrid encoding of runs and bit-packed
// values, which decodeRuns decodes. Runs of less than eight are bit-packed.
//
// Source: https://github.com/apache/parquet-format/blob/master/Encodings.md
func appendRuns[T byte | uint32](dst []byte, src []T, width int) []byte {
	for len(src) > 0 {
		n := run(src, len(src))
		if n >= 8 || n == len(src) {
			dst = binary.AppendUvarint(dst, uint64(n)<<1)
			for i := range (width + 7) / 8 {
				dst = append(dst, byte(uint32(src[0])>>(8*i)))
			}
			src = src[n:]
			continue
		}
		for n = 8; n < len(src) && run(src[n:], 8) < 8; {
			n += 8
		}
		groups := (n + 7) / 8
		dst = binary.AppendUvarint(dst, uint64(groups)<<1|1)
		end := len(dst) + groups*width
		n = min(n, len(src))
		dst = pack(dst, src[:n], width)
		for len(dst) < end {
			dst = append(dst, 0)
		}
		src = src[n:]
	}
	return dst
}

// run returns how many values at the beginning are equal, at most most.
func run[T byte | uint32](src []T, most int) int {
	n := 1
	for n < min(len(src), most) && src[n] == src[0] {
		n++
	}
	return n
}

// pack appends integers of width bits, the lowest bit first.
func pack[T byte | uint32](dst []byte, src []T, width int) []byte {
	var buffer uint64
	held := 0
	for _, x := range src {
		buffer |= uint64(x) << held
		for held += width; held >= 8; held -= 8 {
			dst = append(dst, byte(buffer))
			buffer >>= 8
		}
	}
	if held > 0 {
		dst = append(dst, byte(buffer))
	}
	return dst
}
