package page

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
)

// Sizes and marks of the format.
const (
	HeadSize    = 16 // of a page: id 8, flags 2, count 2, overflow 4
	ElementSize = 16 // leaf: flags 4, position 4, key 4, value 4; branch: position 4, key 4, page 8
	BucketHead  = 16 // of a bucket, as a value: root page 8, sequence 8
	metaSize    = 64

	boltMagic   = 0xED0CDAED
	boltVersion = 2
	minPageSize = 1 << 10
	maxPageSize = 16 << 20

	BranchFlag   = 0x01
	LeafFlag     = 0x02
	metaFlag     = 0x04
	freelistFlag = 0x10

	// BucketElement marks an element whose value is a bucket.
	BucketElement = 0x01
	// NoFreelist is Meta.Freelist where no list of free pages is kept.
	NoFreelist = ^uint64(0)
)

var native = binary.NativeEndian

// Meta is one of the two meta pages. They are comparable with ==.
type Meta struct {
	PageSize  int
	Root      uint64 // root page of the root bucket
	Freelist  uint64 // page of the free list, NoFreelist where it is not kept
	HighWater uint64 // number of pages that were ever in use
	TxID      uint64 // of the transaction that wrote it

	// Other is the fault of the other meta page: if that was the newer one,
	// the last commit is undone. It is empty if the other page is valid, too.
	Other string
}

// parseMeta decodes the meta page in the first bytes of b.
func parseMeta(b []byte) (Meta, error) {
	b = b[HeadSize : HeadSize+metaSize]
	if native.Uint32(b) != boltMagic {
		return Meta{}, errors.New("no bbolt file")
	}
	if v := native.Uint32(b[4:]); v != boltVersion {
		return Meta{}, fmt.Errorf("bbolt file of version %d", v)
	}
	sum := fnv.New64a()
	sum.Write(b[:56])
	if sum.Sum64() != native.Uint64(b[56:]) {
		return Meta{}, errors.New("meta page has a wrong checksum")
	}
	m := Meta{
		PageSize:  int(native.Uint32(b[8:])),
		Root:      native.Uint64(b[16:]),
		Freelist:  native.Uint64(b[32:]),
		HighWater: native.Uint64(b[40:]),
		TxID:      native.Uint64(b[48:]),
	}
	if m.PageSize < minPageSize || m.PageSize > maxPageSize || m.PageSize&(m.PageSize-1) != 0 {
		return Meta{}, fmt.Errorf("pages of %d bytes", m.PageSize)
	}
	return m, nil
}

// SizeOf returns a function that returns the present size of a file.
func SizeOf(f *os.File) func() (int64, error) {
	return func() (int64, error) {
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
}

// ReadMeta returns the meta page that bbolt would use: the valid one of the
// later transaction. A file that is shorter than its pages require is an
// error. isBolt is false if the file is not a bbolt file at all.
//
// It calls size after it has read the meta pages. A writer extends the file before it
// writes the meta page that needs the new size, so a size that was taken before could
// make a growing file look cut off.
func ReadMeta(r io.ReaderAt, size func() (int64, error)) (m Meta, isBolt bool, err error) {
	first := make([]byte, HeadSize+metaSize)
	if _, err := r.ReadAt(first, 0); err != nil {
		return Meta{}, false, errors.New("shorter than a page")
	}
	m0, err0 := parseMeta(first)
	isBolt = native.Uint32(first[HeadSize:]) == boltMagic
	// If the first page is invalid, the page size is found by trying all sizes, as bbolt does.
	sizes := []int64{int64(m0.PageSize)}
	if err0 != nil {
		sizes = metaPlaces()[1:]
	}
	var m1 Meta
	err1 := errors.New("no second meta page")
	for _, at := range sizes {
		second := make([]byte, HeadSize+metaSize)
		if _, err := r.ReadAt(second, at); err != nil {
			break
		}
		if m1, err1 = parseMeta(second); err1 == nil {
			isBolt = true
			break
		}
	}
	switch {
	case err0 != nil && err1 != nil:
		return Meta{}, isBolt, fmt.Errorf("neither meta page is valid: %w", err0)
	case err0 != nil || (err1 == nil && m1.TxID > m0.TxID):
		m = m1
	default:
		m = m0
	}
	switch {
	case err0 != nil:
		m.Other = fmt.Sprintf("page 0: %v", err0)
	case err1 != nil:
		m.Other = fmt.Sprintf("page 1: %v", err1)
	}
	bytes, err := size()
	if err != nil {
		return m, true, err
	}
	if m.HighWater > uint64(bytes)/uint64(m.PageSize) {
		return m, true, fmt.Errorf("%d bytes long, but its pages need %d: it was cut off", bytes, m.HighWater*uint64(m.PageSize))
	}
	if m.HighWater < 3 || m.Root < 2 || m.Root >= m.HighWater {
		return m, true, errors.New("meta page points outside of the file")
	}
	return m, true, nil
}

// BothMetas returns the valid meta pages, the newer one first, and whether the
// file looks like a bbolt file. It works without knowing the page size, and
// limits HighWater to the size of the file instead of refusing it. Nobody may write
// to the file meanwhile.
func BothMetas(r io.ReaderAt, size int64) (metas []Meta, isBolt bool) {
	b := make([]byte, HeadSize+metaSize)
	for _, at := range metaPlaces() {
		if _, err := r.ReadAt(b, at); err != nil {
			break
		}
		m, err := parseMeta(b)
		isBolt = isBolt || native.Uint32(b[HeadSize:]) == boltMagic
		if err != nil || (at > 0 && int64(m.PageSize) != at) {
			continue
		}
		m.HighWater = min(m.HighWater, uint64(size)/uint64(m.PageSize)+1)
		if len(metas) > 0 && m.TxID > metas[0].TxID {
			metas = []Meta{m, metas[0]}
			break
		}
		if metas = append(metas, m); len(metas) == 2 {
			break
		}
	}
	return metas, isBolt
}

// metaPlaces are the possible offsets of a meta page: the first page, and the
// second page for every page size.
func metaPlaces() []int64 {
	places := []int64{0}
	for size := int64(minPageSize); size <= maxPageSize; size *= 2 {
		places = append(places, size)
	}
	return places
}

// CheckMetaHeads verifies the headers of the two meta pages, which have no
// checksum and which bbolt never reads. It returns the faults.
func CheckMetaHeads(r io.ReaderAt, m Meta) []string {
	var faults []string
	for id := range uint64(2) {
		b := make([]byte, HeadSize)
		if _, err := r.ReadAt(b, int64(id)*int64(m.PageSize)); err != nil {
			faults = append(faults, fmt.Sprintf("page %d: %v", id, err))
			continue
		}
		if p := decodeHead(b); p.ID != id || p.Flags != metaFlag || p.Count != 0 || p.Overflow != 0 {
			faults = append(faults, fmt.Sprintf("page %d: the header of the meta page is damaged", id))
		}
	}
	return faults
}

func decodeHead(b []byte) Page {
	return Page{
		ID:       native.Uint64(b),
		Flags:    native.Uint16(b[8:]),
		Count:    int(native.Uint16(b[10:])),
		Overflow: uint64(native.Uint32(b[12:])),
	}
}

// ReadSteadyMeta is ReadMeta beside a writer, who may be writing a meta page at the moment
// of a read. The other one is not written before that commit has ended, so a fault that
// every one of several reads finds is in the file.
func ReadSteadyMeta(r io.ReaderAt, size func() (int64, error)) (m Meta, err error) {
	for range 3 {
		if m, _, err = ReadMeta(r, size); err == nil && m.Other == "" {
			break
		}
	}
	return m, err
}
