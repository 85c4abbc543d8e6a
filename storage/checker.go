package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/page"
	"heavytail/storage/internal/tree"
)

type checker struct {
	db       *DB
	tx       *tree.Tx
	report   CheckReport
	progress *reporter
	done     int64
	objects  map[uint64]string         // what refers to each object
	parts    map[uint64][][]byte       // the buckets that each object should have
	graphs   map[uint64]graphs.Record  // by id
	slots    map[uint64]*block.SlotMap // of graphs by id, where they could be read
	names    map[uint64]string         // of graphs by id
	err      error                     // that ended the check
}

const (
	remedyGraph     = "drop the graph and import it again, restore the file from a backup, or recover what is left into a new file (RECOVER)"
	remedyState     = "compute the embedding again, or recover the file: its rows are sound"
	remedyEmbedding = "drop the embedding and compute it again"
)

func (c *checker) fault(where, what, remedy string) {
	c.report.Faults = append(c.report.Faults, Fault{Where: where, What: what, Remedy: remedy})
}

func (c *checker) note(format string, args ...any) {
	c.report.Notes = append(c.report.Notes, fmt.Sprintf(format, args...))
}

// try runs one piece of the check. Errors about damaged data become faults of
// the report; any other error ends the check, and is returned by every later try, which
// runs nothing more.
func (c *checker) try(where, remedy string, f func() error) error {
	if c.err != nil {
		return c.err
	}
	err := fault.Guarded(c.tx.Path, f)
	var file *FileError
	switch {
	case err == nil:
	case errors.As(err, &file) && file.Err == ErrCorrupt && file.Cause != nil:
		c.fault(where, fault.Reason(file.Cause), remedy)
	case errors.As(err, &file) && file.Err == ErrCorrupt:
		c.fault(where, file.Reason, remedy)
	case errors.Is(err, fault.ErrRecord):
		c.fault(where, fault.Reason(err), remedy)
	default:
		c.err = err
	}
	return c.err
}

// tryEach is try for all entries of a top bucket.
func (c *checker) tryEach(where, remedy string, bucket []byte, f func(key, record []byte) error) error {
	return c.try(where, remedy, func() error { return c.tx.Each(bucket, f) })
}

func (c *checker) step() {
	c.done++
	c.progress.report("checking", c.done, 0)
}

// refer records that where owns the object; a second owner is a fault.
func (c *checker) refer(object uint64, where string, parts ...[]byte) {
	if object == 0 {
		return
	}
	if other, taken := c.objects[object]; taken {
		c.fault(where, fmt.Sprintf("object %d belongs to %s too", object, other), fault.RemedyRestore)
		return
	}
	if object >= c.tx.Header.NextID {
		c.fault(where, fmt.Sprintf("object %d is beyond the last number given, %d", object, c.tx.Header.NextID-1), fault.RemedyRestore)
	}
	c.objects[object] = where
	if c.parts == nil {
		c.parts = make(map[uint64][][]byte)
	}
	c.parts[object] = parts
}

// foundDamage makes ErrNotFound a fault: an entry that was just listed must exist.
func foundDamage(err error) error {
	if errors.Is(err, ErrNotFound) {
		return fault.Record("bucket where a record should be")
	}
	return err
}

// checkBlob verifies a blob for Check; where names its owner.
func (c *checker) checkBlob(where, remedy string, b tree.BlobRecord) error {
	if b.Object == 0 {
		return nil
	}
	c.refer(b.Object, where, block.BlobName)
	return c.try(where, remedy, func() error {
		p, err := c.tx.Part(b.Object, block.BlobName)
		if err != nil {
			return err
		}
		c.tx.ReadAhead(p.Bucket)
		number := uint64(0)
		err = c.tx.Scan(p, func(key, payload []byte) error {
			err := b.Check(number, key, payload)
			number++
			return err
		})
		if err == nil && number != b.Blocks() {
			err = fault.Record("%d blocks instead of %d", number, b.Blocks())
		}
		return err
	})
}

// checkGraphOf verifies that the graph of an object exists and has reached the
// version that the object states.
func (c *checker) checkGraphOf(where, graph string, id, version uint64) {
	g, found := c.graphs[id]
	switch {
	case !found:
		c.fault(where+", graph", fmt.Sprintf("%q is not there", graph), fault.RemedyRestore)
	case c.names[id] != graph:
		c.fault(where+", graph", fmt.Sprintf("is called %q, not %q", c.names[id], graph), fault.RemedyRestore)
	case version > g.Version:
		c.fault(where+", graph", fmt.Sprintf("has reached version %d, not %d", g.Version, version), fault.RemedyRestore)
	}
}

// remedyMeta: each commit writes one of the two meta pages, in turn.
const remedyMeta = "compare the store with what you know of the last commit, or with a backup; the next two commits write both meta pages again"

// checkMetas reports damage of the two meta pages, and pages of a later commit that
// the present state does not include. w has walked over the whole file. A writer of this
// process may write meanwhile; another process cannot, because the file is locked.
func (c *checker) checkMetas(file *os.File, m page.Meta, w *page.Walker) error {
	now, err := steadyMeta(file, page.SizeOf(file))
	switch {
	case err != nil:
		c.fault("meta pages", err.Error(), fault.RemedyRestore)
		return nil
	case now.Other != "":
		c.fault("meta pages", tree.UndoneNotice(now.Other), remedyMeta)
	default:
		for _, what := range page.CheckMetaHeads(file, m) {
			c.fault("meta pages", what, "nothing reads it; the next two commits write both meta pages again")
		}
	}
	if c.tx.Tree == nil || c.tx.Tree.Whole || len(w.Faults) > 0 {
		return nil // this handle may be writing a later state now
	}
	size, err := page.SizeOf(file)()
	if err != nil {
		return err
	}
	return c.findLaterState(page.File{R: file, Meta: m}, uint64(size)/uint64(m.PageSize), w)
}

// steadyMeta is page.ReadMeta beside a writer, who may be writing a meta page at the moment
// of a read. The other one is not written before that commit has ended, so a fault that
// every one of several reads finds is in the file.
func steadyMeta(r io.ReaderAt, size func() (int64, error)) (m page.Meta, err error) {
	for range 3 {
		if m, _, err = page.ReadMeta(r, size); err == nil && m.Other == "" {
			break
		}
	}
	return m, err
}

// findLaterState looks at the pages that are not in use for the header of a later
// commit. Either that commit did not finish, and its caller got an error, or the disk
// lost the write of its meta page, which only such a header can show.
func (c *checker) findLaterState(f page.File, pages uint64, w *page.Walker) error {
	highWater := f.Meta.HighWater
	f.Meta.HighWater = pages
	latest := c.tx.Header.Epoch
	for id := uint64(2); id < pages; id++ {
		if id%256 == 0 && c.tx.Ctx.Err() != nil {
			return c.tx.Ctx.Err()
		}
		if id < highWater && w.Reached(id) {
			continue
		}
		p, err := f.Read(id)
		if err != nil {
			continue
		}
		if p.Flags == page.LeafFlag && p.Count <= 2*len(block.TopBuckets) {
			if h, err := headerIn(&f, p); err == nil {
				latest = max(latest, h.Epoch)
			}
		}
		f.Release(p)
	}
	if latest > c.tx.Header.Epoch && !c.db.opensForWriting() {
		c.note("the file holds parts of a later state, commit %d after the present %d: either it was stopped before its end, or the last commit is undone because the disk has lost a write", latest, c.tx.Header.Epoch)
	}
	return nil
}

// opensForWriting reports whether this process has the file open for writing now. Before it
// has, it writes no page.
func (db *DB) opensForWriting() bool {
	db.file.Mu.Lock()
	defer db.file.Mu.Unlock()
	return db.file.Current.Writable
}

var errNoHeader = errors.New("no header")

// headerIn returns the header of a store, if it lies in a page.
func headerIn(f *page.File, p *page.Page) (block.Header, error) {
	elements, err := f.Elements(p, p.Count, nil)
	if err != nil {
		return block.Header{}, err
	}
	for _, e := range elements {
		if e.Flags != 0 || e.KeySize != uint64(len(block.HeaderKey)) {
			continue
		}
		b, err := f.Bytes(p, e.At, e.KeySize+e.ValueSize)
		if err != nil {
			return block.Header{}, err
		}
		if string(b[:e.KeySize]) == string(block.HeaderKey) {
			return block.DecodeHeader(b[e.KeySize:])
		}
	}
	return block.Header{}, errNoHeader
}

// checkEmpty verifies that the slots without a key are the empty ones.
func checkEmpty(keys *block.KeySet, slots *block.SlotMap) error {
	empty := slots.Empty
	for slot := range uint32(keys.Len()) {
		listed := len(empty) > 0 && empty[0] == slot
		if hasKey := len(keys.At(slot)) > 0; hasKey == listed {
			return fault.Record("slot %d has the key %q, and is listed as empty: %t", slot, fault.Clip(string(keys.At(slot))), listed)
		}
		if listed {
			empty = empty[1:]
		}
	}
	return nil
}

// checkNoEdges verifies that empty slots have no edges.
func checkNoEdges(g *csr.Graph, slots *block.SlotMap) error {
	for _, slot := range slots.Empty {
		if g.Degree(slot) > 0 {
			return fault.Record("empty slot %d has %d edges", slot, g.Degree(slot))
		}
	}
	return nil
}

const remedyAttribute = "drop the attribute and import it again, restore the file from a backup, or recover what is left into a new file (RECOVER)"

// checkAttributes verifies every attribute: the types of its blocks, that the
// slots of its values ascend and hold vertices, and the number of its values;
// and that every block belongs to an attribute.
func (c *checker) checkAttributes(where string, r *graphs.Record, slots *block.SlotMap) error {
	vertices := slots.Table()
	prefixes := make(map[string]bool)
	for _, a := range r.Attributes {
		prefixes[string(binary.BigEndian.AppendUint16(nil, a.ID))] = true
		c.try(fmt.Sprintf("%s, attribute %q", where, a.Name), remedyAttribute, func() error {
			_, err := graphs.ReadColumn(c.tx, r, a, slots.Vertices(), vertices)
			return err
		})
	}
	return c.try(where+", attributes", remedyAttribute, func() error {
		p, found, err := c.tx.FindPart(r.Object, block.AttrsName)
		if err != nil || !found {
			return err
		}
		cursor := p.Bucket.Cursor()
		for key, _ := cursor.First(); key != nil; key, _ = cursor.Next() {
			if len(key) != block.AttrKeySize || !prefixes[string(key[:2])] {
				return fault.Record("block %x belongs to no attribute", key)
			}
		}
		return nil
	})
}

// checkChange verifies that an entry of the change log names slots of the graph,
// and as deleted only empty ones.
func (c *checker) checkChange(r *graphs.Record, version uint64, entry *block.Change) error {
	for _, list := range [][]uint32{entry.Edges, entry.Values, entry.Deleted} {
		if n := len(list); n > 0 && uint64(list[n-1]) >= r.Slots {
			return fault.Record("version %d changes slot %d of %d", version, list[n-1], r.Slots)
		}
	}
	slots := c.slots[r.ID]
	if slots == nil {
		return nil
	}
	for _, slot := range entry.Deleted {
		if _, found := slots.Vertex(slot); found {
			return fault.Record("version %d deletes slot %d, which is not empty", version, slot)
		}
	}
	return nil
}

// checkRowSlots verifies the empty slots of an embedding: they are empty in its
// graph too, and all of them where both are of one version.
func (c *checker) checkRowSlots(r *embeddingRecord) error {
	m, err := embeddingSlots(c.tx, r)
	if err != nil {
		return err
	}
	slots := c.slots[r.GraphID]
	if slots == nil {
		return nil
	}
	if c.graphs[r.GraphID].Version == r.GraphVersion && len(m.Empty) != len(slots.Empty) {
		return fault.Record("%d empty slots, and its graph has %d", len(m.Empty), len(slots.Empty))
	}
	for _, slot := range m.Empty {
		if _, found := slots.Vertex(slot); found {
			return fault.Record("slot %d is empty, but not in its graph", slot)
		}
	}
	return nil
}
