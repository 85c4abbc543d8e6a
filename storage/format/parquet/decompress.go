package parquet

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
)

// inflate decompresses raw into dst, and returns the number of bytes; one more than
// len(dst) if they do not fit.
func (f *file) inflate(dst, raw []byte, codec format.CompressionCodec) (n int, err error) {
	switch codec {
	case format.Snappy:
		if n, err = snappy.DecodedLen(raw); err == nil && n == len(dst) {
			_, err = snappy.Decode(dst, raw)
		}
	case format.Lz4Raw:
		n, err = inflateLZ4(dst, raw)
	case format.Lz4:
		if n, err = inflateHadoop(dst, raw); err != nil {
			n, err = inflateLZ4(dst, raw) // as some writers do
		}
	case format.Gzip:
		n, err = inflateGzip(dst, raw)
	case format.Zstd:
		n, err = f.inflateZstd(dst, raw)
	case format.Brotli:
		n, err = inflateBrotli(dst, raw)
	default:
		return 0, unread("pages are compressed by %s; zstd, snappy, gzip, Brotli, LZ4 and LZ4_RAW are read", codec)
	}
	if err != nil {
		return 0, damaged("a page cannot be decompressed: %v", err)
	}
	return n, nil
}

// inflateLZ4 decompresses a block of LZ4. The decoder of github.com/pierrec/lz4/v4
// reads memory outside its buffers if a block is damaged.
//
// Source: https://github.com/lz4/lz4/blob/dev/doc/lz4_Block_format.md
func inflateLZ4(dst, raw []byte) (int, error) {
	done, at := 0, 0
	for at < len(raw) {
		token := raw[at]
		at++
		literals, err := lz4Length(raw, &at, int(token>>4))
		switch {
		case err != nil:
			return 0, err
		case literals > len(raw)-at || literals > len(dst)-done:
			return 0, errShort()
		}
		copy(dst[done:], raw[at:at+literals])
		done, at = done+literals, at+literals
		if at == len(raw) {
			break // the last sequence has only literals
		}
		if len(raw)-at < 2 {
			return 0, errShort()
		}
		back := int(raw[at]) | int(raw[at+1])<<8
		at += 2
		const shortest = 4
		match, err := lz4Length(raw, &at, int(token&15))
		match += shortest
		switch {
		case err != nil:
			return 0, err
		case back == 0 || back > done || match > len(dst)-done:
			return 0, errShort()
		}
		for match > 0 { // the copied bytes may include some that were just written
			n := copy(dst[done:done+match], dst[done-back:done])
			done, match = done+n, match-n
		}
	}
	return done, nil
}

// inflateHadoop decompresses blocks of LZ4, each after the numbers of its bytes with and without
// compression, as Hadoop writes them.
func inflateHadoop(dst, raw []byte) (n int, err error) {
	for len(raw) > 0 {
		if len(raw) < 8 {
			return n, errShort()
		}
		size, stored := binary.BigEndian.Uint32(raw), binary.BigEndian.Uint32(raw[4:])
		raw = raw[8:]
		if uint64(size) > uint64(len(dst)-n) || uint64(stored) > uint64(len(raw)) {
			return n, errShort()
		}
		done, err := inflateLZ4(dst[n:n+int(size)], raw[:stored])
		if err != nil || done != int(size) {
			return n, errShort()
		}
		n, raw = n+done, raw[stored:]
	}
	return n, nil
}

// lz4Length reads the rest of a length, whose first four bits are in a token.
func lz4Length(raw []byte, at *int, length int) (int, error) {
	if length < 15 {
		return length, nil
	}
	for *at < len(raw) {
		b := raw[*at]
		*at++
		if length += int(b); length > maxPage {
			break
		}
		if b < 255 {
			return length, nil
		}
	}
	return 0, errShort()
}

func inflateGzip(dst, raw []byte) (int, error) {
	zr, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return 0, err
	}
	return fillFrom(zr, dst)
}

func inflateBrotli(dst, raw []byte) (int, error) {
	return fillFrom(brotli.NewReader(bytes.NewReader(raw)), dst)
}

// inflateZstd reads zstd as a stream, since decoding a whole frame could take any amount of
// memory.
func (f *file) inflateZstd(dst, raw []byte) (n int, err error) {
	if f.zstd == nil {
		f.zstd, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxPage), zstd.WithDecoderLowmem(true))
	}
	if err == nil {
		err = f.zstd.Reset(bytes.NewReader(raw))
	}
	if err != nil {
		return 0, err
	}
	return fillFrom(f.zstd, dst)
}

// fillFrom fills dst and reads one more byte, if there is one.
func fillFrom(r io.Reader, dst []byte) (int, error) {
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
