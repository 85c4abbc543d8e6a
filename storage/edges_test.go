package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
)

// edgeModel is what a graph should be after edge writes, in maps.
type edgeModel struct {
	version uint64
	ids     map[string]uint32
	keys    []string
	edges   map[[2]uint32]modelEdge // the smaller vertex first
	touched map[uint32]bool         // by the transaction that runs
	changed map[uint32]uint64       // version that last touched a vertex
}

type modelEdge struct {
	weight float32
	time   int64
}

func newEdgeModel() *edgeModel {
	return &edgeModel{version: 1, ids: map[string]uint32{}, edges: map[[2]uint32]modelEdge{}, touched: map[uint32]bool{}, changed: map[uint32]uint64{}}
}

func (m *edgeModel) clone() *edgeModel {
	return &edgeModel{m.version, maps.Clone(m.ids), slices.Clone(m.keys), maps.Clone(m.edges), maps.Clone(m.touched), maps.Clone(m.changed)}
}

func (m *edgeModel) pair(e Edge) (p [2]uint32, known bool) {
	u, foundU := m.ids[e.Source]
	v, foundV := m.ids[e.Target]
	return [2]uint32{min(u, v), max(u, v)}, foundU && foundV
}

func (m *edgeModel) touch(vertices ...uint32) {
	for _, v := range vertices {
		m.touched[v] = true
	}
}

func (m *edgeModel) insert(edges []Edge) (stats WriteStats) {
	before := map[[2]uint32]modelEdge{} // an edge that a batch changes and changes back is not touched
	for _, e := range edges {
		for _, key := range []string{e.Source, e.Target} {
			if _, found := m.ids[key]; !found {
				m.ids[key] = uint32(len(m.keys))
				m.touch(m.ids[key])
				m.keys = append(m.keys, key)
				stats.NewVertices++
			}
		}
		p, _ := m.pair(e)
		if p[0] == p[1] {
			stats.SelfLoops++
			continue
		}
		old, found := m.edges[p]
		now := old
		if !found {
			now = modelEdge{1, csr.NoTime}
		}
		if e.Weight != 0 {
			now.weight = float32(e.Weight)
		}
		if e.Timed {
			now.time = e.Time
		}
		switch {
		case !found:
			stats.Inserted++
		case now != old:
			stats.Updated++
		default:
			stats.Unchanged++
			continue
		}
		m.edges[p] = now
		if _, seen := before[p]; !seen {
			before[p] = old // without an edge its weight is 0, which no edge has
		}
	}
	for p, old := range before {
		if m.edges[p] != old {
			m.touch(p[:]...)
		}
	}
	return stats
}

func (m *edgeModel) delete(edges []Edge) (stats WriteStats) {
	for _, e := range edges {
		p, known := m.pair(e)
		if _, found := m.edges[p]; known && found {
			delete(m.edges, p)
			m.touch(p[:]...)
			stats.Deleted++
		} else {
			stats.Missing++
		}
	}
	return stats
}

// commit ends the transaction.
func (m *edgeModel) commit() {
	if len(m.touched) > 0 {
		m.version++
	}
	for v := range m.touched {
		m.changed[v] = m.version
	}
	m.touched = map[uint32]bool{}
}

// next is the version that a commit would have.
func (m *edgeModel) next() uint64 {
	if len(m.touched) > 0 {
		return m.version + 1
	}
	return m.version
}

func randomEdges(random *rand.Rand, n int) []Edge {
	key := func() string {
		x := random.Float64()
		return fmt.Sprintf("vertex %d", int(x*x*x*400))
	}
	edges := make([]Edge, n)
	for i := range edges {
		edges[i] = Edge{Source: key(), Target: key()}
		if random.IntN(2) == 0 {
			edges[i].Weight = float64(1+random.IntN(3)) / 2
		}
		switch random.IntN(4) {
		case 0:
			edges[i].Time, edges[i].Timed = 1_700_000_000+random.Int64N(1e6), true
		case 1:
			edges[i].Time, edges[i].Timed = []int64{csr.NoTime, math.MaxInt64, -1, 0}[random.IntN(4)], true
		}
	}
	return edges
}

// TestTx_Edges_Model writes random batches of edges, several to a transaction,
// some of which fail, and compares everything with maps.
func TestTx_Edges_Model(t *testing.T) {
	for seed := range repeat.Times(2) {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			runEdgeModel(t, uint64(seed))
		})
	}
}

func runEdgeModel(t *testing.T, seed uint64) {
	ctx := context.Background()
	random := rand.New(rand.NewPCG(seed, 17))
	path := filepath.Join(t.TempDir(), "model")
	db := openStore(t, path, nil)
	if _, err := db.CreateGraph(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	m := newEdgeModel()
	errStop := errors.New("stop")
	for step := range 60 {
		tried := m.clone()
		stop := random.IntN(6) == 0
		err := db.Update(ctx, func(x *Tx) error {
			for range 1 + random.IntN(3) {
				writeRandomEdges(t, random, x, tried)
			}
			if stop {
				return errStop
			}
			return nil
		})
		if stop != errors.Is(err, errStop) || (!stop && err != nil) {
			t.Fatal(err)
		}
		if !stop {
			tried.commit()
			m = tried
		}
		if step%20 == 7 {
			checkStore(t, db)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = openStore(t, path, nil)
		}
		if step%10 == 9 {
			m.compare(t, db)
		}
	}
	// Empty the graph of edges: all blocks must go.
	var all []Edge
	for p := range m.edges {
		all = append(all, Edge{Source: m.keys[p[0]], Target: m.keys[p[1]]})
	}
	if err := db.Update(ctx, func(x *Tx) error {
		_, err := x.DeleteEdges("g", all)
		m.delete(all)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	m.commit()
	m.compare(t, db)
}

// writeRandomEdges makes one call and compares what it reports.
func writeRandomEdges(t *testing.T, random *rand.Rand, x *Tx, m *edgeModel) {
	edges := randomEdges(random, random.IntN(1+random.IntN(900)))
	var (
		want WriteStats
		got  WriteStats
		err  error
	)
	switch random.IntN(4) {
	case 0, 1:
		want = m.insert(edges)
		got, err = x.InsertEdges("g", edges)
	case 2:
		want = m.delete(edges)
		got, err = x.DeleteEdges("g", edges)
	case 3:
		// One that is not there fails and changes nothing.
		missing := append(slices.Clone(edges), Edge{Source: "nobody", Target: "vertex 1"})
		if _, err := x.UpdateEdges("g", missing); !errors.Is(err, ErrNotFound) {
			t.Fatalf("update of a missing edge: %v", err)
		}
		edges = slices.DeleteFunc(edges, func(e Edge) bool {
			p, known := m.pair(e)
			_, found := m.edges[p]
			return !known || !found
		})
		want = m.insert(edges)
		got, err = x.UpdateEdges("g", edges)
	}
	want.Version = m.next()
	if err != nil || got != want {
		t.Fatalf("%+v, %v, want %+v", got, err, want)
	}
	if len(m.keys) > 0 {
		m.compareNeighbors(t, uint32(random.IntN(len(m.keys))), func(key string) ([]Edge, error) { return x.Neighbors("g", key) })
	}
	if info, err := x.Graph("g"); err != nil || info.Version != want.Version || info.Edges != int64(len(m.edges)) || info.Vertices != len(m.keys) {
		t.Fatalf("%+v, %v", info, err)
	}
}

// arcs lists the arcs that the graph should have.
func (m *edgeModel) arcs() []block.ArcValue {
	var list []block.ArcValue
	for p, e := range m.edges {
		list = append(list, block.ArcValue{Arc: block.NewArc(p[0], p[1]), Weight: e.weight, Time: e.time}, block.ArcValue{Arc: block.NewArc(p[1], p[0]), Weight: e.weight, Time: e.time})
	}
	slices.SortFunc(list, block.ArcValue.Compare)
	return list
}

func (m *edgeModel) compareNeighbors(t *testing.T, v uint32, neighbors func(key string) ([]Edge, error)) {
	t.Helper()
	var want []Edge
	for u, key := range m.keys {
		e, found := m.edges[[2]uint32{min(v, uint32(u)), max(v, uint32(u))}]
		if !found {
			continue
		}
		edge := Edge{Source: m.keys[v], Target: key, Weight: float64(e.weight)}
		if e.time != csr.NoTime {
			edge.Time, edge.Timed = e.time, true
		}
		want = append(want, edge)
	}
	got, err := neighbors(m.keys[v])
	if err != nil || !slices.EqualFunc(got, want, func(a, b Edge) bool { return reflect.DeepEqual(a, b) }) {
		t.Fatalf("neighbours of %q: %v, %v, want %v", m.keys[v], got, err, want)
	}
}

func (m *edgeModel) compare(t *testing.T, db *DB) {
	t.Helper()
	ctx := context.Background()
	s, err := db.Snapshot(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Graph.Validate(); err != nil {
		t.Fatal(err)
	}
	weighted, timed := false, false
	for _, e := range m.edges {
		weighted, timed = weighted || e.weight != 1, timed || e.time != csr.NoTime
	}
	if s.Info.Version != m.version || s.Info.Weighted != weighted || s.Info.Timed != timed || s.Graph.Weighted() != weighted || (s.Graph.Times != nil) != timed {
		t.Fatalf("%+v, want version %d, weighted %t, timed %t", s.Info, m.version, weighted, timed)
	}
	if !slices.Equal(arcsOfGraph(s.Graph), m.arcs()) {
		t.Fatal("the edges differ")
	}
	for v, key := range m.keys {
		if s.Key(uint32(v)) != key {
			t.Fatalf("vertex %d has key %q, want %q", v, s.Key(uint32(v)), key)
		}
	}
	for v := 0; v < len(m.keys); v += 37 {
		m.compareNeighbors(t, uint32(v), func(key string) ([]Edge, error) { return db.Neighbors(ctx, "g", key) })
	}
	for since := uint64(1); since < m.version; since++ {
		set, err := db.Changes(ctx, "g", since)
		var want []uint32
		for v, version := range m.changed {
			if version > since {
				want = append(want, v)
			}
		}
		slices.Sort(want)
		if err != nil || (!set.All && !slices.Equal(set.Touched, want)) || (set.All && 2*len(want) <= len(m.keys) && since == m.version-1) {
			t.Fatalf("changes since %d: %+v, %v, want %v", since, set, err, want)
		}
	}
	checkStore(t, db)
}

func TestTx_Edges_Refused(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	importText(t, db, "g", "a b\nb c\n")
	for _, c := range []struct {
		name string
		edge Edge
		kind error
	}{
		{"empty key", Edge{Source: "", Target: "a"}, ErrKey},
		{"NUL", Edge{Source: "a", Target: "b\x00"}, ErrKey},
		{"negative weight", Edge{Source: "a", Target: "b", Weight: -1}, ErrInvalid},
		{"not a number", Edge{Source: "a", Target: "b", Weight: math.NaN()}, ErrInvalid},
		{"infinite", Edge{Source: "a", Target: "b", Weight: math.Inf(1)}, ErrInvalid},
		{"too large", Edge{Source: "a", Target: "b", Weight: 1e39}, ErrInvalid},
		{"too small", Edge{Source: "a", Target: "b", Weight: 1e-50}, ErrInvalid},
	} {
		for _, write := range []func(x *Tx) (WriteStats, error){
			func(x *Tx) (WriteStats, error) { return x.InsertEdges("g", []Edge{{Source: "x", Target: "y"}, c.edge}) },
			func(x *Tx) (WriteStats, error) { return x.UpdateEdges("g", []Edge{c.edge}) },
			func(x *Tx) (WriteStats, error) { return x.DeleteEdges("g", []Edge{c.edge}) },
		} {
			// The call fails, and the transaction continues without it.
			err := db.Update(ctx, func(x *Tx) error {
				if _, err := write(x); !errors.Is(err, c.kind) {
					t.Errorf("%s: %v", c.name, err)
				}
				return nil
			})
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
			}
		}
	}
	var kept *Tx
	err := db.Update(ctx, func(x *Tx) error {
		kept = x
		_, err := x.InsertEdges("nowhere", []Edge{{Source: "a", Target: "b"}})
		return err
	})
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("unknown graph: %v", err)
	}
	if _, err := kept.InsertEdges("g", nil); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
	if _, err := db.Neighbors(ctx, "g", "nobody"); !errors.Is(err, ErrNotFound) {
		t.Errorf("neighbours of nobody: %v", err)
	}
	if info, err := db.Graph(ctx, "g"); err != nil || info.Version != 1 {
		t.Errorf("%+v, %v", info, err)
	}
}

// A function that panics changes nothing, and the panic continues.
func TestDB_Update_Panic(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	importText(t, db, "g", "a b\n")
	func() {
		defer func() {
			if r := recover(); r != "mine" {
				t.Errorf("recovered %v", r)
			}
		}()
		_ = db.Update(ctx, func(x *Tx) error {
			if _, err := x.InsertEdges("g", []Edge{{Source: "a", Target: "c"}}); err != nil {
				t.Error(err)
			}
			panic("mine")
		})
	}()
	if info, err := db.Graph(ctx, "g"); err != nil || info.Version != 1 || info.Edges != 1 {
		t.Errorf("%+v, %v", info, err)
	}
}

// A graph that is made and filled in one transaction has version 1; a
// transaction that fails half-way cannot be committed.
func TestDB_Update_Versions(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	err := db.Update(ctx, func(x *Tx) error {
		for _, name := range []string{"g", "h", "empty"} {
			if _, err := x.CreateGraph(name); err != nil {
				return err
			}
		}
		for i := range 3 {
			if _, err := x.InsertEdges("g", []Edge{{Source: "a", Target: fmt.Sprint(i)}}); err != nil {
				return err
			}
		}
		_, err := x.InsertEdges("h", []Edge{{Source: "a", Target: "a"}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]GraphInfo{"g": {Vertices: 4, Edges: 3}, "h": {Vertices: 1}, "empty": {}} {
		if info, err := db.Graph(ctx, name); err != nil || info.Version != 1 || info.Vertices != want.Vertices || info.Edges != want.Edges {
			t.Errorf("%+v, %v", info, err)
		}
	}
	checkStore(t, db)
	stopped, cancel := context.WithCancel(ctx)
	err = db.Update(stopped, func(x *Tx) error {
		if _, err := x.InsertEdges("g", []Edge{{Source: "a", Target: "new"}}); err != nil {
			return err
		}
		cancel()
		_, _ = x.InsertEdges("g", []Edge{{Source: "a", Target: "newer"}})
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("committed a half: %v", err)
	}
	if info, err := db.Graph(ctx, "g"); err != nil || info.Version != 1 {
		t.Errorf("%+v, %v", info, err)
	}
}
