package columnfile

import (
	"bytes"
	"io"

	"github.com/dsnet/compress/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
)

// decompress returns the size bytes that raw decompresses to, in a buffer if raw is
// compressed. Any other size is damage, which stops decompression bombs.
func (c *cursor) decompress(buffer *[]byte, raw []byte, size int) (text []byte, err error) {
	if c.codec == codecNone {
		if len(raw) != size {
			return nil, damaged("a page has %d bytes instead of %d", len(raw), size)
		}
		return raw, nil
	}
	if *buffer, err = grow(c.file, *buffer, size); err != nil {
		return nil, err
	}
	n, err := c.file.inflate(*buffer, raw, c.codec)
	switch {
	case err != nil:
		return nil, err
	case n != size:
		return nil, damaged("a page has %d bytes after decompression instead of %d", n, size)
	}
	return *buffer, nil
}

// inflate decompresses raw into dst, and returns the number of bytes; one more than
// len(dst) if they do not fit.
func (f *File) inflate(dst, raw []byte, codec codec) (n int, err error) {
	switch codec {
	case codecSnappy:
		if n, err = snappy.DecodedLen(raw); err == nil && n == len(dst) {
			_, err = snappy.Decode(dst, raw)
		}
	case codecLZ4Raw:
		n, err = inflateLZ4(dst, raw)
	case codecGzip:
		n, err = inflateGzip(dst, raw)
	case codecZstd:
		n, err = f.inflateZstd(dst, raw)
	case codecBrotli:
		n, err = inflateBrotli(dst, raw)
	default:
		return 0, unread("pages are compressed by %s; zstd, snappy, gzip, Brotli and LZ4_RAW are read", codec)
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

// inflateBrotli uses the module github.com/dsnet/compress: github.com/andybalholm/brotli imports
// package net/http, which every program with a store in it would then have.
func inflateBrotli(dst, raw []byte) (int, error) {
	br, err := brotli.NewReader(bytes.NewReader(raw), nil)
	if err != nil {
		return 0, err
	}
	return fillFrom(br, dst)
}

// inflateZstd reads zstd as a stream, since decoding a whole frame could take any amount of
// memory.
func (f *File) inflateZstd(dst, raw []byte) (n int, err error) {
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
