package verify

import (
	"errors"
	"fmt"
	"os"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/page"
	"heavytail/storage/internal/tree"
)

// walk verifies the tree as this transaction sees it: of the whole file, or of
// the bucket alone where the file belongs to an application.
func (c *Checker) walk() error {
	file := c.Tx.File
	if file == nil {
		c.Note("the shape of the tree was not verified: the application's file cannot be read beside bbolt")
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	c.Report.Bytes = info.Size()
	m := c.Tx.Meta()
	w, found := page.NewWalker(c.Tx.Ctx, page.File{R: file, Meta: m}), block.NewTallies()
	w.Counted = found.Counted
	c.Report.Pages, c.Report.FreePages, err = c.store.Walk(c.Tx, w, m)
	if err == nil && !c.store.Attached {
		err = c.checkMetas(file, m, w)
	}
	if err != nil {
		return fmt.Errorf("check: %w", err)
	}
	c.Tx.Tree = &tree.Verified{Whole: true, Faults: tree.BelowRoot(w.Faults)}
	for _, bad := range w.Faults {
		where := "file"
		if len(bad.Path) > 1 {
			where = tree.DescribePath(bad.Path[1:])
		}
		c.Fault(where, bad.What, fault.RemedyRestore)
	}
	return c.compareSums(found)
}

// compareSums reports the buckets whose number or sum of records differs from the
// one that the file states; their content is checked nevertheless.
func (c *Checker) compareSums(found *block.Tallies) error {
	return c.Try("sums of buckets", fault.RemedyRestore, func() error {
		if err := c.Tx.CheckRoot(page.Meta{}, found.Sums); err != nil {
			return fault.Record("%v", err)
		}
		faults, err := c.Tx.Broken(found, "", func(path [][]byte) bool { return c.Tx.Tree.Fault(path) != nil })
		if len(faults) == 0 {
			return err
		}
		owners := c.owners(c.Tx)
		for _, bad := range faults {
			c.Fault(owners.Describe(bad.Path), bad.What, fault.RemedyRestore)
		}
		return err
	})
}

// remedyMeta: each commit writes one of the two meta pages, in turn.
const remedyMeta = "compare the store with what you know of the last commit, or with a backup; the next two commits write both meta pages again"

// checkMetas reports damage of the two meta pages, and pages of a later commit that
// the present state does not include. w has walked over the whole file. A writer of this
// process may write meanwhile; another process cannot, because the file is locked.
func (c *Checker) checkMetas(file *os.File, m page.Meta, w *page.Walker) error {
	now, err := page.ReadSteadyMeta(file, page.SizeOf(file))
	switch {
	case err != nil:
		c.Fault("meta pages", err.Error(), fault.RemedyRestore)
		return nil
	case now.Other != "":
		c.Fault("meta pages", tree.UndoneNotice(now.Other), remedyMeta)
	default:
		for _, what := range page.CheckMetaHeads(file, m) {
			c.Fault("meta pages", what, "nothing reads it; the next two commits write both meta pages again")
		}
	}
	if c.Tx.Tree == nil || c.Tx.Tree.Whole || len(w.Faults) > 0 {
		return nil // this handle may be writing a later state now
	}
	size, err := page.SizeOf(file)()
	if err != nil {
		return err
	}
	return c.findLaterState(page.File{R: file, Meta: m}, uint64(size)/uint64(m.PageSize), w)
}

// findLaterState looks at the pages that are not in use for the header of a later
// commit. Either that commit did not finish, and its caller got an error, or the disk
// lost the write of its meta page, which only such a header can show.
func (c *Checker) findLaterState(f page.File, pages uint64, w *page.Walker) error {
	highWater := f.Meta.HighWater
	f.Meta.HighWater = pages
	latest := c.Tx.Header.Epoch
	for id := uint64(2); id < pages; id++ {
		if id%256 == 0 && c.Tx.Ctx.Err() != nil {
			return c.Tx.Ctx.Err()
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
	if latest > c.Tx.Header.Epoch && !c.store.Writing() {
		c.Note("the file holds parts of a later state, commit %d after the present %d: either it was stopped before its end, or the last commit is undone because the disk has lost a write", latest, c.Tx.Header.Epoch)
	}
	return nil
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
