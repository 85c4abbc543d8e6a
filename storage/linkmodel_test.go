package storage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"

	bolt "go.etcd.io/bbolt"
)

// modelInfo describes a model of the graph of an embedding.
func modelInfo(of EmbeddingInfo, name string) ModelInfo {
	return ModelInfo{
		Name: name, Graph: of.Graph, GraphID: of.GraphID, GraphVersion: of.GraphVersion,
		Embeddings:   []ModelEmbedding{{Name: of.Name, Generation: of.Generation, Method: of.Method, Settings: of.Options}},
		AUCConnected: 0.85, Isolated: 0.1, Ranking: ModelRanking{MAP: [3]float64{0.3, 0.2, 0.4}, RecallGain: [3]float64{-0.1, -0.2, 0}, Vertices: 7},
		Terms: []string{"adamic_adar", "l1"}, Options: []Setting{{"features", "l1"}}, Kernel: "portable",
		AUC: 0.9, AUCLow: 0.8, AUCHigh: 0.95, AveragePrecision: 0.8, Brier: 0.1, CalibrationError: 0.01,
		Bins:       []CalibrationBin{{10, 0.1, 0.2}, {5, 0.9, 1}},
		Heuristics: []HeuristicMeasure{{Name: "adamic_adar", AUC: 0.7, AveragePrecision: 0.6}}, TrainingPairs: 100, TestPairs: 15, Seconds: 2,
		ByNegatives: []NegativeMeasure{{"degree", 15, 0.6, 0.55, 0.65, 0.5, 0.45, 0.4, []HeuristicMeasure{{"katz", 0.5, 0.4, 0.35, 0.25, 0.3, 0.2}}}},
	}
}

// putModel stores n bytes as a model of the graph of an embedding.
func putModel(t *testing.T, db *DB, of EmbeddingInfo, name string, n int) ModelInfo {
	t.Helper()
	info, err := db.PutModel(context.Background(), modelInfo(of, name), func(w io.Writer) error {
		_, err := w.Write(blobBytes(n))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// wantModel compares a model with what was stored.
func wantModel(t *testing.T, db *DB, want ModelInfo) {
	t.Helper()
	got, r, err := db.Model(context.Background(), want.Name)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(data, blobBytes(int(want.Bytes))) {
		t.Errorf("%d bytes of %d, %v", len(data), want.Bytes, err)
	}
	if !got.Created.Equal(want.Created) {
		t.Errorf("made %v, not %v", got.Created, want.Created)
	}
	want.Created = got.Created // of another zone
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// ringEmbedding makes a ring with an embedding.
func ringEmbedding(t *testing.T, db *DB, graph, name string, n int) EmbeddingInfo {
	t.Helper()
	putRing(t, db, graph, n)
	info, err := db.PutEmbedding(context.Background(), EmbeddingInfo{Name: name, Graph: graph, GraphVersion: 1, Method: "constant", Options: []Setting{{"dim", "3"}}}, constantRows(n, 3))
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func TestPutModel(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "file")
	db := openStore(t, path, nil)
	of := ringEmbedding(t, db, "ring", "e", 10)
	if list, err := db.Models(ctx); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	putModel(t, db, of, "m", 10)
	want := putModel(t, db, of, "m", 2*tree.BlobBlock+7) // replaces the other
	other := putModel(t, db, of, "a", 20)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = openStore(t, path, nil)
	wantModel(t, db, want)
	if list, err := db.Models(ctx); err != nil || len(list) != 2 || list[0].Name != "a" || list[1].Name != "m" {
		t.Errorf("%+v, %v", list, err)
	}
	stats, err := db.Stats(ctx)
	if err != nil || len(stats.Models) != 2 || stats.Models[1].Bytes < 2*tree.BlobBlock {
		t.Errorf("%+v, %v", stats.Models, err)
	}
	if _, err := db.Compact(ctx, nil); err != nil {
		t.Fatal(err)
	}
	wantModel(t, db, want)
	copied := filepath.Join(t.TempDir(), "copy")
	if _, err := db.Backup(ctx, copied, false, nil); err != nil {
		t.Fatal(err)
	}
	wantModel(t, openStore(t, copied, &Options{ReadOnly: true}), want)

	// The embedding may be dropped, but not the graph, unless its models are dropped with
	// it.
	if err := db.DropEmbedding(ctx, "e"); err != nil {
		t.Fatal(err)
	}
	wantModel(t, db, want)
	if err := db.DropGraph(ctx, "ring", false); !errors.Is(err, ErrInUse) {
		t.Errorf("drop of a graph that has models: %v", err)
	}
	_, reader, err := db.Model(ctx, "a")
	if err != nil {
		t.Fatal(err)
	}
	if err := db.DropModel(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(reader); !errors.Is(err, ErrConflict) {
		t.Errorf("model that was dropped while it was read: %v", err)
	}
	if _, err := db.ModelInfo(ctx, other.Name); !errors.Is(err, ErrNotFound) {
		t.Errorf("model that was dropped: %v", err)
	}
	if err := db.DropGraph(ctx, "ring", true); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ModelInfo(ctx, "m"); !errors.Is(err, ErrNotFound) {
		t.Errorf("model of a graph that was dropped: %v", err)
	}
}

// The own embeddings of a model are dropped with it, or with the model that replaces it and does not read
// them; those that it only reads stay.
func TestPutModel_Own(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	of := ringEmbedding(t, db, "ring", "e", 10)
	put := func(name string) EmbeddingInfo {
		info, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: name, Graph: "ring", GraphVersion: 1, Method: "constant", Options: []Setting{{"dim", "3"}}}, constantRows(10, 3))
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	store := func(own ...string) {
		info := modelInfo(of, "m")
		for _, name := range own {
			info.Embeddings = append(info.Embeddings, ModelEmbedding{Name: name, Generation: 1, Method: "constant", Own: true})
		}
		if _, err := db.PutModel(ctx, info, func(w io.Writer) error { _, err := w.Write([]byte("model")); return err }); err != nil {
			t.Fatal(err)
		}
	}
	left := func(want ...string) {
		t.Helper()
		list, err := db.Embeddings(ctx)
		var names []string
		for _, e := range list {
			names = append(names, e.Name)
		}
		if err != nil || strings.Join(names, " ") != strings.Join(want, " ") {
			t.Errorf("embeddings %v, expected %v, %v", names, want, err)
		}
	}
	put("m_a")
	put("m_b")
	store("m_a", "m_b")
	left("e", "m_a", "m_b")
	store("m_b")
	left("e", "m_b")
	if err := db.DropModel(ctx, "m"); err != nil {
		t.Fatal(err)
	}
	left("e")
}

func TestPutModel_Refused(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	of := ringEmbedding(t, db, "ring", "e", 10)
	foreign := ringEmbedding(t, db, "other", "f", 10)
	putModel(t, db, foreign, "taken", 5)
	broken := errors.New("broken")
	change := func(f func(*ModelInfo)) ModelInfo {
		info := modelInfo(of, "m")
		f(&info)
		return info
	}
	for _, c := range []struct {
		info ModelInfo
		give error
		want error
	}{
		{change(func(m *ModelInfo) { m.Name = "" }), nil, ErrName},
		{change(func(m *ModelInfo) { m.Name = "taken" }), nil, ErrExists},
		{change(func(m *ModelInfo) { m.Graph = "none" }), nil, ErrNotFound},
		{change(func(m *ModelInfo) { m.Graph = "other" }), nil, ErrConflict},
		{change(func(m *ModelInfo) { m.GraphVersion = 9 }), nil, ErrInvalid},
		{change(func(m *ModelInfo) { m.AUC = 2 }), nil, ErrInvalid},
		{change(func(m *ModelInfo) { m.Embeddings[0].Generation = 0 }), nil, ErrInvalid},
		{modelInfo(of, "m"), broken, broken},
	} {
		_, err := db.PutModel(ctx, c.info, func(w io.Writer) error {
			if _, err := w.Write(blobBytes(2 * tree.BlobBlock)); err != nil {
				return err
			}
			return c.give
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, expected %v", c.info, err, c.want)
		}
	}
	if _, err := db.PutModel(ctx, modelInfo(of, "m"), func(io.Writer) error { return nil }); !errors.Is(err, ErrInvalid) {
		t.Errorf("without bytes: %v", err)
	}
	if _, err := db.ModelInfo(ctx, "m"); !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}

// A recovery copies models; those of a rebuilt graph belong to the new one, and models with
// damaged streams are left out.
func TestRecover_Model(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: recovers three damaged files")
	}
	ctx := context.Background()
	for _, damage := range []string{"", "graph", "stream"} {
		t.Run("damage="+damage, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			db := openStore(t, path, nil)
			of := ringEmbedding(t, db, "ring", "e", 3000)
			want := putModel(t, db, of, "m", tree.BlobBlock+5)
			object, part := uint64(0), block.ArcsName
			err := db.file.View(ctx, func(tx *tree.Tx) error {
				r, err := findModel(tx, "m")
				object = r.Stream.Object
				if g, _ := graphs.Find(tx, "ring"); damage == "graph" {
					object = g.Object
				} else {
					part = block.BlobName
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if damage != "" {
				damageObject(t, path, object, part)
			}
			to := filepath.Join(t.TempDir(), "recovered")
			report, err := Recover(ctx, path, to, RecoverOptions{})
			if err != nil {
				t.Fatal(err)
			}
			recovered := openStore(t, to, nil)
			if damage == "stream" {
				if len(report.Models) != 0 || !strings.Contains(strings.Join(report.Lost, "\n"), `model "m": is left out`) {
					t.Errorf("%+v", report)
				}
				if _, err := recovered.ModelInfo(ctx, "m"); !errors.Is(err, ErrNotFound) {
					t.Errorf("damaged model: %v", err)
				}
				return
			}
			if len(report.Models) != 1 {
				t.Errorf("%+v", report)
			}
			if damage == "graph" {
				g, err := recovered.Graph(ctx, "ring")
				if err != nil {
					t.Fatal(err)
				}
				want.GraphID, want.GraphVersion = g.ID, g.Version
			}
			wantModel(t, recovered, want)
			if e, err := recovered.EmbeddingInfo(ctx, "e"); err != nil || e.Method != want.Embeddings[0].Method {
				t.Errorf("embedding %v, %v", e, err)
			}
		})
	}
}

// damageObject changes a byte of the first record of a part of an object.
func damageObject(t *testing.T, path string, object uint64, part []byte) {
	t.Helper()
	withRoot(t, path, func(root *bolt.Bucket) error {
		b := root.Bucket(block.ObjectsName).Bucket(block.Key64(object)).Bucket(part)
		key, value := b.Cursor().First()
		value = bytes.Clone(value)
		value[len(value)-1] ^= 0xff
		return b.Put(bytes.Clone(key), value)
	})
}
