package block

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"unsafe"

	"heavytail/storage/internal/fault"
	"heavytail/storage/vec"
)

// The rows of an embedding are stored in chunks of about a mebibyte. The key of
// a chunk is the number of its first row, big-endian; its record is
//
//	checksum  4 bytes
//	rows      4 bytes, little-endian
//	values    rows × dim float32, little-endian
//
// Keys, heads and values have multiples of four bytes, so that values are aligned in the memory
// map.
const (
	MaxDim    = 1 << 16
	chunkSize = 1 << 20
	MaxChunk  = chunkSize / 4 // rows of dimension 1
	rowsHead  = ChecksumSize + 4
)

// ChunkRows returns the number of rows of the given dimension in a chunk.
func ChunkRows(dim int) int { return max(1, chunkSize/(4*dim)) }

// FiniteBits reports whether the bits are those of a finite float32: not all bits of the
// exponent are set.
func FiniteBits(bits uint32) bool { return bits&0x7f80_0000 != 0x7f80_0000 }

// ChunkBytes returns the length of the record of some rows.
func ChunkBytes(rows, dim int) int { return rowsHead + 4*rows*dim }

// EncodeChunk makes the unsealed record of some rows.
func EncodeChunk(m *vec.Matrix, from, rows int) []byte {
	values := m.Data[from*m.Dim : (from+rows)*m.Dim]
	record := make([]byte, ChunkBytes(rows, m.Dim))
	binary.LittleEndian.PutUint32(record[ChecksumSize:], uint32(rows))
	for i, x := range values {
		binary.LittleEndian.PutUint32(record[rowsHead+4*i:], math.Float32bits(x))
	}
	return record
}

// DecodeChunk fills the beginning of values, which is the rest of the matrix, from the payload
// of the chunk that starts with row from. It returns the number of rows in the chunk.
func DecodeChunk(values []float32, key, payload []byte, from, dim int) (rows int, err error) {
	if len(key) != 4 || uint64(binary.BigEndian.Uint32(key)) != uint64(from) {
		return 0, fault.Record("chunk %x where row %d should start", key, from)
	}
	if len(payload) < rowsHead-ChecksumSize {
		return 0, fault.Record("chunk of %d bytes", len(payload))
	}
	count := uint64(binary.LittleEndian.Uint32(payload))
	body := payload[rowsHead-ChecksumSize:]
	if count == 0 || count > uint64(len(values)/dim) || uint64(len(body)) != 4*uint64(dim)*count {
		return 0, fault.Record("chunk of %d rows in %d bytes", count, len(body))
	}
	rows = int(count)
	values = values[:rows*dim]
	if !decodeFloats(values, body) {
		return 0, fault.Record("value that is not finite")
	}
	return rows, nil
}

// Masks for the bits of two adjacent values in a uint64.
const (
	exponents = 0x7f80_0000_7f80_0000
	lowest    = 0x0080_0000_0080_0000 // of the exponents
	signs     = 0x8000_0000_8000_0000
)

// decodeFloats fills values from body, which has 4 bytes for each, and reports whether all are
// finite. It converts four at a time, because the first search after opening waits for it.
// Adding one to the lowest bit of an exponent carries into the sign bit, which was masked out,
// exactly if all bits of the exponent are set.
func decodeFloats(values []float32, body []byte) bool {
	bad := uint64(0)
	for len(values) >= 4 && len(body) >= 16 {
		a, b := binary.LittleEndian.Uint64(body), binary.LittleEndian.Uint64(body[8:])
		bad |= (a&exponents + lowest) | (b&exponents + lowest)
		values[0], values[1] = math.Float32frombits(uint32(a)), math.Float32frombits(uint32(a>>32))
		values[2], values[3] = math.Float32frombits(uint32(b)), math.Float32frombits(uint32(b>>32))
		values, body = values[4:], body[16:]
	}
	sound := bad&signs == 0
	for i := range values {
		bits := binary.LittleEndian.Uint32(body[4*i:])
		sound = sound && FiniteBits(bits)
		values[i] = math.Float32frombits(bits)
	}
	return sound
}

// Chunk is one record of rows in the memory map.
type Chunk struct {
	Key, Record []byte
	First       uint32 // row
	Rows        int    // how many
}

// RowsIn returns the number of rows in a record of size bytes.
func RowsIn(size, dim int) (int, error) {
	rest := size - rowsHead
	if rest <= 0 || rest%(4*dim) != 0 {
		return 0, fault.Record("chunk of %d bytes for rows of %d values", size, dim)
	}
	return rest / (4 * dim), nil
}

// Values returns the rows of a chunk: a view of the memory map if they are aligned there, and
// otherwise a copy in room, which is allocated if needed. The checksum is verified unless sound
// is set, which means that the rows were verified before.
func (c Chunk) Values(seed Seed, dim int, sound bool, room *[]float32) ([]float32, error) {
	if !sound {
		payload, err := seed.Open(c.Key, c.Record)
		if err != nil {
			return nil, err
		}
		if count := binary.LittleEndian.Uint32(payload); uint64(count) != uint64(c.Rows) {
			return nil, fault.Record("chunk of %d rows where %d should be", count, c.Rows)
		}
	}
	body := c.Record[rowsHead:]
	if values := floatsIn(body); values != nil {
		if !sound && !allFinite(body) {
			return nil, fault.Record("value that is not finite")
		}
		return values, nil
	}
	if len(*room) < dim*c.Rows {
		*room = make([]float32, dim*c.Rows)
	}
	values := (*room)[:dim*c.Rows]
	if !decodeFloats(values, body) {
		return nil, fault.Record("value that is not finite")
	}
	return values, nil
}

// RowReader reads chunks piece by piece into the same memory, which stays in a processor's cache.
type RowReader struct {
	bytes  []byte
	values []float32 // where bytes are no values
}

// rowPiece is about how many bytes a RowReader reads at once. A call of the system takes a tenth of the
// time of copying as many.
const rowPiece = 128 << 10

// Read reads a record of size bytes by read, which gets where in the record its bytes begin. It
// calls f with the rows of each piece and the number of the first in the chunk. They are finite,
// but their checksum is verified at the end.
func (r *RowReader) Read(seed Seed, key []byte, size, dim int, read func(b []byte, at int) error, f func(row int, rows []float32)) error {
	rows, err := RowsIn(size, dim)
	if err != nil {
		return err
	}
	step := min(rows, max(1, rowPiece/(4*dim)))
	if need := rowsHead + 4*dim*step; len(r.bytes) < need {
		r.bytes = make([]byte, need)
	}
	var want uint32
	sum := seed.begin(key)
	for row := 0; row < rows; row += step {
		n, at, head := min(step, rows-row), RowOffset(row, dim), 0
		if row == 0 {
			at, head = 0, rowsHead // one call for the head and the first rows
		}
		b := r.bytes[:head+4*dim*n]
		if err := read(b, at); err != nil {
			return err
		}
		body := b[head:]
		if row == 0 {
			want, b = binary.LittleEndian.Uint32(b), b[ChecksumSize:]
			if count := binary.LittleEndian.Uint32(b); uint64(count) != uint64(rows) {
				return fault.Record("chunk of %d rows where %d should be", count, rows)
			}
		}
		sum = crc32.Update(sum, Castagnoli, b)
		values := floatsIn(body)
		if values == nil && len(r.values) < dim*n {
			r.values = make([]float32, dim*step)
		}
		sound := values != nil && allFinite(body)
		if values == nil {
			values = r.values[:dim*n]
			sound = decodeFloats(values, body)
		}
		if !sound {
			return fault.Record("value that is not finite")
		}
		f(row, values)
	}
	if sum != want {
		return fault.Record("checksum does not match")
	}
	return nil
}

// RowOffset returns where one of the rows of a chunk begins in its record.
func RowOffset(i, dim int) int { return rowsHead + 4*dim*i }

// floatsIn returns a view of bytes as values. It is nil if the bytes are not aligned or the
// machine is big-endian.
func floatsIn(body []byte) []float32 {
	first := unsafe.Pointer(unsafe.SliceData(body))
	one := [2]byte{1, 0}
	if binary.NativeEndian.Uint16(one[:]) != 1 || uintptr(first)%unsafe.Alignof(float32(0)) != 0 {
		return nil
	}
	return unsafe.Slice((*float32)(first), len(body)/4)
}

// allFinite reports whether all values in body are finite, like decodeFloats.
func allFinite(body []byte) bool {
	bad := uint64(0)
	for len(body) >= 32 {
		a, b := binary.LittleEndian.Uint64(body), binary.LittleEndian.Uint64(body[8:])
		c, d := binary.LittleEndian.Uint64(body[16:]), binary.LittleEndian.Uint64(body[24:])
		bad |= (a&exponents + lowest) | (b&exponents + lowest) | (c&exponents + lowest) | (d&exponents + lowest)
		body = body[32:]
	}
	sound := bad&signs == 0
	for ; len(body) >= 4; body = body[4:] {
		sound = sound && FiniteBits(binary.LittleEndian.Uint32(body))
	}
	return sound
}
