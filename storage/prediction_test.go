package storage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// putPredictions stores for every vertex v of a graph the links to v+2, v+3, … with
// falling scores.
func putPredictions(t *testing.T, db *DB, graph, scorer string, top int) PredictionInfo {
	t.Helper()
	ctx := context.Background()
	snap, err := db.Snapshot(ctx, graph)
	if err != nil {
		t.Fatal(err)
	}
	n := snap.Info.Vertices
	info := PredictionInfo{Scorer: scorer, K: top, Seconds: 1, Options: []Setting{{"near", "50"}}}
	info, err = db.PutPredictions(ctx, snap, info, func(w *PredictionWriter) error {
		for v := range n {
			if err := w.Add(nextLinks(v, n, top)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return info
}

func nextLinks(v, n, top int) []PredictedLink {
	var links []PredictedLink
	for i := range top {
		links = append(links, PredictedLink{uint32((v + 2 + i) % n), 1 / float64(1+i)})
	}
	return links
}

// predicted returns the keys of an answer.
func predicted(t *testing.T, db *DB, graph, scorer, key string, k int) (keys string, isNew, changed bool) {
	t.Helper()
	p, err := db.Predicted(context.Background(), graph, scorer, key, k)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, l := range p.Links {
		list = append(list, l.Key)
	}
	return strings.Join(list, " "), p.New, p.Changed
}

func TestPutPredictions(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "file")
	db := openStore(t, path, &Options{BatchBytes: 1000})
	putRing(t, db, "ring", 100)
	putPredictions(t, db, "ring", "jaccard", 2)
	want := putPredictions(t, db, "ring", "jaccard", 4) // take the place of the others
	putPredictions(t, db, "ring", "model(m)", 1)
	if want.Vertices != 100 || want.Links != 400 || want.GraphVersion != 1 {
		t.Errorf("%+v", want)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before := fileSum(t, path)
	db = openStore(t, path, &Options{ReadOnly: true})
	if keys, isNew, changed := predicted(t, db, "ring", "jaccard", "10", 3); keys != "12 13 14" || isNew || changed {
		t.Error(keys, isNew, changed)
	}
	if keys, _, _ := predicted(t, db, "ring", "model(m)", "99", 3); keys != "1" {
		t.Error(keys)
	}
	if _, err := db.Predicted(ctx, "ring", "jaccard", "nobody", 3); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := db.Predicted(ctx, "ring", "katz", "1", 3); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	checkStore(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if before != fileSum(t, path) {
		t.Error("reading changed the file")
	}

	// Links that are there by now, and vertices that are gone, are no answer.
	db = openStore(t, path, &Options{BatchBytes: 1000})
	update(t, db, func(x *Tx) error {
		if _, err := x.InsertEdges("ring", []Edge{{Source: "10", Target: "12"}, {Source: "new", Target: "50"}}); err != nil {
			return err
		}
		_, err := x.DeleteVertices("ring", []string{"13"})
		return err
	})
	if keys, isNew, changed := predicted(t, db, "ring", "jaccard", "10", 3); keys != "14 15" || isNew || !changed {
		t.Error(keys, isNew, changed)
	}
	if keys, isNew, changed := predicted(t, db, "ring", "jaccard", "new", 3); keys != "" || !isNew || !changed {
		t.Error(keys, isNew, changed)
	}
	if keys, _, changed := predicted(t, db, "ring", "jaccard", "70", 2); keys != "72 73" || changed {
		t.Error(keys, changed)
	}
	if _, err := db.Compact(ctx, nil); err != nil {
		t.Fatal(err)
	}
	// Recreated, slots and vertices are no more the same.
	putPredictions(t, db, "ring", "jaccard", 2)
	if keys, isNew, _ := predicted(t, db, "ring", "jaccard", "new", 2); keys != "1 2" || isNew {
		t.Error(keys, isNew)
	}
	checkStore(t, db)
	list, err := db.Predictions(ctx)
	if err != nil || len(list) != 2 || list[0].Scorer != "jaccard" || list[0].Graph != "ring" || list[0].GraphVersion != 2 || !slices.Equal(list[0].Options, []Setting{{"near", "50"}}) {
		t.Errorf("%+v, %v", list, err)
	}
	stats, err := db.Stats(ctx)
	if err != nil || len(stats.Predicted) != 2 || stats.Predicted[0].Bytes < 1000 {
		t.Errorf("%+v, %v", stats.Predicted, err)
	}
	if err := db.DropPredictions(ctx, "ring", "jaccard"); err != nil {
		t.Fatal(err)
	}
	if err := db.DropPredictions(ctx, "ring", "jaccard"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if err := db.DropGraph(ctx, "ring", false); err != nil {
		t.Fatal(err)
	}
	if list, err := db.Predictions(ctx); err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}

// What is not shown any more is found one by one where the edges of the vertex fill
// many blocks, and the links that follow take its place.
func TestPredicted_Hub(t *testing.T) {
	const n = 9000
	db := newStore(t, nil)
	var spokes []Edge
	for v := 1; v < n; v++ {
		spokes = append(spokes, Edge{Source: fmt.Sprint(v), Target: fmt.Sprint(1 + v%(n-1))})
		if v%3 != 0 {
			spokes = append(spokes, Edge{Source: "0", Target: fmt.Sprint(v)})
		}
	}
	update(t, db, func(x *Tx) error {
		if _, err := x.CreateGraph("g"); err != nil {
			return err
		}
		_, err := x.InsertEdges("g", spokes)
		return err
	})
	snap, err := db.Snapshot(context.Background(), "g")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(4, 4))
	var list []PredictedLink // of the hub
	for i, v := range random.Perm(n/3 - 1)[:600] {
		other, _ := snap.Vertex(fmt.Sprint(3 * (v + 1)))
		list = append(list, PredictedLink{other, -float64(i)})
	}
	_, err = db.PutPredictions(context.Background(), snap, PredictionInfo{Scorer: "katz", K: 600}, func(w *PredictionWriter) error {
		for v := range n {
			some := list[:0]
			if snap.Key(uint32(v)) == "0" {
				some = list
			}
			if err := w.Add(some); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	hidden := make(map[string]bool)
	for round := range 4 {
		var want []string
		for _, l := range list {
			if key := snap.Key(l.Vertex); !hidden[key] {
				want = append(want, key)
			}
		}
		for _, k := range []int{1, 7, 300, 1000} {
			if keys, _, changed := predicted(t, db, "g", "katz", "0", k); keys != strings.Join(want[:min(k, len(want))], " ") || changed != (round > 0) {
				t.Fatalf("round %d, %d links: %s, %v; expected %v", round, k, keys, changed, want)
			}
		}
		update(t, db, func(x *Tx) error {
			for i := 0; i < 200; i += 2 {
				link, gone := snap.Key(list[random.IntN(300)].Vertex), snap.Key(list[random.IntN(300)].Vertex)
				if _, err := x.DeleteVertices("g", []string{gone}); err != nil {
					return err
				}
				hidden[gone] = true
				if hidden[link] {
					continue
				}
				if _, err := x.InsertEdges("g", []Edge{{Source: link, Target: "0"}}); err != nil {
					return err
				}
				hidden[link] = true
			}
			return nil
		})
	}
	p, err := db.Predicted(context.Background(), "g", "katz", "0", 1)
	if changes, err2 := db.Changes(context.Background(), "g", snap.Info.Version); err != nil || err2 != nil || p.Behind != changes.Versions || p.Behind != 4 {
		t.Errorf("%d versions behind, by the log %d: %v, %v", p.Behind, changes.Versions, err, err2)
	}
}

// What fails leaves what was there before, and nothing else.
func TestPutPredictions_Refused(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, &Options{BatchBytes: 1000})
	putRing(t, db, "ring", 100)
	putPredictions(t, db, "ring", "jaccard", 2)
	snap, err := db.Snapshot(ctx, "ring")
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	for _, c := range []struct {
		info  PredictionInfo
		write func(v int) ([]PredictedLink, error)
		want  error
	}{
		{PredictionInfo{Scorer: "jaccard"}, nil, ErrInvalid},
		{PredictionInfo{K: 3}, nil, ErrInvalid},
		{PredictionInfo{Scorer: "jaccard", K: 3, Directed: true}, nil, ErrInvalid}, // of an undirected graph
		{PredictionInfo{Scorer: "jaccard", K: 1}, func(v int) ([]PredictedLink, error) { return nextLinks(v, 100, 2), nil }, ErrInvalid},
		{PredictionInfo{Scorer: "jaccard", K: 1}, func(v int) ([]PredictedLink, error) { return []PredictedLink{{100, 1}}, nil }, ErrInvalid},
		{PredictionInfo{Scorer: "jaccard", K: 3}, func(v int) ([]PredictedLink, error) {
			if v == 99 {
				return nil, broken
			}
			return nextLinks(v, 100, 3), nil
		}, broken},
	} {
		_, err := db.PutPredictions(ctx, snap, c.info, func(w *PredictionWriter) error {
			for v := range 100 {
				links, err := c.write(v)
				if err == nil {
					err = w.Add(links)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, expected %v", c.info, err, c.want)
		}
	}
	_, err = db.PutPredictions(ctx, snap, PredictionInfo{Scorer: "jaccard", K: 3}, func(w *PredictionWriter) error { return w.Add(nil) })
	if !errors.Is(err, ErrInvalid) {
		t.Errorf("one vertex of all: %v", err)
	}
	if keys, _, _ := predicted(t, db, "ring", "jaccard", "10", 3); keys != "12 13" {
		t.Error(keys)
	}
	stats, err := db.Stats(ctx)
	if err != nil || len(stats.Unfinished) != 0 || stats.TrashBytes != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// What a vertex keeps is what was stored for it, over many batches, and it is refused where
// nothing was stored, or where that was dropped or replaced meanwhile.
func TestPredictionWriter_Copy(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, &Options{BatchBytes: 1000})
	putRing(t, db, "ring", 100)
	snap, err := db.Snapshot(ctx, "ring")
	if err != nil {
		t.Fatal(err)
	}
	// The links of every tenth vertex are computed, and before vertex 50 something happens.
	renew := func(meanwhile func()) (PredictionInfo, error) {
		return db.PutPredictions(ctx, snap, PredictionInfo{Scorer: "jaccard", K: 2}, func(w *PredictionWriter) (err error) {
			for v := range 100 {
				if v == 50 {
					meanwhile()
				}
				if v%10 == 0 {
					err = w.Add(nextLinks(v+5, 100, 1))
				} else {
					err = w.Copy()
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	if _, err := renew(func() {}); !errors.Is(err, ErrInvalid) {
		t.Errorf("nothing to keep: %v", err)
	}
	putPredictions(t, db, "ring", "jaccard", 2)
	if info, err := renew(func() {}); err != nil || info.Vertices != 100 || info.Links != 190 {
		t.Fatalf("%+v, %v", info, err)
	}
	for key, want := range map[string]string{"0": "7", "10": "17", "11": "13 14", "99": "1 2"} {
		if keys, isNew, _ := predicted(t, db, "ring", "jaccard", key, 2); keys != want || isNew {
			t.Errorf("links of %s: %s, expected %s", key, keys, want)
		}
	}
	checkStore(t, db)
	if _, err := renew(func() { putPredictions(t, db, "ring", "jaccard", 2) }); !errors.Is(err, ErrConflict) {
		t.Errorf("replaced meanwhile: %v", err)
	}
	if _, err := renew(func() {
		if err := db.DropPredictions(ctx, "ring", "jaccard"); err != nil {
			t.Error(err)
		}
	}); !errors.Is(err, ErrConflict) {
		t.Errorf("dropped meanwhile: %v", err)
	}
	stats, err := db.Stats(ctx)
	if err != nil || len(stats.Unfinished) != 0 || stats.TrashBytes != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
}

// A recovery leaves predictions behind, and damage is found.
func TestRecover_Predictions(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "file")
	db := openStore(t, path, nil)
	putRing(t, db, "ring", 100)
	putPredictions(t, db, "ring", "jaccard", 2)
	object := uint64(0)
	err := db.file.View(ctx, func(tx *tree.Tx) error {
		g, err := graphs.Find(tx, "ring")
		if err != nil {
			return err
		}
		r, err := findPredictions(tx, g.ID, "jaccard")
		object = r.Object
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	damageObject(t, path, object, block.LinksName)
	db, err = Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Predicted(ctx, "ring", "jaccard", "0", 1); !errors.Is(err, ErrCorrupt) {
		t.Errorf("damaged links: %v", err)
	}
	report, err := db.Check(ctx, nil)
	if err != nil || len(report.Faults) != 1 || report.Faults[0].Where != "predictions by jaccard" {
		t.Errorf("%+v, %v", report.Faults, err)
	}
	to := filepath.Join(t.TempDir(), "recovered")
	if recovered, err := db.Recover(ctx, to, RecoverOptions{}); err != nil || len(recovered.Lost) != 1 {
		t.Errorf("%+v, %v", recovered, err)
	}
	if list, err := openStore(t, to, nil).Predictions(ctx); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}
