package storage

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/gather"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// publication writes one new version of a graph. Its contents are written in batches
// into a new object to which only the journal refers; the last batch makes the
// catalogue refer to it.
type publication struct {
	db       *DB
	name     string
	base     graphs.Record // what is replaced; ID 0 where the graph is new
	contents graphs.Contents
	source   string
	input    [sha256.Size]byte // of the text; zero where there is none
	change   block.Change      // for the log
	times    gather.Times      // that are new
	progress *reporter

	most    int      // bytes of a batch, beside Options.BatchBytes; 0 for no other limit
	order   []uint32 // vertices by key
	digest  []byte
	journal tree.JournalRecord
	arcs    uint64               // of the contents
	made    <-chan []stagedBlock // from the journal's position on
	ready   []stagedBlock        // the first of these
	resumed bool
	result  graphs.Record
}

// run writes and publishes. The caller holds the writer's lock. If it fails or is
// cancelled before the end, what was written stays for the next attempt.
func (p *publication) run(ctx context.Context) (err error) {
	if p.digest, err = p.contents.Digest(ctx, p.input); err != nil {
		return err
	}
	if p.order, err = p.contents.Keys.ByKey(ctx); err != nil {
		return err
	}
	p.arcs = p.contents.Arcs()
	total := p.items(len(tree.StagedParts), 0)
	stop := func() {}
	defer func() { stop() }()
	for begun, done := false, false; !done; begun = true {
		err := p.db.file.Update(ctx, func(t *tree.Tx) error {
			if !begun {
				if err := p.begin(t); err != nil {
					return err
				}
				p.made, stop = p.makeBlocks()
			}
			if err := p.batch(t); err != nil {
				return err
			}
			if done = int(p.journal.Part) == len(tree.StagedParts); done {
				return p.publish(t)
			}
			return t.Put(block.JournalName, tree.JournalKey(tree.JournalGraph, p.name), &p.journal)
		})
		if err != nil {
			return err
		}
		p.progress.report("writing", p.items(int(p.journal.Part), p.journal.Next), total)
	}
	p.progress.finish("writing", total, total)
	return p.db.file.Unfreed(p.db.file.Sweep(ctx))
}

// begin continues from the journal of an earlier attempt at the same import, or
// discards the journal of another import of the graph and starts a new one.
func (p *publication) begin(t *tree.Tx) error {
	if err := p.unchanged(t); err != nil {
		return err
	}
	key := tree.JournalKey(tree.JournalGraph, p.name)
	var j tree.JournalRecord
	found, err := t.Get(block.JournalName, key, &j)
	if err != nil {
		return fault.Corrupt(t.Path, "journal of "+graphs.DescribeGraph(p.name), err)
	}
	if found && bytes.Equal(j.Digest, p.digest) && j.GraphID == p.base.ID && j.Version == p.base.Version &&
		int(j.Part) < len(tree.StagedParts) && j.Next <= p.length(int(j.Part)) {
		p.journal, p.resumed = j, true
		return nil
	}
	if err := tree.DropJournal(t, tree.JournalGraph, p.name); err != nil {
		return err
	}
	p.journal = tree.JournalRecord{GraphID: p.base.ID, Version: p.base.Version, Digest: p.digest, Source: p.source, Started: time.Now().UnixNano()}
	if p.contents.Keys.Len() > 0 {
		p.journal.Object, err = t.NewObject(tree.GraphParts[:]...)
	}
	if len(p.contents.EdgeAttributes) > 0 {
		t.Header.Need(block.FeatureEdgeAttributes)
	}
	return err
}

// unchanged makes sure that the graph is still what the contents were made for.
func (p *publication) unchanged(t *tree.Tx) error {
	r, err := graphs.Find(t, p.name)
	switch {
	case errors.Is(err, ErrNotFound) && p.base.ID == 0:
		return nil
	case err == nil && r.Same(&p.base):
		return nil
	case err == nil || errors.Is(err, ErrNotFound):
		return fmt.Errorf("graph %q: %w", p.name, ErrConflict)
	}
	return err
}

// length is the number of items of a part: slots, vertices, arcs, empty slots,
// slots of all attributes, or edges of all attributes.
func (p *publication) length(part int) uint64 {
	c := &p.contents
	switch part {
	case 0:
		return uint64(c.Keys.Len())
	case 1:
		return uint64(len(p.order))
	case 2:
		return p.arcs
	case 3:
		return uint64(len(c.Slots.Empty))
	}
	if part == len(tree.StagedParts)-1 {
		return uint64(len(c.EdgeColumns)) * uint64(c.Count())
	}
	return uint64(len(c.Columns)) * uint64(c.Keys.Len())
}

// items counts the items before a position, for progress.
func (p *publication) items(part int, next uint64) int64 {
	n := next
	for i := range part {
		n += p.length(i)
	}
	return int64(n)
}

// batchBytes is the size of a batch.
func (p *publication) batchBytes() int {
	if most := p.db.file.Opts.BatchBytes; p.most == 0 || most < p.most {
		return most
	}
	return p.most
}

// batch writes records from the journal's position on until they fill a batch
// or the last part ends.
func (p *publication) batch(t *tree.Tx) error {
	left := p.batchBytes()
	for int(p.journal.Part) < len(tree.StagedParts) {
		number := int(p.journal.Part)
		if p.journal.Next == p.length(number) {
			p.journal.Part, p.journal.Next = p.journal.Part+1, 0
			continue
		}
		if left <= 0 {
			return nil
		}
		target, err := t.OpenPart(p.journal.Object, tree.StagedParts[number])
		if err != nil {
			return fault.Corrupt(t.Path, graphs.DescribeGraph(p.name), err)
		}
		// Keys only ascend, so that pages can be filled to the end; bbolt does
		// not remember this from one transaction to the next.
		target.Bucket.FillPercent = 1
		for left > 0 && p.journal.Next < p.length(number) {
			if err := t.Ctx.Err(); err != nil {
				return err
			}
			if len(p.ready) == 0 {
				p.ready = <-p.made
			}
			b := p.ready[0]
			p.ready = p.ready[1:]
			if b.key != nil {
				if err := target.Put(b.key, target.Seed.Seal(b.key, b.record)); err != nil {
					return err
				}
			}
			p.journal.Next += uint64(b.count)
			left -= len(b.key) + len(b.record)
		}
	}
	return nil
}

// stagedBlock is an unsealed record of a part.
type stagedBlock struct {
	key, record []byte // nil where the items have no record
	count       int    // items
}

// passBytes is the size of the blocks that are passed to another goroutine together: a few milliseconds.
const passBytes = 1 << 18

// makeBlocks makes the blocks of all parts from the journal's position on, in another goroutine,
// up to a batch ahead: records are put and written to the file meanwhile. stop ends the
// goroutine.
func (p *publication) makeBlocks() (made <-chan []stagedBlock, stop func()) {
	to, done := make(chan []stagedBlock, p.batchBytes()/passBytes), make(chan struct{})
	part, at := int(p.journal.Part), p.journal.Next
	go func() {
		var list []stagedBlock
		bytes := 0
		pass := func() bool {
			select {
			case to <- list:
				list, bytes = make([]stagedBlock, 0, len(list)), 0
				return true
			case <-done:
				return false
			}
		}
		for ; part < len(tree.StagedParts); part, at = part+1, 0 {
			next := p.blocks(part, at)
			for at < p.length(part) {
				b := next()
				list = append(list, b)
				at += uint64(b.count)
				if bytes += len(b.key) + len(b.record); bytes >= passBytes && !pass() {
					return
				}
			}
		}
		pass()
	}()
	return to, func() { close(done) }
}

// blocks returns the function that makes the blocks of a part, one after the other,
// from an item on. The end of a block depends only on its start, so that batches of any
// size make the same blocks.
func (p *publication) blocks(part int, at uint64) func() stagedBlock {
	keys, slots := &p.contents.Keys, uint64(p.contents.Keys.Len())
	var next func() (key, record []byte, count int)
	switch part {
	case 0:
		next = func() ([]byte, []byte, int) { return block.NextKeyBlock(keys, uint32(at)) }
	case 1:
		next = func() ([]byte, []byte, int) { return block.NextIDBlock(keys, p.order, int(at)) }
	case 2:
		if d := p.contents.Directed; d != nil {
			encoder := block.NewDirectedEncoder(d, int64(at))
			next = func() ([]byte, []byte, int) {
				key, record := encoder.Next()
				return key, record, int(encoder.At - int64(at))
			}
			break
		}
		encoder := block.NewArcEncoder(p.contents.Graph, int64(at))
		next = func() ([]byte, []byte, int) {
			key, record := encoder.Next()
			return key, record, int(encoder.At - int64(at))
		}
	case 3:
		next = func() ([]byte, []byte, int) {
			rest := p.contents.Slots.Empty[at:]
			record, count := block.EncodeSlots(rest, block.MaxBlock)
			return block.Key32(rest[0]), record, count
		}
	case 4:
		next = func() ([]byte, []byte, int) {
			i, from := at/slots, uint32(at%slots)
			key, record, to := block.NextValueBlock(p.contents.Attributes[i].ID, p.contents.Columns[i], from, func(slot uint32) uint32 { return slot })
			if key == nil {
				to = uint32(slots) // the column may be shorter, and the rest is missing
			}
			return key, record, int(to - from)
		}
	default:
		order, edges := p.contents.Order(), uint64(p.contents.Count())
		next = func() ([]byte, []byte, int) {
			i, from := at/edges, uint32(at%edges)
			if from == 0 {
				order = p.contents.Order()
			}
			key, record, to := block.NextValueBlock(p.contents.EdgeAttributes[i].ID, p.contents.EdgeColumns[i], from, func(i uint32) block.Arc { return block.NewArc(order.Ends(int64(i))) })
			return key, record, int(to - from)
		}
	}
	return func() (b stagedBlock) {
		b.key, b.record, b.count = next()
		at += uint64(b.count)
		return b
	}
}

// publish makes the catalogue point at the finished object, logs the change and
// gives the old object to the sweep, all in the transaction of the last batch.
func (p *publication) publish(t *tree.Tx) error {
	if err := p.unchanged(t); err != nil {
		return err
	}
	now := time.Now().UnixNano()
	r := p.base
	if r.ID == 0 {
		r.ID, r.Created = t.NewID(), now
	}
	r.Version++
	r.Object = p.journal.Object
	count := p.contents.Counts()
	r.Vertices, r.Slots = uint64(len(p.order)), uint64(p.contents.Keys.Len())
	r.Directed, r.Edges, r.Arcs, r.Weighted, r.Timed = count.Directed, count.Edges, count.Arcs, count.Weighted, count.Timed
	if r.Directed {
		t.Header.Need(block.FeatureDirected)
	}
	r.Gave(p.times, p.base.Timed)
	r.Attributes, r.NextAttribute = p.contents.Attributes, p.contents.NextAttribute
	for i := range r.Attributes {
		r.Attributes[i].Values = uint64(p.contents.Columns[i].Count())
	}
	r.EdgeAttributes, r.NextEdgeAttribute = p.contents.EdgeAttributes, p.contents.NextEdgeAttribute
	for i := range r.EdgeAttributes {
		r.EdgeAttributes[i].Values = uint64(p.contents.EdgeColumns[i].Count())
	}
	r.Modified, r.Source = now, p.source
	if err := t.Put(block.GraphsName, []byte(p.name), &r); err != nil {
		return err
	}
	if err := graphs.LogChange(t, r.ID, r.Version, p.change); err != nil {
		return err
	}
	if err := t.Discard(p.base.Object); err != nil {
		return err
	}
	if err := t.Remove(block.JournalName, tree.JournalKey(tree.JournalGraph, p.name)); err != nil {
		return err
	}
	p.result = r
	return nil
}
