package parquet

import (
	"bytes"
	"encoding/binary"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/parquet-go/parquet-go/format"

	"heavytail/storage/format/internal/inflate"
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
		n, err = inflate.LZ4Block(dst, raw)
	case format.Lz4:
		if n, err = inflateHadoop(dst, raw); err != nil {
			n, err = inflate.LZ4Block(dst, raw) // as some writers do
		}
	case format.Gzip:
		n, err = inflateGzip(dst, raw)
	case format.Zstd:
		n, err = f.zstd.Into(dst, raw)
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
		done, err := inflate.LZ4Block(dst[n:n+int(size)], raw[:stored])
		if err != nil || done != int(size) {
			return n, errShort()
		}
		n, raw = n+done, raw[stored:]
	}
	return n, nil
}

func inflateGzip(dst, raw []byte) (int, error) {
	zr, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return 0, err
	}
	return inflate.Fill(zr, dst)
}

func inflateBrotli(dst, raw []byte) (int, error) {
	return inflate.Fill(brotli.NewReader(bytes.NewReader(raw)), dst)
}
