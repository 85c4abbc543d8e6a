package index

import (
	"encoding/binary"
	"slices"

	"heavytail/storage/vec"
)

// The streams of earlier versions are read and no longer written. Their numbers are
// little-endian too:
//
//	magic 8 │ metric 1 │ m 1 │ ef_construction 4 │ ef 4 │ seed 8 │
//	vertices 4 │ dim 4 │ vectors 8 │ entry 4 │
//	by vertex: level 1, and for each of its levels: count 1, links 4 each │
//	twins 4, from 4 to 4 each │ bridges 4, from 4 to 4 each │ CRC-32C 4
var streamMagic1 = [8]byte{'h', 't', 'h', 'n', 's', 'w', '1', '\n'}

// first reads a stream of the first kind up to its checksum.
func (d *decoder) first(m *vec.Matrix) (*HNSW, error) {
	b, err := d.bytes(8 + 2 + 2*4 + 8 + 2*4 + 8 + 4)
	if err != nil {
		return nil, err
	}
	u32 := binary.LittleEndian.Uint32
	head := streamHead{
		metric: Metric(b[8]), vertices: u32(b[26:]), dim: u32(b[30:]), vectors: binary.LittleEndian.Uint64(b[34:]), entry: u32(b[42:]),
		opts: HNSWOptions{M: int(b[9]), EfConstruction: int(u32(b[10:])), Ef: int(u32(b[14:])), Seed: binary.LittleEndian.Uint64(b[18:])},
	}
	if err := head.check(); err != nil {
		return nil, err
	}
	h, err := head.hnsw(m)
	if err != nil {
		return nil, err
	}
	for v := range uint32(m.Rows) {
		if err := d.vertex(h, v); err != nil {
			return nil, err
		}
	}
	for _, list := range []*[]edge{&h.twins, &h.bridges} {
		b, err := d.bytes(4)
		if err != nil {
			return nil, err
		}
		if *list, err = d.edges(u32(b), m.Rows); err != nil {
			return nil, err
		}
	}
	return h, nil
}

// vertex reads the lists of a vertex.
func (d *decoder) vertex(h *HNSW, v uint32) error {
	b, err := d.bytes(1)
	if err != nil {
		return err
	}
	level := b[0]
	h.levels[v] = level
	if level != absent {
		h.live++
	}
	if level == absent || level == twin {
		return nil
	}
	if level > maxLevel {
		return damaged("level %d", level)
	}
	if level > 0 {
		h.upperAt[v] = uint32(len(h.upper) / h.opts.M)
	}
	for l := range int(level) + 1 {
		if l > 0 {
			if len(h.upper) >= (2*h.Len()+maxUpperBeyond)*h.opts.M {
				return damaged("more than %d lists above level 0", 2*h.Len()+maxUpperBeyond)
			}
			h.upper = append(h.upper, slices.Repeat([]uint32{none}, h.opts.M)...)
		}
		if err := d.links(h.links(l, v), h.Len()); err != nil {
			return err
		}
	}
	return nil
}

// links reads one list.
func (d *decoder) links(list []uint32, vertices int) error {
	b, err := d.bytes(1)
	if err != nil {
		return err
	}
	count := int(b[0])
	if count > len(list) {
		return damaged("%d links in a list of at most %d", count, len(list))
	}
	if b, err = d.bytes(4 * count); err != nil {
		return err
	}
	for i := range count {
		list[i] = binary.LittleEndian.Uint32(b[4*i:])
		if uint64(list[i]) >= uint64(vertices) {
			return damaged("link to vertex %d of %d", list[i], vertices)
		}
	}
	return nil
}
