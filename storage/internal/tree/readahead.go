package tree

import (
	"cmp"
	"os"
	"slices"
	"unsafe"

	"heavytail/storage/internal/file"
	"heavytail/storage/internal/page"

	bolt "go.etcd.io/bbolt"
)

// ReadAhead requests the pages of a bucket and returns at once. It ignores damage; the
// reader of the bucket reports it.
func (t *Tx) ReadAhead(b *bolt.Bucket) {
	root := uint64(b.Root())
	if t.File == nil || root == 0 {
		return // a small bucket lies in the page of another one
	}
	m := t.Meta()
	pageSize := m.PageSize
	w := page.NewWalker(t.Ctx, page.File{R: t.File, Meta: m})
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
		if t.Ctx.Err() != nil {
			return
		}
		file.WillNeed(t.File, int64(e.First)*int64(pageSize), int64(e.Pages)*int64(pageSize))
	}
}

// following requests pages that follow those that are read, for a reader that reads more
// than memory holds. Requesting all of its pages first, as ReadAhead does, would push out
// the first of them before they are read.
type following struct {
	file  *os.File // nil: it requests nothing
	base  uintptr  // address of the map
	last  int64    // where the last record is in the file
	asked int64    // end of what was requested
	row   int      // records in the order of the file, one after the other
}

// followingBytes is how far ahead pages are requested: a disk reads that much in the time
// in which it is decoded, or faster.
const followingBytes = 2 << 20

// Following returns what requests the pages behind those that are read, before anything is read.
func (t *Tx) Following() following {
	return following{file: t.File, base: t.Root.Tx().DB().Info().Data}
}

// Read notes that a record in the map is read, and requests the following pages once some
// records came in the order of the file: an import writes them in order, but after many changes
// they are scattered.
func (f *following) Read(record []byte) {
	const near, sure = 4 * 4096, 8
	at := int64(uintptr(unsafe.Pointer(unsafe.SliceData(record))) - f.base)
	if d := at - f.last; d > 0 && d < near {
		f.row++
	} else {
		f.row, f.asked = 0, at
	}
	f.last = at
	if f.file == nil || f.row < sure || at+followingBytes/2 < f.asked {
		return
	}
	from := max(f.asked, at)
	f.asked = at + followingBytes
	file.WillNeed(f.file, from, f.asked-from)
}
