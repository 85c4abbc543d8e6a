package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
)

// salvage copies every record of a damaged file that can be found and whose
// checksum is right into a new file, under the same buckets and keys. It
// follows the tree with plain reads and goes on beside whatever is broken. It
// does not look at pages that the tree does not reach: what lies there may be
// what was deleted long ago.
type salvage struct {
	ctx    context.Context
	file   pageFile
	to     *storeWriter
	losses *losses

	tops       map[string]found // buckets of the store by name
	header     header
	owners     map[uint64]string // what each object belongs to, as far as the catalogue says
	skipped    map[uint64]bool   // objects of trash and journal
	damagedTop map[string]bool   // top buckets that are not whole
	orphans    []uint64          // graph objects that the catalogue does not name
	nextID     uint64
}

// found is a value of a damaged file: a record, or the head of a bucket.
type found struct {
	key, value []byte
	bucket     bool
}

// losses collects what was lost, by place in order of discovery.
type losses struct {
	places []string
	first  map[string]string
	count  map[string]int
}

func (l *losses) add(where string, err error) {
	if l.first == nil {
		l.first, l.count = make(map[string]string), make(map[string]int)
	}
	if l.count[where]++; l.count[where] == 1 {
		l.places = append(l.places, where)
		l.first[where] = reason(err)
	}
}

// list gives one line per place.
func (l *losses) list() []string {
	var lines []string
	for _, where := range l.places {
		line := where + ": " + l.first[where]
		if more := l.count[where] - 1; more > 0 {
			line += fmt.Sprintf(" (and %d more faults there)", more)
		}
		lines = append(lines, line)
	}
	return lines
}

// records reads all values of a bucket that can be read, in the order of the
// tree.
func (s *salvage) records(b found, where string, f func(e found) error) error {
	if len(b.value) < bucketHead {
		s.losses.add(where, errors.New("damaged head of a bucket"))
		return nil
	}
	root := native.Uint64(b.value)
	if root == 0 {
		return s.inline(b.value[bucketHead:], where, f)
	}
	return s.pages(root, where, newPageSet(s.file.meta.highWater), 0, f)
}

// pages reads the page id and those below it.
func (s *salvage) pages(id uint64, where string, seen pageSet, depth int, f func(e found) error) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	if depth > maxTreeDepth || id >= s.file.meta.highWater || !seen.add(id) {
		s.losses.add(where, fmt.Errorf("page %d is out of place", id))
		return nil
	}
	p, err := s.file.read(id)
	if err != nil {
		s.losses.add(where, err)
		return nil
	}
	defer s.file.release(p)
	switch p.flags {
	case branchFlag:
		for i := range p.count {
			e, err := s.file.bytes(p, uint64(pageHeadSize+i*branchElem), branchElem)
			if err != nil {
				s.losses.add(where, err)
				return nil
			}
			if err := s.pages(native.Uint64(e[8:]), where, seen, depth+1, f); err != nil {
				return err
			}
		}
		return nil
	case leafFlag:
		return s.leaf(p, where, f)
	}
	s.losses.add(where, fmt.Errorf("page %d has type %#x", id, p.flags))
	return nil
}

// leaf reads the values of a page.
func (s *salvage) leaf(p *page, where string, f func(e found) error) error {
	left := (p.overflow + 1) * uint64(s.file.meta.pageSize)
	for i := range p.count {
		e, err := s.element(p, i, left)
		if err != nil {
			s.losses.add(where, err)
			continue
		}
		left -= uint64(len(e.key) + len(e.value))
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}

// element reads value number i of a leaf page. All values of a page together
// have no more than its bytes, so that a hostile page cannot have the whole file
// read for each of its values.
func (s *salvage) element(p *page, i int, left uint64) (found, error) {
	at := uint64(pageHeadSize + i*leafElemSize)
	e, err := s.file.bytes(p, at, leafElemSize)
	if err != nil {
		return found{}, err
	}
	flags, keyAt := native.Uint32(e), at+uint64(native.Uint32(e[4:]))
	keySize, valueSize := uint64(native.Uint32(e[8:])), uint64(native.Uint32(e[12:]))
	if keySize == 0 || keySize > maxElementKey || keySize+valueSize > left || flags > bucketElement {
		return found{}, fmt.Errorf("page %d: damaged element", p.id)
	}
	key, err := s.file.bytes(p, keyAt, keySize)
	if err != nil {
		return found{}, err
	}
	value, err := s.file.bytes(p, keyAt+keySize, valueSize)
	return found{key: bytes.Clone(key), value: bytes.Clone(value), bucket: flags == bucketElement}, err
}

// inline reads the values of a bucket that is stored in its head.
func (s *salvage) inline(b []byte, where string, f func(e found) error) error {
	if err := checkInlinePage(b); err != nil {
		s.losses.add(where, err)
		return nil
	}
	for i := range int(native.Uint16(b[10:])) {
		at := pageHeadSize + i*leafElemSize
		off := uint64(at) + uint64(native.Uint32(b[at+4:]))
		size := uint64(native.Uint32(b[at+8:]))
		e := found{key: b[off : off+size], value: b[off+size : off+size+uint64(native.Uint32(b[at+12:]))]}
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}

// openSalvage finds the buckets of the store: through the newer meta page, the
// older one, or, where neither leads to them, by looking at every page.
func openSalvage(ctx context.Context, path string, f *os.File, to *storeWriter, l *losses) (*salvage, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s := &salvage{ctx: ctx, to: to, losses: l, owners: make(map[uint64]string), skipped: make(map[uint64]bool), damagedTop: make(map[string]bool), nextID: 1}
	metas, isBolt := bothMetas(f, info.Size())
	if len(metas) < 2 {
		l.add("file", errors.New("one of the two meta pages is damaged; if it was the newer one, the last commit is undone"))
	}
	for i, m := range metas {
		s.file = pageFile{r: f, meta: m}
		if err := s.findStore(); err != nil || s.tops != nil {
			if i > 0 {
				l.add("file", errors.New("the root is damaged; this is the state before the last commit"))
			}
			return s, err
		}
	}
	sizes := []int{os.Getpagesize(), 4096, 8192, 16384, 65536}
	if len(metas) > 0 {
		sizes = []int{metas[0].pageSize}
	}
	for _, size := range sizes {
		s.file = pageFile{r: f, meta: meta{pageSize: size, highWater: uint64(info.Size()) / uint64(size)}}
		if err := s.scanForStore(); err != nil {
			return nil, err
		}
		if s.tops != nil {
			l.add("file", fmt.Errorf("the root is damaged; what was found belongs to the state of commit %d, and may be older", s.header.Epoch))
			return s, nil
		}
	}
	if !isBolt {
		return nil, notStore(path, "no part of a store was found in it")
	}
	return nil, &FileError{Path: path, Err: ErrCorrupt, Reason: "no list of graphs or objects was found in it", Remedy: "restore the file from a backup"}
}

// bothMetas returns the meta pages that are valid, the newer one first, without
// regard to the size of the file, and whether the file looks like one of bbolt.
func bothMetas(f *os.File, size int64) (metas []meta, isBolt bool) {
	b := make([]byte, pageHeadSize+metaSize)
	for _, at := range metaPlaces() {
		if _, err := f.ReadAt(b, at); err != nil {
			break
		}
		m, err := parseMeta(b)
		isBolt = isBolt || native.Uint32(b[pageHeadSize:]) == boltMagic
		if err != nil || (at > 0 && int64(m.pageSize) != at) {
			continue
		}
		m.highWater = min(m.highWater, uint64(size)/uint64(m.pageSize)+1)
		if len(metas) > 0 && m.txid > metas[0].txid {
			metas = []meta{m, metas[0]}
			break
		}
		if metas = append(metas, m); len(metas) == 2 {
			break
		}
	}
	return metas, isBolt
}

// metaPlaces are the offsets at which a meta page can lie: the first page, and
// the second one of every size.
func metaPlaces() []int64 {
	places := []int64{0}
	for size := int64(minPageSize); size <= maxPageSize; size *= 2 {
		places = append(places, size)
	}
	return places
}

// findStore looks for the root bucket of the store from the meta page on.
func (s *salvage) findStore() error {
	quiet := *s
	quiet.losses = new(losses)
	root := found{value: make([]byte, bucketHead)}
	native.PutUint64(root.value, s.file.meta.root)
	if s.file.meta.root == 0 {
		return nil
	}
	var store *found
	err := quiet.records(root, "", func(e found) error {
		if e.bucket && bytes.Equal(e.key, rootName) {
			store = &e
		}
		return nil
	})
	if err != nil || store == nil {
		return err
	}
	tops := make(map[string]found)
	err = quiet.records(*store, "", func(e found) error {
		tops[string(e.key)] = e
		return nil
	})
	if _, known := tops[string(objectsName)]; known {
		s.tops = tops
	}
	return err
}

// scanForStore looks at every page for the latest list of the top buckets.
func (s *salvage) scanForStore() error {
	quiet := *s
	quiet.losses = new(losses)
	for id := uint64(2); id < s.file.meta.highWater; id++ {
		if id%64 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		p, err := s.file.read(id)
		if err != nil {
			continue
		}
		if p.flags == leafFlag && p.count <= 4*len(topBuckets) {
			tops := make(map[string]found)
			_ = quiet.leaf(p, "", func(e found) error {
				tops[string(e.key)] = e
				return nil
			})
			_, known := tops[string(objectsName)]
			h, err := decodeHeader(tops[string(headerKey)].value)
			if known && err == nil && (s.tops == nil || h.Epoch > s.header.Epoch) {
				s.tops, s.header = tops, h
			}
		}
		s.file.release(p)
	}
	return nil
}

// run copies what can be read.
func (s *salvage) run(path string) error {
	h, err := decodeHeader(s.tops[string(headerKey)].value)
	switch {
	case errors.Is(err, ErrVersion):
		return headerError(path, err)
	case err != nil:
		s.losses.add("header", err)
		h = newHeader()
	}
	s.header = h
	for _, step := range []func() error{s.skipUnfinished, s.skipJobs, s.skipIndexes, s.skipPredictions, s.copyCatalogues, s.copyModels, s.copyChanges, s.copyObjects} {
		if err := step(); err != nil {
			return err
		}
	}
	s.header.NextID = max(s.header.NextID, s.nextID)
	s.header.Format, s.header.MinReader, s.header.Features = formatVersion, minReader, nil
	return nil
}

// top reads the values of a top bucket and notes where it is not whole.
func (s *salvage) top(name []byte, f func(e found) error) error {
	b, known := s.tops[string(name)]
	where := fmt.Sprintf("bucket %q", name)
	before := len(s.losses.places)
	if !known || !b.bucket {
		s.losses.add(where, errors.New("is missing"))
		s.damagedTop[string(name)] = true
		return nil
	}
	err := s.records(b, where, f)
	if len(s.losses.places) > before {
		s.damagedTop[string(name)] = true
	}
	return err
}

// skipUnfinished notes the objects that nobody could see. Without the journal a
// half-written object might be taken for a graph, and so is left out.
func (s *salvage) skipUnfinished() error {
	err := s.top(trashName, func(e found) error {
		if len(e.key) == 8 {
			s.skipped[bytesToID(e.key)] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.top(journalName, func(e found) error {
		var j journalRecord
		if err := decodeStruct(seedOf(journalName), e.key, e.value, &j); err != nil {
			s.losses.add("journal", err)
			s.damagedTop[string(journalName)] = true
			return nil
		}
		s.skipped[j.Object] = true
		if e.key[0] == journalGraph {
			s.losses.add(fmt.Sprintf("unfinished import into %q", e.key[1:]), errors.New("is not carried over; import again"))
		}
		return nil
	})
}

// copyCatalogues copies the entries of graphs and embeddings.
func (s *salvage) copyCatalogues() error {
	if err := s.to.into(graphsName); err != nil {
		return err
	}
	err := s.top(graphsName, func(e found) error {
		var r graphRecord
		where := describeGraph(clip(string(e.key)))
		if err := decodeStruct(seedOf(graphsName), e.key, e.value, &r); err != nil {
			s.losses.add(where+", catalogue entry", err)
			s.damagedTop[string(graphsName)] = true
			return nil
		}
		s.owners[r.Object] = where
		s.nextID = max(s.nextID, r.ID+1, r.Object+1)
		return s.to.put(e.key, e.value)
	})
	if err != nil {
		return err
	}
	if err := s.to.into(embeddingsName); err != nil {
		return err
	}
	return s.top(embeddingsName, func(e found) error {
		var r embeddingRecord
		where := describeEmbedding(clip(string(e.key)))
		if err := decodeStruct(seedOf(embeddingsName), e.key, e.value, &r); err != nil {
			s.losses.add(where+", catalogue entry", err)
			return nil
		}
		s.owners[r.Object] = where
		s.owners[r.State.Object] = where + ", " + statePart
		s.nextID = max(s.nextID, r.Object+1, r.State.Object+1)
		return s.to.put(e.key, e.value)
	})
}

func (s *salvage) copyChanges() error {
	if err := s.to.into(changesName); err != nil {
		return err
	}
	seed := seedOf(changesName)
	return s.top(changesName, func(e found) error { return s.copyRecord(seed, e, "change log") })
}

// copyRecord copies a record whose checksum is right.
func (s *salvage) copyRecord(seed bucketSeed, e found, where string) error {
	if e.bucket {
		s.losses.add(where, errors.New("bucket where a record should be"))
		return nil
	}
	if _, err := seed.open(e.key, e.value); err != nil {
		s.losses.add(where, err)
		return nil
	}
	return s.to.put(e.key, e.value)
}

// copyObjects copies the objects that belong to something, and those that may
// be graphs whose catalogue entries are lost.
func (s *salvage) copyObjects() error {
	adopt := s.damagedTop[string(graphsName)] && !s.damagedTop[string(trashName)] && !s.damagedTop[string(journalName)]
	return s.top(objectsName, func(e found) error {
		if len(e.key) != 8 || !e.bucket {
			s.losses.add("objects", fmt.Errorf("entry %x that is no object", clip(string(e.key))))
			return nil
		}
		id := bytesToID(e.key)
		where, owned := s.owners[id]
		switch {
		case id == 0 || id > 1<<62:
			s.losses.add("objects", fmt.Errorf("object %d", id))
			return nil
		case owned:
		case s.skipped[id]:
			return nil
		case !adopt:
			if s.damagedTop[string(graphsName)] {
				s.losses.add(fmt.Sprintf("object %d", id), errors.New("is left out, because it may be an unfinished or a discarded one"))
			}
			return nil
		}
		s.nextID = max(s.nextID, id+1)
		if !owned {
			where = fmt.Sprintf("object %d", id)
		}
		isGraph, err := s.copyObject(id, e, where)
		if isGraph && !owned {
			s.orphans = append(s.orphans, id)
		}
		return err
	})
}

// copyObject copies the parts of one object, and reports whether it has the
// parts of a graph.
func (s *salvage) copyObject(id uint64, object found, where string) (isGraph bool, err error) {
	err = s.records(object, where, func(e found) error {
		if !e.bucket || len(e.key) > maxName {
			s.losses.add(where, errors.New("damaged part"))
			return nil
		}
		isGraph = isGraph || bytes.Equal(e.key, keysName) || bytes.Equal(e.key, arcsName) || bytes.Equal(e.key, idsName)
		part := bytes.Clone(e.key)
		if err := s.to.into(objectsName, be64(id), part); err != nil {
			return err
		}
		seed := partSeed(id, part)
		place := fmt.Sprintf("%s, %s", where, part)
		return s.records(e, place, func(e found) error { return s.copyRecord(seed, e, place) })
	})
	return isGraph, err
}
