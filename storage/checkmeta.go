package storage

import (
	"errors"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/page"
	"heavytail/storage/internal/tree"
	"io"
	"os"
)

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
