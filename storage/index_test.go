package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/tree"
	"heavytail/storage/vec"
)

// putIndex stores n bytes as an index of an embedding.
func putIndex(t *testing.T, db *DB, of EmbeddingInfo, metric string, n int) IndexInfo {
	t.Helper()
	info := IndexInfo{Metric: metric, Parameters: []Setting{{"m", "16"}}, Vectors: of.Vertices, Recall: 0.99, Queries: 100, Lowest: 0.5, Poor: 0.01, Compared: []uint32{700, 900}, Seconds: 1.5}
	info, err := db.PutIndex(context.Background(), of, info, func(w io.Writer) error {
		_, err := w.Write(blobBytes(n))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func readIndex(db *DB, of EmbeddingInfo, metric string) ([]byte, error) {
	_, r, err := db.Index(context.Background(), of, metric)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(r)
}

func TestPutIndex(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "file")
	db := openStore(t, path, nil)
	putRing(t, db, "ring", 100)
	put := func() EmbeddingInfo {
		t.Helper()
		info, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1}, constantRows(100, 3))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := put()
	putIndex(t, db, first, "l2", 10)
	want := putIndex(t, db, first, "l2", 3*tree.BlobBlock) // replaces the other
	putIndex(t, db, first, "cosine", 20)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openStore(t, path, nil)
	list, err := db.Indexes(ctx, "e")
	if err != nil || len(list) != 2 || list[0].Metric != "cosine" || list[1].Recall != 0.99 || list[1].Lowest != 0.5 || list[1].Poor != 0.01 || !list[1].Created.Equal(want.Created) || list[1].Bytes != 3*tree.BlobBlock {
		t.Fatalf("%+v, %v", list, err)
	}
	if data, err := readIndex(db, first, "l2"); err != nil || !bytes.Equal(data, blobBytes(3*tree.BlobBlock)) {
		t.Errorf("%d bytes, %v", len(data), err)
	}
	if _, err := readIndex(db, first, "dot"); !errors.Is(err, ErrNotFound) {
		t.Errorf("another metric: %v", err)
	}
	stats, err := db.Stats(ctx)
	if err != nil || len(stats.Indexes) != 2 || stats.Indexes[1].Bytes < 3*tree.BlobBlock {
		t.Errorf("%+v, %v", stats.Indexes, err)
	}
	if _, err := db.Compact(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if data, err := readIndex(db, first, "l2"); err != nil || !bytes.Equal(data, blobBytes(3*tree.BlobBlock)) {
		t.Errorf("after a compaction: %d bytes, %v", len(data), err)
	}

	// A new generation has no index of the previous one.
	second := put()
	if _, err := readIndex(db, first, "l2"); !errors.Is(err, ErrConflict) {
		t.Errorf("generation %d: %v", first.Generation, err)
	}
	if _, err := readIndex(db, second, "l2"); !errors.Is(err, ErrNotFound) {
		t.Errorf("generation %d: %v", second.Generation, err)
	}
	write := func(w io.Writer) error { _, err := w.Write([]byte("links")); return err }
	if _, err := db.PutIndex(ctx, first, IndexInfo{Metric: "l2"}, write); !errors.Is(err, ErrConflict) {
		t.Errorf("index of a generation that is gone: %v", err)
	}

	putIndex(t, db, second, "l2", 10)
	putIndex(t, db, second, "dot", 10)
	if n, err := db.DropIndexes(ctx, "e", "dot"); n != 1 || err != nil {
		t.Errorf("one dropped: %d, %v", n, err)
	}
	if n, err := db.DropIndexes(ctx, "e", ""); n != 1 || err != nil {
		t.Errorf("all dropped: %d, %v", n, err)
	}
	if _, err := db.DropIndexes(ctx, "e", ""); !errors.Is(err, ErrNotFound) {
		t.Errorf("none to drop: %v", err)
	}

	// An index is dropped with its embedding.
	putIndex(t, db, second, "l2", 10)
	if err := db.DropEmbedding(ctx, "e"); err != nil {
		t.Fatal(err)
	}
	if err := db.file.View(ctx, func(t *tree.Tx) error {
		return t.Each(block.IndexesName, func(key, _ []byte) error { return errors.New("there is an index") })
	}); err != nil {
		t.Errorf("after the embedding was dropped: %v", err)
	}
}

func TestPutIndex_Refused(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	putRing(t, db, "ring", 10)
	info, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1}, constantRows(10, 3))
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		of   EmbeddingInfo
		info IndexInfo
		give error
		want error
	}{
		{EmbeddingInfo{Name: "none"}, IndexInfo{Metric: "l2"}, nil, ErrNotFound},
		{info, IndexInfo{}, nil, ErrInvalid},
		{info, IndexInfo{Metric: "l2", Recall: 2}, nil, ErrInvalid},
		{info, IndexInfo{Metric: "l2", Recall: 1, Lowest: -1}, nil, ErrInvalid},
		{info, IndexInfo{Metric: "l2", Recall: 1, Poor: 2}, nil, ErrInvalid},
		{info, IndexInfo{Metric: "l2"}, broken, broken},
	} {
		_, err := db.PutIndex(ctx, c.of, c.info, func(w io.Writer) error {
			if _, err := w.Write(blobBytes(2 * tree.BlobBlock)); err != nil {
				return err
			}
			return c.give
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, expected %v", c.info, err, c.want)
		}
	}
	if _, err := db.PutIndex(ctx, info, IndexInfo{Metric: "l2"}, func(io.Writer) error { return nil }); !errors.Is(err, ErrInvalid) {
		t.Errorf("without bytes: %v", err)
	}
	if list, err := db.Indexes(ctx, ""); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// A recovery leaves indexes out, and reports it.
func TestRecover_Index(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	putRing(t, db, "ring", 10)
	info, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1}, constantRows(10, 3))
	if err != nil {
		t.Fatal(err)
	}
	putIndex(t, db, info, "l2", 2*tree.BlobBlock)
	to := filepath.Join(t.TempDir(), "recovered")
	report, err := db.Recover(ctx, to, RecoverOptions{})
	if err != nil || len(report.Lost) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	recovered := openStore(t, to, nil)
	if list, err := recovered.Indexes(ctx, ""); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	if _, m, err := recovered.Embedding(ctx, "e"); err != nil || m.Rows != 10 {
		t.Errorf("embedding: %v", err)
	}
}

// Indexes of new rows are stored with the rows or not at all.
func TestReplaceEmbedding_Indexes(t *testing.T) {
	ctx := context.Background()
	db := openStore(t, filepath.Join(t.TempDir(), "file"), &Options{BatchBytes: 4096})
	putRing(t, db, "ring", 100)
	info := EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1}
	fresh := func(metric string, n int, failure error) NewIndex {
		return NewIndex{Info: IndexInfo{Metric: metric, Vectors: 100, Recall: 1}, Write: func(w io.Writer) error {
			_, err := w.Write(blobBytes(n))
			return errors.Join(failure, err)
		}}
	}
	first, err := db.ReplaceEmbedding(ctx, EmbeddingInfo{}, info, constantRows(100, 3), nil, fresh("l2", 2*tree.BlobBlock, nil))
	if err != nil {
		t.Fatal(err)
	}
	check := func(of EmbeddingInfo, sizes map[string]int) {
		t.Helper()
		list, err := db.Indexes(ctx, "e")
		if err != nil || len(list) != len(sizes) {
			t.Errorf("%+v, %v", list, err)
		}
		for metric, n := range sizes {
			if data, err := readIndex(db, of, metric); err != nil || !bytes.Equal(data, blobBytes(n)) {
				t.Errorf("%s: %d bytes, %v", metric, len(data), err)
			}
		}
		if report, err := db.Check(ctx, nil); err != nil || len(report.Faults) > 0 {
			t.Errorf("check: %+v, %v", report.Faults, err)
		}
	}
	check(first, map[string]int{"l2": 2 * tree.BlobBlock})
	failed := errors.New("failed")
	for what, err := range map[string]error{
		"a failure": func() error {
			_, err := db.ReplaceEmbedding(ctx, first, info, constantRows(100, 4), nil, fresh("l2", 10, nil), fresh("dot", 2*tree.BlobBlock, failed))
			return err
		}(),
		"no metric": func() error {
			_, err := db.ReplaceEmbedding(ctx, first, info, constantRows(100, 4), nil, fresh("l2", 3*tree.BlobBlock, nil), fresh("", 10, nil))
			return err
		}(),
		"no bytes": func() error {
			_, err := db.ReplaceEmbedding(ctx, first, info, constantRows(100, 4), nil, fresh("l2", 0, nil))
			return err
		}(),
		"no values": func() error {
			_, err := db.ReplaceEmbedding(ctx, first, info, vec.NewMatrix(100, 0), nil, fresh("l2", 10, nil))
			return err
		}(),
	} {
		if !errors.Is(err, failed) && !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", what, err)
		}
	}
	check(first, map[string]int{"l2": 2 * tree.BlobBlock})
	second, err := db.ReplaceEmbedding(ctx, first, info, constantRows(100, 5), nil, fresh("cosine", 3*tree.BlobBlock, nil), fresh("l2", 10, nil))
	if err != nil {
		t.Fatal(err)
	}
	check(second, map[string]int{"cosine": 3 * tree.BlobBlock, "l2": 10})
}
