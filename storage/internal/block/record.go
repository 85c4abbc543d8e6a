package block

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/vmihailenco/msgpack/v5"

	"heavytail/storage/internal/fault"
)

// ChecksumSize is the size in bytes of the checksum of a record. A record is one value of a bucket. It starts with the little-endian CRC-32C of the bucket's
// path, the key and everything after the checksum. A record that was changed, or moved to
// another key or bucket, is therefore detected.
const ChecksumSize = 4

// maxCatalogRecord is the largest size of a msgpack record. The largest records are the
// eigenvalues and residuals of an embedding, 18 bytes per dimension.
const maxCatalogRecord = 4 << 20

// maxNesting is the largest nesting of arrays and maps in a msgpack record. Records of the
// store have at most 3 levels. The decoder recurses, so hostile input must not reach it with
// deeper nesting.
const maxNesting = 16

// Castagnoli is the table of CRC-32C, the checksum of the store.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Seed is the checksum of a bucket's path below the root bucket. The checksum of each record in
// the bucket continues from it.
type Seed uint32

// SeedOf includes the length of each part, so that the same bytes divided differently give
// another seed.
func SeedOf(path ...[]byte) Seed {
	var sum uint32
	for _, part := range path {
		sum = crc32.Update(sum, Castagnoli, []byte{byte(len(part) >> 8), byte(len(part))})
		sum = crc32.Update(sum, Castagnoli, part)
	}
	return Seed(sum)
}

// PartSeed returns the seed of a part of an object.
func PartSeed(id uint64, name []byte) Seed { return SeedOf(ObjectsName, Key64(id), name) }

func (s Seed) sum(key, payload []byte) uint32 {
	return crc32.Update(s.begin(key), Castagnoli, payload)
}

// begin returns the sum of a record before its payload.
func (s Seed) begin(key []byte) uint32 {
	length := [2]byte{byte(len(key) >> 8), byte(len(key))}
	return crc32.Update(crc32.Update(uint32(s), Castagnoli, length[:]), Castagnoli, key)
}

// Seal writes the checksum into the first ChecksumSize bytes of record, which precede the
// payload, and returns record.
func (s Seed) Seal(key, record []byte) []byte {
	binary.LittleEndian.PutUint32(record, s.sum(key, record[ChecksumSize:]))
	return record
}

// Open verifies the checksum and returns the payload, which aliases record.
func (s Seed) Open(key, record []byte) ([]byte, error) {
	if len(record) < ChecksumSize {
		return nil, fault.Record("record of %d bytes has no checksum", len(record))
	}
	payload := record[ChecksumSize:]
	if binary.LittleEndian.Uint32(record) != s.sum(key, payload) {
		return nil, fault.Record("checksum does not match")
	}
	return payload, nil
}

// EncodeStruct seals the msgpack form of a catalogue struct.
func EncodeStruct(s Seed, key []byte, v any) ([]byte, error) {
	body, err := msgpack.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode catalogue record: %w", err)
	}
	if len(body) > maxCatalogRecord {
		return nil, fmt.Errorf("catalogue record of %d bytes, at most %d: %w", len(body), maxCatalogRecord, fault.ErrLimit)
	}
	return s.Seal(key, append(make([]byte, ChecksumSize, ChecksumSize+len(body)), body...)), nil
}

// DecodeStruct opens a record of a top bucket and decodes it into the struct v points to.
func DecodeStruct(bucket, key, record []byte, v any) error {
	body, err := SeedOf(bucket).Open(key, record)
	if err != nil {
		return err
	}
	if len(body) > maxCatalogRecord {
		return fault.Record("catalogue record of %d bytes", len(body))
	}
	if err := checkMsgpack(body); err != nil {
		return err
	}
	if err := msgpack.Unmarshal(body, v); err != nil {
		return fault.Record("%v", err)
	}
	return nil
}

// checkMsgpack scans one msgpack value before it is decoded. The decoder (v5.4.1) allocates as
// much as a header declares and recurses into nested values, so five bytes can ask for
// gigabytes, and megabytes of nested values overflow the stack. The scan, one pass, avoids
// both: every declared count must fit into the remaining bytes, nesting is limited, extension
// types, which the store never writes, are refused, and nothing may follow the value.
func checkMsgpack(b []byte) error {
	// open[d] counts the values still expected at depth d; one at the top.
	var open [maxNesting + 1]uint64
	depth := 0
	open[0] = 1
	for at := 0; ; {
		for open[depth] == 0 {
			if depth == 0 {
				if at != len(b) {
					return fault.Record("%d bytes after the msgpack value", len(b)-at)
				}
				return nil
			}
			depth--
		}
		open[depth]--
		if at >= len(b) {
			return fault.Record("msgpack value is cut off")
		}
		size, children, err := msgpackItem(b[at:])
		if err != nil {
			return err
		}
		at += size
		if children > uint64(len(b)-at) {
			return fault.Record("msgpack declares %d items in %d bytes", children, len(b)-at)
		}
		if children > 0 {
			if depth == maxNesting {
				return fault.Record("msgpack nests deeper than %d", maxNesting)
			}
			depth++
			open[depth] = children
		}
	}
}

// msgpackItem returns the size of the item at the start of b, including its text or bytes but
// not its children, and the number of children that follow.
func msgpackItem(b []byte) (size int, children uint64, err error) {
	c := b[0]
	switch {
	case c <= 0x7f || c >= 0xe0: // small integer
		return 1, 0, nil
	case c <= 0x8f: // small map
		return 1, 2 * uint64(c&0x0f), nil
	case c <= 0x9f: // small array
		return 1, uint64(c & 0x0f), nil
	case c <= 0xbf: // small text
		return bodyItem(b, 1, uint64(c&0x1f))
	}
	switch c {
	case 0xc0, 0xc2, 0xc3: // nil, false, true
		return 1, 0, nil
	case 0xcc, 0xd0:
		return bodyItem(b, 1, 1)
	case 0xcd, 0xd1:
		return bodyItem(b, 1, 2)
	case 0xca, 0xce, 0xd2:
		return bodyItem(b, 1, 4)
	case 0xcb, 0xcf, 0xd3:
		return bodyItem(b, 1, 8)
	}
	width := 0 // bytes of the length that follows
	switch c {
	case 0xc4, 0xd9:
		width = 1
	case 0xc5, 0xda, 0xdc, 0xde:
		width = 2
	case 0xc6, 0xdb, 0xdd, 0xdf:
		width = 4
	default:
		return 0, 0, fault.Record("msgpack type %#02x", c)
	}
	if len(b) < 1+width {
		return 0, 0, fault.Record("msgpack length is cut off")
	}
	var length uint64
	for _, x := range b[1 : 1+width] {
		length = length<<8 | uint64(x)
	}
	switch c {
	case 0xdc, 0xdd:
		return 1 + width, length, nil
	case 0xde, 0xdf:
		return 1 + width, 2 * length, nil
	}
	return bodyItem(b, 1+width, length)
}

// bodyItem returns the size of an item that consists of a head and a body of the given length.
func bodyItem(b []byte, head int, length uint64) (int, uint64, error) {
	if length > uint64(len(b)-head) {
		return 0, 0, fault.Record("msgpack declares %d bytes where %d are left", length, len(b)-head)
	}
	return head + int(length), 0, nil
}
