// Package inflate decompresses parts of columnar files into memory of a size that is known, whatever the
// compressed bytes state.
package inflate

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/zstd"
)

// The bytes to which zstd may refer back, for results of up to smallWindow bytes and for longer ones. A frame
// states such a number, and the decoder takes as much memory.
const (
	smallWindow = 8 << 20 // encoders that do not know the size of their input state up to 8 MiB by default
	largeWindow = 128 << 20
)

// Zstd decompresses zstd. The zero value is ready to use.
type Zstd struct{ small, large *zstd.Decoder }

// Read returns the decompressed bytes, of which there should be size, as a stream, since decoding a whole frame
// could take any amount of memory. It is valid until the next call.
func (z *Zstd) Read(size int64, raw []byte) (io.Reader, error) {
	decoder, window := &z.small, uint64(smallWindow)
	if size > smallWindow {
		decoder, window = &z.large, largeWindow
	}
	if *decoder == nil {
		made, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(window), zstd.WithDecoderLowmem(true))
		if err != nil {
			return nil, err
		}
		*decoder = made
	}
	return *decoder, (*decoder).Reset(bytes.NewReader(raw))
}

// Into decompresses raw into dst, as Fill does.
func (z *Zstd) Into(dst, raw []byte) (int, error) {
	in, err := z.Read(int64(len(dst)), raw)
	if err != nil {
		return 0, err
	}
	return Fill(in, dst)
}

// Fill fills dst and reads one more byte, if there is one. It returns the number of bytes.
func Fill(r io.Reader, dst []byte) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return n, nil
	}
	if err != nil {
		return n, err
	}
	var one [1]byte
	more, err := io.ReadFull(r, one[:])
	if err == io.EOF {
		err = nil
	}
	return n + more, err
}
