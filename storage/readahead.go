package storage

import (
	"cmp"
	"os"
	"slices"

	bolt "go.etcd.io/bbolt"
)

// bbolt advises the kernel that its map is read at random, so that a file that
// is not in memory comes in page by page: 0.2 GB/s where the disk can do ten
// times as much. Before a whole bucket is read, its pages are asked for in the
// order of the file. It costs one plain read per page of small records, which
// brings them in, and next to nothing for large values that are there already.

// extent is a run of pages.
type extent struct{ first, pages uint64 }

// readAhead asks for the pages of a bucket and returns at once. What is wrong
// with the bucket is left to those who read it.
func (t *tx) readAhead(b *bolt.Bucket) {
	root := uint64(b.Root())
	if t.file == nil || root == 0 {
		return // a small bucket lies in the page of another one
	}
	m := t.meta()
	pageSize := m.pageSize
	w := newWalker(t.ctx, pageFile{r: t.file, meta: m})
	w.collect = true
	if _, err := w.bucket(nested{root: root}); err != nil {
		return
	}
	slices.SortFunc(w.extents, func(a, b extent) int { return cmp.Compare(a.first, b.first) })
	for i := 0; i < len(w.extents); {
		e := w.extents[i]
		for i++; i < len(w.extents) && w.extents[i].first == e.first+e.pages; i++ {
			e.pages += w.extents[i].pages
		}
		if t.ctx.Err() != nil {
			return
		}
		willNeed(t.file, int64(e.first)*int64(pageSize), int64(e.pages)*int64(pageSize))
	}
}

// readThrough brings a range of a file into memory by reading it.
func readThrough(f *os.File, at, size int64) {
	const piece = 1 << 20
	buffer := make([]byte, min(piece, size))
	for end := at + size; at < end; at += piece {
		if _, err := f.ReadAt(buffer[:min(piece, end-at)], at); err != nil {
			return
		}
	}
}
