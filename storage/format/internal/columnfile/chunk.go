package columnfile

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"
	"unsafe"

	"github.com/parquet-go/parquet-go/format"
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

// span is a part of a page.
type span struct{ at, length uint32 }

// cursor reads the values of a column, chunk by chunk.
type cursor struct {
	file   *File
	column int
	leaf   leaf

	in    *bufio.Reader // the chunk
	left  int64         // unread bytes of the chunk
	codec format.CompressionCodec

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
	if c.leaf.physical == format.Int32 || c.leaf.physical == format.Float {
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
func (c *cursor) begin(chunk *format.ColumnChunk) error {
	meta := &chunk.MetaData
	start := meta.DataPageOffset
	if d := meta.DictionaryPageOffset; d > 0 && d < start {
		start = d
	}
	switch {
	case chunk.FilePath != "":
		return unread("the values are in another file")
	case meta.Type != c.leaf.physical:
		return damaged("a chunk has values of type %s, and the schema says %s", meta.Type, c.leaf.physical)
	case start < int64(len(magic)) || meta.TotalCompressedSize < 0 || meta.TotalCompressedSize > c.file.size-start:
		return damaged("a chunk of %d bytes at byte %d does not fit into the file", meta.TotalCompressedSize, start)
	}
	section := io.NewSectionReader(c.file.in, start, meta.TotalCompressedSize)
	if c.in == nil {
		c.in = bufio.NewReaderSize(section, maxHeader)
	} else {
		c.in.Reset(section)
	}
	c.left, c.codec, c.dictSize = meta.TotalCompressedSize, meta.Codec, -1
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

// readPage reads one page of any type.
func (c *cursor) readPage() error {
	h, err := c.header()
	if err != nil {
		return err
	}
	switch {
	case h.CompressedPageSize < 0 || int64(h.CompressedPageSize) > c.left:
		return damaged("a page of %d bytes is longer than its chunk", h.CompressedPageSize)
	case h.UncompressedPageSize < 0:
		return damaged("a page has %d bytes", h.UncompressedPageSize)
	case max(h.CompressedPageSize, h.UncompressedPageSize) > maxPage:
		return limited("a page of %d bytes exceeds the limit of %d", max(h.CompressedPageSize, h.UncompressedPageSize), maxPage)
	}
	if c.file.read += int64(h.UncompressedPageSize); c.file.read > c.file.limits.Bytes {
		return limited("the values exceed the limit of %d bytes", c.file.limits.Bytes)
	}
	switch {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		return c.dictionaryPage(h)
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		return c.dataPage(h)
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		return c.dataPageV2(h)
	case h.Type == format.IndexPage:
		_, err := c.in.Discard(int(h.CompressedPageSize))
		c.left -= int64(h.CompressedPageSize)
		return err
	}
	return damaged("a page has the unknown type %d", h.Type)
}

// header reads the header of a page.
func (c *cursor) header() (*format.PageHeader, error) {
	start, err := c.in.Peek(int(min(maxHeader, c.left)))
	if err != nil {
		return nil, c.ended(err)
	}
	size, whole, err := checkThrift(start)
	switch {
	case err != nil:
		return nil, err
	case !whole && len(start) == maxHeader:
		return nil, limited("the header of a page has more than %d bytes", maxHeader)
	case !whole:
		return nil, damaged("a chunk ends inside the header of a page")
	}
	h := new(format.PageHeader)
	if err := decodeThrift(start[:size], h); err != nil {
		return nil, damaged("the header of a page: %v", err)
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
func (c *cursor) body(h *format.PageHeader, buffer []byte) ([]byte, error) {
	buffer, err := grow(c.file, buffer, int(h.CompressedPageSize))
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(c.in, buffer); err != nil {
		return nil, c.ended(err)
	}
	c.left -= int64(len(buffer))
	if h.CRC != 0 && crc32.ChecksumIEEE(buffer) != uint32(h.CRC) {
		return nil, damaged("the checksum of a page does not match")
	}
	return buffer, nil
}

// dictionaryPage reads the dictionary of the chunk.
func (c *cursor) dictionaryPage(h *format.PageHeader) (err error) {
	d := h.DictionaryPageHeader.V
	switch {
	case c.dictSize >= 0:
		return damaged("a chunk has two dictionaries")
	//lint:ignore SA1019 new files do not use it, and those of older writers do
	case d.Encoding != format.Plain && d.Encoding != format.PlainDictionary:
		return unread("a dictionary is in the encoding %s", d.Encoding)
	case d.NumValues < 0 || d.NumValues > maxLevels:
		return damaged("a dictionary has %d values", d.NumValues)
	}
	if c.dictRaw, err = c.body(h, c.dictRaw); err != nil {
		return err
	}
	text, err := c.decompress(&c.dictText, c.dictRaw, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	c.dictSize = int(d.NumValues)
	return c.decode(&c.dict, text, format.Plain, c.dictSize)
}

// dataPage reads a page of version 1, whose levels are compressed with its values.
func (c *cursor) dataPage(h *format.PageHeader) (err error) {
	d := h.DataPageHeader.V
	if err := c.setLevels(d.NumValues); err != nil {
		return err
	}
	if c.raw, err = c.body(h, c.raw); err != nil {
		return err
	}
	text, err := c.decompress(&c.text, c.raw, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	if c.leaf.maxRep > 0 {
		if text, err = c.levelsV1(&c.reps, text, c.leaf.maxRep, d.RepetitionLevelEncoding); err != nil {
			return err
		}
	}
	if c.leaf.maxDef > 0 {
		if text, err = c.levelsV1(&c.defs, text, c.leaf.maxDef, d.DefinitionLevelEncoding); err != nil {
			return err
		}
	}
	return c.take(text, d.Encoding)
}

func (c *cursor) setLevels(n int32) error {
	if n < 0 || n > maxLevels {
		return limited("a page of %d values exceeds the limit of %d", n, maxLevels)
	}
	// Values of one run take no bytes, but they take time, so they count against the limit.
	c.file.read += int64(n) / 8
	c.levels, c.at, c.next = int(n), 0, 0
	return nil
}

// levelsV1 reads levels that follow their length.
func (c *cursor) levelsV1(levels *[]byte, text []byte, most int, encoding format.Encoding) ([]byte, error) {
	if encoding != format.RLE {
		return nil, unread("the levels of a page are in the encoding %s", encoding)
	}
	if len(text) < 4 || uint64(binary.LittleEndian.Uint32(text)) > uint64(len(text)-4) {
		return nil, errShort()
	}
	end := 4 + int(binary.LittleEndian.Uint32(text))
	return text[end:], c.readLevels(levels, text[4:end], most)
}

func (c *cursor) readLevels(levels *[]byte, data []byte, most int) (err error) {
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
func (c *cursor) dataPageV2(h *format.PageHeader) (err error) {
	d := h.DataPageHeaderV2.V
	if err := c.setLevels(d.NumValues); err != nil {
		return err
	}
	if c.raw, err = c.body(h, c.raw); err != nil {
		return err
	}
	reps, defs := int64(d.RepetitionLevelsByteLength), int64(d.DefinitionLevelsByteLength)
	if reps < 0 || defs < 0 || reps+defs > int64(len(c.raw)) || reps+defs > int64(h.UncompressedPageSize) {
		return damaged("the levels of a page are longer than it")
	}
	if c.leaf.maxRep > 0 {
		if err := c.readLevels(&c.reps, c.raw[:reps], c.leaf.maxRep); err != nil {
			return err
		}
	}
	if c.leaf.maxDef > 0 {
		if err := c.readLevels(&c.defs, c.raw[reps:reps+defs], c.leaf.maxDef); err != nil {
			return err
		}
	}
	text := c.raw[reps+defs:]
	if size := int(int64(h.UncompressedPageSize) - reps - defs); (!d.IsCompressed.Valid || d.IsCompressed.V) && size > 0 {
		if text, err = c.decompress(&c.text, text, size); err != nil {
			return err
		}
	}
	return c.take(text, d.Encoding)
}

// take decodes the values of a page, whose levels have been read.
func (c *cursor) take(data []byte, encoding format.Encoding) error {
	n := c.levels
	if c.leaf.maxDef > 0 {
		n = 0
		for _, level := range c.defs {
			if int(level) == c.leaf.maxDef {
				n++
			}
		}
	}
	//lint:ignore SA1019 new files do not use it, and those of older writers do
	c.indexed = encoding == format.RLEDictionary || encoding == format.PlainDictionary
	if c.indexed {
		return c.takeIndexes(data, n)
	}
	return c.decode(&c.page, data, encoding, n)
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

// decode decodes n values.
func (c *cursor) decode(v *values, data []byte, encoding format.Encoding, n int) (err error) {
	kind := physicalKind(c.leaf.physical)
	switch {
	case kind == Boolean && (encoding == format.Plain || encoding == format.RLE):
		return c.bools(v, data, n, encoding == format.RLE)
	case kind == Text && encoding == format.Plain:
		return c.plainTexts(v, data, n)
	case kind == Text && encoding == format.DeltaLengthByteArray:
		return c.deltaTexts(v, data, n)
	case kind == Text && encoding == format.DeltaByteArray:
		return c.frontTexts(v, data, n)
	case kind.numeric() && encoding == format.Plain:
		return c.plainNumbers(v, data, n)
	case kind.numeric() && encoding == format.ByteStreamSplit:
		return c.splitNumbers(v, data, n)
	case kind == Integer && encoding == format.DeltaBinaryPacked:
		if v.ints, err = grow(c.file, v.ints, n); err != nil {
			return err
		}
		_, err = decodeDeltas(v.ints, data)
		for i := range v.ints {
			v.ints[i] = c.integer(uint64(v.ints[i]))
		}
		return err
	}
	return unread("values of type %s in the encoding %s", c.leaf.physical, encoding)
}
