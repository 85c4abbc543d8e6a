package storage

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/page"
	"heavytail/storage/internal/tree"
)

// Stats measures the store. It reads the pages of all records but not the bodies of
// large values, about 0.2 s per gigabyte of edges, and verifies nothing; damaged parts
// count as far as they can be read. If records of the catalogue are damaged, it lists
// the others and returns a PartialError that names them.
func (db *DB) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	var damaged error
	err := db.file.View(ctx, func(t *tree.Tx) error {
		s = Stats{Path: db.file.Path, Attached: db.file.Attached, Format: t.Header.Format, MinReader: t.Header.MinReader, Features: slices.Clone(t.Header.Features),
			Epoch: t.Header.Epoch, Created: t.Header.Created}
		m, err := db.measure(t, &s)
		if err != nil {
			return err
		}
		damaged, err = m.assign(t, &s)
		return err
	})
	return s, cmp.Or(err, damaged)
}

// measure walks over the pages and returns the sizes of the parts.
func (db *DB) measure(t *tree.Tx, s *Stats) (sizes, error) {
	m := t.Meta()
	s.PageSize, s.Bytes = m.PageSize, graphs.Size(t)
	found := make(sizes)
	if t.File == nil {
		return found, nil
	}
	info, err := t.File.Stat()
	if err != nil {
		return nil, err
	}
	s.Bytes = info.Size()
	w := page.NewWalker(t.Ctx, page.File{R: t.File, Meta: m})
	w.Measure = found.add
	if s.Pages, s.FreePages, err = db.file.Walk(t, w, m); err != nil {
		return nil, err
	}
	return found, nil
}

// assign enters the sizes into Stats, and returns the errors of damaged entries.
func (s sizes) assign(t *tree.Tx, out *Stats) (damaged, err error) {
	var list []error
	note := func(err error) error {
		if errors.Is(err, ErrCorrupt) {
			list = append(list, err)
			return nil
		}
		return err
	}
	steps := []func() error{
		func() error { return s.assignGraphs(t, out, note) },
		func() error { return s.assignEmbeddings(t, out, note) },
	}
	for _, k := range kinds() {
		steps = append(steps, func() error {
			bad, err := k.count(t, s, out)
			return errors.Join(err, note(bad))
		})
	}
	for _, step := range append(steps, func() error { return s.assignRest(t, out, note) }) {
		if err := step(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out.Indexes, func(a, b IndexStats) int {
		return cmp.Or(strings.Compare(a.Embedding, b.Embedding), strings.Compare(a.Metric, b.Metric))
	})
	return fault.Partial(list...), nil
}

func (s sizes) assignGraphs(t *tree.Tx, out *Stats, note func(error) error) error {
	changes := make(map[uint64]int64)
	err := t.Each(block.ChangesName, func(key, record []byte) error {
		if len(key) == block.ChangesKeySize {
			changes[block.IDOf(key)] += int64(len(key) + len(record))
		}
		return nil
	})
	if err := note(fault.Corrupt(t.Path, graphs.ChangeLogPart, err)); err != nil {
		return err
	}
	return t.Each(block.GraphsName, func(key, _ []byte) error {
		r, err := graphs.Find(t, string(key))
		if err != nil {
			return note(err)
		}
		g := GraphStats{
			Name: string(key), Vertices: int(r.Vertices), Edges: int64(r.Count()),
			Keys: s.part(r.Object, block.KeysName), IDs: s.part(r.Object, block.IDsName), Arcs: s.part(r.Object, block.ArcsName),
			Attributes: s.part(r.Object, block.AttrsName), EdgeAttributes: s.part(r.Object, block.EdgeAttrsName), Changes: changes[r.ID],
		}
		g.Other = s.object(r.Object) - g.Keys - g.IDs - g.Arcs - g.Attributes - g.EdgeAttributes
		out.Graphs = append(out.Graphs, g)
		return nil
	})
}

func (s sizes) assignEmbeddings(t *tree.Tx, out *Stats, note func(error) error) error {
	return t.Each(block.EmbeddingsName, func(key, _ []byte) error {
		r, err := findEmbedding(t, string(key))
		if err != nil {
			return note(err)
		}
		state := s.object(r.State.Object)
		out.Embeddings = append(out.Embeddings, EmbeddingStats{
			Name: string(key), Graph: r.Graph, Vertices: int(r.Vertices), Dim: int(r.Dim),
			Bytes: s.object(r.Object) + state, State: state,
		})
		return nil
	})
}

// assignRest counts journal, trash and catalogue.
func (s sizes) assignRest(t *tree.Tx, out *Stats, note func(error) error) error {
	err := t.Each(block.JournalName, func(key, record []byte) error {
		var j tree.JournalRecord
		if err := block.DecodeStruct(block.JournalName, key, record, &j); err != nil {
			return note(fault.Corrupt(t.Path, "journal", err))
		}
		kind, name := "import", string(key[1:])
		switch key[0] {
		case tree.JournalEmbedding:
			kind = "embedding"
		case tree.JournalBlob:
			kind, name = "stream", j.Source
		}
		out.Unfinished = append(out.Unfinished, UnfinishedWork{Kind: kind, Name: name, Source: j.Source, Started: time.Unix(0, j.Started), Bytes: s.object(j.Object)})
		return nil
	})
	if err != nil {
		return err
	}
	err = t.Each(block.TrashName, func(key, _ []byte) error {
		if len(key) == 8 {
			out.TrashBytes += s.object(block.IDOf(key))
		}
		return nil
	})
	names := [][]byte{nil, block.GraphsName, block.EmbeddingsName, block.JournalName, block.TrashName, block.ObjectsName}
	for _, k := range kinds() {
		names = append(names, k.top())
	}
	for _, name := range names {
		out.OtherBytes += s[[2]string{string(name)}]
	}
	return err
}
