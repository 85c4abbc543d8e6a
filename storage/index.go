package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// An index helps searches in the rows of one generation of an embedding. Its
// record lies under the object of these rows and its metric:
//
//	indexes / rows 8 metric            catalogue entry (msgpack)
//
// No two generations have the same object, and an object is never used again, so
// an index cannot be taken for one of other rows. It goes with them: discard
// takes the indexes of an object along. What is inside of the stream is the
// business of who wrote it.

// IndexInfo is the catalogue entry of an index.
type IndexInfo struct {
	Embedding  string // the name of the embedding, with its generation where that was replaced
	Generation uint64
	Metric     string
	Parameters []Setting
	Vectors    int
	Recall     float64 // share of the nearest that searches found when it was built
	Queries    int     // how many searches that rests on
	Seconds    float64 // time that building it took
	Created    time.Time
	Bytes      int64 // of the stream
}

// maxMetric bounds the name of a metric.
const maxMetric = 64

// indexRecord is the catalogue entry of an index as it is stored.
type indexRecord struct {
	Parameters []settingRecord `msgpack:"parameters"`
	Vectors    uint64          `msgpack:"vectors"`
	Recall     float64         `msgpack:"recall"`
	Queries    uint64          `msgpack:"queries"`
	Seconds    float64         `msgpack:"seconds"`
	Created    int64           `msgpack:"created"` // nanoseconds of Unix time
	Stream     blobRecord      `msgpack:"stream"`
}

func (r *indexRecord) validate(size int64) error {
	if !(r.Recall >= 0 && r.Recall <= 1) || math.IsNaN(r.Seconds) || r.Vectors > maxVertices || r.Queries > maxVertices || r.Stream.Object == 0 {
		return badRecord("index of %d vectors with recall %v", r.Vectors, r.Recall)
	}
	return r.Stream.validate(size)
}

func indexKey(rows uint64, metric string) []byte { return append(be64(rows), metric...) }

func describeIndex(embedding, metric string) string {
	return fmt.Sprintf("index of %s by %s", describeEmbedding(embedding), clip(metric))
}

// info is the entry as the caller gets it.
func (r *indexRecord) info(embedding string, generation uint64, metric string) IndexInfo {
	return IndexInfo{
		Embedding: embedding, Generation: generation, Metric: metric, Parameters: settings(r.Parameters),
		Vectors: int(r.Vectors), Recall: r.Recall, Queries: int(r.Queries), Seconds: r.Seconds,
		Created: time.Unix(0, r.Created), Bytes: int64(r.Stream.Size),
	}
}

// PutIndex stores an index of the rows of an embedding, of which of is the
// catalogue entry: the bytes that write writes. It takes the place of that with
// the same metric in one step. Metric and what describes the index must be set in
// info; Embedding, Generation, Created and Bytes are set here. Where the embedding
// has another generation by now it is ErrConflict, and without rows, or without
// bytes, ErrInvalid.
func (db *DB) PutIndex(ctx context.Context, of EmbeddingInfo, info IndexInfo, write func(w io.Writer) error) (IndexInfo, error) {
	w, err := db.newIndexWriter(ctx, of.Name, NewIndex{Info: info, Write: write})
	if err != nil {
		return IndexInfo{}, err
	}
	defer w.stream.abandon(ctx)
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return IndexInfo{}, err
	}
	defer unlock()
	err = db.update(ctx, func(t *tx) error {
		rows, err := t.rowsOf(of)
		if err != nil {
			return err
		}
		return w.publish(t, rows)
	})
	if err != nil {
		return IndexInfo{}, err
	}
	db.sweep(ctx)
	return w.record.info(of.Name, of.Generation, info.Metric), nil
}

// NewIndex is an index that is not stored yet: what describes it, as PutIndex takes
// it, and what writes its bytes.
type NewIndex struct {
	Info  IndexInfo
	Write func(w io.Writer) error
}

// indexWriter stores an index in two steps: its stream, and what makes it one of
// some rows.
type indexWriter struct {
	where  string
	metric string
	record indexRecord
	stream *blobWriter
}

// newIndexWriter writes the stream of an index, which the caller must abandon in the
// end. It must not hold the writer's lock.
func (db *DB) newIndexWriter(ctx context.Context, embedding string, n NewIndex) (*indexWriter, error) {
	info := n.Info
	w := &indexWriter{where: describeIndex(embedding, info.Metric), metric: info.Metric, record: indexRecord{
		Parameters: settingRecords(info.Parameters), Vectors: uint64(info.Vectors),
		Recall: info.Recall, Queries: uint64(info.Queries), Seconds: info.Seconds, Created: time.Now().UnixNano(),
	}}
	if info.Metric == "" || len(info.Metric) > maxMetric {
		return nil, fmt.Errorf("storage: %s: metric of %d bytes: %w", w.where, len(info.Metric), ErrInvalid)
	}
	w.stream = db.newBlobWriter(ctx, w.where)
	if err := n.Write(w.stream); err != nil {
		w.stream.abandon(ctx)
		return nil, fmt.Errorf("storage: %s: %w", w.where, err)
	}
	return w, nil
}

// publish makes the index that of an object, in place of one with the same metric.
func (w *indexWriter) publish(t *tx, rows uint64) (err error) {
	key := indexKey(rows, w.metric)
	if err := t.dropIndex(key); err != nil {
		return err
	}
	if w.record.Stream, err = w.stream.publish(t); err != nil {
		return err
	}
	if err := w.record.validate(math.MaxInt64); err != nil {
		return fmt.Errorf("storage: %s: %w: %w", w.where, err, ErrInvalid)
	}
	return t.put(indexesName, key, &w.record)
}

// rowsOf returns the object of the rows of an embedding as the caller knows it.
func (t *tx) rowsOf(of EmbeddingInfo) (uint64, error) {
	r, err := t.findEmbedding(of.Name)
	if err != nil {
		return 0, err
	}
	if r.Generation != of.Generation || r.Created != of.Created.UnixNano() {
		return 0, fmt.Errorf("storage: embedding %q has generation %d, no longer %d: %w", of.Name, r.Generation, of.Generation, ErrConflict)
	}
	if r.Object == 0 {
		return 0, fmt.Errorf("storage: embedding %q has no rows: %w", of.Name, ErrInvalid)
	}
	return r.Object, nil
}

// Index returns the index of the rows of an embedding by a metric, and a reader
// of its bytes. It is ErrNotFound where there is none, and ErrConflict where the
// embedding has another generation by now than the given entry; where the index
// is replaced while it is read the reader gives ErrConflict.
func (db *DB) Index(ctx context.Context, of EmbeddingInfo, metric string) (IndexInfo, io.Reader, error) {
	var info IndexInfo
	var reader io.Reader
	err := db.view(ctx, func(t *tx) error {
		rows, err := t.rowsOf(of)
		if err != nil {
			return err
		}
		r, err := t.findIndex(rows, of.Name, metric)
		if err != nil {
			return err
		}
		info = r.info(of.Name, of.Generation, metric)
		reader, err = t.openBlob(db, describeIndex(of.Name, metric), r.Stream)
		return err
	})
	return info, reader, err
}

// findIndex returns the catalogue entry of an index.
func (t *tx) findIndex(rows uint64, embedding, metric string) (*indexRecord, error) {
	r := new(indexRecord)
	found, err := t.get(indexesName, indexKey(rows, metric), r)
	if err == nil && found {
		err = r.validate(t.bound())
	}
	if err != nil {
		return nil, corrupt(t.path, describeIndex(embedding, metric), err)
	}
	if !found {
		return nil, &NotFoundError{Kind: "index", Name: embedding + " by " + metric}
	}
	return r, nil
}

// Indexes lists the indexes of an embedding by metric, or those of all embeddings,
// by embedding, where the name is empty. Where entries are damaged it lists the
// others, and the error, which wraps ErrCorrupt, says which are.
func (db *DB) Indexes(ctx context.Context, embedding string) ([]IndexInfo, error) {
	var list []IndexInfo
	var damaged []error
	err := db.view(ctx, func(t *tx) error {
		list, damaged = nil, nil
		if embedding != "" {
			if _, err := t.findEmbedding(embedding); err != nil {
				return err
			}
		}
		return t.eachIndexed(func(name string, e *embeddingRecord, metric string) error {
			if embedding != "" && name != embedding {
				return nil
			}
			r, err := t.findIndex(e.Object, name, metric)
			if err == nil {
				list = append(list, r.info(name, e.Generation, metric))
			} else {
				damaged = append(damaged, err)
			}
			return nil
		})
	})
	return list, errors.Join(err, errors.Join(damaged...))
}

// eachIndexed calls f for every index of every embedding, by name and metric.
func (t *tx) eachIndexed(f func(embedding string, e *embeddingRecord, metric string) error) error {
	return t.each(embeddingsName, func(key, _ []byte) error {
		e, err := t.findEmbedding(string(key))
		if err != nil || e.Object == 0 {
			return err
		}
		keys, err := t.indexKeys(e.Object)
		for _, k := range keys {
			if err == nil {
				err = f(string(key), e, string(k[8:]))
			}
		}
		return err
	})
}

// indexKeys lists the keys of the indexes of some rows.
func (t *tx) indexKeys(rows uint64) ([][]byte, error) {
	b, err := t.top(indexesName)
	if err != nil || b == nil {
		return nil, err
	}
	var keys [][]byte
	prefix := be64(rows)
	cursor := b.Cursor()
	for key, _ := cursor.Seek(prefix); bytes.HasPrefix(key, prefix); key, _ = cursor.Next() {
		keys = append(keys, bytes.Clone(key))
	}
	return keys, nil
}

// dropIndex removes an index, if there is one. Of one whose record is damaged the
// stream is left to the next compaction.
func (t *tx) dropIndex(key []byte) error {
	var r indexRecord
	if found, err := t.get(indexesName, key, &r); err == nil && found {
		if err := t.trash(r.Stream.Object); err != nil {
			return err
		}
	}
	if b, err := t.top(indexesName); err != nil || b == nil {
		return err
	}
	return t.remove(indexesName, key)
}

// dropIndexes removes the indexes of some rows.
func (t *tx) dropIndexes(rows uint64) error {
	keys, err := t.indexKeys(rows)
	for _, key := range keys {
		if err == nil {
			err = t.dropIndex(key)
		}
	}
	return err
}

// DropIndexes removes all indexes of an embedding, or only that with a metric if
// it is not empty, and returns how many these were. Where there is none it is
// ErrNotFound.
func (db *DB) DropIndexes(ctx context.Context, embedding, metric string) (int, error) {
	unlock, err := db.lockWriter(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	dropped := 0
	err = db.update(ctx, func(t *tx) error {
		dropped = 0
		r, err := t.findEmbedding(embedding)
		if err != nil {
			return err
		}
		keys, err := t.indexKeys(r.Object)
		if err != nil {
			return err
		}
		for _, key := range keys {
			if metric != "" && string(key[8:]) != metric {
				continue
			}
			if err := t.dropIndex(key); err != nil {
				return err
			}
			dropped++
		}
		if dropped == 0 {
			return &NotFoundError{Kind: "index of embedding", Name: embedding}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	db.sweep(ctx)
	return dropped, nil
}

const remedyIndex = "drop the index and create it again"

// checkIndexes verifies the indexes and their streams.
func (c *checker) checkIndexes() error {
	owners := map[uint64]string{}
	return c.try("indexes", remedyRestore, func() error {
		err := c.tx.eachEmbeddingRecord(func(name string, r *embeddingRecord) { owners[r.Object] = name })
		if err != nil {
			return err
		}
		return c.tx.each(indexesName, func(key, _ []byte) error {
			c.report.Records++
			if len(key) <= 8 || len(key) > 8+maxMetric {
				return badRecord("key of %d bytes", len(key))
			}
			rows, metric := bytesToID(key[:8]), string(key[8:])
			owner, known := owners[rows]
			if !known {
				c.fault("indexes", fmt.Sprintf("index of the rows in object %d, which no embedding has", rows), remedyRestore)
			}
			defer c.step()
			return c.try(describeIndex(owner, metric), remedyIndex, func() error {
				r, err := c.tx.findIndex(rows, owner, metric)
				if err != nil {
					return foundDamage(err)
				}
				return c.checkBlob(describeIndex(owner, metric), remedyIndex, r.Stream)
			})
		})
	})
}

// eachEmbeddingRecord calls f with every embedding whose record is sound.
func (t *tx) eachEmbeddingRecord(f func(name string, r *embeddingRecord)) error {
	return t.each(embeddingsName, func(key, _ []byte) error {
		if r, err := t.findEmbedding(string(key)); err == nil {
			f(string(key), r)
		}
		return nil
	})
}

// copyIndexes copies the indexes, and has refer note their streams.
func (t *tx) copyIndexes(w *storeWriter, refer func(object uint64, where string)) error {
	if t.root.Bucket(indexesName) == nil {
		return nil
	}
	if err := w.into(indexesName); err != nil {
		return err
	}
	return t.each(indexesName, func(key, record []byte) error {
		if len(key) <= 8 {
			return corrupt(t.path, "indexes", badRecord("key of %d bytes", len(key)))
		}
		r, err := t.findIndex(bytesToID(key[:8]), "", string(key[8:]))
		if err != nil {
			return err
		}
		refer(r.Stream.Object, "an index")
		return w.put(key, record)
	})
}

// skipIndexes notes the streams of indexes, which a recovery leaves behind: they
// can be built again.
func (s *salvage) skipIndexes() error {
	if _, known := s.tops[string(indexesName)]; !known {
		return nil
	}
	return s.top(indexesName, func(e found) error {
		var r indexRecord
		if err := decodeStruct(seedOf(indexesName), e.key, e.value, &r); err == nil && r.Stream.Object != 0 {
			s.skipped[r.Stream.Object] = true
			s.losses.add("an index", fmt.Errorf("it is not carried over; create it again"))
		}
		return nil
	})
}
