package unitball

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// changed returns a graph in which some edges are replaced by as many new ones, with extra
// vertices of two edges each, and the touched vertices.
func changed(t testing.TB, g *csr.Graph, count, extra int) (*csr.Graph, []uint32) {
	t.Helper()
	random := rand.New(rand.NewPCG(4, 4))
	n := g.Vertices()
	var edges []csr.Edge
	for u := range uint32(n) {
		for _, v := range above(g, u) {
			edges = append(edges, csr.Edge{U: u, V: v})
		}
	}
	touched := map[uint32]bool{}
	touch := func(e csr.Edge) csr.Edge {
		touched[e.U], touched[e.V] = true, true
		return e
	}
	random.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
	for _, e := range edges[:count] {
		touch(e)
	}
	edges = edges[count:]
	for range count {
		u := uint32(random.IntN(n))
		if e := (csr.Edge{U: u, V: uint32(random.IntN(n))}); e.U != e.V && !g.HasEdge(e.U, e.V) {
			edges = append(edges, touch(e))
		}
	}
	for i := range extra {
		v := uint32(n + i)
		touched[v] = true
		for range i % 3 { // the first extra vertex has no edge
			edges = append(edges, touch(csr.Edge{U: v, V: uint32(random.IntN(n))}))
		}
	}
	var list []uint32
	for v := range uint32(n + extra) {
		if touched[v] {
			list = append(list, v)
		}
	}
	return graphOf(t, n+extra, edges...), list
}

// grow adds rows for new vertices.
func grow(rows *vec.Matrix, n int) (*vec.Matrix, []bool) {
	old, added := vec.NewMatrix(n, rows.Dim), make([]bool, n)
	copy(old.Data, rows.Data)
	for v := rows.Rows; v < n; v++ {
		added[v] = true
	}
	return old, added
}

func TestRefresh(t *testing.T) {
	g := grown(t, 800, 4)
	o := Options{Dim: 64, Seed: 1}
	rows, stats := embed(t, g, o)
	if stats.Wrong.Pairs() != 0 {
		t.Fatalf("%d wrong pairs before the refresh", stats.Wrong.Pairs())
	}
	after, touched := changed(t, g, 6, 4)
	old, added := grow(rows, after.Vertices())
	before := slices.Clone(old.Data)
	got, now, refresh, err := Refresh(t.Context(), after, o, nil, old, added, touched, 0)
	if err != nil {
		t.Fatal(err)
	}
	if now.Wrong != count(after, got) || now.Wrong.Pairs() != 0 || refresh.Full {
		t.Errorf("%+v wrong, %+v by brute force: %+v", now.Wrong, count(after, got), refresh)
	}
	same := 0
	for v := range rows.Rows {
		if slices.Equal(got.Row(v), rows.Row(v)) {
			same++
		}
	}
	t.Logf("%d touched, %s, %d rows have the same bytes, %d passes", len(touched), refresh.Reason, same, now.Passes)
	if same < rows.Rows/2 {
		t.Errorf("only %d of %d rows kept their bytes", same, rows.Rows)
	}
	if !slices.Equal(before, old.Data) {
		t.Error("the old rows were written")
	}
	o.Workers = 1
	if again, _, _, err := Refresh(t.Context(), after, o, nil, old, added, touched, 0); err != nil || !slices.Equal(again.Data, got.Data) {
		t.Errorf("different rows with one worker, %v", err)
	}
}

// TestRefresh_Insert inserts vertices one by one into an exact placement. A leaf finds a place
// between the others, which keep their bytes; a new hub does not, and the reason says so.
func TestRefresh_Insert(t *testing.T) {
	g := grown(t, 400, 4)
	n := uint32(g.Vertices())
	o := Options{Dim: 32, Seed: 1}
	rows, _ := embed(t, g, o)
	var hub []uint32
	for v := uint32(0); v < n; v += 8 {
		hub = append(hub, v)
	}
	for _, c := range []struct {
		to     []uint32
		reason string
	}{
		{nil, "placed 1 new vertex and moved no other"},
		{[]uint32{7}, "placed 1 new vertex and moved no other"},
		{hub, "because 1 new vertex had "},
	} {
		var edges []csr.Edge
		for u := range n {
			for _, v := range above(g, u) {
				edges = append(edges, csr.Edge{U: u, V: v})
			}
		}
		for _, v := range c.to {
			edges = append(edges, csr.Edge{U: v, V: n})
		}
		after := graphOf(t, int(n)+1, edges...)
		old, added := grow(rows, int(n)+1)
		got, stats, refresh, err := Refresh(t.Context(), after, o, nil, old, added, append(slices.Clone(c.to), n), 0)
		if err != nil || stats.Wrong.Pairs() != 0 || count(after, got).Pairs() != 0 || !strings.Contains(refresh.Reason, c.reason) {
			t.Errorf("a vertex of degree %d: %+v, %+v, %v", len(c.to), stats, refresh, err)
		}
		if same := slices.Equal(got.Data[:len(rows.Data)], rows.Data); same != (len(c.to) < 2) {
			t.Errorf("a vertex of degree %d: others kept their bytes: %v", len(c.to), same)
		}
	}
}

// TestRefresh_Rough refreshes a placement with many wrong pairs: only touched vertices
// move.
func TestRefresh_Rough(t *testing.T) {
	g := grown(t, 300, 8)
	o := Options{Dim: 4, Seed: 1, Passes: 60}
	rows, stats := embed(t, g, o)
	after, touched := changed(t, g, 10, 0)
	old, added := grow(rows, after.Vertices())
	got, now, refresh, err := Refresh(t.Context(), after, o, nil, old, added, touched, stats.Wrong.Pairs())
	if err != nil || refresh.Full {
		t.Fatalf("%+v, %v", refresh, err)
	}
	for v := range rows.Rows {
		if _, is := slices.BinarySearch(touched, uint32(v)); !is && !slices.Equal(got.Row(v), rows.Row(v)) {
			t.Fatalf("vertex %d moved, although it was not touched", v)
		}
	}
	if now.Wrong != count(after, got) || now.Wrong.Pairs() > count(after, old).Pairs() {
		t.Errorf("%d wrong pairs, before the refresh %d", now.Wrong.Pairs(), count(after, old).Pairs())
	}
}

func TestRefresh_Full(t *testing.T) {
	g := grown(t, 100, 3)
	rows, _ := embed(t, g, Options{Dim: 16})
	after, touched := changed(t, g, 60, 3)
	old, added := grow(rows, after.Vertices())
	_, _, refresh, err := Refresh(t.Context(), after, Options{Dim: 16}, nil, old, added, touched, 0)
	if err != nil || !refresh.Full {
		t.Errorf("%+v, %v", refresh, err)
	}
	o := Options{Dim: 16, Seed: 3, Passes: 9, Start: vec.NewMatrix(after.Vertices(), 16)}
	for i := range o.Start.Data {
		o.Start.Data[i] = float32(i % 7)
	}
	want, _ := embed(t, after, o)
	begin, failed := o.Start, error(nil)
	o.Start = nil
	from := func(context.Context) (*vec.Matrix, error) { return begin, failed }
	if got, _, _, err := Refresh(t.Context(), after, o, from, old, added, touched, 0); err != nil || !slices.Equal(got.Data, want.Data) {
		t.Errorf("a full run does not begin with the start rows: %v", err)
	}
	failed = errors.New("no rows")
	if _, _, _, err := Refresh(t.Context(), after, o, from, old, added, touched, 0); !errors.Is(err, failed) {
		t.Errorf("start rows that fail: %v", err)
	}
	if _, _, _, err := Refresh(t.Context(), after, o, from, old, added, touched[:2], 1<<40); err != nil {
		t.Errorf("an incremental refresh needs the start rows: %v", err)
	}
	if _, _, _, err := Refresh(t.Context(), after, Options{Dim: 17}, nil, old, added, touched, 0); !errors.Is(err, ErrStart) {
		t.Errorf("a different dimension: %v", err)
	}
}
