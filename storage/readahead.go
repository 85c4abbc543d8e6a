package storage

import (
	"cmp"
	"slices"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/file"
	"heavytail/storage/internal/page"
)

// bbolt advises the kernel that its map is read at random, so a file that is not in
// memory is loaded page by page, at 0.2 GB/s where the disk reads ten times as much.
// Before a whole bucket is read, its pages are requested in the order of the file. That
// costs one plain read per page of small records, which loads the page, and almost
// nothing for large values that are in memory already.

// readAhead requests the pages of a bucket and returns at once. It ignores damage; the
// reader of the bucket reports it.
func (t *tx) readAhead(b *bolt.Bucket) {
	root := uint64(b.Root())
	if t.file == nil || root == 0 {
		return // a small bucket lies in the page of another one
	}
	m := t.meta()
	pageSize := m.PageSize
	w := page.NewWalker(t.ctx, page.File{R: t.file, Meta: m})
	w.Collect = true
	if _, err := w.Bucket(page.Bucket{Root: root}); err != nil {
		return
	}
	slices.SortFunc(w.Extents, func(a, b page.Extent) int { return cmp.Compare(a.First, b.First) })
	for i := 0; i < len(w.Extents); {
		e := w.Extents[i]
		for i++; i < len(w.Extents) && w.Extents[i].First == e.First+e.Pages; i++ {
			e.Pages += w.Extents[i].Pages
		}
		if t.ctx.Err() != nil {
			return
		}
		file.WillNeed(t.file, int64(e.First)*int64(pageSize), int64(e.Pages)*int64(pageSize))
	}
}
