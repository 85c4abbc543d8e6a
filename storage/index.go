package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/tree"
	"heavytail/storage/internal/verify"
)

// An index speeds up searches in the rows of one generation of an embedding. The key of
// its record is the object of these rows and its metric:
//
//	indexes / rows 8 metric            catalogue entry (msgpack)
//
// No two generations have the same object, and an object is never used again, so an
// index cannot be mistaken for an index of other rows. It is removed with them
// (discardRows). The content of the stream is known only to its writer.

// IndexInfo is the catalogue entry of an index.
type IndexInfo struct {
	Embedding  string    `json:"embedding"` // name of the embedding, with the number of the generation if it is a past one
	Generation uint64    `json:"generation"`
	Metric     string    `json:"metric"`
	Parameters []Setting `json:"parameters"`
	Vectors    int       `json:"vectors"`
	Recall     float64   `json:"recall"`             // mean fraction of the nearest that searches found when it was built
	Queries    int       `json:"queries"`            // number of searches behind Recall
	Lowest     float64   `json:"lowest"`             // the fraction that the worst of the searches found
	Poor       float64   `json:"poor"`               // the fraction of the searches that found less than half
	Compared   []uint32  `json:"compared,omitempty"` // vectors that the searches compared, the medians of equal shares of them
	Seconds    float64   `json:"seconds"`            // time that building it took
	Created    time.Time `json:"created"`
	Bytes      int64     `json:"bytes"` // of the stream
}

// maxMetric bounds the name of a metric.
const maxMetric = 64

// indexRecord is the catalogue entry of an index as it is stored.
type indexRecord struct {
	Parameters []Setting       `msgpack:"parameters"`
	Vectors    uint64          `msgpack:"vectors"`
	Recall     float64         `msgpack:"recall"`
	Queries    uint64          `msgpack:"queries"`
	Lowest     float64         `msgpack:"lowest"`
	Poor       float64         `msgpack:"poor"`
	Compared   []uint32        `msgpack:"compared,omitempty"`
	Seconds    float64         `msgpack:"seconds"`
	Created    int64           `msgpack:"created"` // nanoseconds of Unix time
	Stream     tree.BlobRecord `msgpack:"stream"`
}

func (r *indexRecord) Validate(size int64) error {
	if !isShare(r.Recall) || !isShare(r.Lowest) || !isShare(r.Poor) || math.IsNaN(r.Seconds) || r.Vectors > block.MaxVertices || r.Queries > block.MaxVertices || len(r.Compared) > 100 || r.Stream.Object == 0 {
		return fault.Record("index of %d vectors with recall %v", r.Vectors, r.Recall)
	}
	return r.Stream.Validate(size)
}

func isShare(x float64) bool { return x >= 0 && x <= 1 }

func indexKey(rows uint64, metric string) []byte { return append(block.Key64(rows), metric...) }

func describeIndex(embedding, metric string) string {
	return fmt.Sprintf("index of %s by %s", describeEmbedding(embedding), fault.Clip(metric))
}

// indexKind are the indexes, by the object of the rows and metric. A recovery leaves
// them out, because they can be built again.
var indexKind = artefact[indexRecord]{
	bucket: block.IndexesName, name: "index", shortest: 8 + 1, longest: 8 + maxMetric,
	remedy: "drop the index and create it again",
	describe: func(t *tree.Tx, key []byte) string {
		embedding := ""
		if t != nil && len(key) >= 8 {
			embedding, _ = embeddingWith(t, block.IDOf(key))
		}
		return describeIndex(embedding, string(key[min(8, len(key)):]))
	},
	called:   func(key []byte) string { return string(key[8:]) },
	validate: (*indexRecord).Validate,
	stream:   func(r *indexRecord) *tree.BlobRecord { return &r.Stream },
	verify: func(c *verify.Checker, _ string, key []byte, _ *indexRecord) error {
		if _, known := embeddingWith(c.Tx, block.IDOf(key)); !known {
			c.Fault("indexes", fmt.Sprintf("index of the rows in object %d, which no embedding has", block.IDOf(key)), fault.RemedyRestore)
		}
		return nil
	},
	measure: func(out *Stats, t *tree.Tx, key []byte, _ *indexRecord, bytes int64) {
		embedding, _ := embeddingWith(t, block.IDOf(key))
		out.Indexes = append(out.Indexes, IndexStats{Embedding: embedding, Metric: string(key[8:]), Bytes: bytes})
	},
	leave: func([]byte, *indexRecord) (where, what string) {
		return "an index", "it is not carried over; create it again"
	},
}

// embeddingWith returns the name of the embedding that has its rows in an object.
func embeddingWith(t *tree.Tx, rows uint64) (name string, found bool) {
	_ = t.Each(block.EmbeddingsName, func(key, _ []byte) error {
		if r, err := findEmbedding(t, string(key)); err == nil && r.Object == rows {
			name, found = string(key), true
		}
		return nil
	})
	return name, found
}

// info converts the record to the type that callers get.
func (r *indexRecord) info(embedding string, generation uint64, metric string) IndexInfo {
	return IndexInfo{
		Embedding: embedding, Generation: generation, Metric: metric, Parameters: copied(r.Parameters),
		Vectors: int(r.Vectors), Recall: r.Recall, Queries: int(r.Queries), Lowest: r.Lowest, Poor: r.Poor, Compared: copied(r.Compared), Seconds: r.Seconds,
		Created: time.Unix(0, r.Created), Bytes: int64(r.Stream.Size),
	}
}

// PutIndex stores an index of the rows of the embedding with the catalogue entry of.
// The index consists of the bytes that write writes. It replaces an index with the same
// metric in one step. Metric and the fields that describe the index must be set in
// info; Embedding, Generation, Created and Bytes are set here. If the embedding has
// another generation by now, the error is ErrConflict; without rows, or without bytes,
// it is ErrInvalid.
func (db *DB) PutIndex(ctx context.Context, of EmbeddingInfo, info IndexInfo, write func(w io.Writer) error) (IndexInfo, error) {
	w, err := db.newIndexWriter(ctx, of.Name, NewIndex{Info: info, Write: write})
	if err != nil {
		return IndexInfo{}, err
	}
	defer w.stream.Abandon(ctx)
	err = db.file.Change(ctx, func(t *tree.Tx) error {
		rows, err := rowsOf(t, of)
		if err != nil {
			return err
		}
		return w.publish(t, rows)
	})
	if err != nil {
		return IndexInfo{}, err
	}
	return w.record.info(of.Name, of.Generation, info.Metric), nil
}

// NewIndex is an index that is not stored yet: its description, as for PutIndex,
// and a function that writes its bytes.
type NewIndex struct {
	Info  IndexInfo
	Write func(w io.Writer) error
}

// indexWriter stores an index in two steps: first its stream, then the record
// that assigns it to rows.
type indexWriter struct {
	metric string
	record indexRecord
	stream *tree.BlobWriter
}

// newIndexWriter writes the stream of an index, whose abandon the caller must call in
// any case. The caller must not hold the writer's lock.
func (db *DB) newIndexWriter(ctx context.Context, embedding string, n NewIndex) (*indexWriter, error) {
	info := n.Info
	where := describeIndex(embedding, info.Metric)
	w := &indexWriter{metric: info.Metric, record: indexRecord{
		Parameters: copied(info.Parameters), Vectors: uint64(info.Vectors),
		Recall: info.Recall, Queries: uint64(info.Queries), Lowest: info.Lowest, Poor: info.Poor, Compared: copied(info.Compared),
		Seconds: info.Seconds, Created: time.Now().UnixNano(),
	}}
	if info.Metric == "" || len(info.Metric) > maxMetric {
		return nil, fmt.Errorf("%s: metric of %d bytes: %w", where, len(info.Metric), ErrInvalid)
	}
	stream, err := db.writeStream(ctx, where, n.Write)
	w.stream = stream
	return w, err
}

// publish stores the index under the object of the rows, and replaces one with the same
// metric.
func (w *indexWriter) publish(t *tree.Tx, rows uint64) error {
	key := indexKey(rows, w.metric)
	if err := indexKind.drop(t, key); err != nil {
		return err
	}
	return indexKind.publish(t, key, &w.record, w.stream)
}

// rowsOf returns the object of the rows of an embedding as the caller knows it.
func rowsOf(t *tree.Tx, of EmbeddingInfo) (uint64, error) {
	r, err := findEmbedding(t, of.Name)
	if err != nil {
		return 0, err
	}
	if r.Generation != of.Generation || r.Created != of.Created.UnixNano() {
		return 0, fmt.Errorf("embedding %q has generation %d, no longer %d: %w", of.Name, r.Generation, of.Generation, ErrConflict)
	}
	if r.Object == 0 {
		return 0, fmt.Errorf("embedding %q has no rows: %w", of.Name, ErrInvalid)
	}
	return r.Object, nil
}

// Index returns the index of the rows of an embedding by a metric, and a reader
// of its bytes. The error is ErrNotFound if there is none, and ErrConflict if
// the embedding has a different generation than the given entry. If the index is
// replaced while it is read, the reader returns ErrConflict.
func (db *DB) Index(ctx context.Context, of EmbeddingInfo, metric string) (IndexInfo, io.Reader, error) {
	var info IndexInfo
	reader, err := viewed(ctx, db, func(t *tree.Tx) (io.Reader, error) {
		rows, err := rowsOf(t, of)
		if err != nil {
			return nil, err
		}
		key := indexKey(rows, metric)
		r, err := indexKind.find(t, key)
		if errors.Is(err, ErrNotFound) {
			return nil, &NotFoundError{Kind: "index", Name: of.Name + " by " + metric}
		}
		if err != nil {
			return nil, err
		}
		info = r.info(of.Name, of.Generation, metric)
		return indexKind.open(t, db, key, r)
	})
	return info, reader, err
}

// Indexes lists the indexes of an embedding by metric, or of all embeddings, by
// embedding, if the name is empty. If entries are damaged, it lists the others and
// returns a PartialError that names them.
func (db *DB) Indexes(ctx context.Context, embedding string) ([]IndexInfo, error) {
	var list []IndexInfo
	var damaged []error
	err := db.file.View(ctx, func(t *tree.Tx) error {
		list, damaged = nil, nil
		only := ""
		if embedding != "" {
			r, err := findEmbedding(t, embedding)
			if err != nil {
				return err
			}
			only = r.name
		}
		return t.Each(block.EmbeddingsName, func(key, _ []byte) error {
			if only != "" && string(key) != only {
				return nil
			}
			e, err := findEmbedding(t, string(key))
			if err != nil || e.Object == 0 {
				return err
			}
			bad, err := indexKind.valid(t, block.Key64(e.Object), func(k []byte, r *indexRecord) {
				list = append(list, r.info(string(key), e.Generation, string(k[8:])))
			})
			damaged = append(damaged, bad)
			return err
		})
	})
	return list, cmp.Or(err, fault.Partial(damaged...))
}

// dropIndexes removes the indexes of the rows in an object.
func dropIndexes(t *tree.Tx, rows uint64) error { return indexKind.dropAll(t, block.Key64(rows)) }

// discardRows marks the rows of an embedding and their indexes for removal by the
// sweep.
func discardRows(t *tree.Tx, rows uint64) error {
	if err := dropIndexes(t, rows); err != nil {
		return err
	}
	return t.Discard(rows)
}

// DropIndexes removes all indexes of an embedding, or only the one with the given
// metric if it is not empty, and returns their number. If there is none, the error is
// ErrNotFound.
func (db *DB) DropIndexes(ctx context.Context, embedding, metric string) (int, error) {
	dropped := 0
	err := db.file.Change(ctx, func(t *tree.Tx) error {
		dropped = 0
		r, err := findEmbedding(t, embedding)
		if err != nil {
			return err
		}
		keys, err := indexKind.keys(t, block.Key64(r.Object))
		if err != nil {
			return err
		}
		for _, key := range keys {
			if metric != "" && string(key[8:]) != metric {
				continue
			}
			if err := indexKind.drop(t, key); err != nil {
				return err
			}
			dropped++
		}
		if dropped == 0 {
			return &NotFoundError{Kind: "index of embedding", Name: embedding}
		}
		return nil
	})
	return dropped, err
}
