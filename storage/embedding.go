package storage

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"heavytail/storage/vec"
)

// The rows of an embedding are stored in chunks of about a mebibyte. The key of
// a chunk is the number of its first row, big-endian; its record is
//
//	checksum  4 bytes
//	rows      4 bytes, little-endian
//	values    rows × dim float32, little-endian
//
// Keys, heads and values are multiples of four bytes, so that values lie
// aligned in the map.
const (
	maxDim    = 1 << 16
	chunkSize = 1 << 20
	maxChunk  = chunkSize / 4 // rows of dimension 1
	rowsHead  = sumSize + 4
)

// chunkRows is how many rows of a dimension make a chunk.
func chunkRows(dim int) int { return max(1, chunkSize/(4*dim)) }

// PutEmbedding stores the rows of m as an embedding of the graph info.Graph:
// row v belongs to vertex v of version info.GraphVersion. Name, Graph and
// GraphVersion of info must be set; Generation, Vertices, Dim and Created are
// set here, and the rest is kept as it is. Where vertices were deleted, the
// change log must reach back to that version; otherwise it is ErrConflict, as it
// is where GraphID is given and the graph of this name is another one by now. An
// embedding of this name is replaced if it belongs to the same graph, otherwise it is ErrExists: the new
// generation is written in batches and becomes visible in one step, and readers
// finish on the old one, which is kept (see Generations). A value that is not finite, and a matrix of the wrong
// shape, are ErrInvalid. Where it fails or is cancelled nothing changes.
func (db *DB) PutEmbedding(ctx context.Context, info EmbeddingInfo, m *vec.Matrix) (EmbeddingInfo, error) {
	return db.PutEmbeddingState(ctx, info, m, nil)
}

// PutEmbeddingState is PutEmbedding with a state, which EmbeddingState reads back:
// what bringing the embedding up to date needs beside the rows. write writes it,
// before anything else is written, and may take its time; nil is no state. It
// appears with the generation, in the same step, and goes with it.
func (db *DB) PutEmbeddingState(ctx context.Context, info EmbeddingInfo, m *vec.Matrix, write func(io.Writer) error) (EmbeddingInfo, error) {
	return db.ReplaceEmbedding(ctx, EmbeddingInfo{}, info, m, write)
}

// ReplaceEmbedding is PutEmbeddingState for rows that were computed from those of
// a generation, from: where that is not the present one any more it is ErrConflict.
// Zero is none. Indexes of the rows appear with them, in the same step, so that
// there is no moment at which the embedding has new rows and no index; those of a
// matrix without values are ErrInvalid.
func (db *DB) ReplaceEmbedding(ctx context.Context, from, info EmbeddingInfo, m *vec.Matrix, write func(io.Writer) error, indexes ...NewIndex) (EmbeddingInfo, error) {
	if err := checkNewEmbedding(info.Name); err != nil {
		return EmbeddingInfo{}, err
	}
	if err := checkMatrix(ctx, m); err != nil {
		return EmbeddingInfo{}, fmt.Errorf("storage: put embedding %q: %w", info.Name, err)
	}
	state := db.newBlobWriter(ctx, describeEmbedding(info.Name)+", "+statePart)
	defer state.abandon(ctx)
	if write != nil {
		if err := write(state); err != nil {
			return EmbeddingInfo{}, fmt.Errorf("storage: put embedding %q: state: %w", info.Name, err)
		}
	}
	if len(indexes) > 0 && len(m.Data) == 0 {
		return EmbeddingInfo{}, fmt.Errorf("storage: put embedding %q: an index of no values: %w", info.Name, ErrInvalid)
	}
	var beside []*indexWriter
	for _, n := range indexes {
		w, err := db.newIndexWriter(ctx, info.Name, n)
		if err != nil {
			return EmbeddingInfo{}, err
		}
		defer w.stream.abandon(ctx)
		beside = append(beside, w)
	}
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return EmbeddingInfo{}, err
	}
	defer unlock()
	w := embeddingWriter{db: db, name: info.Name, matrix: m, state: state, indexes: beside, from: from, record: embeddingRecord{
		Graph: info.Graph, GraphID: info.GraphID, GraphVersion: info.GraphVersion,
		Vertices: uint64(m.Rows), Dim: uint64(m.Dim),
		Method: info.Method, Options: settingRecords(info.Options), Seed: info.Seed, Kernel: info.Kernel,
		Eigenvalues: info.Eigenvalues, Residuals: info.Residuals,
		Components: int64(info.Components), Iterations: int64(info.Iterations), Seconds: info.Seconds,
		Stats: settingRecords(info.Stats), Coordinates: unixNano(info.Coordinates), Stateless: info.Stateless,
	}}
	if err := w.run(ctx); err != nil {
		return EmbeddingInfo{}, err
	}
	return w.record.info(info.Name, w.slots), nil
}

// checkMatrix refuses what must not enter the store.
func checkMatrix(ctx context.Context, m *vec.Matrix) error {
	if m.Rows < 0 || m.Dim < 0 || m.Dim > maxDim || uint64(m.Rows) > maxVertices || uint64(len(m.Data)) != uint64(m.Rows)*uint64(m.Dim) {
		return fmt.Errorf("%d × %d matrix of %d values: %w", m.Rows, m.Dim, len(m.Data), ErrInvalid)
	}
	for i, x := range m.Data {
		if i%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !finite(math.Float32bits(x)) {
			return fmt.Errorf("row %d, column %d is %v: %w", i/m.Dim, i%m.Dim, x, ErrInvalid)
		}
	}
	return nil
}

// finite reports whether the bits are those of a number: not all bits of the
// exponent are set.
func finite(bits uint32) bool { return bits&0x7f80_0000 != 0x7f80_0000 }

// embeddingWriter writes one generation.
type embeddingWriter struct {
	db      *DB
	name    string
	matrix  *vec.Matrix
	record  embeddingRecord
	from    EmbeddingInfo // what the rows were computed from, if it has a generation
	state   *blobWriter
	indexes []*indexWriter   // of the rows
	slots   slotMap          // of the rows
	old     *embeddingRecord // the generation before, if any
	next    int              // next row
}

// run writes the rows in batches under a journal entry; the last batch makes
// the catalogue point at them.
func (w *embeddingWriter) run(ctx context.Context) error {
	begun := false
	for done := false; !done; {
		err := w.db.update(ctx, func(t *tx) error {
			if !begun {
				if err := w.begin(t); err != nil {
					return err
				}
			}
			if err := w.batch(t); err != nil {
				return err
			}
			if done = w.next == w.matrix.Rows || w.record.Object == 0; done {
				return w.publish(t)
			}
			key := journalKey(journalEmbedding, w.name)
			return t.put(journalName, key, &journalRecord{Object: w.record.Object, GraphID: w.record.GraphID, Version: w.record.GraphVersion, Next: uint64(w.next), Started: w.record.Created})
		})
		if err != nil {
			if begun {
				w.abandon(ctx)
			}
			return err
		}
		begun = true
	}
	w.db.sweep(ctx)
	return nil
}

// begin checks the embedding against its graph and opens a new object.
func (w *embeddingWriter) begin(t *tx) error {
	r := &w.record
	g, err := t.findGraph(r.Graph)
	if err != nil {
		return err
	}
	if r.GraphID != 0 && r.GraphID != g.ID {
		return fmt.Errorf("storage: put embedding %q: graph %q is another one than that of the rows: %w", w.name, r.Graph, ErrConflict)
	}
	r.GraphID = g.ID
	if w.slots, err = t.slotsAt(g, r); err != nil {
		return corrupt(t.path, describeGraph(r.Graph), fmt.Errorf("storage: put embedding %q: %w", w.name, err))
	}
	r.Generation, r.Created, r.Object = 1, time.Now().UnixNano(), 0
	old, err := t.findEmbedding(w.name)
	switch {
	case err == nil && old.GraphID != g.ID:
		return fmt.Errorf("storage: embedding %q belongs to graph %q: %w", w.name, old.Graph, ErrExists)
	case err == nil:
		r.Generation, w.old = old.Generation+1, old
		r.AutoChanges, r.AutoEvery = old.AutoChanges, old.AutoEvery
	case !errors.Is(err, ErrNotFound):
		return err
	}
	if w.from.Generation != 0 && (w.old == nil || w.old.Generation != w.from.Generation || w.old.Created != w.from.Created.UnixNano()) {
		return fmt.Errorf("storage: generation %d of embedding %q was replaced or removed meanwhile: %w", w.from.Generation, w.name, ErrConflict)
	}
	if err := t.dropJournal(journalEmbedding, w.name); err != nil {
		return corrupt(t.path, "journal of "+describeEmbedding(w.name), err)
	}
	w.next = 0
	if len(w.matrix.Data) == 0 {
		return nil
	}
	r.ChunkRows = uint64(chunkRows(w.matrix.Dim))
	if r.Object, err = t.newObject(rowsName); err != nil {
		return err
	}
	return t.writeSlots(r, &w.slots)
}

// batch writes chunks until they fill a batch.
func (w *embeddingWriter) batch(t *tx) error {
	if w.record.Object == 0 {
		return nil
	}
	p, err := t.part(w.record.Object, rowsName)
	if err != nil {
		return corrupt(t.path, describeEmbedding(w.name), err)
	}
	p.bucket.FillPercent = 1
	for left := w.db.opts.BatchBytes; left > 0 && w.next < w.matrix.Rows; {
		if err := t.ctx.Err(); err != nil {
			return fmt.Errorf("storage: %w", err)
		}
		rows := min(int(w.record.ChunkRows), w.matrix.Rows-w.next)
		key := be32(uint32(w.next))
		record := encodeChunk(w.matrix, w.next, rows)
		if err := p.bucket.Put(key, p.seed.seal(key, record)); err != nil {
			return err
		}
		w.next += rows
		left -= len(record)
	}
	return nil
}

func (w *embeddingWriter) publish(t *tx) (err error) {
	if w.record.State, err = w.state.publish(t); err != nil {
		return err
	}
	if w.old != nil {
		if err := t.retire(w.name, w.old); err != nil {
			return err
		}
	}
	for _, x := range w.indexes {
		if err := x.publish(t, w.record.Object); err != nil {
			return err
		}
	}
	if err := t.put(embeddingsName, []byte(w.name), &w.record); err != nil {
		return err
	}
	return t.remove(journalName, journalKey(journalEmbedding, w.name))
}

// abandon frees what a failed attempt has written. It does so even where the
// context has ended, which takes some milliseconds; after a failed commit it
// cannot, and the next open does it.
func (w *embeddingWriter) abandon(ctx context.Context) {
	ctx = context.WithoutCancel(ctx)
	err := w.db.update(ctx, func(t *tx) error { return t.dropJournal(journalEmbedding, w.name) })
	if err == nil {
		w.db.sweep(ctx)
	}
}

// encodeChunk makes the unsealed record of some rows.
func encodeChunk(m *vec.Matrix, from, rows int) []byte {
	values := m.Data[from*m.Dim : (from+rows)*m.Dim]
	record := make([]byte, rowsHead+4*len(values))
	binary.LittleEndian.PutUint32(record[sumSize:], uint32(rows))
	for i, x := range values {
		binary.LittleEndian.PutUint32(record[rowsHead+4*i:], math.Float32bits(x))
	}
	return record
}

// decodeChunk fills values, the rest of the matrix, from the payload of the
// chunk that starts with row from, and returns the number of its rows.
func decodeChunk(values []float32, key, payload []byte, from, dim int) (rows int, err error) {
	if len(key) != 4 || uint64(binary.BigEndian.Uint32(key)) != uint64(from) {
		return 0, badRecord("chunk %x where row %d should start", key, from)
	}
	if len(payload) < rowsHead-sumSize {
		return 0, badRecord("chunk of %d bytes", len(payload))
	}
	count := uint64(binary.LittleEndian.Uint32(payload))
	body := payload[rowsHead-sumSize:]
	if count == 0 || count > uint64(len(values)/dim) || uint64(len(body)) != 4*uint64(dim)*count {
		return 0, badRecord("chunk of %d rows in %d bytes", count, len(body))
	}
	rows = int(count)
	values = values[:rows*dim]
	if !decodeFloats(values, body) {
		return 0, badRecord("value that is not finite")
	}
	return rows, nil
}

// Bits of two values side by side.
const (
	exponents = 0x7f80_0000_7f80_0000
	lowest    = 0x0080_0000_0080_0000 // of the exponents
	signs     = 0x8000_0000_8000_0000
)

// decodeFloats fills values from body, which has 4 bytes for each, and reports
// whether all are finite. It takes four at a time, since a search after opening
// waits for it: to the exponents of two values one is added in their lowest place
// and carries into the sign, which is masked out, where all their bits are set.
func decodeFloats(values []float32, body []byte) bool {
	bad := uint64(0)
	for len(values) >= 4 && len(body) >= 16 {
		a, b := binary.LittleEndian.Uint64(body), binary.LittleEndian.Uint64(body[8:])
		bad |= (a&exponents + lowest) | (b&exponents + lowest)
		values[0], values[1] = math.Float32frombits(uint32(a)), math.Float32frombits(uint32(a>>32))
		values[2], values[3] = math.Float32frombits(uint32(b)), math.Float32frombits(uint32(b>>32))
		values, body = values[4:], body[16:]
	}
	sound := bad&signs == 0
	for i := range values {
		bits := binary.LittleEndian.Uint32(body[4*i:])
		sound = sound && finite(bits)
		values[i] = math.Float32frombits(bits)
	}
	return sound
}

// EmbeddingInfo returns the catalogue entry of one embedding.
func (db *DB) EmbeddingInfo(ctx context.Context, name string) (EmbeddingInfo, error) {
	var info EmbeddingInfo
	err := db.view(ctx, func(t *tx) (err error) {
		info, err = t.embeddingInfo(name)
		return err
	})
	return info, err
}

// Embedding returns the catalogue entry and the rows of an embedding, both of
// one generation. The matrix is the caller's.
func (db *DB) Embedding(ctx context.Context, name string) (EmbeddingInfo, *vec.Matrix, error) {
	var (
		info EmbeddingInfo
		m    *vec.Matrix
	)
	err := db.view(ctx, func(t *tx) error {
		r, err := t.findEmbedding(name)
		if err != nil {
			return err
		}
		if info, err = t.embeddingInfo(name); err != nil {
			return err
		}
		m, err = t.readRows(r)
		return corrupt(t.path, describeEmbedding(name), err)
	})
	if err != nil {
		return EmbeddingInfo{}, nil, err
	}
	return info, m, nil
}

// readRows copies the rows of an embedding out.
func (t *tx) readRows(r *embeddingRecord) (*vec.Matrix, error) {
	if r.Vertices*r.Dim > math.MaxInt/4 {
		return nil, fmt.Errorf("storage: embedding of %d × %d values is too large for this machine: %w", r.Vertices, r.Dim, ErrLimit)
	}
	m := vec.NewMatrix(int(r.Vertices), int(r.Dim))
	if r.Object == 0 {
		return m, nil
	}
	p, err := t.part(r.Object, rowsName)
	if err != nil {
		return nil, err
	}
	t.readAhead(p.bucket)
	row := 0
	err = t.scan(p, func(key, payload []byte) error {
		rows, err := decodeChunk(m.Data[row*m.Dim:], key, payload, row, m.Dim)
		row += rows
		return err
	})
	if err == nil && row != m.Rows {
		err = badRecord("%d rows where the catalogue says %d", row, m.Rows)
	}
	return m, err
}

// Embeddings lists the embeddings by name, in their present generations.
func (db *DB) Embeddings(ctx context.Context) ([]EmbeddingInfo, error) {
	var list []EmbeddingInfo
	err := db.view(ctx, func(t *tx) error {
		list = nil
		return t.each(embeddingsName, func(key, _ []byte) error {
			info, err := t.embeddingInfo(string(key))
			if err == nil && !info.Past {
				list = append(list, info)
			}
			return err
		})
	})
	return list, err
}

// DropEmbedding removes an embedding with all of its generations, or one past
// generation. The space is used again by later writes;
// the file does not shrink.
func (db *DB) DropEmbedding(ctx context.Context, name string) error {
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := db.update(ctx, func(t *tx) error { return t.dropEmbedding(name) }); err != nil {
		return err
	}
	db.sweep(ctx)
	return nil
}

func (t *tx) dropEmbedding(name string) error {
	past, err := t.past(name)
	if err != nil {
		return err
	}
	if err := t.dropEntry(name); err != nil {
		return err
	}
	for _, generation := range past {
		if err := t.dropEntry(generationName(name, generation)); err != nil {
			return err
		}
	}
	return nil
}

// embeddingsOf lists the embeddings of a graph by name, without past generations.
func (t *tx) embeddingsOf(graph uint64) ([]string, error) {
	var names []string
	err := t.each(embeddingsName, func(key, _ []byte) error {
		r, err := t.findEmbedding(string(key))
		if err == nil && r.GraphID == graph && !r.Past {
			names = append(names, string(key))
		}
		return err
	})
	return names, err
}
