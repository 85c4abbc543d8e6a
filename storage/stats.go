package storage

import (
	"context"
	"fmt"
	"time"
)

// Stats says what takes the space of a store.
type Stats struct {
	Path      string
	Attached  bool  // the file belongs to an application; pages are those of the store alone
	Bytes     int64 // size of the file
	PageSize  int
	Pages     int64 // in use
	FreePages int64 // later writes will use them again; Compact gives them back
	Format    uint32
	MinReader uint32 // oldest format whose code can read the file
	Features  []string
	Epoch     uint64 // commits since the file was made
	Created   time.Time

	Graphs     []GraphStats     // by name
	Embeddings []EmbeddingStats // by name
	Indexes    []IndexStats     // by embedding and metric
	Models     []ModelStats     // by name
	Predicted  []PredictedStats // by graph and scorer
	Jobs       []JobStats       // those that have a checkpoint, by number
	Unfinished []UnfinishedWork // imports that stopped, and embeddings and streams that are being written
	TrashBytes int64            // of discarded objects that are still to be removed
	OtherBytes int64            // catalogue, records of jobs, and journal
}

// GraphStats is the space that a graph takes: whole pages, or the bytes of a
// part so small that it shares a page.
type GraphStats struct {
	Name       string
	Vertices   int
	Edges      int64
	Keys       int64 // bytes of the keys by vertex
	IDs        int64 // bytes of the vertices by key
	Arcs       int64 // bytes of the edges, each stored in both directions
	Attributes int64 // bytes of the values of attributes
	Changes    int64 // bytes of records in the change log
	Other      int64 // bytes of the rest, such as the list of the parts
}

// Bytes is the sum over all parts.
func (s GraphStats) Bytes() int64 {
	return s.Keys + s.IDs + s.Arcs + s.Attributes + s.Changes + s.Other
}

// EmbeddingStats is the space that an embedding takes.
type EmbeddingStats struct {
	Name     string
	Graph    string
	Vertices int
	Dim      int
	Bytes    int64
	State    int64 // of Bytes, for bringing it up to date
}

// IndexStats is the space that an index of an embedding takes.
type IndexStats struct {
	Embedding string
	Metric    string
	Bytes     int64
}

// ModelStats is the space that a model takes.
type ModelStats struct {
	Name  string
	Bytes int64
}

// PredictedStats is the space that the predictions of a graph by a scorer take.
type PredictedStats struct {
	Scorer   string
	Vertices int
	Bytes    int64
}

// JobStats is the space that the checkpoint of a job takes.
type JobStats struct {
	ID    uint64
	Bytes int64
}

// UnfinishedWork is an entry of the journal.
type UnfinishedWork struct {
	Kind    string // "import", "embedding" or "stream"
	Name    string // of the graph or embedding; what the stream is, in words
	Source  string // of the import
	Started time.Time
	Bytes   int64 // that it has written so far
}

// Stats measures the store. It reads the pages of all records but not the
// bodies of large values, about 0.2 s per gigabyte of edges, and verifies
// nothing; damaged parts count as far as they can be followed.
func (db *DB) Stats(ctx context.Context) (Stats, error) {
	var s Stats
	err := db.view(ctx, func(t *tx) error {
		s = Stats{Path: db.path, Attached: db.attached, Format: t.header.Format, MinReader: t.header.MinReader, Features: t.header.Features,
			Epoch: t.header.Epoch, Created: t.header.Created}
		m, err := db.measure(t, &s)
		if err != nil {
			return err
		}
		return m.assign(t, &s)
	})
	return s, err
}

// measure walks over the pages and returns the sizes of the parts.
func (db *DB) measure(t *tx, s *Stats) (sizes, error) {
	m := t.meta()
	s.PageSize, s.Bytes = m.pageSize, t.size()
	found := make(sizes)
	if t.file == nil {
		return found, nil
	}
	info, err := t.file.Stat()
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	s.Bytes = info.Size()
	w := newWalker(t.ctx, pageFile{r: t.file, meta: m})
	w.measure = found.add
	if db.attached {
		err = w.all(nested{path: [][]byte{rootName}, root: uint64(t.root.Root())})
		s.Pages = w.pages
	} else {
		err = w.walk()
		s.Pages = w.pages + 2
		s.FreePages = int64(m.highWater) - s.Pages
	}
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
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
	case string(path[1]) != string(objectsName) || len(path) == 2:
		s[[2]string{string(path[1])}] += bytes
	case len(path) == 3:
		s[[2]string{string(path[2]), ""}] += bytes
	default:
		s[[2]string{string(path[2]), string(path[3])}] += bytes
	}
}

// part is the size of one part of an object.
func (s sizes) part(object uint64, name []byte) int64 {
	return s[[2]string{string(be64(object)), string(name)}]
}

// object is the size of an object with all its parts.
func (s sizes) object(object uint64) int64 {
	sum := int64(0)
	for at, bytes := range s {
		if at[0] == string(be64(object)) {
			sum += bytes
		}
	}
	return sum
}

// assign gives the sizes to what they belong to.
func (s sizes) assign(t *tx, out *Stats) error {
	changes := make(map[uint64]int64)
	err := t.each(changesName, func(key, record []byte) error {
		if len(key) == changesKeySize {
			changes[bytesToID(key)] += int64(len(key) + len(record))
		}
		return nil
	})
	if err != nil {
		return corrupt(t.path, "change log", err)
	}
	err = t.each(graphsName, func(key, _ []byte) error {
		r, err := t.findGraph(string(key))
		if err != nil {
			return err
		}
		g := GraphStats{Name: string(key), Vertices: int(r.Vertices), Edges: int64(r.Edges),
			Keys: s.part(r.Object, keysName), IDs: s.part(r.Object, idsName), Arcs: s.part(r.Object, arcsName),
			Attributes: s.part(r.Object, []byte("attrs")), Changes: changes[r.ID]}
		g.Other = s.object(r.Object) - g.Keys - g.IDs - g.Arcs - g.Attributes
		out.Graphs = append(out.Graphs, g)
		return nil
	})
	if err != nil {
		return err
	}
	err = t.each(embeddingsName, func(key, _ []byte) error {
		r, err := t.findEmbedding(string(key))
		if err != nil {
			return err
		}
		out.Embeddings = append(out.Embeddings, EmbeddingStats{Name: string(key), Graph: r.Graph, Vertices: int(r.Vertices), Dim: int(r.Dim), Bytes: s.object(r.Object) + s.object(r.State.Object), State: s.object(r.State.Object)})
		return nil
	})
	if err != nil {
		return err
	}
	err = t.eachIndexed(func(embedding string, e *embeddingRecord, metric string) error {
		r, err := t.findIndex(e.Object, embedding, metric)
		if err == nil {
			out.Indexes = append(out.Indexes, IndexStats{Embedding: embedding, Metric: metric, Bytes: s.object(r.Stream.Object)})
		}
		return err
	})
	if err != nil {
		return err
	}
	err = t.each(modelsName, func(key, _ []byte) error {
		r, err := t.findModel(string(key))
		if err == nil {
			out.Models = append(out.Models, ModelStats{Name: string(key), Bytes: s.object(r.Stream.Object)})
		}
		return err
	})
	if err != nil {
		return err
	}
	err = t.eachPredictions(func(_ uint64, scorer string, r *predictionRecord) error {
		out.Predicted = append(out.Predicted, PredictedStats{scorer, int(r.Vertices), s.object(r.Object)})
		return nil
	})
	if err != nil {
		return err
	}
	err = t.eachSoundJob(func(id uint64, r *jobRecord) {
		if r.Checkpoint.Object != 0 {
			out.Jobs = append(out.Jobs, JobStats{ID: id, Bytes: s.object(r.Checkpoint.Object)})
		}
	})
	if err != nil {
		return err
	}
	return s.assignRest(t, out)
}

// assignRest counts journal, trash and catalogue.
func (s sizes) assignRest(t *tx, out *Stats) error {
	err := t.each(journalName, func(key, record []byte) error {
		var j journalRecord
		if err := decodeStruct(seedOf(journalName), key, record, &j); err != nil {
			return corrupt(t.path, "journal", err)
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
	err = t.each(trashName, func(key, _ []byte) error {
		if len(key) == 8 {
			out.TrashBytes += s.object(bytesToID(key))
		}
		return nil
	})
	for _, name := range [][]byte{nil, graphsName, embeddingsName, indexesName, modelsName, predictionsName, jobsName, journalName, trashName, objectsName} {
		out.OtherBytes += s[[2]string{string(name)}]
	}
	return err
}
