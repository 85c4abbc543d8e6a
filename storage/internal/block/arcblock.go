package block

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/internal/fault"
)

// Arc is one direction of an edge: the source in the upper 32 bits and the target in the lower,
// so that the order of arcs is that of their block keys.
type Arc uint64

// NewArc is the arc from slot u to slot v.
func NewArc(u, v uint32) Arc { return Arc(u)<<32 | Arc(v) }

// Source is the slot that the arc leaves.
func (a Arc) Source() uint32 { return uint32(a >> 32) }

// Target is the slot that the arc leads to.
func (a Arc) Target() uint32 { return uint32(a) }

// Reverse is the other direction of the edge.
func (a Arc) Reverse() Arc { return a<<32 | a>>32 }

// ArcOfKey is the first arc of the block under a key of eight bytes.
func ArcOfKey(key []byte) Arc { return Arc(binary.BigEndian.Uint64(key)) }

func zigzag(d int64) uint64    { return uint64(d<<1) ^ uint64(d>>63) }
func unzigzag(z uint64) int64  { return int64(z>>1) ^ -int64(z&1) }
func uvarintSize(v uint64) int { return (bits.Len64(v|1) + 6) / 7 }

// ArcValue is an arc with the values of its edge: a weight, 1 if none was given, and a
// timestamp, or csr.NoTime.
type ArcValue struct {
	Arc    Arc
	Weight float32 // finite and positive
	Time   int64   // csr.NoTime for none
}

// Compare orders by the arc alone.
func (v ArcValue) Compare(other ArcValue) int { return cmp.Compare(v.Arc, other.Arc) }

// An arc block holds a run of consecutive arcs in ascending order. Its key is
// its first arc, source and target. Its payload is
//
//	flags  1 byte   bit 0: weights follow, bit 1: timestamps follow
//	count  2 bytes  arcs, little-endian, at least 1
//	groups          the arcs of each source:
//	    source      uvarint, source − previous source − 1; left out in the first group
//	    arcs − 1    uvarint
//	    target      uvarint of zigzag(target − source); left out in the first group
//	    targets     uvarint each, target − previous target − 1
//	weights         float32 each, where one of them is not 1
//	timestamps      uvarint each, where there is one; see timeCode
//
// Sources and targets are always in ascending order, and every list of arcs has exactly one
// encoding. Both arcs of an edge have its weight and its timestamp.
const (
	arcBlockHead = ChecksumSize + 1 + 2
	arcKeySize   = 8

	ArcWeights = 1 // flag: weights follow
	ArcTimes   = 2 // flag: timestamps follow

	// MaxBlockArcs is the largest count: the first arc costs one byte for its
	// group, each further one at least one.
	MaxBlockArcs = MaxBlock - arcKeySize - arcBlockHead
)

// ArcBlock is the content of one block, column by column.
type ArcBlock struct {
	Arcs    []Arc     // ascending
	weights []float32 // of every arc; empty where all are 1
	times   []int64   // of every arc; empty where there is none
}

// Open verifies the checksum of a block and replaces b with its content.
func (b *ArcBlock) Open(seed Seed, s Sealed) error {
	payload, err := seed.Open(s.Key, s.Record)
	if err == nil {
		err = b.Decode(s.Key, payload)
	}
	return err
}

// Decode replaces b with the content of a block. The payload passed its checksum, but may come
// from a hostile writer: every number is checked, no more numbers are allocated than the block
// has bytes, and bytes left over are an error.
func (b *ArcBlock) Decode(key, payload []byte) (err error) {
	b.weights, b.times = b.weights[:0], b.times[:0]
	rest := payload
	if len(payload) >= arcBlockHead-ChecksumSize {
		b.Arcs = slices.Grow(b.Arcs[:0], min(len(payload), int(binary.LittleEndian.Uint16(payload[1:]))))
	}
	if b.Arcs, rest, err = decodeArcs(b.Arcs[:0], key, payload); err != nil {
		return err
	}
	if payload[0]&ArcWeights != 0 {
		if rest, err = b.decodeWeights(rest); err != nil {
			return err
		}
	}
	if payload[0]&ArcTimes != 0 {
		if rest, err = b.decodeTimes(rest); err != nil {
			return err
		}
	}
	if len(rest) != 0 {
		return fault.Record("%d bytes after the arcs", len(rest))
	}
	return nil
}

func (b *ArcBlock) decodeWeights(in []byte) (rest []byte, err error) {
	if len(in) < 4*len(b.Arcs) {
		return nil, fault.Record("arc block has no room for %d weights", len(b.Arcs))
	}
	some := false
	for i := range b.Arcs {
		w := math.Float32frombits(binary.LittleEndian.Uint32(in[4*i:]))
		if !ValidWeight(w) {
			return nil, fault.Record("edge with weight %v", w)
		}
		some = some || w != 1
		b.weights = append(b.weights, w)
	}
	if !some {
		return nil, fault.Record("arc block with weights that are all 1")
	}
	return in[4*len(b.Arcs):], nil
}

func (b *ArcBlock) decodeTimes(in []byte) (rest []byte, err error) {
	last, some := int64(0), false
	for range b.Arcs {
		code, size := uvarint(in)
		if size == 0 {
			return nil, fault.Record("arc block timestamp")
		}
		time := timeOfCode(last, code)
		if time != csr.NoTime {
			last, some = time, true
		}
		b.times = append(b.times, time)
		in = in[size:]
	}
	if !some {
		return nil, fault.Record("arc block with a column of no timestamps")
	}
	return in, nil
}

// Weights returns the weights of all arcs, which b overwrites later, or nothing if all are 1.
func (b *ArcBlock) Weights() []float32 { return b.weights }

// At returns arc i with its values.
func (b *ArcBlock) At(i int) ArcValue {
	v := ArcValue{b.Arcs[i], 1, csr.NoTime}
	if len(b.weights) > 0 {
		v.Weight = b.weights[i]
	}
	if len(b.times) > 0 {
		v.Time = b.times[i]
	}
	return v
}

// ValidWeight reports whether w is finite and positive; for NaN it returns false.
func ValidWeight(w float32) bool { return w > 0 && w <= math.MaxFloat32 }

// A timestamp is stored as the zigzag code of its difference from the previous timestamp in the
// block, or from 0 for the first. Code 0 means that there is no timestamp, so all other codes
// are increased by one, up to the code of the difference that would give csr.NoTime. That
// difference cannot occur, so 64 bits are enough for all codes.
func timeCode(last, time int64) uint64 {
	if time == csr.NoTime {
		return 0
	}
	code := zigzag(time - last)
	if code < zigzag(csr.NoTime-last) {
		code++
	}
	return code
}

func timeOfCode(last int64, code uint64) int64 {
	if code == 0 {
		return csr.NoTime
	}
	if code <= zigzag(csr.NoTime-last) {
		code--
	}
	return last + unzigzag(code)
}

// decodeArcs appends the arcs of a block to dst and returns the bytes of the weights and
// timestamps that follow. Of these it checks only the flags.
func decodeArcs(dst []Arc, key, payload []byte) (arcs []Arc, columns []byte, err error) {
	if len(key) != arcKeySize {
		return dst, nil, fault.Record("arc block key of %d bytes", len(key))
	}
	if len(payload) < arcBlockHead-ChecksumSize {
		return dst, nil, fault.Record("arc block of %d bytes", len(payload))
	}
	if payload[0]&^(ArcWeights|ArcTimes) != 0 {
		return dst, nil, fault.Record("arc block flags %#02x", payload[0])
	}
	return decodeGroups(dst, ArcOfKey(key), int(binary.LittleEndian.Uint16(payload[1:])), payload[3:])
}

// decodeGroups appends arcs of which the first is known, source by source, and returns the bytes
// behind them.
func decodeGroups(dst []Arc, start Arc, count int, b []byte) (arcs []Arc, rest []byte, err error) {
	if count == 0 || count > len(b) {
		return dst, nil, fault.Record("arc block declares %d arcs in %d bytes", count, len(b))
	}
	source, target := int64(start.Source()), int64(start.Target())
	at := 0
	for first := true; count > 0; first = false {
		if !first {
			step, size := uvarint(b[at:])
			if size == 0 || step > math.MaxUint32 {
				return dst, nil, fault.Record("arc block source")
			}
			source += int64(step) + 1
			at += size
		}
		more, size := uvarint(b[at:])
		if size == 0 || more >= uint64(count) {
			return dst, nil, fault.Record("arc block group size")
		}
		at += size
		if !first {
			z, size := uvarint(b[at:])
			if size == 0 || z > 1<<33 {
				return dst, nil, fault.Record("arc block target")
			}
			target = source + unzigzag(z)
			at += size
		}
		if source >= MaxVertices || target < 0 || target >= MaxVertices || target == source {
			return dst, nil, fault.Record("arc (%d, %d)", source, target)
		}
		high := Arc(source) << 32
		dst = append(dst, high|Arc(target))
		count -= 1 + int(more)
		for ; more > 0; more-- {
			if at < len(b) && b[at] < 0x80 {
				target += int64(b[at]) + 1
				at++
			} else {
				d, size := uvarint(b[at:])
				if size == 0 || d > math.MaxUint32 {
					return dst, nil, fault.Record("arc block target")
				}
				target += int64(d) + 1
				at += size
			}
			if target >= MaxVertices || target == source {
				return dst, nil, fault.Record("arc (%d, %d)", source, target)
			}
			dst = append(dst, high|Arc(target))
		}
	}
	return dst, b[at:], nil
}

// DeclaredArcs returns how many arcs a block declares, which is not verified.
func DeclaredArcs(b Sealed) (int, error) {
	if len(b.Key) != arcKeySize || len(b.Record) < arcBlockHead {
		return 0, fault.Record("arc block of %d bytes with a key of %d", len(b.Record), len(b.Key))
	}
	return int(binary.LittleEndian.Uint16(b.Record[ChecksumSize+1:])), nil
}

// uvarint decodes a number in its shortest form and returns its size. The size is 0 if b ends
// too early, or if the number is too long or not in its shortest form, so every number has one
// encoding.
func uvarint(b []byte) (uint64, int) {
	// Most numbers of a graph have up to three bytes.
	switch {
	case len(b) > 0 && b[0] < 0x80:
		return uint64(b[0]), 1
	case len(b) > 1 && b[1]-1 < 0x7f:
		return uint64(b[0]&0x7f) | uint64(b[1])<<7, 2
	case len(b) > 2 && b[1] >= 0x80 && b[2]-1 < 0x7f:
		return uint64(b[0]&0x7f) | uint64(b[1]&0x7f)<<7 | uint64(b[2])<<14, 3
	}
	v, size := binary.Uvarint(b)
	if size <= 0 || (size > 1 && b[size-1] == 0) {
		return 0, 0
	}
	return v, size
}
