package storage

import (
	"encoding/binary"
	"math"

	"heavytail/storage/csr"
)

// arc is one direction of an edge: source in the upper half, target in the
// lower, so that arcs compare like their block keys.
type arc uint64

func newArc(u, v uint32) arc   { return arc(u)<<32 | arc(v) }
func (a arc) source() uint32   { return uint32(a >> 32) }
func (a arc) target() uint32   { return uint32(a) }
func arcOfKey(key []byte) arc  { return arc(binary.BigEndian.Uint64(key)) }
func zigzag(d int64) uint64    { return uint64(d<<1) ^ uint64(d>>63) }
func unzigzag(z uint64) int64  { return int64(z>>1) ^ -int64(z&1) }
func uvarintSize(v uint64) int { return len(binary.AppendUvarint(make([]byte, 0, 10), v)) }

// An arc block holds a run of consecutive arcs in ascending order. Its key is
// its first arc. Its payload is
//
//	flags  1 byte   bit 0: weights follow, bit 1: timestamps follow; both are
//	                reserved and zero in format 1, as are the other bits
//	count  2 bytes  arcs, little-endian, at least 1
//	groups          the arcs of each source:
//	    source      uvarint, source − previous source − 1; left out in the first group
//	    arcs − 1    uvarint
//	    target      uvarint of zigzag(target − source); left out in the first group
//	    targets     uvarint each, target − previous target − 1
//
// Sources and targets ascend by construction, and every list of arcs has one
// encoding only.
const (
	arcBlockHead = sumSize + 1 + 2
	arcKeySize   = 8

	// maxBlockArcs is the largest count: the first arc costs one byte for its
	// group, each further one at least one.
	maxBlockArcs = maxBlock - arcKeySize - arcBlockHead
)

// arcEncoder cuts the arcs of a graph into blocks.
type arcEncoder struct {
	graph   *csr.Graph
	at      int64  // next arc, as an index of graph.Targets
	source  uint32 // its source
	scratch []byte
}

// newArcEncoder starts at arc number at, which must be the start of a block (or
// the end).
func newArcEncoder(g *csr.Graph, at int64) *arcEncoder {
	e := &arcEncoder{graph: g, at: at}
	lo, hi := 0, g.Vertices()
	for lo < hi { // the first vertex whose row ends after at
		mid := int(uint(lo+hi) >> 1)
		if g.Offsets[mid+1] > at {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	e.source = uint32(lo)
	return e
}

// next returns the key and the unsealed record of the next block, or nil at the
// end of the graph. A block takes as many arcs as fit.
func (e *arcEncoder) next() (key, record []byte) {
	g := e.graph
	if e.at >= int64(len(g.Targets)) {
		return nil, nil
	}
	e.skipEmptyRows()
	key = arcKey(e.source, g.Targets[e.at])
	room := maxBlock - arcKeySize
	record = make([]byte, arcBlockHead, room)
	count := 0
	previous := e.source
	for first := true; e.at < int64(len(g.Targets)); first = false {
		e.skipEmptyRows()
		head := e.scratch[:0]
		if !first {
			head = binary.AppendUvarint(head, uint64(e.source-previous)-1)
		}
		taken, ok := e.appendGroup(&record, head, first, room)
		count += taken
		if taken > 0 {
			previous = e.source
		}
		e.at += int64(taken)
		if !ok {
			break
		}
	}
	binary.LittleEndian.PutUint16(record[sumSize+1:], uint16(count))
	return key, record
}

func (e *arcEncoder) skipEmptyRows() {
	for e.graph.Offsets[e.source+1] <= e.at {
		e.source++
	}
}

// appendGroup appends the arcs of the current source from e.at on, as many as
// fit, and reports how many and whether the row was finished.
func (e *arcEncoder) appendGroup(record *[]byte, head []byte, first bool, room int) (taken int, whole bool) {
	row := e.graph.Targets[e.at:e.graph.Offsets[e.source+1]]
	// The size of the count is taken for the whole row; a cut row needs less.
	left := room - len(*record) - len(head) - uvarintSize(uint64(len(row))-1)
	body := 0
	if !first {
		body = uvarintSize(zigzag(int64(row[0]) - int64(e.source)))
	}
	if body > left || left < 0 {
		return 0, false
	}
	taken = 1
	for taken < len(row) {
		d := row[taken] - row[taken-1] - 1
		size := 1
		if d >= 0x80 {
			size = uvarintSize(uint64(d))
		}
		if body+size > left {
			break
		}
		body += size
		taken++
	}
	out := append(*record, head...)
	out = binary.AppendUvarint(out, uint64(taken)-1)
	if !first {
		out = binary.AppendUvarint(out, zigzag(int64(row[0])-int64(e.source)))
	}
	for i := 1; i < taken; i++ {
		d := row[i] - row[i-1] - 1
		if d < 0x80 {
			out = append(out, byte(d))
		} else {
			out = binary.AppendUvarint(out, uint64(d))
		}
	}
	*record = out
	return taken, taken == len(row)
}

// decodeArcs appends the arcs of a block to dst. The payload was verified
// against its checksum, but may still have been made by a hostile writer: every
// count is bounded by the bytes that are there, order and range are checked,
// and no byte may be left over.
func decodeArcs(dst []arc, key, payload []byte) ([]arc, error) {
	if len(key) != arcKeySize {
		return dst, badRecord("arc block key of %d bytes", len(key))
	}
	if len(payload) < arcBlockHead-sumSize {
		return dst, badRecord("arc block of %d bytes", len(payload))
	}
	if payload[0] != 0 {
		return dst, badRecord("arc block flags %#02x", payload[0])
	}
	count := int(binary.LittleEndian.Uint16(payload[1:]))
	b := payload[3:]
	if count == 0 || count > len(b) {
		return dst, badRecord("arc block declares %d arcs in %d bytes", count, len(b))
	}
	start := arcOfKey(key)
	source, target := int64(start.source()), int64(start.target())
	at := 0
	for first := true; count > 0; first = false {
		if !first {
			step, size := uvarint(b[at:])
			if size == 0 || step > math.MaxUint32 {
				return dst, badRecord("arc block source")
			}
			source += int64(step) + 1
			at += size
		}
		more, size := uvarint(b[at:])
		if size == 0 || more >= uint64(count) {
			return dst, badRecord("arc block group size")
		}
		at += size
		if !first {
			z, size := uvarint(b[at:])
			if size == 0 || z > 1<<33 {
				return dst, badRecord("arc block target")
			}
			target = source + unzigzag(z)
			at += size
		}
		if source >= maxVertices || target < 0 || target >= maxVertices || target == source {
			return dst, badRecord("arc (%d, %d)", source, target)
		}
		high := arc(source) << 32
		dst = append(dst, high|arc(target))
		count -= 1 + int(more)
		for ; more > 0; more-- {
			if at < len(b) && b[at] < 0x80 {
				target += int64(b[at]) + 1
				at++
			} else {
				d, size := uvarint(b[at:])
				if size == 0 || d > math.MaxUint32 {
					return dst, badRecord("arc block target")
				}
				target += int64(d) + 1
				at += size
			}
			if target >= maxVertices || target == source {
				return dst, badRecord("arc (%d, %d)", source, target)
			}
			dst = append(dst, high|arc(target))
		}
	}
	if at != len(b) {
		return dst, badRecord("%d bytes after the arcs", len(b)-at)
	}
	return dst, nil
}

// uvarint decodes the shortest form of a number and returns its size, 0 where b
// is cut off, too long or not the shortest form: every number has one encoding.
func uvarint(b []byte) (uint64, int) {
	v, size := binary.Uvarint(b)
	if size <= 0 || (size > 1 && b[size-1] == 0) {
		return 0, 0
	}
	return v, size
}
