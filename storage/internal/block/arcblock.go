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
//
// In a directed graph the arcs of both directions are in the list as well, wherever an edge leads
// from one of two vertices to the other. Weight and Time are then those of the edge from the
// source to the target, and Back and BackTime those of the edge from the target to the source:
// both 0 if there is no such edge. So the arcs of a vertex are all that is known of it.
type ArcValue struct {
	Arc      Arc
	Weight   float32 // finite and positive; 0 in a directed graph without the edge
	Back     float32 // likewise; 0 in an undirected graph
	Time     int64   // csr.NoTime for none
	BackTime int64
}

// Turned is the arc in the other direction, with the same edges of a directed graph.
func (v ArcValue) Turned() ArcValue {
	return ArcValue{Arc: v.Arc.Reverse(), Weight: v.Back, Back: v.Weight, Time: v.BackTime, BackTime: v.Time}
}

// Edge is the arc as that of an undirected view: the weight is the sum of the weights of both
// directions, at most the largest float32, and the timestamp the later one.
func (v ArcValue) Edge() ArcValue {
	switch {
	case v.Back == 0:
		return v
	case v.Weight == 0:
		return ArcValue{Arc: v.Arc, Weight: v.Back, Time: v.BackTime}
	}
	return ArcValue{Arc: v.Arc, Weight: min(v.Weight+v.Back, math.MaxFloat32), Time: max(v.Time, v.BackTime)}
}

// Compare orders by the arc alone.
func (v ArcValue) Compare(other ArcValue) int { return cmp.Compare(v.Arc, other.Arc) }

// An arc block holds a run of consecutive arcs in ascending order. Its key is
// its first arc, source and target. Its payload is
//
//	flags  1 byte   bit 0: weights follow, bit 1: timestamps follow, bit 2: the graph is directed
//	count  2 bytes  arcs, little-endian, at least 1
//	groups          the arcs of each source:
//	    source      uvarint, source − previous source − 1; left out in the first group
//	    arcs − 1    uvarint
//	    target      uvarint of zigzag(target − source); left out in the first group
//	    targets     uvarint each, target − previous target − 1
//	directions      2 bits for each arc of a directed graph, four arcs to a byte from its lowest bits
//	                on: 1 for an edge to the target, 2 for one back, 3 for both
//	weights         float32 each, where one of them is not 1
//	timestamps      uvarint each, where there is one; see timeCode
//
// Sources and targets are always in ascending order, and every list of arcs has exactly one
// encoding. Both arcs of an edge have its weight and its timestamp. In a directed graph an arc of
// both directions has two weights and two timestamps, first those of the edge to the target.
const (
	arcBlockHead = ChecksumSize + 1 + 2
	arcKeySize   = 8

	ArcWeights  = 1 // flag: weights follow
	ArcTimes    = 2 // flag: timestamps follow
	arcDirected = 4 // flag: directions follow

	// MaxBlockArcs is the largest count: the first arc costs one byte for its
	// group, each further one at least one.
	MaxBlockArcs = MaxBlock - arcKeySize - arcBlockHead
)

// ArcBlock is the content of one block, column by column.
type ArcBlock struct {
	Arcs    []Arc     // ascending
	weights []float32 // of every arc; empty where all are 1
	times   []int64   // of every arc; empty where there is none

	directed bool
	values   []ArcValue // of every arc of a directed graph
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
	count, directions := len(b.Arcs), []byte(nil)
	if b.directed = payload[0]&arcDirected != 0; b.directed {
		if directions, rest, count, err = b.decodeDirections(rest); err != nil {
			return err
		}
	}
	if payload[0]&ArcWeights != 0 {
		if rest, err = b.decodeWeights(rest, count); err != nil {
			return err
		}
	}
	if payload[0]&ArcTimes != 0 {
		if rest, err = b.decodeTimes(rest, count); err != nil {
			return err
		}
	}
	if len(rest) != 0 {
		return fault.Record("%d bytes after the arcs", len(rest))
	}
	if b.directed {
		b.spread(directions)
	}
	return nil
}

// decodeDirections returns the bytes of the directions, and how many edges they are.
func (b *ArcBlock) decodeDirections(in []byte) (directions, rest []byte, count int, err error) {
	size := (len(b.Arcs) + 3) / 4
	if len(in) < size {
		return nil, nil, 0, fault.Record("arc block has no room for %d directions", len(b.Arcs))
	}
	directions = in[:size]
	for i := range 4 * size {
		ways := directions[i/4] >> (2 * (i % 4)) & 3
		if (ways != 0) != (i < len(b.Arcs)) {
			return nil, nil, 0, fault.Record("arc block has the directions %d of arc %d", ways, i)
		}
		count += bits.OnesCount8(ways)
	}
	return directions, in[size:], count, nil
}

// spread gives every arc of a directed graph its own values.
func (b *ArcBlock) spread(directions []byte) {
	b.values = slices.Grow(b.values[:0], len(b.Arcs))
	at := 0
	next := func() (weight float32, time int64) {
		weight, time = 1, csr.NoTime
		if len(b.weights) > 0 {
			weight = b.weights[at]
		}
		if len(b.times) > 0 {
			time = b.times[at]
		}
		at++
		return weight, time
	}
	for i, a := range b.Arcs {
		v := ArcValue{Arc: a}
		ways := directions[i/4] >> (2 * (i % 4))
		if ways&1 != 0 {
			v.Weight, v.Time = next()
		}
		if ways&2 != 0 {
			v.Back, v.BackTime = next()
		}
		b.values = append(b.values, v)
	}
}

// Is returns a fault unless the block is of a graph that is directed, or is not.
func (b *ArcBlock) Is(directed bool) error {
	if b.directed != directed {
		return wrongDirection(b.directed)
	}
	return nil
}

func (b *ArcBlock) decodeWeights(in []byte, count int) (rest []byte, err error) {
	if len(in) < 4*count {
		return nil, fault.Record("arc block has no room for %d weights", count)
	}
	some := false
	for i := range count {
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
	return in[4*count:], nil
}

func (b *ArcBlock) decodeTimes(in []byte, count int) (rest []byte, err error) {
	last, some := int64(0), false
	for range count {
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

// wrongDirection is the fault of a block in a graph of the other kind.
func wrongDirection(directed bool) error {
	if directed {
		return fault.Record("an arc block of a directed graph in an undirected one")
	}
	return fault.Record("an arc block of an undirected graph in a directed one")
}

// EdgeWeights returns the weights of all arcs, those of a directed graph as ArcValue.Edge has them.
// b overwrites them later. If weighted is false, no edge of the graph has a weight other than 1:
// there are none to return, and another weight in the block is a fault.
func (b *ArcBlock) EdgeWeights(weighted bool) ([]float32, error) {
	switch {
	case !weighted && len(b.weights) > 0:
		return nil, fault.Record("edges with weights where the catalogue says none")
	case !weighted:
		return nil, nil
	case b.directed:
		b.weights = b.weights[:0]
		for _, v := range b.values {
			b.weights = append(b.weights, v.Edge().Weight)
		}
	case len(b.weights) == 0:
		for range b.Arcs {
			b.weights = append(b.weights, 1)
		}
	}
	return b.weights, nil
}

// At returns arc i with its values.
func (b *ArcBlock) At(i int) ArcValue {
	if b.directed {
		return b.values[i]
	}
	v := ArcValue{Arc: b.Arcs[i], Weight: 1, Time: csr.NoTime}
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
	if payload[0]&^(ArcWeights|ArcTimes|arcDirected) != 0 {
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
