package block

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/page"
)

// Header is the record under "header" in the root bucket. Its first fields (checksum, magic,
// format, MinReader) have the same places in every later format, so that every version of the
// code can determine whether it can read a file.
type Header struct {
	Format    uint32     // format in which the file was last written
	MinReader uint32     // oldest format version whose code can read the file
	Epoch     uint64     // commits since the file was created
	NextID    uint64     // next graph or object id; ids are never reused
	Created   time.Time  // when the file was created
	TxID      uint64     // bbolt's transaction that wrote the header; 0 if an application shares the file
	Sums      page.Tally // of the bucket "sums"
	Features  []string   // features that a reader must support; sorted
}

// knownFeatures are the features that this code can read, sorted. A file without any of them has
// only the base of its format.
var knownFeatures = []string{FeatureDirected, FeatureEdgeAttributes}

const (
	// FeatureDirected is that of files that have, or had, a directed graph.
	FeatureDirected = "directed"
	// FeatureEdgeAttributes is that of files that have, or had, attributes of edges.
	FeatureEdgeAttributes = "edge attributes"
)

// KnownFeatures returns the features that this code can read, sorted.
func KnownFeatures() []string { return slices.Clone(knownFeatures) }

// Need adds a feature.
func (h *Header) Need(feature string) {
	if at, found := slices.BinarySearch(h.Features, feature); !found {
		h.Features = slices.Insert(slices.Clone(h.Features), at, feature)
	}
}

// headerSize is the number of bytes of a header without its features, after the checksum.
const headerSize = 8 + 4 + 4 + 8 + 8 + 8 + 8 + 16 + 1

// HeaderSeed is the seed of the header's checksum. The header is in the root bucket itself,
// whose path counts as empty because an application may store it under any name.
var HeaderSeed = SeedOf()

// NewHeader returns the header of an empty store.
func NewHeader() Header {
	return Header{Format: FormatVersion, MinReader: MinReader, Epoch: 1, NextID: 1, Created: time.Now()}
}

// Encode returns the sealed record.
func (h *Header) Encode() []byte {
	b := make([]byte, ChecksumSize, 64)
	b = append(b, magic[:]...)
	b = binary.LittleEndian.AppendUint32(b, h.Format)
	b = binary.LittleEndian.AppendUint32(b, h.MinReader)
	b = binary.LittleEndian.AppendUint64(b, h.Epoch)
	b = binary.LittleEndian.AppendUint64(b, h.NextID)
	b = binary.LittleEndian.AppendUint64(b, uint64(h.Created.UnixNano()))
	b = binary.LittleEndian.AppendUint64(b, h.TxID)
	b = binary.LittleEndian.AppendUint64(b, h.Sums.Count)
	b = binary.LittleEndian.AppendUint64(b, h.Sums.Sum)
	b = append(b, byte(len(h.Features)))
	for _, feature := range h.Features {
		b = append(b, byte(len(feature)))
		b = append(b, feature...)
	}
	return HeaderSeed.Seal(HeaderKey, b)
}

// DecodeHeader decodes a sealed header. The error wraps ErrVersion if the file needs newer
// code, or was written before the first release.
func DecodeHeader(record []byte) (Header, error) {
	body, err := HeaderSeed.Open(HeaderKey, record)
	if err != nil {
		return Header{}, err
	}
	if len(body) < 16 || [8]byte(body) != magic {
		return Header{}, fault.Record("not a header")
	}
	h := Header{Format: binary.LittleEndian.Uint32(body[8:]), MinReader: binary.LittleEndian.Uint32(body[12:])}
	if h.MinReader > FormatVersion {
		return h, &fault.VersionError{Reason: fmt.Sprintf("format %d, which needs a reader of format %d; this is format %d", h.Format, h.MinReader, FormatVersion)}
	}
	if h.Format < OldestFormat {
		return h, &fault.VersionError{Reason: fmt.Sprintf("format %d, from before the first release, which has format %d", h.Format, OldestFormat), Early: true}
	}
	if len(body) < headerSize {
		return Header{}, fault.Record("header of %d bytes", len(body))
	}
	h.Epoch = binary.LittleEndian.Uint64(body[16:])
	h.NextID = binary.LittleEndian.Uint64(body[24:])
	h.Created = time.Unix(0, int64(binary.LittleEndian.Uint64(body[32:])))
	h.TxID = binary.LittleEndian.Uint64(body[40:])
	h.Sums = page.Tally{Count: binary.LittleEndian.Uint64(body[48:]), Sum: binary.LittleEndian.Uint64(body[56:])}
	rest := body[headerSize:]
	for range body[headerSize-1] {
		if len(rest) == 0 || len(rest) < 1+int(rest[0]) {
			return Header{}, fault.Record("header features are cut off")
		}
		h.Features = append(h.Features, string(rest[1:1+rest[0]]))
		rest = rest[1+int(rest[0]):]
	}
	for _, feature := range h.Features {
		if !slices.Contains(knownFeatures, feature) {
			return h, &fault.VersionError{Reason: fmt.Sprintf("format %d with the feature %q, which this version does not know", h.Format, feature)}
		}
	}
	return h, nil
}
