package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// village is a stored graph that changes at random: groups with many edges inside
// and few between.
type village struct {
	t    *testing.T
	path string
	db   *storage.DB
	keys []string
	next int
	r    *rand.Rand
}

func newVillage(t *testing.T, vertices int, seed uint64) *village {
	v := &village{t: t, path: filepath.Join(t.TempDir(), "store"), r: rand.New(rand.NewPCG(seed, 4))}
	v.open()
	if _, err := v.db.CreateGraph(context.Background(), "g"); err != nil {
		t.Fatal(err)
	}
	v.update(func(tx *storage.Tx) error { return v.come(tx, vertices) })
	t.Cleanup(func() {
		if report, err := v.db.Check(context.Background(), nil); err != nil || len(report.Faults) > 0 {
			t.Errorf("check: %v %v", report.Faults, err)
		}
		v.db.Close()
	})
	return v
}

func (v *village) open() {
	v.t.Helper()
	var err error
	if v.db, err = storage.Open(v.path, nil); err != nil {
		v.t.Fatal(err)
	}
}

func (v *village) update(f func(tx *storage.Tx) error) {
	v.t.Helper()
	if err := v.db.Update(context.Background(), f); err != nil {
		v.t.Fatal(err)
	}
}

func (v *village) snapshot() *storage.Snapshot {
	v.t.Helper()
	snap, err := v.db.Snapshot(context.Background(), "g")
	if err != nil {
		v.t.Fatal(err)
	}
	return snap
}

// mate returns a random vertex, mostly of the same group as a given number.
func (v *village) mate(of int) string {
	const group = 25
	for range 1000 {
		key := v.keys[v.r.IntN(len(v.keys))]
		var number int
		fmt.Sscanf(key, "v%d", &number)
		if number/group == of/group || v.r.IntN(40) == 0 {
			return key
		}
	}
	return v.keys[0]
}

// come adds vertices with some edges each.
func (v *village) come(tx *storage.Tx, count int) error {
	var edges []storage.Edge
	for range count {
		key := fmt.Sprintf("v%d", v.next)
		v.keys = append(v.keys, key)
		for range 5 {
			if other := v.mate(v.next); other != key {
				edges = append(edges, storage.Edge{Source: key, Target: other})
			}
		}
		v.next++
	}
	_, err := tx.InsertEdges("g", edges)
	return err
}

// change inserts and deletes edges and vertices.
func (v *village) change() {
	v.update(func(tx *storage.Tx) error {
		if err := v.come(tx, v.r.IntN(3)); err != nil {
			return err
		}
		if v.r.IntN(2) == 0 {
			at := v.r.IntN(len(v.keys))
			if _, err := tx.DeleteVertices("g", []string{v.keys[at]}); err != nil {
				return err
			}
			v.keys = slices.Delete(v.keys, at, at+1)
		}
		for range 3 {
			key := v.keys[v.r.IntN(len(v.keys))]
			var number int
			fmt.Sscanf(key, "v%d", &number)
			if other := v.mate(number); other != key {
				if _, err := tx.InsertEdges("g", []storage.Edge{{Source: key, Target: other}}); err != nil {
					return err
				}
			}
		}
		return nil
	})
	snap := v.snapshot()
	u := uint32(v.r.IntN(snap.Info.Vertices))
	if row := snap.Graph.Neighbors(u); len(row) > 2 {
		v.update(func(tx *storage.Tx) error {
			_, err := tx.DeleteEdges("g", []storage.Edge{{Source: snap.Key(u), Target: snap.Key(row[v.r.IntN(len(row))])}})
			return err
		})
	}
}

// edgeAUC is how well distances separate edges from other pairs, as an AUC.
func edgeAUC(snap *storage.Snapshot, m *vec.Matrix) float64 {
	var linked, others []float64
	for v := range uint32(m.Rows) {
		for u := range v {
			d := -float64(vec.L2Squared(m.Row(int(u)), m.Row(int(v))))
			if snap.Graph.HasEdge(u, v) {
				linked = append(linked, d)
			} else {
				others = append(others, d)
			}
		}
	}
	return evaluate.AUC(linked, others)
}

// After random inserts, deletes, refreshes and restarts the embedding is as good as a full
// run, with the same bytes with and without the restarts.
func TestRefresh_Random(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a claim about graphs without structure, over many trainings")
	}
	ctx := context.Background()
	const rounds = 12
	for _, c := range []struct {
		method  string
		options []option.Given
	}{
		{"dp_spectral", []option.Given{{Name: "dim", Value: 12}}},
		{"dp_spectral", []option.Given{{Name: "dim", Value: 12}, {Name: "normalization", Value: "degree"}, {Name: "row_scale", Value: 0.25}, {Name: "components", Value: "joint"}}},
		{"laplacian_eigenmaps", []option.Given{{Name: "dim", Value: 12}}},
		{"dp_walker", []option.Given{{Name: "dim", Value: 16}, {Name: "walks", Value: 5}, {Name: "length", Value: 20}, {Name: "window", Value: 5}, {Name: "alpha", Value: 0.05}}},
		{"deepwalk", []option.Given{{Name: "dim", Value: 16}, {Name: "walks", Value: 5}, {Name: "length", Value: 20}, {Name: "window", Value: 5}, {Name: "negative", Value: 5}}},
		{"node2vec", []option.Given{{Name: "dim", Value: 16}, {Name: "walks", Value: 5}, {Name: "length", Value: 20}, {Name: "window", Value: 5}, {Name: "alpha", Value: 0.05}, {Name: "q", Value: 0.5}, {Name: "row_norm", Value: 0.5}, {Name: "row_scale", Value: 0.1}}},
	} {
		var rows []*vec.Matrix
		for _, restart := range []bool{false, true} {
			v := newVillage(t, 300, 7)
			if _, err := Embed(ctx, v.db, v.snapshot(), Request{Name: "e", Method: c.method, Options: c.options}); err != nil {
				t.Fatal(err)
			}
			incremental := 0
			for round := range rounds {
				for range 1 + v.r.IntN(3) {
					v.change()
				}
				if restart {
					if err := v.db.Close(); err != nil {
						t.Fatal(err)
					}
					v.open()
				}
				snap := v.snapshot()
				done, err := Refresh(ctx, v.db, snap, RefreshRequest{Name: "e", Workers: 1 + round%3})
				if err != nil {
					t.Fatal(err)
				}
				if done.To.Generation != done.From.Generation+1 || done.To.GraphVersion != snap.Info.Version || done.To.Vertices != snap.Info.Vertices || done.Versions == 0 {
					t.Errorf("%s: %+v", c.method, done)
				}
				if !done.Full {
					incremental++
				}
				v.checkRows("e")
			}
			if incremental < rounds-2 {
				t.Errorf("%s: %d of %d refreshes were incremental", c.method, incremental, rounds)
			}
			info, m, err := v.db.Embedding(ctx, "e")
			if err != nil {
				t.Fatal(err)
			}
			rows = append(rows, m)
			if restart {
				continue
			}
			snap := v.snapshot()
			full, err := Again(ctx, v.db, snap, info, Request{})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := edgeAUC(snap, m), edgeAUC(snap, full); got < want-0.02 || math.IsNaN(got) {
				t.Errorf("%s: AUC of the edges %.3f, %.3f after a full run", c.method, got, want)
			}
		}
		if !slices.Equal(rows[0].Data, rows[1].Data) {
			t.Errorf("%s: other bytes after restarts", c.method)
		}
	}
}

// checkRows verifies that every vertex has a vector, of finite numbers and not all 0.
func (v *village) checkRows(name string) {
	v.t.Helper()
	_, m, err := v.db.Embedding(context.Background(), name)
	if err != nil {
		v.t.Fatal(err)
	}
	if n := v.snapshot().Info.Vertices; m.Rows != n {
		v.t.Fatalf("%d rows of %d vertices", m.Rows, n)
	}
	for i := range m.Rows {
		if square := float64(vec.Dot(m.Row(i), m.Row(i))); !(square > 0) || math.IsInf(square, 0) {
			v.t.Fatalf("the square of the norm of row %d is %g", i, square)
		}
	}
}

// After random changes and restarts, refreshes of a spectral embedding span the space that
// a full run spans: nearly, except for directions whose eigenvalues are close to the
// omitted ones, and exactly with a small tolerance.
func TestRefresh_Random_SameSpace(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a claim about graphs without structure, over many trainings")
	}
	ctx := context.Background()
	for _, method := range []string{"dp_spectral", "laplacian_eigenmaps"} {
		v := newVillage(t, 300, 11)
		if _, err := Embed(ctx, v.db, v.snapshot(), Request{Name: "e", Method: method, Options: []option.Given{{Name: "dim", Value: 8}, {Name: "components", Value: "joint"}}}); err != nil {
			t.Fatal(err)
		}
		incremental := 0
		for round := range 8 {
			for range 1 + v.r.IntN(3) {
				v.change()
			}
			if v.r.IntN(2) == 0 {
				if err := v.db.Close(); err != nil {
					t.Fatal(err)
				}
				v.open()
			}
			snap := v.snapshot()
			exact := round%4 == 3
			req := RefreshRequest{Name: "e"}
			if exact {
				req.Tolerance = 1e-5
			}
			done, err := Refresh(ctx, v.db, snap, req)
			if err != nil {
				t.Fatal(err)
			}
			if !done.Full {
				incremental++
			}
			_, got, err := v.db.Embedding(ctx, "e")
			if err != nil {
				t.Fatal(err)
			}
			want, err := Again(ctx, v.db, snap, done.To, Request{})
			if err != nil {
				t.Fatal(err)
			}
			angles, err := embedding.Angles(ctx, got, want, 0)
			if err != nil {
				t.Fatal(err)
			}
			if len(angles) != 8 || angles[3] > 0.1 || exact && angles[7] > 0.01 {
				t.Errorf("%s, round %d: angles %.4f", method, round, angles)
			}
		}
		if incremental < 4 {
			t.Errorf("%s: %d of 8 refreshes were incremental", method, incremental)
		}
	}
}

// If nothing changed nothing is stored; if a refresh is not possible everything is computed
// in full, and the record says why.
func TestRefresh_NothingAndFull(t *testing.T) {
	ctx := context.Background()
	v := newVillage(t, 100, 7)
	first := v.snapshot()
	info, err := Embed(ctx, v.db, first, Request{Name: "e", Method: "dp_spectral", Options: []option.Given{{Name: "dim", Value: 8}}})
	if err != nil {
		t.Fatal(err)
	}
	v.update(func(tx *storage.Tx) error {
		_, err := tx.InsertVertices("g", []storage.Vertex{{Key: v.keys[0], Values: []storage.NamedValue{{Name: "age", Value: storage.IntegerValue(5)}}}})
		return err
	})
	done, err := Refresh(ctx, v.db, v.snapshot(), RefreshRequest{Name: "e"})
	if err != nil || done.To.Generation != info.Generation || done.Reason == "" {
		t.Errorf("%+v, %v", done, err)
	}
	v.change()
	if _, err := Refresh(ctx, v.db, first, RefreshRequest{Name: "e"}); !errors.Is(err, storage.ErrConflict) {
		t.Errorf("an old snapshot: %v", err)
	}
	// An imported embedding has rows and no state.
	_, rows, err := v.db.Embedding(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.db.PutEmbedding(ctx, info, rows); err != nil {
		t.Fatal(err)
	}
	snap := v.snapshot()
	done, err = Refresh(ctx, v.db, snap, RefreshRequest{Name: "e"})
	if err != nil || !done.Full || done.To.Generation != info.Generation+2 {
		t.Fatalf("%+v, %v", done, err)
	}
	want, err := Again(ctx, v.db, snap, done.To, Request{})
	if err != nil {
		t.Fatal(err)
	}
	if _, got, err := v.db.Embedding(ctx, "e"); err != nil || !slices.Equal(got.Data, want.Data) {
		t.Errorf("not the bytes of a full run, %v", err)
	}
	i := slices.IndexFunc(done.To.Stats, func(s storage.Setting) bool { return s.Name == "refresh" })
	if i < 0 || done.To.Stats[i].Value != "full" || !slices.Equal(done.To.Options, info.Options) {
		t.Errorf("%+v", done.To)
	}
	if _, err := Refresh(ctx, v.db, snap, RefreshRequest{Name: "e@2"}); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("a past generation: %v", err)
	}
	if _, err := Refresh(ctx, v.db, snap, RefreshRequest{Name: "none"}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no embedding: %v", err)
	}
}

// After a full run the record has the eigenvalues of that run, and none of the vectors before.
func TestRefresh_Eigenvalues(t *testing.T) {
	ctx := context.Background()
	v := newVillage(t, 60, 3)
	if _, err := Embed(ctx, v.db, v.snapshot(), Request{Name: "e", Method: "netmf", Options: []option.Given{{Name: "dim", Value: 4}}}); err != nil {
		t.Fatal(err)
	}
	v.update(func(tx *storage.Tx) error { // all edges go with their vertices
		if _, err := tx.DeleteVertices("g", v.keys); err != nil {
			return err
		}
		var list []storage.Vertex
		for i := range 8 {
			list = append(list, storage.Vertex{Key: fmt.Sprintf("alone %d", i)})
		}
		_, err := tx.InsertVertices("g", list)
		return err
	})
	snap := v.snapshot()
	_, want, err := Compute(ctx, snap.Graph, Request{Method: "netmf", Options: []option.Given{{Name: "dim", Value: 4}}})
	if err != nil {
		t.Fatal(err)
	}
	done, err := Refresh(ctx, v.db, snap, RefreshRequest{Name: "e"})
	if err != nil || !slices.Equal(done.To.Eigenvalues, want.Eigenvalues) || !slices.Equal(done.To.Residuals, want.Residuals) {
		t.Errorf("eigenvalues %v and residuals %v, of a full run %v and %v, %v", done.To.Eigenvalues, done.To.Residuals, want.Eigenvalues, want.Residuals, err)
	}
}

// An embedding that is dropped, or dropped and recreated, during its refresh is not stored
// again.
func TestRefresh_DroppedMeanwhile(t *testing.T) {
	ctx := context.Background()
	for _, again := range []bool{false, true} {
		v := newVillage(t, 60, 5)
		embed := func() {
			t.Helper()
			if _, err := Embed(ctx, v.db, v.snapshot(), Request{Name: "e", Method: "laplacian_eigenmaps", Options: []option.Given{{Name: "dim", Value: int64(4)}}}); err != nil {
				t.Fatal(err)
			}
		}
		embed()
		v.update(func(tx *storage.Tx) error {
			_, err := tx.InsertEdges("g", []storage.Edge{{Source: "new", Target: v.keys[0]}})
			return err
		})
		dropped := false
		_, err := Refresh(ctx, v.db, v.snapshot(), RefreshRequest{Name: "e", Tolerance: 1e-300, Progress: func(string, int64, int64) {
			if dropped {
				return
			}
			dropped = true
			if err := v.db.DropEmbedding(ctx, "e"); err != nil {
				t.Error(err)
			}
			if again {
				embed()
			}
		}})
		if !dropped || !errors.Is(err, storage.ErrConflict) {
			t.Errorf("dropped %t: %v", dropped, err)
		}
		if _, err := v.db.EmbeddingInfo(ctx, "e"); errors.Is(err, storage.ErrNotFound) == again {
			t.Errorf("made again %t: %v", again, err)
		}
	}
}

// Computed receives the rows before they are stored; if it fails, nothing is stored.
func TestRefresh_Computed(t *testing.T) {
	ctx := context.Background()
	for _, method := range []string{"dp_spectral", "deepwalk"} {
		v := newVillage(t, 100, 3)
		first, err := Embed(ctx, v.db, v.snapshot(), Request{Name: "e", Method: method, Options: []option.Given{{Name: "dim", Value: 4}}})
		if err != nil {
			t.Fatal(err)
		}
		v.change()
		failed := errors.New("failed")
		var computed []float32
		req := RefreshRequest{Name: "e", Computed: func(from storage.EmbeddingInfo, rows *vec.Matrix) ([]storage.NewIndex, error) {
			if from.Generation != first.Generation {
				t.Errorf("%s: from generation %d", method, from.Generation)
			}
			computed = slices.Clone(rows.Data)
			write := func(w io.Writer) error { _, err := w.Write([]byte("an index")); return err }
			return []storage.NewIndex{{Info: storage.IndexInfo{Metric: "l2"}, Write: write}}, failed
		}}
		if _, err := Refresh(ctx, v.db, v.snapshot(), req); !errors.Is(err, failed) {
			t.Errorf("%s: %v", method, err)
		}
		info, m, err := v.db.Embedding(ctx, "e")
		if err != nil || info.Generation != first.Generation || slices.Equal(m.Data, computed) {
			t.Errorf("%s: generation %d was stored after a failure, %v", method, info.Generation, err)
		}
		failed, computed = nil, nil
		if _, err := Refresh(ctx, v.db, v.snapshot(), req); err != nil {
			t.Fatal(err)
		}
		info, m, err = v.db.Embedding(ctx, "e")
		if err != nil || info.Generation != first.Generation+1 || !slices.Equal(m.Data, computed) {
			t.Errorf("%s: generation %d with other rows, %v", method, info.Generation, err)
		}
		if list, err := v.db.Indexes(ctx, "e"); err != nil || len(list) != 1 || list[0].Generation != info.Generation || list[0].Metric != "l2" {
			t.Errorf("%s: indexes %+v, %v", method, list, err)
		}
		// Where no edge has changed it is not called.
		computed = nil
		if _, err := Refresh(ctx, v.db, v.snapshot(), req); err != nil || computed != nil {
			t.Errorf("%s: called, %v", method, err)
		}
	}
}
