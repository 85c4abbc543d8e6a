package storage

import (
	"context"
	"encoding/binary"
	"fmt"
)

// The change log has one or more records per version of a graph, with the keys
// graph id, version and part, big-endian. A record is
//
//	kind   1 byte   what became of the slots; see below
//	count  2 bytes  slots, little-endian
//	first  uvarint  first slot
//	rest            uvarint each, slot − previous slot − 1
//
// The slots of each kind ascend over all parts, and the kinds follow each other
// as they are listed. Every version has part 0, even where it names no slot.
// Versions more than maxLog behind the present one are forgotten.
const (
	changeEdges   = 0 // new vertices, and those whose edges are others
	changeAll     = 1 // instead of the above: any vertex; no slots follow
	changeValues  = 2 // vertices of which only attributes changed
	changeColumns = 3 // instead of these: any vertex; no slots follow
	changeDeleted = 4 // slots that became empty

	changesKeySize = 8 + 8 + 4
	changesHead    = sumSize + 1 + 2

	maxLog = 1 << 16
)

// change is what one version changed, as lists of ascending slots.
type change struct {
	all     bool // everything may have changed; edges is nil
	edges   []uint32
	columns bool // the attributes of everything may have changed; values is nil
	values  []uint32
	deleted []uint32
}

func changesKey(graph, version uint64, part uint32) []byte {
	key := binary.BigEndian.AppendUint64(be64(graph), version)
	return binary.BigEndian.AppendUint32(key, part)
}

// logChange writes the entry of one version, and forgets the oldest ones.
func (t *tx) logChange(graph, version uint64, c change) error {
	bucket, err := t.top(changesName)
	if err != nil {
		return err
	}
	seed := seedOf(changesName)
	for part, record := range c.records() {
		key := changesKey(graph, version, uint32(part))
		if err := bucket.Put(key, seed.seal(key, record)); err != nil {
			return err
		}
	}
	if version <= maxLog {
		return nil
	}
	return t.dropChanges(graph, version-maxLog)
}

// records makes the unsealed records of a change, at least one.
func (c *change) records() [][]byte {
	var records [][]byte
	switch {
	case c.all:
		records = appendChange(records, changeAll, nil)
	case len(c.edges) > 0:
		records = appendChange(records, changeEdges, c.edges)
	}
	switch {
	case c.columns:
		records = appendChange(records, changeColumns, nil)
	case len(c.values) > 0:
		records = appendChange(records, changeValues, c.values)
	}
	if len(c.deleted) > 0 {
		records = appendChange(records, changeDeleted, c.deleted)
	}
	if len(records) == 0 {
		records = appendChange(records, changeValues, nil)
	}
	return records
}

// appendChange appends the unsealed records of the slots of one kind, at least
// one.
func appendChange(records [][]byte, kind byte, slots []uint32) [][]byte {
	for first := true; first || len(slots) > 0; first = false {
		record := make([]byte, changesHead, maxBlock)
		record[sumSize] = kind
		count := 0
		for i, slot := range slots {
			if len(record)+binary.MaxVarintLen32 > maxBlock-changesKeySize {
				break
			}
			if i == 0 {
				record = binary.AppendUvarint(record, uint64(slot))
			} else {
				record = binary.AppendUvarint(record, uint64(slot-slots[i-1]-1))
			}
			count++
		}
		slots = slots[count:]
		binary.LittleEndian.PutUint16(record[sumSize+1:], uint16(count))
		records = append(records, record)
	}
	return records
}

// decode adds one record to the change.
func (c *change) decode(payload []byte) (err error) {
	if len(payload) < changesHead-sumSize || payload[0] > changeDeleted {
		return badRecord("change of %d bytes", len(payload))
	}
	kind, count := payload[0], int(binary.LittleEndian.Uint16(payload[1:]))
	// Of each pair of kinds there is one, and none after one that it precedes.
	if (kind <= changeAll && (c.all || c.columns || len(c.values) > 0)) ||
		(kind == changeAll && len(c.edges) > 0) || (kind == changeColumns && len(c.values) > 0) ||
		(kind < changeDeleted && (c.columns || len(c.deleted) > 0)) {
		return badRecord("change of kind %d out of turn", kind)
	}
	switch kind {
	case changeEdges:
		c.edges, err = decodeChange(c.edges, count, payload[3:])
	case changeValues:
		c.values, err = decodeChange(c.values, count, payload[3:])
	case changeDeleted:
		c.deleted, err = decodeChange(c.deleted, count, payload[3:])
	default:
		c.all, c.columns = c.all || kind == changeAll, c.columns || kind == changeColumns
		if count != 0 || len(payload) != changesHead-sumSize {
			err = badRecord("change of everything names slots")
		}
	}
	return err
}

// decodeChange appends the slots of one record to dst.
func decodeChange(dst []uint32, count int, b []byte) ([]uint32, error) {
	for i := range count {
		step, size := uvarint(b)
		if size == 0 || step >= maxVertices {
			return dst, badRecord("change is cut off")
		}
		v := step
		if i > 0 {
			v += uint64(dst[len(dst)-1]) + 1
		} else if len(dst) > 0 && v <= uint64(dst[len(dst)-1]) {
			return dst, badRecord("slots of a change do not ascend")
		}
		if v >= maxVertices {
			return dst, badRecord("change of slot %d", v)
		}
		dst, b = append(dst, uint32(v)), b[size:]
	}
	if len(b) != 0 {
		return dst, badRecord("%d bytes after the change", len(b))
	}
	return dst, nil
}

// changesOf calls yield for every version of a graph in the log after since, in
// order, with what it changed; the lists are valid during the call. Records must
// be there for every part in turn.
func (t *tx) changesOf(graph, since uint64, yield func(version uint64, c *change) error) error {
	bucket, err := t.top(changesName)
	if err != nil {
		return err
	}
	seed := seedOf(changesName)
	var (
		version uint64
		part    uint32
		c       change
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
				if err := yield(version, &c); err != nil {
					return err
				}
			}
			version, part = thisVersion, 0
			c = change{edges: c.edges[:0], values: c.values[:0], deleted: c.deleted[:0]}
		case thisVersion != version || thisPart != part+1:
			return badRecord("change log has part %d of version %d out of turn", thisPart, thisVersion)
		default:
			part = thisPart
		}
		if err := c.decode(payload); err != nil {
			return err
		}
	}
	if version != 0 {
		return yield(version, &c)
	}
	return nil
}

// dropChanges removes the log of a graph up to a version.
func (t *tx) dropChanges(graph, last uint64) error {
	bucket, err := t.top(changesName)
	if err != nil {
		return err
	}
	return t.deleteRange(bucket, changesKey(graph, 0, 0), func(key []byte) bool {
		return len(key) == changesKeySize && bytesToID(key) == graph && bytesToID(key[8:]) <= last
	})
}

// Changes returns which vertices of a graph changed after the version since.
// Where the log does not reach back to since, it says that everything may have
// changed; it goes back 65,536 versions. A version that the graph has not
// reached is ErrInvalid. It takes the time of reading the log since then.
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
		l, err := t.changesSince(r, since)
		if err != nil {
			return corrupt(t.path, describeGraph(graph)+", change log", err)
		}
		slots, err := t.slotsOf(r)
		if err != nil {
			return corrupt(t.path, describeGraph(graph)+", empty slots", err)
		}
		set = ChangeSet{From: since, To: r.Version, All: l.all, Deleted: l.deletions, EdgesChanged: l.versions > 0, Versions: l.versions}
		if !set.All {
			set.Touched, set.Attributes = l.vertices(&slots)
		}
		return nil
	})
	return set, err
}

// changeLog is the changes of several versions together.
type changeLog struct {
	gap       bool     // it is not known of all versions
	all       bool     // everything may have changed
	columns   bool     // of all attributes
	versions  uint64   // that changed more than attributes
	edges     []uint64 // bit per slot
	values    []uint64
	deleted   []uint64
	deletions int
}

// changesSince reads the log after a version.
func (t *tx) changesSince(r *graphRecord, since uint64) (*changeLog, error) {
	l := &changeLog{edges: newBits(int(r.Slots)), values: newBits(int(r.Slots)), deleted: newBits(int(r.Slots))}
	expect := since + 1
	err := t.changesOf(r.ID, since, func(version uint64, c *change) error {
		l.all, l.gap = l.all || c.all, l.gap || version != expect
		l.columns = l.columns || c.columns
		if c.all || len(c.edges) > 0 || len(c.deleted) > 0 {
			l.versions++
		}
		l.deletions += len(c.deleted)
		expect = version + 1
		for _, list := range []struct {
			slots  []uint32
			marked []uint64
		}{{c.edges, l.edges}, {c.values, l.values}, {c.deleted, l.deleted}} {
			for _, slot := range list.slots {
				if uint64(slot) >= r.Slots {
					return badRecord("change of slot %d of %d", slot, r.Slots)
				}
				setBit(list.marked, slot, true)
			}
		}
		return nil
	})
	if l.gap = l.gap || expect != r.Version+1; l.gap {
		l.all, l.versions = true, r.Version-since
	}
	return l, err
}

// vertices lists the vertices that are new or have other edges, and the others
// that have other attributes.
func (l *changeLog) vertices(slots *slotMap) (touched, attributes []uint32) {
	empty := slots.empty
	vertex := uint32(0)
	for slot := range uint32(slots.slots) {
		if len(empty) > 0 && empty[0] == slot {
			empty = empty[1:]
			continue
		}
		switch {
		case bitAt(l.edges, slot):
			touched = append(touched, vertex)
		case l.columns || bitAt(l.values, slot):
			attributes = append(attributes, vertex)
		}
		vertex++
	}
	return touched, attributes
}
