package storage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
)

// read returns the graph that lists give.
func (l *Lists) read(ctx context.Context) (*csr.Graph, error) {
	n := l.Vertices()
	g := &csr.Graph{Offsets: make([]int64, n+1)}
	err := l.Each(ctx, func(sources, targets []uint32, weights []float32) error {
		for _, u := range sources {
			g.Offsets[u+1]++
		}
		g.Targets = append(g.Targets, targets...)
		g.Weights = append(g.Weights, weights...)
		return nil
	})
	for v := range n {
		g.Offsets[v+1] += g.Offsets[v]
	}
	return g, err
}

// Lists give the edges of a snapshot: of a hub of many blocks, with weights of some edges,
// and after vertices were deleted.
func TestLists_Each(t *testing.T) {
	ctx := t.Context()
	db := starStore(t, 30_000)
	importText(t, db, "weights", "a b 2\nb c 1\nc d 1\nd a 0.5\na e 1\nf g 1\n")
	if _, err := db.CreateGraph(ctx, "empty"); err != nil {
		t.Fatal(err)
	}
	compare := func() {
		t.Helper()
		for _, name := range []string{"g", "weights", "empty"} {
			want, err := db.Snapshot(ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			lists, err := db.Lists(ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			got, err := lists.read(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(want.Graph.Offsets, got.Offsets) || !slices.Equal(want.Graph.Targets, got.Targets) || !slices.Equal(want.Graph.Weights, got.Weights) {
				t.Errorf("graph %q differs", name)
			}
			if lists.Weighted() != want.Graph.Weighted() {
				t.Errorf("graph %q: weights %v, want %v", name, lists.Weighted(), want.Graph.Weighted())
			}
			if read := lists.BytesRead(); read < int64(len(got.Targets)) || read > 8*int64(len(got.Targets)) {
				t.Errorf("graph %q: %d bytes read for %d arcs", name, read, len(got.Targets))
			}
		}
	}
	compare()
	if err := db.Update(ctx, func(x *Tx) error {
		if _, err := x.DeleteVertices("g", []string{"7", "1000", "end 1"}); err != nil {
			return err
		}
		_, err := x.DeleteVertices("weights", []string{"b"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	compare()
}

// Lists end with a typed error once the graph was changed or dropped, the file is damaged,
// the context ends or the caller wants no more.
func TestLists_Errors(t *testing.T) {
	ctx := t.Context()
	db := starStore(t, 30_000)
	lists, err := db.Lists(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	calls := 0
	if err := lists.Each(ctx, func(_, _ []uint32, _ []float32) error { calls++; return enough }); !errors.Is(err, enough) || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	if err := lists.Each(cancelled, func(_, _ []uint32, _ []float32) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := db.Update(ctx, func(x *Tx) error {
		_, err := x.InsertEdges("g", []Edge{{Source: "1", Target: "2"}})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := lists.read(ctx); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), `graph "g"`) {
		t.Errorf("after a change: %v", err)
	}
	if lists, err = db.Lists(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	path := db.Path()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := lists.read(ctx); !errors.Is(err, ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	damageRecords(t, path, "g", block.ArcsName, 5)
	damaged, err := Open(path, &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer damaged.Close()
	if lists, err = damaged.Lists(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	var file *FileError
	if _, err := lists.read(ctx); !errors.Is(err, ErrCorrupt) || !errors.As(err, &file) || file.Object != `graph "g", arcs` {
		t.Errorf("damaged: %v", err)
	}
}
