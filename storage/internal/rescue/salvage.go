package rescue

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/page"
)

// Salvage copies every record of a damaged file that can be found and whose checksum is
// right into a new file, under the same buckets and keys. It follows the tree with
// plain reads and skips whatever is broken. It does not read pages that the tree does
// not reach: they may hold records that were deleted long ago.
type Salvage struct {
	tree
	to Sink

	Header  block.Header // of the new file
	Orphans []uint64     // graph objects that the catalogue does not name

	tops       map[string]found  // buckets of the store by name
	owners     map[uint64]string // what each object belongs to, as far as the catalogue says
	skipped    map[uint64]bool   // objects of trash and journal
	damagedTop map[string]bool   // top buckets that are incomplete
	nextID     uint64
	stated     map[string]page.Tally // what the file states of its buckets, by place
	parts      map[uint64][]string   // the parts of objects that it states
}

// Sink takes the records that were found.
type Sink interface {
	// Into makes a bucket below the root bucket and directs the records that follow into it.
	Into(path ...[]byte) error
	// Put writes a sealed record into that bucket.
	Put(key, record []byte) error
}

// Open finds the buckets of the store: through the newer meta page, the
// older one, or, where neither leads to them, by looking at every page.
func Open(ctx context.Context, path string, f *os.File, to Sink, l *Losses) (*Salvage, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	s := &Salvage{tree: tree{ctx: ctx, losses: l}, to: to, owners: make(map[uint64]string), skipped: make(map[uint64]bool), damagedTop: make(map[string]bool), nextID: 1}
	metas, isBolt := page.BothMetas(f, info.Size())
	if len(metas) < 2 {
		l.add("file", errors.New("one of the two meta pages is damaged; if it was the newer one, the last commit is undone"))
	}
	for i, m := range metas {
		s.file = page.File{R: f, Meta: m}
		if err := s.findStore(); err != nil || s.tops != nil {
			if i > 0 {
				l.add("file", errors.New("the root is damaged; this is the state before the last commit"))
			}
			return s, err
		}
	}
	sizes := []int{os.Getpagesize(), 4096, 8192, 16384, 65536}
	if len(metas) > 0 {
		sizes = []int{metas[0].PageSize}
	}
	for _, size := range sizes {
		s.file = page.File{R: f, Meta: page.Meta{PageSize: size, HighWater: uint64(info.Size()) / uint64(size)}}
		if err := s.scanForStore(); err != nil {
			return nil, err
		}
		if s.tops != nil {
			l.add("file", fmt.Errorf("the root is damaged; what was found belongs to the state of commit %d, and may be older", s.Header.Epoch))
			return s, nil
		}
	}
	if !isBolt {
		return nil, fault.NotStore(path, "no part of a store was found in it")
	}
	return nil, &fault.FileError{Path: path, Err: fault.ErrCorrupt, Reason: "no list of graphs or objects was found in it", Remedy: "restore the file from a backup"}
}

// findStore looks for the root bucket of the store from the meta page on.
func (s *Salvage) findStore() error {
	quiet := tree{ctx: s.ctx, file: s.file, losses: new(Losses)}
	root := found{value: make([]byte, page.BucketHead)}
	block.Native.PutUint64(root.value, s.file.Meta.Root)
	if s.file.Meta.Root == 0 {
		return nil
	}
	var store *found
	err := quiet.records(root, "", func(e found) error {
		if e.bucket && bytes.Equal(e.key, block.RootName) {
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
	if _, known := tops[string(block.ObjectsName)]; known {
		s.tops = tops
	}
	return err
}

// scanForStore looks at every page for the latest list of the top buckets.
func (s *Salvage) scanForStore() error {
	quiet := tree{ctx: s.ctx, file: s.file, losses: new(Losses)}
	for id := uint64(2); id < s.file.Meta.HighWater; id++ {
		if id%64 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		p, err := s.file.Read(id)
		if err != nil {
			continue
		}
		if p.Flags == page.LeafFlag && p.Count <= 4*len(block.TopBuckets) {
			tops := make(map[string]found)
			elements, _ := s.file.Salvage(p)
			for _, e := range elements {
				_ = quiet.element(p, e, "", func(e found) error {
					tops[string(e.key)] = e
					return nil
				})
			}
			_, known := tops[string(block.ObjectsName)]
			h, err := block.DecodeHeader(tops[string(block.HeaderKey)].value)
			if known && err == nil && (s.tops == nil || h.Epoch > s.Header.Epoch) {
				s.tops, s.Header = tops, h
			}
		}
		s.file.Release(p)
	}
	return nil
}

// Run copies what can be read; tables are the catalogue. A file that needs a newer
// reader is fault.ErrVersion.
func (s *Salvage) Run(tables []Table) error {
	h, err := block.DecodeHeader(s.tops[string(block.HeaderKey)].value)
	switch {
	case errors.Is(err, fault.ErrVersion):
		return err
	case err != nil:
		s.losses.add("header", err)
		h = block.NewHeader()
		h.Features = block.KnownFeatures() // the file may have had any of them
	}
	s.Header = h
	if h.TxID != 0 && h.TxID < s.file.Meta.TxID && s.file.Meta.Freelist == page.NoFreelist {
		s.losses.add("file", fmt.Errorf("the root is that of commit %d, and the last commit was number %d: what came between is lost", h.TxID, s.file.Meta.TxID))
	}
	steps := []func() error{s.readSums, s.skipTrash}
	for _, t := range tables {
		steps = append(steps, func() error { return s.readTable(t) })
	}
	for _, step := range append(steps, s.copyChanges, s.copyObjects) {
		if err := step(); err != nil {
			return err
		}
	}
	s.Header.NextID = max(s.Header.NextID, s.nextID)
	s.Header.Format, s.Header.MinReader = block.FormatVersion, block.MinReader
	return nil
}

// top reads the values of a top bucket, and records whether the bucket is incomplete.
func (s *Salvage) top(name []byte, f func(e found) error) error {
	b, known := s.tops[string(name)]
	where := fmt.Sprintf("bucket %q", name)
	before := len(s.losses.places)
	if !known || !b.bucket {
		s.losses.add(where, errors.New("is missing"))
		s.damagedTop[string(name)] = true
		return nil
	}
	err := s.counted(b, where, block.TopPlace(name), f)
	if len(s.losses.places) > before {
		s.damagedTop[string(name)] = true
	}
	return err
}

// skipTrash records the objects of trash and journal, which were not visible.
func (s *Salvage) skipTrash() error {
	return s.top(block.TrashName, func(e found) error {
		if len(e.key) == 8 {
			s.skipped[block.IDOf(e.key)] = true
		}
		return nil
	})
}

// Table is a top bucket of the catalogue, whose records refer to objects.
type Table struct {
	Bucket []byte
	Needed bool // every store has it
	Take   bool // its records and their objects are copied; otherwise they are not
	Quiet  bool // a damaged record is no loss
	Read   func(key, record []byte) (Entry, error)
}

// Entry is the content of a record of the catalogue.
type Entry struct {
	Where   string // the record in words, even if it is damaged
	Objects []Reference
	NextID  uint64 // numbers below it are in use
	Lost    string // what is lost with it, though it is sound; "" for nothing
}

// Reference is an object to which an entry refers.
type Reference struct {
	Object uint64 // 0 for none
	Where  string // in words
}

// readTable copies the records of a table, or leaves them out, and records the
// objects to which they refer.
func (s *Salvage) readTable(t Table) error {
	if _, known := s.tops[string(t.Bucket)]; !known && !t.Needed {
		return nil
	}
	if t.Take {
		if err := s.to.Into(t.Bucket); err != nil {
			return err
		}
	}
	return s.top(t.Bucket, func(e found) error {
		r, err := t.Read(e.key, e.value)
		if err != nil {
			if !t.Quiet {
				s.losses.add(r.Where, err)
				s.damagedTop[string(t.Bucket)] = true
			}
			return nil
		}
		if r.Lost != "" {
			s.losses.add(r.Where, errors.New(r.Lost))
		}
		s.nextID = max(s.nextID, r.NextID)
		for _, o := range r.Objects {
			s.note(t, o)
		}
		if !t.Take {
			return nil
		}
		return s.to.Put(e.key, e.value)
	})
}

// note records an object to which a record of a table refers.
func (s *Salvage) note(t Table, o Reference) {
	switch {
	case o.Object == 0:
	case t.Take:
		s.owners[o.Object] = o.Where
		s.nextID = max(s.nextID, o.Object+1)
	default:
		s.skipped[o.Object] = true
	}
}

func (s *Salvage) copyChanges() error {
	if err := s.to.Into(block.ChangesName); err != nil {
		return err
	}
	seed := block.SeedOf(block.ChangesName)
	return s.top(block.ChangesName, func(e found) error { return s.copyRecord(seed, e, "change log") })
}

// copyRecord copies a record whose checksum is right.
func (s *Salvage) copyRecord(seed block.Seed, e found, where string) error {
	if e.bucket {
		s.losses.add(where, errors.New("bucket where a record should be"))
		return nil
	}
	if _, err := seed.Open(e.key, e.value); err != nil {
		s.losses.add(where, err)
		return nil
	}
	return s.to.Put(e.key, e.value)
}

// copyObjects copies the objects that have an owner, and those that may be
// graphs whose catalogue entries are lost.
func (s *Salvage) copyObjects() error {
	adopt := s.damagedTop[string(block.GraphsName)] && !s.damagedTop[string(block.TrashName)] && !s.damagedTop[string(block.JournalName)]
	return s.top(block.ObjectsName, func(e found) error {
		if len(e.key) != 8 || !e.bucket {
			s.losses.add("objects", fmt.Errorf("entry %x that is no object", fault.Clip(string(e.key))))
			return nil
		}
		id := block.IDOf(e.key)
		where, owned := s.owners[id]
		switch {
		case id == 0 || id > 1<<62:
			s.losses.add("objects", fmt.Errorf("object %d", id))
			return nil
		case owned:
		case s.skipped[id]:
			return nil
		case !adopt:
			if s.damagedTop[string(block.GraphsName)] {
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
			s.Orphans = append(s.Orphans, id)
		}
		return err
	})
}

// copyObject copies the parts of one object, and reports whether it has the
// parts of a graph.
func (s *Salvage) copyObject(id uint64, object found, where string) (isGraph bool, err error) {
	seen := make(map[string]bool)
	err = s.records(object, where, func(e found) error {
		if !e.bucket || len(e.key) > block.MaxName {
			s.losses.add(where, errors.New("damaged part"))
			return nil
		}
		isGraph = isGraph || bytes.Equal(e.key, block.KeysName) || bytes.Equal(e.key, block.ArcsName) || bytes.Equal(e.key, block.IDsName)
		part := bytes.Clone(e.key)
		if err := s.to.Into(block.ObjectsName, block.Key64(id), part); err != nil {
			return err
		}
		seed := block.PartSeed(id, part)
		place := fmt.Sprintf("%s, %s", where, part)
		seen[string(part)] = true
		return s.counted(e, place, block.PartPlace(id, part), func(e found) error { return s.copyRecord(seed, e, place) })
	})
	if err == nil && s.ctx.Err() == nil {
		for _, part := range s.parts[id] {
			if !seen[part] {
				s.losses.add(where+", "+part, fmt.Errorf("0 of %d records were found", s.stated[block.PartPlace(id, []byte(part))].Count))
			}
		}
	}
	return isGraph, err
}

// readSums reads what the file states of its buckets.
func (s *Salvage) readSums() error {
	s.stated, s.parts = make(map[string]page.Tally), make(map[uint64][]string)
	b, known := s.tops[string(block.SumsName)]
	if !known || !b.bucket {
		return nil
	}
	return s.records(b, "sums of buckets", func(e found) error {
		tally, err := block.DecodeSum(e.key, e.value)
		if err != nil {
			s.losses.add("sums of buckets", err)
			return nil
		}
		s.stated[string(e.key)] = tally
		if path := block.PathOf(string(e.key)); len(path) == 3 {
			id := block.IDOf(path[1])
			s.parts[id] = append(s.parts[id], string(path[2]))
		}
		return nil
	})
}

// counted calls records for a bucket, and records a loss if the records are not those
// that the file states.
func (s *Salvage) counted(b found, where, place string, f func(e found) error) error {
	var got page.Tally
	err := s.records(b, where, func(e found) error {
		if e.bucket {
			got.AddBucket(e.key)
		} else {
			got.Add(e.key, e.value)
		}
		return f(e)
	})
	want, known := s.stated[place]
	switch {
	case err != nil || got == want || (!known && len(s.stated) == 0):
	case got.Count == want.Count:
		s.losses.add(where, errors.New("holds records of another state than the last commit left"))
	default:
		s.losses.add(where, fmt.Errorf("%d of %d records were found", got.Count, want.Count))
	}
	return err
}
