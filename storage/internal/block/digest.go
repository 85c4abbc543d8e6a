package block

import (
	"context"
	"encoding/binary"
	"hash/crc32"
)

// Digester collects lengths and checksums of lists.
type Digester struct {
	Ctx    context.Context
	Sums   []byte // length and checksum of each list so far
	Err    error  // of Ctx, once it has ended
	buffer []byte
}

// DigestList adds the length and the checksum of a list of numbers.
func DigestList[E byte | uint32 | uint64 | int64 | float32 | float64](d *Digester, list []E) {
	const piece = 1 << 13
	sum := uint32(0)
	for rest := list; len(rest) > 0 && d.Err == nil; {
		n := min(len(rest), piece)
		d.buffer, _ = binary.Append(d.buffer[:0], binary.LittleEndian, rest[:n]) // cannot fail for numbers of a fixed size
		sum, rest = crc32.Update(sum, Castagnoli, d.buffer), rest[n:]
		d.Err = d.Ctx.Err()
	}
	d.Sums = binary.LittleEndian.AppendUint64(d.Sums, uint64(len(list)))
	d.Sums = binary.LittleEndian.AppendUint32(d.Sums, sum)
}
