package storage

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
	"heavytail/storage/vec"
)

// PutEmbedding stores the rows of m as an embedding of the graph info.Graph: row v
// belongs to vertex v of version info.GraphVersion. Name, Graph and GraphVersion of
// info must be set; Generation, Vertices, Dim and Created are set here, and the rest is
// kept as it is. If vertices were deleted since, the change log must reach back to that
// version; otherwise the error is ErrConflict. It is also ErrConflict if GraphID is set
// and the name belongs to another graph by now. An embedding of this name is replaced
// if it belongs to the same graph; otherwise the error is ErrExists. The new generation
// is written in batches and becomes visible in one step; calls that are reading the old
// one continue with it, and it is kept (see Generations). A value that is not finite,
// or a matrix of the wrong shape, gives ErrInvalid. If the call fails or is cancelled,
// nothing changes.
func (db *DB) PutEmbedding(ctx context.Context, info EmbeddingInfo, m *vec.Matrix) (EmbeddingInfo, error) {
	return db.PutEmbeddingState(ctx, info, m, nil)
}

// PutEmbeddingState is PutEmbedding with the state that a refresh of the embedding
// needs in addition to the rows; EmbeddingState reads it. write is called before
// anything else is written, and may take long; nil is no state. The state appears with
// the generation, in the same step, and is removed with it.
func (db *DB) PutEmbeddingState(ctx context.Context, info EmbeddingInfo, m *vec.Matrix, write func(io.Writer) error) (EmbeddingInfo, error) {
	return db.ReplaceEmbedding(ctx, EmbeddingInfo{}, info, m, write)
}

// ReplaceEmbedding is PutEmbeddingState for rows that were computed from those of a
// generation, from: if that is no longer the present one, the error is ErrConflict.
// The zero value of from means no generation. Indexes of the rows appear with them,
// in the same step, so that there is no moment at which the embedding has new rows
// and no index; those of a matrix without values are ErrInvalid.
func (db *DB) ReplaceEmbedding(ctx context.Context, from, info EmbeddingInfo, m *vec.Matrix, write func(io.Writer) error, indexes ...NewIndex) (EmbeddingInfo, error) {
	ctx = tree.OrBackground(ctx)
	if len(indexes) > 0 && len(m.Data) == 0 {
		return EmbeddingInfo{}, fmt.Errorf("put embedding %q: an index of no values: %w", info.Name, ErrInvalid)
	}
	w, err := db.newEmbeddingWriter(ctx, NewEmbedding{info, m, write})
	if err != nil {
		return EmbeddingInfo{}, err
	}
	defer w.state.Abandon(ctx)
	w.from = from
	for _, n := range indexes {
		of, err := db.newIndexWriter(ctx, info.Name, n)
		if err != nil {
			return EmbeddingInfo{}, err
		}
		defer of.stream.Abandon(ctx)
		w.indexes = append(w.indexes, of)
	}
	unlock, err := db.file.LockWriter(ctx)
	if err != nil {
		return EmbeddingInfo{}, err
	}
	defer unlock()
	if err := w.run(ctx); err != nil {
		return EmbeddingInfo{}, err
	}
	return w.record.info(w.slots), db.file.Unfreed(db.file.Sweep(ctx))
}

// NewEmbedding is an embedding that is to be stored, as in PutEmbeddingState.
type NewEmbedding struct {
	Info  EmbeddingInfo
	Rows  *vec.Matrix
	State func(io.Writer) error // nil for none
}

// newEmbeddingWriter checks an embedding, and writes its state.
func (db *DB) newEmbeddingWriter(ctx context.Context, e NewEmbedding) (*embeddingWriter, error) {
	name := e.Info.Name
	if err := CheckEmbeddingName(name); err != nil {
		return nil, err
	}
	if err := checkMatrix(ctx, e.Rows); err != nil {
		return nil, fmt.Errorf("put embedding %q: %w", name, err)
	}
	state := tree.NewBlobWriter(ctx, db.file, describeEmbedding(name)+", "+statePart)
	if e.State != nil {
		if err := e.State(state); err != nil {
			state.Abandon(ctx)
			return nil, fmt.Errorf("put embedding %q: state: %w", name, err)
		}
	}
	return &embeddingWriter{db: db, name: name, matrix: e.Rows, state: state, record: newEmbeddingRecord(e.Info, e.Rows)}, nil
}

// newEmbeddingRecord returns the record for rows that are not stored yet.
func newEmbeddingRecord(info EmbeddingInfo, m *vec.Matrix) embeddingRecord {
	return embeddingRecord{
		name: info.Name, Graph: info.Graph, GraphID: info.GraphID, GraphVersion: info.GraphVersion,
		Vertices: uint64(m.Rows), Dim: uint64(m.Dim),
		Method: info.Method, Options: copied(info.Options), Seed: info.Seed, Kernel: info.Kernel,
		Eigenvalues: info.Eigenvalues, Residuals: info.Residuals,
		Components: int64(info.Components), Iterations: int64(info.Iterations), Seconds: info.Seconds,
		Stats: copied(info.Stats), Coordinates: unixNano(info.Coordinates), Stateless: info.Stateless,
	}
}

// checkMatrix returns an error for a matrix of the wrong shape, or with a value that is
// not finite.
func checkMatrix(ctx context.Context, m *vec.Matrix) error {
	if m.Rows < 0 || m.Dim < 0 || m.Dim > block.MaxDim || uint64(m.Rows) > block.MaxVertices || uint64(len(m.Data)) != uint64(m.Rows)*uint64(m.Dim) {
		return fmt.Errorf("%d × %d matrix of %d values: %w", m.Rows, m.Dim, len(m.Data), ErrInvalid)
	}
	for i, x := range m.Data {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !block.FiniteBits(math.Float32bits(x)) {
			return fmt.Errorf("row %d, column %d is %v: %w", i/m.Dim, i%m.Dim, x, ErrInvalid)
		}
	}
	return nil
}

type embeddingWriter struct {
	db      *DB
	name    string
	matrix  *vec.Matrix
	record  embeddingRecord
	from    EmbeddingInfo // the generation from which the rows were computed, if set
	state   *tree.BlobWriter
	indexes []*indexWriter   // of the rows
	slots   block.SlotMap    // of the rows
	old     *embeddingRecord // the generation before, if any
	next    int              // next row
	later   bool             // somebody else calls publish, or abandon
}

// run writes the rows in batches under a journal entry; the last batch makes
// the catalogue point at them, unless that is done later. The caller holds the writer's lock.
func (w *embeddingWriter) run(ctx context.Context) error {
	begun := false
	for done := false; !done; {
		err := w.db.file.Update(ctx, func(t *tree.Tx) error {
			if !begun {
				if err := w.begin(t); err != nil {
					return err
				}
			}
			if err := w.batch(t); err != nil {
				return err
			}
			if done = w.next == w.matrix.Rows || w.record.Object == 0; done && !w.later {
				return w.publish(t)
			}
			if w.record.Object == 0 {
				return nil
			}
			key := tree.JournalKey(tree.JournalEmbedding, w.name)
			return t.Put(block.JournalName, key, &tree.JournalRecord{Object: w.record.Object, GraphID: w.record.GraphID, Version: w.record.GraphVersion, Next: uint64(w.next), Started: w.record.Created})
		})
		if err != nil {
			if begun {
				w.abandon(ctx)
			}
			return err
		}
		begun = true
	}
	return nil
}

// begin checks the embedding against its graph and opens a new object.
func (w *embeddingWriter) begin(t *tree.Tx) error {
	r := &w.record
	g, err := graphs.Find(t, r.Graph)
	if err != nil {
		return err
	}
	if r.GraphID != 0 && r.GraphID != g.ID {
		return fmt.Errorf("put embedding %q: graph %q was dropped and created again since the rows were read: %w", w.name, r.Graph, ErrConflict)
	}
	r.GraphID = g.ID
	if w.slots, err = slotsAt(t, g, r); err != nil {
		return fault.Corrupt(t.Path, graphs.DescribeGraph(r.Graph), fmt.Errorf("put embedding %q: %w", w.name, err))
	}
	r.Generation, r.Created, r.Object = 1, time.Now().UnixNano(), 0
	old, err := findEmbedding(t, w.name)
	switch {
	case err == nil && old.GraphID != g.ID:
		return fmt.Errorf("embedding %q belongs to graph %q: %w", w.name, old.Graph, ErrExists)
	case err == nil:
		r.Generation, w.old = old.Generation+1, old
		r.AutoChanges, r.AutoEvery = old.AutoChanges, old.AutoEvery
	case !errors.Is(err, ErrNotFound):
		return err
	}
	if w.from.Generation != 0 && (w.old == nil || w.old.Generation != w.from.Generation || w.old.Created != w.from.Created.UnixNano()) {
		return fmt.Errorf("generation %d of embedding %q was replaced or removed meanwhile: %w", w.from.Generation, w.name, ErrConflict)
	}
	if err := tree.DropJournal(t, tree.JournalEmbedding, w.name); err != nil {
		return fault.Corrupt(t.Path, "journal of "+describeEmbedding(w.name), err)
	}
	w.next = 0
	if len(w.matrix.Data) == 0 {
		return nil
	}
	r.ChunkRows = uint64(block.ChunkRows(w.matrix.Dim))
	if r.Object, err = t.NewObject(block.RowsName); err != nil {
		return err
	}
	return writeSlots(t, r, &w.slots)
}

// batch writes chunks until they fill a batch; all processors make them.
func (w *embeddingWriter) batch(t *tree.Tx) error {
	if w.record.Object == 0 {
		return nil
	}
	p, err := t.Part(w.record.Object, block.RowsName)
	if err != nil {
		return fault.Corrupt(t.Path, describeEmbedding(w.name), err)
	}
	p.Bucket.FillPercent = 1
	var starts []int
	at := w.next
	for left := w.db.file.Opts.BatchBytes; left > 0 && at < w.matrix.Rows; {
		rows := min(int(w.record.ChunkRows), w.matrix.Rows-at)
		starts = append(starts, at)
		at += rows
		left -= block.ChunkBytes(rows, w.matrix.Dim)
	}
	keys, records := make([][]byte, len(starts)), make([][]byte, len(starts))
	vec.Parallel(len(starts), 1, 0, func(i, _, _ int) {
		if t.Ctx.Err() != nil {
			return
		}
		rows := min(int(w.record.ChunkRows), w.matrix.Rows-starts[i])
		keys[i] = block.Key32(uint32(starts[i]))
		records[i] = p.Seed.Seal(keys[i], block.EncodeChunk(w.matrix, starts[i], rows))
	})
	if err := t.Ctx.Err(); err != nil {
		return err
	}
	for i, record := range records {
		if err := p.Put(keys[i], record); err != nil {
			return err
		}
	}
	w.next = at
	return nil
}

func (w *embeddingWriter) publish(t *tree.Tx) (err error) {
	if w.record.State, err = w.state.Publish(t); err != nil {
		return err
	}
	if w.old != nil {
		if err := retire(t, w.name, w.old); err != nil {
			return err
		}
	}
	for _, x := range w.indexes {
		if err := x.publish(t, w.record.Object); err != nil {
			return err
		}
	}
	if err := putEmbedding(t, &w.record); err != nil {
		return err
	}
	return t.Remove(block.JournalName, tree.JournalKey(tree.JournalEmbedding, w.name))
}

// abandon frees what a failed attempt has written. It does so even if the
// context has ended, which takes some milliseconds. After a failed commit it
// cannot; then the next open does it.
func (w *embeddingWriter) abandon(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	err := w.db.file.Update(ctx, func(t *tree.Tx) error { return tree.DropJournal(t, tree.JournalEmbedding, w.name) })
	if err == nil {
		_ = w.db.file.Sweep(ctx) // the error of the attempt is returned
	}
}

// EmbeddingInfo returns the catalogue entry of one embedding.
func (db *DB) EmbeddingInfo(ctx context.Context, name string) (EmbeddingInfo, error) {
	return viewed(ctx, db, func(t *tree.Tx) (EmbeddingInfo, error) { return embeddingInfo(t, name) })
}

// Embedding returns the catalogue entry and the rows of an embedding, both of
// one generation. The matrix is the caller's.
func (db *DB) Embedding(ctx context.Context, name string) (EmbeddingInfo, *vec.Matrix, error) {
	var info EmbeddingInfo
	m, err := viewed(ctx, db, func(t *tree.Tx) (*vec.Matrix, error) {
		r, err := findEmbedding(t, name)
		if err != nil {
			return nil, err
		}
		if info, err = embeddingInfo(t, name); err != nil {
			return nil, err
		}
		m, err := readRows(t, r)
		return m, fault.Corrupt(t.Path, describeEmbedding(name), err)
	})
	if err != nil {
		return EmbeddingInfo{}, nil, err
	}
	return info, m, nil
}

func readRows(t *tree.Tx, r *embeddingRecord) (*vec.Matrix, error) {
	if r.Vertices*r.Dim > math.MaxInt/4 {
		return nil, fmt.Errorf("embedding of %d × %d values is too large for this machine: %w", r.Vertices, r.Dim, ErrLimit)
	}
	m := vec.NewMatrix(int(r.Vertices), int(r.Dim))
	return m, eachChunk(t, r, m.Data, func(int, []float32) error { return nil })
}

// eachChunk verifies the rows of an embedding and calls f with those of one chunk after the other
// and the number of the first. They are decoded into all, which has room for all rows, or, if that
// is nil, into the memory of one chunk.
func eachChunk(t *tree.Tx, r *embeddingRecord, all []float32, f func(row int, values []float32) error) error {
	if r.Object == 0 {
		return nil
	}
	p, err := t.Part(r.Object, block.RowsName)
	if err != nil {
		return err
	}
	t.ReadAhead(p.Bucket)
	var chunk []float32
	if all == nil {
		chunk = make([]float32, min(r.ChunkRows, r.Vertices)*r.Dim)
	}
	row, dim := 0, int(r.Dim)
	err = t.Scan(p, func(key, payload []byte) error {
		values := chunk[:min(len(chunk), (int(r.Vertices)-row)*dim)]
		if all != nil {
			values = all[row*dim:]
		}
		rows, err := block.DecodeChunk(values, key, payload, row, dim)
		if err != nil {
			return err
		}
		first := row
		row += rows
		return f(first, values[:rows*dim])
	})
	if err == nil && uint64(row) != r.Vertices {
		err = fault.Record("%d rows where the catalogue says %d", row, r.Vertices)
	}
	return err
}

// eachEmbeddingOf calls f with the embeddings of a graph, past generations included, which f may
// change.
func eachEmbeddingOf(t *tree.Tx, graph uint64, f func(r *embeddingRecord) error) error {
	var names []string
	err := t.Each(block.EmbeddingsName, func(key, _ []byte) error {
		names = append(names, string(key))
		return nil
	})
	for _, name := range names {
		if err != nil {
			return err
		}
		var r *embeddingRecord
		if r, err = findEmbedding(t, name); err == nil && r.GraphID == graph {
			err = f(r)
		}
	}
	return err
}

// Embeddings lists the embeddings by name, in their present generations.
func (db *DB) Embeddings(ctx context.Context) ([]EmbeddingInfo, error) {
	return viewed(ctx, db, func(t *tree.Tx) (list []EmbeddingInfo, err error) {
		err = t.Each(block.EmbeddingsName, func(key, _ []byte) error {
			info, err := embeddingInfo(t, string(key))
			if err == nil && !info.Past {
				list = append(list, info)
			}
			return err
		})
		return list, err
	})
}

// DropEmbedding removes an embedding with all of its generations, or one past
// generation. The name and number of the present generation are ErrInvalid: they do not say
// that the past ones are dropped too. The space is used again by later writes; the file does
// not shrink.
func (db *DB) DropEmbedding(ctx context.Context, name string) error {
	return db.file.Change(ctx, func(t *tree.Tx) error { return dropEmbedding(t, name) })
}

func dropEmbedding(t *tree.Tx, name string) error {
	past, err := past(t, name)
	if err != nil {
		return err
	}
	if err := dropEntry(t, name); err != nil {
		return err
	}
	for _, generation := range past {
		if err := dropEntry(t, generationName(name, generation)); err != nil {
			return err
		}
	}
	return nil
}

// embeddingsOf lists the embeddings of a graph by name, without past generations.
func embeddingsOf(t *tree.Tx, graph uint64) ([]string, error) {
	var names []string
	err := eachEmbeddingOf(t, graph, func(r *embeddingRecord) error {
		if !r.Past {
			names = append(names, r.name)
		}
		return nil
	})
	return names, err
}
