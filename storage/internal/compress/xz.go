package compress

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"

	"github.com/ulikunitz/xz/lzma"
)

// xzReader reads the container of xz, version 1.2.0 of its specification, with the one filter
// that is used for text, LZMA2. The container is read here because the library allocates any
// dictionary that a block asks for, up to 4 GiB.
type xzReader struct {
	raw     *countedReader
	check   byte // the kind of checksum of this stream
	block   io.Reader
	sum     hash.Hash // of the block
	began   int64     // byte at which the block's data begin
	headed  int64     // bytes of the block's header
	length  int64     // of the block's text
	records []xzRecord
	flags   [2]byte // of the stream
}

// xzRecord is what the index repeats of a block.
type xzRecord struct{ unpadded, length int64 }

const (
	xzMagic = "\xfd7zXZ\x00"
	// xzDictionary is the most memory that a block may require: twice what the highest preset
	// of the xz tool takes.
	xzDictionary = 128 << 20
	// xzBlocks limits the blocks of a stream, each of which is remembered for the index.
	xzBlocks = 1 << 20
)

var errXZ = errors.New("the structure of the stream is wrong")

func newXZ(raw *bufio.Reader) (*xzReader, error) {
	x := &xzReader{raw: &countedReader{r: raw}}
	return x, x.head()
}

// countedReader counts bytes. It reads no further than asked.
type countedReader struct {
	r *bufio.Reader
	n int64
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *countedReader) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// take reads n bytes, whose absence is an error.
func (c *countedReader) take(n int) ([]byte, error) {
	b := make([]byte, n)
	if _, err := io.ReadFull(c, b); err != nil {
		return nil, unexpected(err)
	}
	return b, nil
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// head reads the header of a stream.
func (x *xzReader) head() error {
	b, err := x.raw.take(len(xzMagic) + 6)
	if err != nil {
		return err
	}
	flags := b[len(xzMagic):][:2]
	if string(b[:len(xzMagic)]) != xzMagic || flags[0] != 0 || flags[1] > 15 || crc32.ChecksumIEEE(flags) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return errXZ
	}
	x.flags, x.check, x.records = [2]byte(flags), flags[1], x.records[:0]
	return nil
}

func (x *xzReader) Read(p []byte) (int, error) {
	for {
		if x.block == nil {
			if err := x.next(); err != nil {
				return 0, err
			}
		}
		n, err := x.block.Read(p)
		x.sum.Write(p[:n])
		x.length += int64(n)
		if err == io.EOF {
			x.block, err = nil, x.endBlock()
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
	}
}

// next begins the next block. At the end of a stream it continues with the next stream, and
// returns io.EOF if there is none.
func (x *xzReader) next() error {
	for {
		size, err := x.raw.ReadByte()
		if err != nil {
			return unexpected(err)
		}
		if size != 0 {
			return x.beginBlock(size)
		}
		if err := x.index(); err != nil {
			return err
		}
		if err := x.padding(); err != nil {
			return err
		}
		if err := x.head(); err != nil {
			return err
		}
	}
}

// padding reads the zeros that may follow a stream, in groups of four, up to the next stream.
func (x *xzReader) padding() error {
	for zeros := 0; ; zeros++ {
		b, err := x.raw.r.Peek(1)
		switch {
		case err != nil && len(b) == 0 && err != io.EOF:
			return err
		case (len(b) == 0 || b[0] != 0) && zeros%4 != 0:
			return errXZ
		case len(b) == 0:
			return io.EOF
		case b[0] != 0:
			return nil
		}
		if _, err := x.raw.ReadByte(); err != nil {
			return err
		}
	}
}

// beginBlock reads the header of a block, whose first byte is its size.
func (x *xzReader) beginBlock(size byte) error {
	if len(x.records) == xzBlocks {
		return fmt.Errorf("more than %d blocks", xzBlocks)
	}
	rest, err := x.raw.take(int(size)*4 + 3)
	if err != nil {
		return err
	}
	head, sum := rest[:len(rest)-4], rest[len(rest)-4:]
	if crc32.Update(crc32.ChecksumIEEE([]byte{size}), crc32.IEEETable, head) != binary.LittleEndian.Uint32(sum) {
		return errXZ
	}
	x.headed = int64(len(rest)) + 1
	dictionary, err := xzDictionaryOf(head)
	if err != nil {
		return err
	}
	if x.sum = xzHash(x.check); x.sum == nil {
		return fmt.Errorf("checksums of kind %d are not read", x.check)
	}
	x.began, x.length = x.raw.n, 0
	x.block, err = lzma.Reader2Config{DictCap: max(dictionary, lzma.MinDictCap)}.NewReader2(x.raw)
	return err
}

// xzDictionaryOf returns the bytes of the dictionary that the header of a block asks for.
func xzDictionaryOf(head []byte) (int, error) {
	const lzma2 = 0x21
	in := bytes.NewReader(head[1:])
	for bit := byte(0x40); bit != 0; bit <<= 1 { // the sizes, which need not be there
		if head[0]&bit != 0 {
			if _, err := binary.ReadUvarint(in); err != nil {
				return 0, errXZ
			}
		}
	}
	filter, err := binary.ReadUvarint(in)
	if err != nil || head[0]&0x3c != 0 {
		return 0, errXZ
	}
	if head[0]&3 != 0 || filter != lzma2 {
		return 0, errors.New("a filter other than LZMA2 is not read")
	}
	length, err := in.ReadByte()
	bits, err2 := in.ReadByte()
	if err != nil || err2 != nil || length != 1 || bits > 40 {
		return 0, errXZ
	}
	dictionary := int64(2|bits&1) << (bits/2 + 11)
	if dictionary > xzDictionary {
		return 0, fmt.Errorf("it requires %d bytes of memory, the limit is %d", dictionary, xzDictionary)
	}
	return int(dictionary), nil
}

func xzHash(kind byte) hash.Hash {
	switch kind {
	case 0:
		return noHash{}
	case 1:
		return crc32.NewIEEE()
	case 4:
		return crc64.New(crc64.MakeTable(crc64.ECMA))
	case 10:
		return sha256.New()
	}
	return nil
}

// noHash is the checksum of streams without one.
type noHash struct{}

func (noHash) Write(p []byte) (int, error) { return len(p), nil }

func (noHash) Sum(b []byte) []byte { return b }

func (noHash) Reset() {}

func (noHash) Size() int { return 0 }

func (noHash) BlockSize() int { return 1 }

// endBlock compares the checksum of a block that was read to its end.
func (x *xzReader) endBlock() error {
	size := x.raw.n - x.began
	fill, err := x.raw.take(int(-size & 3))
	if err != nil {
		return err
	}
	sum, err := x.raw.take(x.sum.Size())
	if err != nil {
		return err
	}
	want := x.sum.Sum(nil)
	if x.check == 1 || x.check == 4 {
		for i, j := 0, len(want)-1; i < j; i, j = i+1, j-1 { // stored with the lowest byte first
			want[i], want[j] = want[j], want[i]
		}
	}
	if !bytes.Equal(sum, want) || len(bytes.Trim(fill, "\x00")) > 0 {
		return errors.New("invalid checksum")
	}
	x.records = append(x.records, xzRecord{x.headed + size + int64(len(sum)), x.length})
	return nil
}

// index reads the index and the footer of a stream, and compares them with its blocks.
func (x *xzReader) index() error {
	in := &hashedReader{r: x.raw, sum: crc32.NewIEEE()}
	in.sum.Write([]byte{0})
	start := x.raw.n - 1
	n, err := binary.ReadUvarint(in)
	if err == nil && n != uint64(len(x.records)) {
		err = errXZ
	}
	for _, r := range x.records {
		for _, want := range []int64{r.unpadded, r.length} {
			if err == nil {
				if n, err = binary.ReadUvarint(in); err == nil && n != uint64(want) {
					err = errXZ
				}
			}
		}
	}
	for err == nil && (x.raw.n-start)%4 != 0 {
		var b byte
		if b, err = in.ReadByte(); err == nil && b != 0 {
			err = errXZ
		}
	}
	if err != nil {
		return unexpected(err)
	}
	size := (x.raw.n - start) / 4 // in words, without the one of the checksum
	tail, err := x.raw.take(16)   // the checksum of the index, then the footer
	if err != nil {
		return err
	}
	u32 := binary.LittleEndian.Uint32
	if u32(tail) != in.sum.Sum32() || u32(tail[4:]) != crc32.ChecksumIEEE(tail[8:14]) || int64(u32(tail[8:])) != size || [2]byte(tail[12:14]) != x.flags || string(tail[14:]) != "YZ" {
		return errXZ
	}
	return nil
}

// hashedReader adds the bytes that it reads to a checksum.
type hashedReader struct {
	r   io.ByteReader
	sum hash.Hash32
}

func (h *hashedReader) ReadByte() (byte, error) {
	b, err := h.r.ReadByte()
	if err == nil {
		h.sum.Write([]byte{b})
	}
	return b, err
}
