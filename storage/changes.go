package storage

import (
	"context"
	"encoding/binary"
	"fmt"
)

// The change log has one or more records per version of a graph, with the keys
// graph id, version and part, big-endian. A record is
//
//	flags  1 byte   bit 0: everything may have changed, and nothing follows
//	count  2 bytes  vertices, little-endian
//	first  uvarint  first vertex
//	rest            uvarint each, vertex − previous vertex − 1
//
// The vertices of a version ascend over all its parts. Every version has part
// 0, even where nothing was touched.
const (
	changesAll     = 1
	changesKeySize = 8 + 8 + 4
	changesHead    = sumSize + 1 + 2
)

func changesKey(graph, version uint64, part uint32) []byte {
	key := binary.BigEndian.AppendUint64(be64(graph), version)
	return binary.BigEndian.AppendUint32(key, part)
}

// logChange writes the entry of one version.
func (t *tx) logChange(graph, version uint64, all bool, touched []uint32) error {
	bucket, err := t.top(changesName)
	if err != nil {
		return err
	}
	seed := seedOf(changesName)
	for part := uint32(0); part == 0 || len(touched) > 0; part++ {
		record := make([]byte, changesHead, maxBlock)
		if all {
			record[sumSize] = changesAll
			touched = nil
		}
		count := 0
		for i, v := range touched {
			if len(record)+binary.MaxVarintLen32 > maxBlock-changesKeySize {
				break
			}
			if i == 0 {
				record = binary.AppendUvarint(record, uint64(v))
			} else {
				record = binary.AppendUvarint(record, uint64(v-touched[i-1]-1))
			}
			count++
		}
		touched = touched[count:]
		binary.LittleEndian.PutUint16(record[sumSize+1:], uint16(count))
		key := changesKey(graph, version, part)
		if err := bucket.Put(key, seed.seal(key, record)); err != nil {
			return err
		}
	}
	return nil
}

// decodeChange appends the vertices of one record to dst.
func decodeChange(dst []uint32, payload []byte) (vertices []uint32, all bool, err error) {
	if len(payload) < changesHead-sumSize || payload[0]&^changesAll != 0 {
		return dst, false, badRecord("change of %d bytes", len(payload))
	}
	count := int(binary.LittleEndian.Uint16(payload[1:]))
	b := payload[3:]
	if payload[0] == changesAll {
		if count != 0 || len(b) != 0 {
			return dst, false, badRecord("change of everything names vertices")
		}
		return dst, true, nil
	}
	for i := range count {
		step, size := uvarint(b)
		if size == 0 || step >= maxVertices {
			return dst, false, badRecord("change is cut off")
		}
		v := step
		if i > 0 {
			v += uint64(dst[len(dst)-1]) + 1
		} else if len(dst) > 0 && v <= uint64(dst[len(dst)-1]) {
			return dst, false, badRecord("vertices of a change do not ascend")
		}
		if v >= maxVertices {
			return dst, false, badRecord("change of vertex %d", v)
		}
		dst, b = append(dst, uint32(v)), b[size:]
	}
	if len(b) != 0 {
		return dst, false, badRecord("%d bytes after the change", len(b))
	}
	return dst, false, nil
}

// changesOf calls yield for every version of a graph in the log after since, in
// order, with what it touched. Records must be there for every version and
// every part in turn.
func (t *tx) changesOf(graph, since uint64, yield func(version uint64, all bool, touched []uint32) error) error {
	bucket, err := t.top(changesName)
	if err != nil {
		return err
	}
	seed := seedOf(changesName)
	var (
		version uint64
		part    uint32
		all     bool
		touched []uint32
	)
	cursor := bucket.Cursor()
	for key, record := cursor.Seek(changesKey(graph, since+1, 0)); len(key) == changesKeySize && bytesToID(key) == graph; key, record = cursor.Next() {
		if err := t.ctx.Err(); err != nil {
			return fmt.Errorf("storage: %w", err)
		}
		payload, err := seed.open(key, record)
		if err != nil {
			return err
		}
		thisVersion, thisPart := bytesToID(key[8:]), binary.BigEndian.Uint32(key[16:])
		switch {
		case thisPart == 0:
			if version != 0 {
				if err := yield(version, all, touched); err != nil {
					return err
				}
			}
			version, part, all, touched = thisVersion, 0, false, touched[:0]
		case thisVersion != version || thisPart != part+1 || all:
			return badRecord("change log has part %d of version %d out of turn", thisPart, thisVersion)
		default:
			part = thisPart
		}
		if touched, all, err = decodeChange(touched, payload); err != nil {
			return err
		}
	}
	if version != 0 {
		return yield(version, all, touched)
	}
	return nil
}

// dropChanges removes the log of a graph.
func (t *tx) dropChanges(graph uint64) error {
	bucket, err := t.top(changesName)
	if err != nil {
		return err
	}
	for {
		// Deleting under a cursor may skip a key, so it starts again each time.
		key, _ := bucket.Cursor().Seek(changesKey(graph, 0, 0))
		if len(key) != changesKeySize || bytesToID(key) != graph {
			return nil
		}
		if err := bucket.Delete(key); err != nil {
			return err
		}
	}
}

// Changes returns which vertices of a graph changed after the version since:
// whose neighbours are others, or who are new. Where the log does not reach
// back to since, it says that everything may have changed. A version that the
// graph has not reached is ErrInvalid.
func (db *DB) Changes(ctx context.Context, graph string, since uint64) (ChangeSet, error) {
	var set ChangeSet
	err := db.view(ctx, func(t *tx) error {
		r, err := t.findGraph(graph)
		if err != nil {
			return err
		}
		if since > r.Version {
			return fmt.Errorf("storage: graph %q has version %d, not yet %d: %w", graph, r.Version, since, ErrInvalid)
		}
		set = ChangeSet{From: since, To: r.Version}
		marked := make([]uint64, r.Vertices/64+1)
		expect := since + 1
		err = t.changesOf(r.ID, since, func(version uint64, all bool, touched []uint32) error {
			set.All = set.All || all || version != expect
			expect = version + 1
			for _, v := range touched {
				if uint64(v) >= r.Vertices {
					return badRecord("change of vertex %d of %d", v, r.Vertices)
				}
				marked[v/64] |= 1 << (v % 64)
			}
			return nil
		})
		if err != nil {
			return corrupt(t.path, describeGraph(graph)+", change log", err)
		}
		if set.All = set.All || expect != r.Version+1; set.All {
			return nil
		}
		for v := range uint32(r.Vertices) {
			if marked[v/64]>>(v%64)&1 != 0 {
				set.Touched = append(set.Touched, v)
			}
		}
		return nil
	})
	return set, err
}
