package columnfile

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"unsafe"
)

const (
	maxHeader = 64 << 10  // bytes of a page header, which may have statistics
	maxPage   = 128 << 20 // bytes of a page; 1 MiB is usual, and up to 100 MiB occurs
	maxLevels = 1 << 25   // values of a page, including missing ones, which take no bytes in run-length encoding
)

// values are decoded values. The kind of the column decides which slice has them.
type values struct {
	ints   []int64
	floats []float64
	spans  []span // positions in data
	data   []byte
}

type span struct{ at, length uint32 }

// cursor reads the values of a column, chunk by chunk.
type cursor struct {
	file   *File
	column int
	leaf   leaf

	in    *bufio.Reader // the chunk
	left  int64         // unread bytes of the chunk
	codec codec

	raw, text []byte // a page as stored, and decompressed
	dictRaw   []byte // the same for the dictionary
	dictText  []byte
	dict      values
	dictSize  int // number of values; -1 before the dictionary is read

	texts []byte // decoded texts of a page that does not store them plainly

	defs, reps []byte
	levels, at int // number of values of the page, and the next one
	page       values
	indexes    []uint32
	indexed    bool // values of the page are indexes of the dictionary
	next       int  // next value of the page

	missing  bool
	value    int       // index of the current value
	list     []float64 // or the current list of numbers
	items    []span    // or the current list of texts, stored in itemData
	itemData []byte
}

// width is the number of bytes of a stored number.
func (c *cursor) width() int {
	if c.leaf.physical == physicalInt32 || c.leaf.physical == physicalFloat {
		return 4
	}
	return 8
}

// grow returns s with n items, whose content is undefined. Memory that it allocates counts
// against the limit of the file.
func grow[T any](f *File, s []T, n int) ([]T, error) {
	if n <= cap(s) {
		return s[:n], nil
	}
	var item T
	more := int64(n-cap(s)) * int64(unsafe.Sizeof(item))
	if more > f.limits.Memory-f.memory {
		return nil, limited("the pages of the file take more than %d bytes of memory", f.limits.Memory)
	}
	f.memory += more
	return make([]T, n), nil
}

// begin opens the chunk of the column in a row group.
func (c *cursor) begin(chunk *chunk) error {
	start := chunk.data
	if chunk.dict > 0 && chunk.dict < start {
		start = chunk.dict
	}
	switch {
	case chunk.file != "":
		return unread("the values are in another file")
	case chunk.physical != c.leaf.physical:
		return damaged("a chunk has values of type %s, and the schema says %s", chunk.physical, c.leaf.physical)
	case start < int64(len(magic)) || chunk.size < 0 || chunk.size > c.file.size-start:
		return damaged("a chunk of %d bytes at byte %d does not fit into the file", chunk.size, start)
	}
	section := io.NewSectionReader(c.file.in, start, chunk.size)
	if c.in == nil {
		c.in = bufio.NewReaderSize(section, maxHeader)
	} else {
		c.in.Reset(section)
	}
	c.left, c.codec, c.dictSize = chunk.size, chunk.codec, -1
	c.levels, c.at = 0, 0
	return nil
}

// more reads the next page that has values. It returns false at the end of the chunk.
func (c *cursor) more() (bool, error) {
	for c.at == c.levels {
		if c.left == 0 {
			return false, nil
		}
		if err := c.readPage(); err != nil {
			return false, err
		}
	}
	return true, nil
}

func (c *cursor) readPage() error {
	h, err := c.header()
	if err != nil {
		return err
	}
	switch {
	case h.compressed < 0 || h.compressed > c.left:
		return damaged("a page of %d bytes is longer than its chunk", h.compressed)
	case h.size < 0:
		return damaged("a page has %d bytes", h.size)
	case max(h.compressed, h.size) > maxPage:
		return limited("a page of %d bytes exceeds the limit of %d", max(h.compressed, h.size), maxPage)
	}
	if c.file.read += h.size; c.file.read > c.file.limits.Bytes {
		return limited("the values exceed the limit of %d bytes", c.file.limits.Bytes)
	}
	switch {
	case h.kind == pageDictionary && h.part == pageDictionary:
		return c.dictionaryPage(h)
	case h.kind == pageData && h.part == pageData:
		return c.dataPage(h)
	case h.kind == pageDataV2 && h.part == pageDataV2:
		return c.dataPageV2(h)
	case h.kind == pageIndex:
		_, err := c.in.Discard(int(h.compressed))
		c.left -= h.compressed
		return err
	}
	return damaged("a page has the unknown type %d", h.kind)
}

func (c *cursor) header() (*pageHeader, error) {
	start, err := c.in.Peek(int(min(maxHeader, c.left)))
	if err != nil {
		return nil, c.ended(err)
	}
	h := &pageHeader{part: -1}
	size, whole, err := readThrift(start, h.fields)
	switch {
	case err != nil:
		return nil, err
	case !whole && len(start) == maxHeader:
		return nil, limited("the header of a page has more than %d bytes", maxHeader)
	case !whole:
		return nil, damaged("a chunk ends inside the header of a page")
	}
	c.left -= int64(size)
	_, err = c.in.Discard(size)
	return h, err
}

// ended turns the end of the input into an error of the format.
func (c *cursor) ended(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return damaged("the file ends inside a page")
	}
	return err
}

// body reads the bytes of a page into a buffer, and checks their checksum.
func (c *cursor) body(h *pageHeader, buffer []byte) ([]byte, error) {
	buffer, err := grow(c.file, buffer, int(h.compressed))
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(c.in, buffer); err != nil {
		return nil, c.ended(err)
	}
	c.left -= int64(len(buffer))
	if h.crc != 0 && crc32.ChecksumIEEE(buffer) != uint32(h.crc) {
		return nil, damaged("the checksum of a page does not match")
	}
	return buffer, nil
}

func (c *cursor) dictionaryPage(h *pageHeader) (err error) {
	switch {
	case c.dictSize >= 0:
		return damaged("a chunk has two dictionaries")
	case h.encoding != encodingPlain && h.encoding != encodingPlainDictionary:
		return unread("a dictionary is in the encoding %s", h.encoding)
	case h.values < 0 || h.values > maxLevels:
		return damaged("a dictionary has %d values", h.values)
	}
	if c.dictRaw, err = c.body(h, c.dictRaw); err != nil {
		return err
	}
	text, err := c.decompress(&c.dictText, c.dictRaw, int(h.size))
	if err != nil {
		return err
	}
	c.dictSize = int(h.values)
	return c.decode(&c.dict, text, encodingPlain, c.dictSize)
}

// dataPage reads a page of version 1, whose levels are compressed with its values.
func (c *cursor) dataPage(h *pageHeader) (err error) {
	if err := c.setLevels(h.values); err != nil {
		return err
	}
	if c.raw, err = c.body(h, c.raw); err != nil {
		return err
	}
	text, err := c.decompress(&c.text, c.raw, int(h.size))
	if err != nil {
		return err
	}
	if text, err = c.levelsV1(&c.reps, text, c.leaf.maxRep, encoding(h.reps)); err != nil {
		return err
	}
	if text, err = c.levelsV1(&c.defs, text, c.leaf.maxDef, encoding(h.defs)); err != nil {
		return err
	}
	return c.take(text, h.encoding)
}

func (c *cursor) setLevels(n int64) error {
	if n < 0 || n > maxLevels {
		return limited("a page of %d values exceeds the limit of %d", n, maxLevels)
	}
	// Values of one run take no bytes, but they take time, so they count against the limit.
	c.file.read += n / 8
	c.levels, c.at, c.next = int(n), 0, 0
	return nil
}

// levelsV1 reads levels that follow their length. Levels of 0 are not stored.
func (c *cursor) levelsV1(levels *[]byte, text []byte, most int, in encoding) ([]byte, error) {
	if most == 0 {
		return text, nil
	}
	if in != encodingRuns {
		return nil, unread("the levels of a page are in the encoding %s", in)
	}
	if len(text) < 4 || uint64(binary.LittleEndian.Uint32(text)) > uint64(len(text)-4) {
		return nil, errShort()
	}
	end := 4 + int(binary.LittleEndian.Uint32(text))
	return text[end:], c.readLevels(levels, text[4:end], most)
}

func (c *cursor) readLevels(levels *[]byte, data []byte, most int) (err error) {
	if most == 0 {
		return nil
	}
	if *levels, err = grow(c.file, *levels, c.levels); err != nil {
		return err
	}
	if err := decodeRuns(*levels, data, bitsFor(most)); err != nil {
		return err
	}
	for _, level := range *levels {
		if int(level) > most {
			return damaged("a page has the level %d, above %d", level, most)
		}
	}
	return nil
}

// dataPageV2 reads a page of version 2, whose levels are not compressed.
func (c *cursor) dataPageV2(h *pageHeader) (err error) {
	if err := c.setLevels(h.values); err != nil {
		return err
	}
	if c.raw, err = c.body(h, c.raw); err != nil {
		return err
	}
	reps, defs, most := h.reps, h.defs, min(int64(len(c.raw)), h.size)
	if reps < 0 || defs < 0 || reps > most || defs > most-reps {
		return damaged("the levels of a page are longer than it")
	}
	if err := c.readLevels(&c.reps, c.raw[:reps], c.leaf.maxRep); err != nil {
		return err
	}
	if err := c.readLevels(&c.defs, c.raw[reps:reps+defs], c.leaf.maxDef); err != nil {
		return err
	}
	text := c.raw[reps+defs:]
	if size := int(h.size - reps - defs); !h.plainText && size > 0 {
		if text, err = c.decompress(&c.text, text, size); err != nil {
			return err
		}
	}
	return c.take(text, h.encoding)
}

// take decodes the values of a page, whose levels have been read.
func (c *cursor) take(data []byte, in encoding) error {
	n := c.levels
	if c.leaf.maxDef > 0 {
		n = 0
		for _, level := range c.defs {
			if int(level) == c.leaf.maxDef {
				n++
			}
		}
	}
	c.indexed = in == encodingDictionary || in == encodingPlainDictionary
	if c.indexed {
		return c.takeIndexes(data, n)
	}
	return c.decode(&c.page, data, in, n)
}

// takeIndexes decodes the dictionary indexes of n values.
func (c *cursor) takeIndexes(data []byte, n int) (err error) {
	if c.dictSize < 0 {
		return damaged("a page refers to a dictionary that is not there")
	}
	if n == 0 {
		return nil
	}
	if len(data) == 0 || data[0] > 32 {
		return damaged("a page has indexes of an unknown width")
	}
	if c.indexes, err = grow(c.file, c.indexes, n); err != nil {
		return err
	}
	if err := decodeRuns(c.indexes, data[1:], int(data[0])); err != nil {
		return err
	}
	for _, i := range c.indexes {
		if uint64(i) >= uint64(c.dictSize) {
			return damaged("a page refers to value %d of a dictionary of %d", i, c.dictSize)
		}
	}
	return nil
}

func (c *cursor) decode(v *values, data []byte, in encoding, n int) (err error) {
	kind := physicalKind(c.leaf.physical)
	switch {
	case kind == Boolean && (in == encodingPlain || in == encodingRuns):
		return c.bools(v, data, n, in == encodingRuns)
	case kind == Text && in == encodingPlain:
		return c.plainTexts(v, data, n)
	case kind == Text && in == encodingDeltaTexts:
		return c.deltaTexts(v, data, n)
	case kind == Text && in == encodingFrontTexts:
		return c.frontTexts(v, data, n)
	case kind.numeric() && in == encodingPlain:
		return c.plainNumbers(v, data, n)
	case kind.numeric() && in == encodingSplit:
		return c.splitNumbers(v, data, n)
	case kind == Integer && in == encodingDeltas:
		if v.ints, err = grow(c.file, v.ints, n); err != nil {
			return err
		}
		_, err = decodeDeltas(v.ints, data)
		for i := range v.ints {
			v.ints[i] = c.integer(uint64(v.ints[i]))
		}
		return err
	}
	return unread("values of type %s in the encoding %s", c.leaf.physical, in)
}
