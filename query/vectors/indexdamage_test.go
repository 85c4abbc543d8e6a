package vectors_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/maintenance"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// indexMagic begins the stream of an index.
const indexMagic = "hthnsw3\n"

// indexedFile is a closed file with the embedding e and an index whose searches visit
// every vector, the answer of NEAREST 5 TO 'v7', and the vectors as they are stored.
func indexedFile(t *testing.T) (content []byte, want []vectors.Neighbor, stored []byte) {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "sound.ht")
	db, err := query.Open(path, querytest.GraphOnly(1))
	if err != nil {
		t.Fatal(err)
	}
	querytest.ImportText(t, db, "g", querytest.RingText(600))
	querytest.PutRows(t, db, 600, 5)
	querytest.MustRun(t, db, "CREATE INDEX ON e WITH (m := 4, ef_construction := 20, ef := 600)")
	_, m, err := querytest.Engine(db).Store.Embedding(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range m.Data {
		stored = binary.LittleEndian.AppendUint32(stored, math.Float32bits(x))
	}
	exact, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 5, Embedding: "e", Vertex: "v7", Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if content, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return content, exact.Neighbors, stored
}

// After a changed byte in the links or the vectors, the first NEAREST of a process gives an
// error or the right answer; BACKUP refuses the file, CHECK finds the damage, and a
// recovered file has the right answer, or no embedding.
func TestFileIndex_FlippedBytes(t *testing.T) {
	t.Parallel()
	content, want, vectors := indexedFile(t)
	links := bytes.Index(content, []byte(indexMagic))
	rows := bytes.Index(content, vectors)
	if links < 0 || rows < 0 || bytes.Count(content, []byte(indexMagic)) != 1 || bytes.Count(content, vectors) != 1 {
		t.Fatal("links and vectors are not in the file once each")
	}
	const row = 4 * 5
	section := func(i int) int { return int(binary.LittleEndian.Uint32(content[links+i:])) }
	pages := links + 64 + (9+8*4)*600 + 4*4*section(52) + 8*(section(56)+section(60))
	places := map[string]int{
		"magic": links + 3, "head": links + 28, "sums": links + 64 + 600 + 4*300, "places": links + 64 + 5*600 + 4*10, "base": links + 64 + 9*600 + 32*7, "page sums": pages + 4*5,
		"first vector": rows, "query vector": rows + 7*row + 2, "last vector": rows + len(vectors) - 1,
	}
	for what, at := range places {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			damaged := slices.Clone(content)
			damaged[at] ^= 0x10
			searchDamagedFile(t, damaged, want, at >= rows && at < rows+len(vectors))
		})
	}
}

// searchDamagedFile searches a file with damage either in its vectors or in its index.
func searchDamagedFile(t *testing.T, content []byte, want []vectors.Neighbor, inVectors bool) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "damaged.ht")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := query.Open(path, querytest.GraphOnly(1))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	req := vectors.NearestRequest{K: 5, Embedding: "e", Vertex: "v7"}
	r, err := db.Vectors().Nearest(ctx, req)
	switch {
	case inVectors && !errors.Is(err, storage.ErrCorrupt):
		t.Errorf("vectors: %+v, %v", r, err)
	case !inVectors && (err != nil || r.Index != nil || !slices.Equal(r.Neighbors, want) || len(r.Notices) != 1 || !strings.Contains(r.Notices[0].Text, "create it again")):
		t.Errorf("links: %+v, %v", r, err)
	}
	if report, err := db.Maintenance().Check(ctx); err != nil || len(report.Faults) == 0 {
		t.Errorf("CHECK: %+v, %v", report, err)
	}
	if _, err := db.Maintenance().Backup(ctx, maintenance.BackupRequest{Path: filepath.Join(t.TempDir(), "copy.ht")}); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("BACKUP: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "recovered.ht")
	if _, err := maintenance.Recover(ctx, path, to, maintenance.RecoverOptions{}); err != nil {
		t.Fatal(err)
	}
	again, err := query.Open(to, querytest.GraphOnly(1))
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	querytest.MustBeSound(t, again)
	if r, err = again.Vectors().Nearest(ctx, req); inVectors != errors.Is(err, storage.ErrNotFound) || !inVectors && !slices.Equal(r.Neighbors, want) {
		t.Errorf("recovered: %+v, %v", r, err)
	}
}

// A sound file is copied with its index, which the copy searches in the file.
func TestFileIndex_Backup(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := querytest.FileScanDB(t, querytest.GraphOnly(1))
	querytest.MustRun(t, db, "CREATE INDEX ON e WITH (m := 4, ef_construction := 20, ef := 600)")
	path := filepath.Join(t.TempDir(), "copy.ht")
	if _, err := db.Maintenance().Backup(ctx, maintenance.BackupRequest{Path: path}); err != nil {
		t.Fatal(err)
	}
	copied, err := query.Open(path, querytest.GraphOnly(1))
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	req := vectors.NearestRequest{K: 5, Embedding: "e", Vertex: "v7"}
	want, err1 := db.Vectors().Nearest(ctx, req)
	have, err2 := copied.Vectors().Nearest(ctx, req)
	if err1 != nil || err2 != nil || have.Index == nil || querytest.Loaded(copied) || !slices.Equal(have.Neighbors, want.Neighbors) {
		t.Errorf("%+v in the copy, %+v: %v, %v", have, want, err2, err1)
	}
}

// putStream replaces the index of e by the given bytes.
func putStream(t *testing.T, db *query.DB, stream []byte) {
	t.Helper()
	ctx := context.Background()
	of, err := querytest.Engine(db).Store.EmbeddingInfo(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	info := storage.IndexInfo{Metric: "l2", Vectors: of.Vertices, Recall: 1, Parameters: []storage.Setting{{Name: "ef", Value: "100"}}}
	if _, err := querytest.Engine(db).Store.PutIndex(ctx, of, info, func(w io.Writer) error {
		_, err := w.Write(stream)
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

// REFRESH rebuilds an index that cannot be read, and the next search uses it in the file.
func TestRefresh_DamagedIndex(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := querytest.Open(t, querytest.GraphOnly(1))
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 80, m := 2, seed := 2) INTO g")
	querytest.MustRun(t, db, "EMBED g USING deepwalk(dim := 4, walks := 2, length := 6, window := 2, seed := 1) AS e")
	for i, damage := range []func(b []byte) []byte{
		func(b []byte) []byte { b[len(b)/2] ^= 1; return b },
		func(b []byte) []byte { return b[:len(b)-5] },
		func([]byte) []byte { return []byte("no index") },
	} {
		querytest.MustRun(t, db, "CREATE INDEX ON e WITH (ef := 100)")
		of, err := querytest.Engine(db).Store.EmbeddingInfo(ctx, "e")
		if err != nil {
			t.Fatal(err)
		}
		_, r, err := querytest.Engine(db).Store.Index(ctx, of, "l2")
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil || !bytes.HasPrefix(b, []byte(indexMagic)) {
			t.Fatalf("%.8s, %v", b, err)
		}
		putStream(t, db, damage(b))
		querytest.MustRun(t, db, fmt.Sprintf("INSERT EDGE ('7', 'new%d') INTO g", i))
		querytest.MustRun(t, db, "REFRESH e")
		querytest.ForgetLoaded(db)
		have, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 9, Embedding: "e", Vertex: "7"})
		if err != nil || have.Index == nil || querytest.Loaded(db) || len(have.Notices) != 0 {
			t.Fatalf("%d: %+v, %v", i, have, err)
		}
		want, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 9, Embedding: "e", Vertex: "7", Exact: true})
		if err != nil || !slices.Equal(have.Neighbors, want.Neighbors) {
			t.Errorf("%d: %+v, expected %+v (%v)", i, have.Neighbors, want.Neighbors, err)
		}
	}
}
