package graphs

import (
	"encoding/binary"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
)

// LogChange writes the entry of one version, and removes the oldest entries.
func LogChange(t *tree.Tx, graph, version uint64, c block.Change) error {
	log, err := t.TopPart(block.ChangesName)
	if err != nil {
		return err
	}
	for part, record := range c.Records() {
		key := block.ChangesKey(graph, version, uint32(part))
		if err := log.Put(key, log.Seed.Seal(key, record)); err != nil {
			return err
		}
	}
	if version <= block.MaxLog {
		return nil
	}
	return DropChanges(t, graph, version-block.MaxLog)
}

// ChangesOf calls yield for every version of a graph in the log after since, in order,
// with what it changed; the lists are valid during the call. A missing part is a fault.
func ChangesOf(t *tree.Tx, graph, since uint64, yield func(version uint64, c *block.Change) error) error {
	bucket, err := t.Top(block.ChangesName)
	if err != nil {
		return err
	}
	seed := block.SeedOf(block.ChangesName)
	var (
		version uint64
		part    uint32
		c       block.Change
	)
	cursor := bucket.Cursor()
	for key, record := cursor.Seek(block.ChangesKey(graph, since+1, 0)); len(key) == block.ChangesKeySize && block.IDOf(key) == graph; key, record = cursor.Next() {
		if err := t.Ctx.Err(); err != nil {
			return err
		}
		payload, err := seed.Open(key, record)
		if err != nil {
			return err
		}
		thisVersion, thisPart := block.IDOf(key[8:]), binary.BigEndian.Uint32(key[16:])
		switch {
		case thisPart == 0:
			if version != 0 {
				if err := yield(version, &c); err != nil {
					return err
				}
			}
			version, part = thisVersion, 0
			c = block.Change{Edges: c.Edges[:0], Values: c.Values[:0], Deleted: c.Deleted[:0]}
		case thisVersion != version || thisPart != part+1:
			return fault.Record("change log has part %d of version %d out of turn", thisPart, thisVersion)
		default:
			part = thisPart
		}
		if err := c.Decode(payload); err != nil {
			return err
		}
	}
	if version != 0 {
		return yield(version, &c)
	}
	return nil
}

// DropChanges removes the log of a graph up to a version.
func DropChanges(t *tree.Tx, graph, last uint64) error {
	log, err := t.TopPart(block.ChangesName)
	if err != nil {
		return err
	}
	return t.DeleteRange(log, block.ChangesKey(graph, 0, 0), func(key []byte) bool {
		return len(key) == block.ChangesKeySize && block.IDOf(key) == graph && block.IDOf(key[8:]) <= last
	})
}

// changeLog is the changes of several versions together.
type changeLog struct {
	Gap       bool     // the log lacks some of the versions
	All       bool     // everything may have changed
	columns   bool     // attributes of any vertex may have changed
	Versions  uint64   // number of versions that changed more than attributes
	edges     []uint64 // bit per slot
	values    []uint64
	Deleted   []uint64
	Deletions int
}

// ChangesSince reads the log after a version.
func ChangesSince(t *tree.Tx, r *Record, since uint64) (*changeLog, error) {
	l := &changeLog{edges: block.NewBits(int(r.Slots)), values: block.NewBits(int(r.Slots)), Deleted: block.NewBits(int(r.Slots))}
	expect := since + 1
	err := ChangesOf(t, r.ID, since, func(version uint64, c *block.Change) error {
		l.All, l.Gap = l.All || c.All, l.Gap || version != expect
		l.columns = l.columns || c.Columns
		if c.All || len(c.Edges) > 0 || len(c.Deleted) > 0 {
			l.Versions++
		}
		l.Deletions += len(c.Deleted)
		expect = version + 1
		for _, list := range []struct {
			slots  []uint32
			marked []uint64
		}{{c.Edges, l.edges}, {c.Values, l.values}, {c.Deleted, l.Deleted}} {
			for _, slot := range list.slots {
				if uint64(slot) >= r.Slots {
					return fault.Record("change of slot %d of %d", slot, r.Slots)
				}
				block.SetBit(list.marked, slot, true)
			}
		}
		return nil
	})
	if l.Gap = l.Gap || expect != r.Version+1; l.Gap {
		l.All, l.Versions = true, r.Version-since
	}
	return l, err
}

// Vertices lists the vertices that are new or whose edges changed, and separately the
// vertices of which only attributes changed.
func (l *changeLog) Vertices(slots *block.SlotMap) (touched, attributes []uint32) {
	empty := slots.Empty
	vertex := uint32(0)
	for slot := range uint32(slots.Slots) {
		if len(empty) > 0 && empty[0] == slot {
			empty = empty[1:]
			continue
		}
		switch {
		case block.BitAt(l.edges, slot):
			touched = append(touched, vertex)
		case l.columns || block.BitAt(l.values, slot):
			attributes = append(attributes, vertex)
		}
		vertex++
	}
	return touched, attributes
}
