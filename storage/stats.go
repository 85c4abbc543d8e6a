package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/page"
)

// Stats says what takes the space of a store.
type Stats struct {
	Path      string    `json:"path"`
	Attached  bool      `json:"attached"` // the file belongs to an application; pages are those of the store alone
	Bytes     int64     `json:"bytes"`    // size of the file
	PageSize  int       `json:"page_size"`
	Pages     int64     `json:"pages"`      // in use
	FreePages int64     `json:"free_pages"` // later writes will use them again; Compact gives them back
	Format    uint32    `json:"format"`
	MinReader uint32    `json:"min_reader"` // oldest format whose code can read the file
	Features  []string  `json:"features"`
	Epoch     uint64    `json:"epoch"` // commits since the file was made
	Created   time.Time `json:"created"`

	Graphs     []GraphStats     `json:"graphs"`      // by name
	Embeddings []EmbeddingStats `json:"embeddings"`  // by name
	Indexes    []IndexStats     `json:"indexes"`     // by embedding and metric
	Models     []ModelStats     `json:"models"`      // by name
	Predicted  []PredictedStats `json:"predicted"`   // by graph and scorer
	Jobs       []JobStats       `json:"jobs"`        // those that have a checkpoint, by number
	Unfinished []UnfinishedWork `json:"unfinished"`  // imports that stopped, and embeddings and streams that are being written
	TrashBytes int64            `json:"trash_bytes"` // of discarded objects that are still to be removed
	OtherBytes int64            `json:"other_bytes"` // catalogue, records of jobs, and journal
}

// GraphStats is the space that a graph takes: whole pages, or the bytes of a
// part so small that it shares a page.
type GraphStats struct {
	Name       string `json:"name"`
	Vertices   int    `json:"vertices"`
	Edges      int64  `json:"edges"`
	Keys       int64  `json:"keys"`       // bytes of the keys by vertex
	IDs        int64  `json:"ids"`        // bytes of the vertices by key
	Arcs       int64  `json:"arcs"`       // bytes of the edges, each stored in both directions
	Attributes int64  `json:"attributes"` // bytes of the values of attributes
	Changes    int64  `json:"changes"`    // bytes of records in the change log
	Other      int64  `json:"other"`      // bytes of the rest, such as the list of the parts
}

// Bytes is the sum over all parts.
func (s GraphStats) Bytes() int64 {
	return s.Keys + s.IDs + s.Arcs + s.Attributes + s.Changes + s.Other
}

// EmbeddingStats is the space that an embedding takes.
type EmbeddingStats struct {
	Name     string `json:"name"`
	Graph    string `json:"graph"`
	Vertices int    `json:"vertices"`
	Dim      int    `json:"dim"`
	Bytes    int64  `json:"bytes"`
	State    int64  `json:"state"` // of Bytes, for bringing it up to date
}

// IndexStats is the space that an index of an embedding takes.
type IndexStats struct {
	Embedding string `json:"embedding"`
	Metric    string `json:"metric"`
	Bytes     int64  `json:"bytes"`
}

// ModelStats is the space that a model takes.
type ModelStats struct {
	Name  string `json:"name"`
	Bytes int64  `json:"bytes"`
}

// PredictedStats is the space that the predictions of a graph by a scorer take.
type PredictedStats struct {
	Scorer   string `json:"scorer"`
	Vertices int    `json:"vertices"`
	Bytes    int64  `json:"bytes"`
}

// JobStats is the space that the checkpoint of a job takes.
type JobStats struct {
	ID    uint64 `json:"id"`
	Bytes int64  `json:"bytes"`
}

// UnfinishedWork is an entry of the journal.
type UnfinishedWork struct {
	Kind    string    `json:"kind"`   // "import", "embedding" or "stream"
	Name    string    `json:"name"`   // of the graph or embedding; what the stream is, in words
	Source  string    `json:"source"` // of the import
	Started time.Time `json:"started"`
	Bytes   int64     `json:"bytes"` // that it has written so far
}

// Stats measures the store. It reads the pages of all records but not the
// bodies of large values, about 0.2 s per gigabyte of edges, and verifies
// nothing; damaged parts count as far as they can be followed. Where records of the
// catalogue are damaged it lists the others, and a PartialError says which are.
func (db *DB) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	var damaged error
	err := db.view(ctx, func(t *tx) error {
		s = Stats{Path: db.path, Attached: db.attached, Format: t.header.Format, MinReader: t.header.MinReader, Features: t.header.Features,
			Epoch: t.header.Epoch, Created: t.header.Created}
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
func (db *DB) measure(t *tx, s *Stats) (sizes, error) {
	m := t.meta()
	s.PageSize, s.Bytes = m.PageSize, t.size()
	found := make(sizes)
	if t.file == nil {
		return found, nil
	}
	info, err := t.file.Stat()
	if err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	s.Bytes = info.Size()
	w := page.NewWalker(t.ctx, page.File{R: t.file, Meta: m})
	w.Measure = found.add
	if db.attached {
		err = w.All(page.Bucket{Path: [][]byte{block.RootName}, Root: uint64(t.root.Root())})
		s.Pages = w.Pages
	} else {
		err = w.Walk()
		s.Pages = w.Pages + 2
		s.FreePages = int64(m.HighWater) - s.Pages
	}
	if err != nil {
		return nil, fmt.Errorf("%w", err)
	}
	return found, nil
}

// sizes are the bytes of buckets: by object and part, or by name of a top
// bucket and "".
type sizes map[[2]string]int64

// add counts the bytes of the bucket at a path from the root of the file down.
func (s sizes) add(path [][]byte, bytes int64) {
	switch {
	case len(path) < 2:
		s[[2]string{}] += bytes
	case string(path[1]) != string(block.ObjectsName) || len(path) == 2:
		s[[2]string{string(path[1])}] += bytes
	case len(path) == 3:
		s[[2]string{string(path[2]), ""}] += bytes
	default:
		s[[2]string{string(path[2]), string(path[3])}] += bytes
	}
}

// part is the size of one part of an object.
func (s sizes) part(object uint64, name []byte) int64 {
	return s[[2]string{string(block.Key64(object)), string(name)}]
}

// object is the size of an object with all its parts.
func (s sizes) object(object uint64) int64 {
	sum := int64(0)
	for at, bytes := range s {
		if at[0] == string(block.Key64(object)) {
			sum += bytes
		}
	}
	return sum
}

// assign gives the sizes to what they belong to, and returns what is damaged.
func (s sizes) assign(t *tx, out *Stats) (damaged, err error) {
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

// assignGraphs lists the graphs by name.
func (s sizes) assignGraphs(t *tx, out *Stats, note func(error) error) error {
	changes := make(map[uint64]int64)
	err := t.each(block.ChangesName, func(key, record []byte) error {
		if len(key) == block.ChangesKeySize {
			changes[block.IDOf(key)] += int64(len(key) + len(record))
		}
		return nil
	})
	if err := note(fault.Corrupt(t.path, changeLogPart, err)); err != nil {
		return err
	}
	return t.each(block.GraphsName, func(key, _ []byte) error {
		r, err := t.findGraph(string(key))
		if err != nil {
			return note(err)
		}
		g := GraphStats{
			Name: string(key), Vertices: int(r.Vertices), Edges: int64(r.Edges),
			Keys: s.part(r.Object, block.KeysName), IDs: s.part(r.Object, block.IDsName), Arcs: s.part(r.Object, block.ArcsName),
			Attributes: s.part(r.Object, block.AttrsName), Changes: changes[r.ID],
		}
		g.Other = s.object(r.Object) - g.Keys - g.IDs - g.Arcs - g.Attributes
		out.Graphs = append(out.Graphs, g)
		return nil
	})
}

// assignEmbeddings lists the embeddings by name.
func (s sizes) assignEmbeddings(t *tx, out *Stats, note func(error) error) error {
	return t.each(block.EmbeddingsName, func(key, _ []byte) error {
		r, err := t.findEmbedding(string(key))
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
func (s sizes) assignRest(t *tx, out *Stats, note func(error) error) error {
	err := t.each(block.JournalName, func(key, record []byte) error {
		var j journalRecord
		if err := block.DecodeStruct(block.SeedOf(block.JournalName), key, record, &j); err != nil {
			return note(fault.Corrupt(t.path, "journal", err))
		}
		kind, name := "import", string(key[1:])
		switch key[0] {
		case journalEmbedding:
			kind = "embedding"
		case journalBlob:
			kind, name = "stream", j.Source
		}
		out.Unfinished = append(out.Unfinished, UnfinishedWork{Kind: kind, Name: name, Source: j.Source, Started: time.Unix(0, j.Started), Bytes: s.object(j.Object)})
		return nil
	})
	if err != nil {
		return err
	}
	err = t.each(block.TrashName, func(key, _ []byte) error {
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
