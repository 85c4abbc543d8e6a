package index

import (
	"encoding/binary"
	"hash/crc32"
	"io"
)

// castagnoli is the table of CRC-32C, the checksum of stored indexes.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sumPage is the number of bytes of a stream that one of its page sums covers. A search in place reads
// lists of about a hundred bytes that are far apart, so a page takes little longer than a list,
// and the sums are 0.4 % of the stream.
const sumPage = 1 << 10

// pageSums are the sums of the pages of a stream that is written or read in order.
type pageSums struct {
	sums   []uint32
	sum    uint32 // of the page that is not full
	filled int    // bytes of it
}

// add continues the stream.
func (p *pageSums) add(b []byte) {
	for len(b) > 0 {
		n := min(len(b), sumPage-p.filled)
		p.sum = crc32.Update(p.sum, castagnoli, b[:n])
		if p.filled += n; p.filled == sumPage {
			p.end()
		}
		b = b[n:]
	}
}

// end ends the last page, if it has any bytes.
func (p *pageSums) end() {
	if p.filled > 0 {
		p.sums, p.sum, p.filled = append(p.sums, p.sum), 0, 0
	}
}

// pageCache reads a stream page by page, and verifies each page by its sum. It keeps a few of
// them, because lists that are read together often share one.
type pageCache struct {
	raw    io.ReaderAt // the stream, which need not be verified
	stream io.ReaderAt // the same, verified: the sums are read there
	end    int64       // of the pages, where the sums begin

	held  []int64  // number + 1 of the page in each place, which is that of its number modulo the places
	at    []uint16 // of each place, 1 + its index in bytes, which is by first use so that few pages take little memory
	used  uint16   // places that were used
	bytes []byte
}

// cachedPages is how many pages a pageCache keeps: a quarter of a mebibyte.
const cachedPages = 256

// read copies bytes of the pages to p. Pages that do not have their sum are [ErrFormat].
func (c *pageCache) read(p []byte, at int64) error {
	if at < 0 || at+int64(len(p)) > c.end {
		return damaged("bytes %d to %d of %d", at, at+int64(len(p)), c.end)
	}
	for len(p) > 0 {
		b, err := c.page(at / sumPage)
		if err != nil {
			return err
		}
		n := copy(p, b[at%sumPage:])
		p, at = p[n:], at+int64(n)
	}
	return nil
}

// page returns the bytes of a page, which are valid until the next call.
func (c *pageCache) page(number int64) ([]byte, error) {
	if c.held == nil {
		c.held, c.at, c.bytes = make([]int64, cachedPages), make([]uint16, cachedPages), make([]byte, cachedPages*sumPage)
	}
	place := number % cachedPages
	if c.at[place] == 0 {
		c.used++
		c.at[place] = c.used
	}
	b := c.bytes[int(c.at[place]-1)*sumPage:][:min(sumPage, c.end-number*sumPage)]
	if c.held[place] == number+1 {
		return b, nil
	}
	c.held[place] = 0
	var sum [4]byte
	if n, err := c.stream.ReadAt(sum[:], c.end+4*number); n < len(sum) {
		return nil, err
	}
	if n, err := c.raw.ReadAt(b, number*sumPage); n < len(b) {
		return nil, err
	}
	if got, want := crc32.Checksum(b, castagnoli), binary.LittleEndian.Uint32(sum[:]); got != want {
		return nil, damaged("page %d has the checksum %08x instead of %08x", number, got, want)
	}
	c.held[place] = number + 1
	return b, nil
}
