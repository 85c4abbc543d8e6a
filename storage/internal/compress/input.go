package compress

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// ErrReader is wrapped by the error of a read whose io.Reader panicked, or returned a byte count
// larger than its buffer.
var ErrReader = errors.New("the reader is broken")

// Error says where a compressed stream is damaged. It wraps the decoder's error.
type Error struct {
	Format string // "gzip", "zstd", or the name of a format recognised by the first bytes
	Offset int64  // byte of the compressed input that the decoder had reached
	Err    error  // the decoder's error
}

func (e *Error) Error() string {
	return fmt.Sprintf("byte %d of the %s stream: %v", e.Offset, e.Format, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

const (
	// BlockBytes is the size of the first block, which is enough to recognise what a text is.
	BlockBytes = 64 << 10
	// MostBytes is the size of the others: some 20,000 lines, a few milliseconds even for a slow
	// consumer, so checking the context once per block is enough. Passing a block to another processor can
	// take 50 µs, if that has to be woken, as long as reading 64 KiB.
	MostBytes = 256 << 10
	// blocksAhead is the number of blocks by which decompression may be ahead of the parser.
	blocksAhead = 8
	// zstdWindow is the most memory that a zstd frame may require: the default limit of the
	// zstd tool.
	zstdWindow = 128 << 20
	// stopGrace is how long a read that ends early waits for its goroutine. The goroutine stops
	// within one block, unless the caller's Read blocks, for example on a terminal; cancelling
	// must not wait for such a Read.
	stopGrace = 50 * time.Millisecond
)

// Input reads, hashes and decompresses in its own goroutine, ahead of the parser. Decompressing
// gzip takes longer than parsing, and SHA-256 without hardware support takes about as long as
// parsing.
type Input struct {
	name   string // in errors
	raw    rawReader
	Member string        // the file inside an archive, known with the first block
	full   chan Block    // filled blocks, in order
	free   chan []byte   // buffers to be filled
	stop   chan struct{} // closed by the consumer when it needs no more
	ended  chan struct{} // closed when the goroutine has ended
}

// Block is a piece of the text. The last block has the error that ended the input: io.EOF if
// all of it was read.
type Block struct {
	Text []byte
	Err  error
}

// rawReader counts and hashes the bytes read through it.
type rawReader struct {
	r     io.Reader
	hash  hash.Hash // nil if the hash is not needed
	count atomic.Int64
}

func (r *rawReader) Read(p []byte) (int, error) {
	n, err := r.read(p)
	if r.hash != nil {
		r.hash.Write(p[:n])
	}
	r.count.Add(int64(n))
	return n, err
}

// read calls the caller's Read. It turns a panic into an error, since it runs in a goroutine
// where the caller could not recover from a panic.
func (r *rawReader) read(p []byte) (n int, err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			n, err = 0, fmt.Errorf("%w: panic: %v", ErrReader, panicked)
		}
	}()
	if n, err = r.r.Read(p); n < 0 || n > len(p) {
		return 0, fmt.Errorf("%w: it says that it read %d bytes into %d", ErrReader, n, len(p))
	}
	return n, err
}

// rest hashes what was not read in order, as an archive is read at the places that its table of
// contents names. It returns io.EOF at the end.
func (r *rawReader) rest() error {
	if r.hash == nil {
		return io.EOF
	}
	buffer := make([]byte, BlockBytes)
	for {
		n, err := r.read(buffer)
		r.hash.Write(buffer[:n])
		if err != nil {
			return err
		}
	}
}

// Start starts reading. The input is hashed if hashed is set, which sum requires. The
// caller must call close.
func Start(r io.Reader, name string, hashed bool) *Input {
	in := &Input{
		name:  name,
		full:  make(chan Block, blocksAhead),
		free:  make(chan []byte, blocksAhead),
		stop:  make(chan struct{}),
		ended: make(chan struct{}),
	}
	in.raw.r = r
	if hashed {
		in.raw.hash = sha256.New()
	}
	go in.run()
	return in
}

// Done returns the number of bytes that were read, compressed or not.
func (in *Input) Done() int64 { return in.raw.count.Load() }

// Next returns the next block, whose text is valid until release.
func (in *Input) Next(ctx context.Context) Block {
	select {
	case b := <-in.full:
		return b
	case <-ctx.Done():
		return Block{Err: ctx.Err()}
	}
}

// Ready returns the next block if it was read already.
func (in *Input) Ready() (b Block, ready bool) {
	select {
	case b = <-in.full:
		return b, true
	default:
		return b, false
	}
}

// Release returns a block's buffer for reuse.
func (in *Input) Release(b Block) {
	if buffer := b.Text[:cap(b.Text)]; len(buffer) == MostBytes {
		in.free <- buffer
	}
}

// Close ends the goroutine.
func (in *Input) Close() {
	close(in.stop)
	timer := time.NewTimer(stopGrace)
	defer timer.Stop()
	select {
	case <-in.ended:
	case <-timer.C:
	}
}

// Sum returns the hash of the input after io.EOF was read, and zero if it was not hashed.
func (in *Input) Sum() (sum [sha256.Size]byte) {
	if in.raw.hash != nil {
		in.raw.hash.Sum(sum[:0])
	}
	return sum
}

func (in *Input) run() {
	defer close(in.ended)
	text, closeText := in.open()
	defer closeText()
	buffer := make([]byte, BlockBytes)
	for made := 0; ; {
		n, err := fill(text, buffer)
		select {
		case in.full <- Block{buffer[:n], err}:
		case <-in.stop:
			return
		}
		if err != nil {
			return
		}
		if made < blocksAhead && len(in.free) == 0 {
			buffer = make([]byte, MostBytes)
			made++
			continue
		}
		select {
		case buffer = <-in.free:
		case <-in.stop:
			return
		}
	}
}

// open detects the compression by the first bytes. It returns the text and a function that
// closes the decoder.
func (in *Input) open() (io.Reader, func()) {
	raw := bufio.NewReaderSize(&in.raw, BlockBytes)
	magic, _ := raw.Peek(longestMagic) // an error is returned again by the first Read
	name := compressionOf(magic)
	if name == "" {
		return decodeUTF16(plainReader{in, raw}), func() {}
	}
	text, closeText, err := in.decoder(name, raw)
	return decodeUTF16(&compressedReader{in: in, raw: raw, format: name, text: text, err: err}), closeText
}

// decoder returns the text of a compressed stream and a function that closes the decoder.
func (in *Input) decoder(name string, raw *bufio.Reader) (text io.Reader, closeText func(), err error) {
	closeText = func() {}
	switch name {
	case "gzip":
		text, err = gzip.NewReader(raw)
	case "zstd":
		// The decoder needs only one goroutine, and it runs in this one.
		zr, opened := zstd.NewReader(raw, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(zstdWindow))
		if text, err = zr, opened; err == nil {
			closeText = zr.Close
		}
	case "bzip2":
		text = bzip2.NewReader(raw)
	case "xz":
		text, err = newXZ(raw)
	case "zip":
		file, opened := openZip(in.raw.r, &in.raw.count)
		if text, err = file, opened; err == nil {
			in.Member, closeText = file.name, func() { _ = file.Close() }
		}
	default:
		err = errors.New("this compression is not read; gzip, zstd, bzip2, xz, zip and plain text are")
	}
	return text, closeText, err
}

// longestMagic is the number of bytes that are enough to detect every compression.
const longestMagic = 10

// compressionOf names a compression by the first bytes of its streams, or returns "". Those that
// are not read are named, too: otherwise the user would get an error about invalid UTF-8.
func compressionOf(magic []byte) string {
	for _, known := range []struct{ magic, name string }{
		{"\x1f\x8b", "gzip"}, {"\x28\xb5\x2f\xfd", "zstd"}, {xzMagic, "xz"}, {zipMagic, "zip"}, {"PK\x05\x06", "zip"},
		{"7z\xbc\xaf\x27\x1c", "7z"}, {"\x04\x22\x4d\x18", "lz4"}, {"Rar!\x1a\x07", "rar"}, {"\x1f\x9d", "compress"},
	} {
		if bytes.HasPrefix(magic, []byte(known.magic)) {
			return known.name
		}
	}
	// "BZh" and a digit; a key may begin like that, but does not have the second magic number
	// behind it, of a block or of the end.
	if bytes.HasPrefix(magic, []byte("BZh")) && (bytes.HasSuffix(magic, []byte("1AY&SY")) || bytes.HasSuffix(magic, []byte("\x17\x72\x45\x38\x50\x90"))) {
		return "bzip2"
	}
	return ""
}

// plainReader adds the name of the input to errors of the caller's reader.
type plainReader struct {
	in  *Input
	raw *bufio.Reader
}

func (p plainReader) Read(buffer []byte) (int, error) {
	n, err := p.raw.Read(buffer)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("reading %s: %w", p.in.name, err)
	}
	return n, err
}

// compressedReader adds the position in the compressed input to errors.
type compressedReader struct {
	in     *Input
	raw    *bufio.Reader
	format string
	text   io.Reader
	err    error // the error of opening the decoder; returned by the first Read
}

func (c *compressedReader) Read(buffer []byte) (n int, err error) {
	if err = c.err; err == nil {
		n, err = c.text.Read(buffer)
	}
	if err == io.EOF && c.format == "zip" {
		err = c.in.raw.rest()
	}
	if err != nil && err != io.EOF {
		err = &Error{c.format, c.in.raw.count.Load() - int64(c.raw.Buffered()), err}
	}
	return n, err
}
