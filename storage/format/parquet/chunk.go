package parquet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"

	library "github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/encoding/rle"
	"github.com/parquet-go/parquet-go/format"

	"heavytail/storage/format/internal/columnfile"
)

const (
	maxHeader = 64 << 10 // bytes of a page header, which may have statistics
	maxLevels = 1 << 25  // values of a page, including missing ones, which take no bytes in run-length encoding
)

// oldDictionary is the encoding of a dictionary and of its indexes in files of older writers.
const oldDictionary format.Encoding = 2

// cursor reads the values of a column, chunk by chunk.
type cursor struct {
	file   *file
	column int
	leaf   leaf

	in    *bufio.Reader // the chunk
	left  int64         // unread bytes of the chunk
	codec format.CompressionCodec

	raw, plain []byte // a page as stored, and decompressed
	dict       values
	dictSize   int // number of values; -1 before the dictionary is read

	defs, reps []byte
	levels, at int // number of values of the page, and the next one
	page       values
	indexes    []int32
	indexed    bool // values of the page are indexes of the dictionary
	next       int  // next value of the page

	missing bool
	value   int       // index of the current value
	list    []float64 // or the current list of numbers
	ends    []int     // or the ends of the current list of texts in text
	text    []byte
}

// begin opens the chunk of the column in a row group.
func (c *cursor) begin(chunk *columnChunk) error {
	meta := &chunk.MetaData
	start := meta.DataPageOffset
	if dict := meta.DictionaryPageOffset; dict > 0 && dict < start {
		start = dict
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
		if err := guarded(c.readPage); err != nil {
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
	if err := c.body(h); err != nil {
		return err
	}
	switch {
	case h.Type == format.DictionaryPage && h.DictionaryPageHeader.Valid:
		return c.dictionaryPage(h)
	case h.Type == format.DataPage && h.DataPageHeader.Valid:
		return c.dataPage(h)
	case h.Type == format.DataPageV2 && h.DataPageHeaderV2.Valid:
		return c.dataPageV2(h)
	case h.Type == format.IndexPage:
		return nil
	}
	return damaged("a page has the unknown type %d", h.Type)
}

func (c *cursor) header() (*format.PageHeader, error) {
	start, err := c.in.Peek(int(min(maxHeader, c.left)))
	if err != nil {
		return nil, ended(err)
	}
	size, whole, err := recordSize(start)
	switch {
	case err != nil:
		return nil, err
	case !whole && len(start) == maxHeader:
		return nil, limited("the header of a page has more than %d bytes", maxHeader)
	case !whole:
		return nil, damaged("a chunk ends inside the header of a page")
	}
	h := new(format.PageHeader)
	if err := unmarshal(start[:size], h); err != nil {
		return nil, err
	}
	c.left -= int64(size)
	_, err = c.in.Discard(size)
	return h, err
}

// ended turns the end of the input into an error of the format.
func ended(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return damaged("the file ends inside a page")
	}
	return err
}

// body reads the bytes of a page, and checks their checksum.
func (c *cursor) body(h *format.PageHeader) (err error) {
	if c.raw, err = grow(c.file, c.raw, int(h.CompressedPageSize)); err != nil {
		return err
	}
	if _, err := io.ReadFull(c.in, c.raw); err != nil {
		return ended(err)
	}
	c.left -= int64(len(c.raw))
	if h.CRC != 0 && crc32.ChecksumIEEE(c.raw) != uint32(h.CRC) {
		return damaged("the checksum of a page does not match")
	}
	return nil
}

// decompress returns the size bytes that raw decompresses to, in a buffer if raw is
// compressed. Any other size is damage, which stops decompression bombs: the library takes as
// much memory as a frame has bytes.
func (c *cursor) decompress(raw []byte, size int) (text []byte, err error) {
	if c.codec == format.Uncompressed {
		if len(raw) != size {
			return nil, damaged("a page has %d bytes instead of %d", len(raw), size)
		}
		return raw, nil
	}
	if c.plain, err = grow(c.file, c.plain, size); err != nil {
		return nil, err
	}
	n, err := c.file.inflate(c.plain, raw, c.codec)
	switch {
	case err != nil:
		return nil, err
	case n != size:
		return nil, damaged("a page has %d bytes after decompression instead of %d", n, size)
	}
	return c.plain, nil
}

func (c *cursor) dictionaryPage(h *format.PageHeader) error {
	in, n := h.DictionaryPageHeader.V.Encoding, h.DictionaryPageHeader.V.NumValues
	switch {
	case c.dictSize >= 0:
		return damaged("a chunk has two dictionaries")
	case in != format.Plain && in != oldDictionary:
		return unread("a dictionary is in the encoding %s", in)
	case n < 0 || n > maxLevels:
		return damaged("a dictionary has %d values", n)
	}
	text, err := c.decompress(c.raw, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	c.dictSize = int(n)
	return c.decode(&c.dict, text, format.Plain, c.dictSize)
}

// dataPage reads a page of version 1, whose levels are compressed with its values.
func (c *cursor) dataPage(h *format.PageHeader) error {
	page := &h.DataPageHeader.V
	if err := c.setLevels(page.NumValues); err != nil {
		return err
	}
	text, err := c.decompress(c.raw, int(h.UncompressedPageSize))
	if err != nil {
		return err
	}
	if text, err = c.levelsV1(&c.reps, text, c.leaf.maxRep, page.RepetitionLevelEncoding); err != nil {
		return err
	}
	if text, err = c.levelsV1(&c.defs, text, c.leaf.maxDef, page.DefinitionLevelEncoding); err != nil {
		return err
	}
	return c.take(text, page.Encoding)
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

// levelsV1 reads levels that follow their length. Levels of 0 are not stored.
func (c *cursor) levelsV1(levels *[]byte, text []byte, most int, in format.Encoding) ([]byte, error) {
	if most == 0 {
		return text, nil
	}
	if in != format.RLE {
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
	if err := checkRuns(data, widthOf(most), c.levels); err != nil {
		return err
	}
	if *levels, err = grow(c.file, *levels, c.levels+padding); err != nil {
		return err
	}
	e := rle.Encoding{BitWidth: widthOf(most)}
	if *levels, err = e.DecodeLevels(*levels, data); err != nil {
		return damaged("the levels of a page are malformed: %v", err)
	}
	*levels = (*levels)[:c.levels]
	for _, level := range *levels {
		if int(level) > most {
			return damaged("a page has the level %d, above %d", level, most)
		}
	}
	return nil
}

// dataPageV2 reads a page of version 2, whose levels are not compressed.
func (c *cursor) dataPageV2(h *format.PageHeader) error {
	page := &h.DataPageHeaderV2.V
	if err := c.setLevels(page.NumValues); err != nil {
		return err
	}
	reps, defs := int64(page.RepetitionLevelsByteLength), int64(page.DefinitionLevelsByteLength)
	if most := min(int64(len(c.raw)), int64(h.UncompressedPageSize)); reps < 0 || defs < 0 || reps+defs > most {
		return damaged("the levels of a page are longer than it")
	}
	if err := c.readLevels(&c.reps, c.raw[:reps], c.leaf.maxRep); err != nil {
		return err
	}
	if err := c.readLevels(&c.defs, c.raw[reps:reps+defs], c.leaf.maxDef); err != nil {
		return err
	}
	text := c.raw[reps+defs:]
	if size := int(int64(h.UncompressedPageSize) - reps - defs); (!page.IsCompressed.Valid || page.IsCompressed.V) && size > 0 {
		var err error
		if text, err = c.decompress(text, size); err != nil {
			return err
		}
	}
	return c.take(text, page.Encoding)
}

// take decodes the values of a page, whose levels have been read.
func (c *cursor) take(data []byte, in format.Encoding) error {
	n := c.levels
	if c.leaf.maxDef > 0 {
		n = 0
		for _, level := range c.defs {
			if int(level) == c.leaf.maxDef {
				n++
			}
		}
	}
	c.indexed = in == format.RLEDictionary || in == oldDictionary
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
	if err := checkRuns(data[1:], int(data[0]), n); err != nil {
		return err
	}
	if c.indexes, err = grow(c.file, c.indexes, n+padding); err != nil {
		return err
	}
	if c.indexes, err = library.RLEDictionary.DecodeInt32(c.indexes, data); err != nil {
		return damaged("the indexes of a page are malformed: %v", err)
	}
	c.indexes = c.indexes[:n]
	for _, i := range c.indexes {
		if uint64(uint32(i)) >= uint64(c.dictSize) {
			return damaged("a page refers to value %d of a dictionary of %d", uint32(i), c.dictSize)
		}
	}
	return nil
}

// decode decodes n values.
func (c *cursor) decode(v *values, data []byte, in format.Encoding, n int) error {
	if n == 0 {
		return nil
	}
	data, err := c.checkValues(data, in, n)
	if err == nil {
		err = v.decode(c.file, &c.leaf, data, library.LookupEncoding(in), n)
	}
	var known *columnfile.Error
	switch {
	case err == nil || errors.As(err, &known):
		return err
	case errors.Is(err, encoding.ErrNotSupported):
		return unread("values of type %s in the encoding %s", c.leaf.physical, in)
	}
	return damaged("the values of a page are malformed: %v", err)
}

// checkValues returns the bytes of n encoded values, or an error if there are fewer, since the
// library allocates by the numbers that they state.
func (c *cursor) checkValues(data []byte, in format.Encoding, n int) ([]byte, error) {
	width := c.leaf.width()
	switch {
	case in == format.Plain && width > 0, in == format.ByteStreamSplit && width > 0:
		if int64(n)*int64(width) > int64(len(data)) {
			return nil, errShort()
		}
		return data[:n*width], nil
	case in == format.Plain && c.leaf.physical == format.ByteArray:
		return plainTexts(data, n)
	case in == format.Plain && c.leaf.physical == format.Boolean:
		if size := (n + 7) / 8; size <= len(data) {
			return data[:size], nil
		}
		return nil, errShort()
	case in == format.RLE && c.leaf.physical == format.Boolean:
		if len(data) < 4 || uint64(binary.LittleEndian.Uint32(data)) > uint64(len(data)-4) {
			return nil, errShort()
		}
		return data, checkRuns(data[4:4+binary.LittleEndian.Uint32(data)], 1, n)
	case in == format.DeltaBinaryPacked:
		_, err := checkDeltas(data, 8*width, n)
		return data, err
	case in == format.DeltaLengthByteArray:
		_, err := checkDeltas(data, 32, n)
		return data, err
	case in == format.DeltaByteArray:
		return data, c.checkPrefixes(data, n)
	}
	return data, nil
}

// checkPrefixes returns an error if the values of a page, each of which repeats a prefix of the
// one before, are longer than a page may be: a few bytes can stand for any number of them.
func (c *cursor) checkPrefixes(data []byte, n int) error {
	rest, err := checkDeltas(data, 32, n)
	if err != nil {
		return err
	}
	if _, err := checkDeltas(rest, 32, n); err != nil {
		return err
	}
	if c.indexes, err = grow(c.file, c.indexes, n+padding); err != nil {
		return err
	}
	if c.indexes, err = library.DeltaBinaryPacked.DecodeInt32(c.indexes, data); err != nil {
		return err
	}
	all := int64(0)
	for _, length := range c.indexes {
		if all += int64(max(length, 0)); all > maxPage {
			return limited("a page of texts exceeds the limit of %d bytes", maxPage)
		}
	}
	return nil
}
