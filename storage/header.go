package storage

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"
)

// header is the record under "header" in the root bucket. Its first bytes
// (checksum, magic, format, minReader) keep their places in every later format,
// so that any version can tell which reader a file needs.
type header struct {
	Format    uint32    // format that wrote the file last
	MinReader uint32    // oldest format whose code can read it
	Epoch     uint64    // commits since the file was made
	NextID    uint64    // next graph or object id; ids are never used twice
	Created   time.Time // when the file was made
	Features  []string  // what a reader must know to read the file; sorted
}

// knownFeatures are the features that this code can read. Format 1 has none
// beyond its base.
var knownFeatures = []string{}

// headerSeed: the header lies in the root bucket itself, whose path is empty
// because an application may keep it under any name.
var headerSeed = seedOf()

// newHeader is the header of an empty store.
func newHeader() header {
	return header{Format: formatVersion, MinReader: minReader, Epoch: 1, NextID: 1, Created: time.Now()}
}

func (h *header) encode() []byte {
	b := make([]byte, sumSize, 64)
	b = append(b, magic[:]...)
	b = binary.LittleEndian.AppendUint32(b, h.Format)
	b = binary.LittleEndian.AppendUint32(b, h.MinReader)
	b = binary.LittleEndian.AppendUint64(b, h.Epoch)
	b = binary.LittleEndian.AppendUint64(b, h.NextID)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.Created.UnixNano()))
	b = append(b, byte(len(h.Features)))
	for _, feature := range h.Features {
		b = append(b, byte(len(feature)))
		b = append(b, feature...)
	}
	return headerSeed.seal(headerKey, b)
}

// decodeHeader returns an error that wraps ErrVersion where the file needs newer code.
func decodeHeader(record []byte) (header, error) {
	body, err := headerSeed.open(headerKey, record)
	if err != nil {
		return header{}, err
	}
	if len(body) < 16 || [8]byte(body) != magic {
		return header{}, badRecord("not a header")
	}
	h := header{Format: binary.LittleEndian.Uint32(body[8:]), MinReader: binary.LittleEndian.Uint32(body[12:])}
	if h.MinReader > formatVersion {
		return h, fmt.Errorf("format %d, which needs a reader of format %d; this is format %d: %w",
			h.Format, h.MinReader, formatVersion, ErrVersion)
	}
	if len(body) < 41 {
		return header{}, badRecord("header of %d bytes", len(body))
	}
	h.Epoch = binary.LittleEndian.Uint64(body[16:])
	h.NextID = binary.LittleEndian.Uint64(body[24:])
	h.Created = time.Unix(0, int64(binary.LittleEndian.Uint64(body[32:])))
	rest := body[41:]
	for range body[40] {
		if len(rest) == 0 || len(rest) < 1+int(rest[0]) {
			return header{}, badRecord("header features are cut off")
		}
		h.Features = append(h.Features, string(rest[1:1+rest[0]]))
		rest = rest[1+int(rest[0]):]
	}
	for _, feature := range h.Features {
		if !slices.Contains(knownFeatures, feature) {
			return h, fmt.Errorf("format %d with the feature %q, which this version does not know: %w", h.Format, feature, ErrVersion)
		}
	}
	return h, nil
}
