package storage

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/vec"
)

// model is what a store should hold, in maps.
type model struct {
	graphs     map[string]*modelGraph
	embeddings map[string]*modelEmbedding
}

type modelGraph struct {
	version uint64
	ids     map[string]uint32
	keys    []string
	edges   map[[2]uint32]bool // u < v
	changed map[uint32]uint64  // version that last touched a vertex
}

type modelEmbedding struct {
	graph      string
	generation uint64
	version    uint64
	rows       []float32
	dim        int
}

func newModelGraph(version uint64) *modelGraph {
	return &modelGraph{version: version, ids: map[string]uint32{}, edges: map[[2]uint32]bool{}, changed: map[uint32]uint64{}}
}

// vertex returns the number of a key, and whether it is new.
func (g *modelGraph) vertex(key string) (uint32, bool) {
	if v, found := g.ids[key]; found {
		return v, false
	}
	v := uint32(len(g.keys))
	g.ids[key] = v
	g.keys = append(g.keys, key)
	return v, true
}

// add merges edges and returns what an import should report.
func (g *modelGraph) add(pairs [][2]string) (added, duplicates, loops int64) {
	touched := map[uint32]bool{}
	for _, p := range pairs {
		u, newU := g.vertex(p[0])
		v, newV := g.vertex(p[1])
		if newU {
			touched[u] = true
		}
		if newV {
			touched[v] = true
		}
		switch e := [2]uint32{min(u, v), max(u, v)}; {
		case u == v:
			loops++
		case g.edges[e]:
			duplicates++
		default:
			added++
			g.edges[e] = true
			touched[u], touched[v] = true, true
		}
	}
	if len(touched) > 0 {
		g.version++
		for v := range touched {
			g.changed[v] = g.version
		}
	}
	return added, duplicates, loops
}

// TestDB_Model runs random operations against the store and against maps, with
// reopening in between, and compares everything now and then.
func TestDB_Model(t *testing.T) {
	seeds := 12
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			t.Parallel()
			runModel(t, uint64(seed))
		})
	}
}

func runModel(t *testing.T, seed uint64) {
	ctx := context.Background()
	random := rand.New(rand.NewPCG(seed, 7))
	path := filepath.Join(t.TempDir(), "model")
	opts := &Options{BatchBytes: []int{0, 1, 300, 5000}[random.IntN(4)]}
	db := openStore(t, path, opts)
	m := &model{graphs: map[string]*modelGraph{}, embeddings: map[string]*modelEmbedding{}}
	names := []string{"g", "Graph two", "ünï"}
	vectors := []string{"e", "f", "vectors of g"}
	for step := range 60 {
		name, vectorName := names[random.IntN(len(names))], vectors[random.IntN(len(vectors))]
		g := m.graphs[name]
		switch random.IntN(12) {
		case 0:
			_, err := db.CreateGraph(ctx, name)
			if g == nil {
				m.graphs[name] = newModelGraph(1)
			}
			expect(t, err, g != nil, ErrExists)
		case 1:
			used := false
			for _, e := range m.embeddings {
				used = used || e.graph == name
			}
			cascade := random.IntN(2) == 0
			err := db.DropGraph(ctx, name, cascade)
			switch {
			case g == nil:
				expect(t, err, true, ErrNotFound)
			case used && !cascade:
				expect(t, err, true, ErrInUse)
			default:
				expect(t, err, false, nil)
				delete(m.graphs, name)
				maps.DeleteFunc(m.embeddings, func(_ string, e *modelEmbedding) bool { return e.graph == name })
			}
		case 2, 3, 4, 5:
			pairs := randomPairs(random)
			if g == nil {
				g = newModelGraph(0)
			}
			before := g.version
			added, duplicates, loops := g.add(pairs)
			if before == 0 && g.version == 0 {
				g.version = 1
			}
			stats := importText(t, db, name, pairsText(pairs))
			m.graphs[name] = g
			if stats.Added != added || stats.Duplicates != duplicates || stats.SelfLoops != loops || stats.Version != g.version {
				t.Fatalf("step %d: import reports %+v, want %d added, %d duplicates, %d loops, version %d", step, stats, added, duplicates, loops, g.version)
			}
		case 6: // an import that fails changes nothing
			_, err := db.Import(ctx, name, strings.NewReader(pairsText(randomPairs(random))+"only-one-column\n"), ImportOptions{Format: format.Options{EdgeListOptions: format.EdgeListOptions{Separator: " ", Header: format.HeaderNone}}})
			expect(t, err, true, format.ErrSyntax)
		case 7:
			cancelled, cancel := context.WithCancel(ctx)
			cancel()
			_, err := db.Import(cancelled, name, strings.NewReader("a b\n"), ImportOptions{})
			expect(t, err, true, context.Canceled)
		case 8, 9:
			e := randomEmbedding(random, name, g)
			old := m.embeddings[vectorName]
			info, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: vectorName, Graph: name, GraphVersion: e.version, Method: "random", Options: []Setting{{"dim", fmt.Sprint(e.dim)}}},
				&vec.Matrix{Rows: len(e.rows) / max(e.dim, 1), Dim: e.dim, Data: e.rows})
			switch {
			case g == nil:
				expect(t, err, true, ErrNotFound)
			case old != nil && old.graph != name:
				expect(t, err, true, ErrExists)
			default:
				expect(t, err, false, nil)
				if old != nil {
					e.generation = old.generation + 1
				}
				if info.Generation != e.generation {
					t.Fatalf("generation %d, want %d", info.Generation, e.generation)
				}
				m.embeddings[vectorName] = e
			}
		case 10:
			err := db.DropEmbedding(ctx, vectorName)
			expect(t, err, m.embeddings[vectorName] == nil, ErrNotFound)
			delete(m.embeddings, vectorName)
		case 11:
			checkStore(t, db)
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = openStore(t, path, opts)
		}
		if step%10 == 9 {
			compareModel(t, db, m)
		}
	}
}

func expect(t *testing.T, err error, fails bool, kind error) {
	t.Helper()
	if fails != (err != nil) || (fails && !errors.Is(err, kind)) {
		t.Fatalf("error %v, want %v (%t)", err, kind, fails)
	}
}

// randomPairs draws edges among keys of very different lengths, most of them
// between few vertices so that duplicates and loops occur.
func randomPairs(random *rand.Rand) [][2]string {
	key := func() string {
		v := random.IntN(1 + random.IntN(400))
		switch v % 5 {
		case 0:
			return fmt.Sprintf("a-vertex-with-a-long-common-prefix-%d", v)
		case 1:
			return strings.Repeat("é", v+1)
		}
		return fmt.Sprint(v)
	}
	pairs := make([][2]string, random.IntN(300))
	for i := range pairs {
		pairs[i] = [2]string{key(), key()}
	}
	return pairs
}

func pairsText(pairs [][2]string) string {
	var b strings.Builder
	for _, p := range pairs {
		fmt.Fprintf(&b, "%s %s\n", p[0], p[1])
	}
	return b.String()
}

func randomEmbedding(random *rand.Rand, graph string, g *modelGraph) *modelEmbedding {
	e := &modelEmbedding{graph: graph, generation: 1, version: 1, dim: 1 + random.IntN(40)}
	if g != nil {
		e.version = g.version
		e.rows = make([]float32, len(g.keys)*e.dim)
		for i := range e.rows {
			e.rows[i] = random.Float32()
		}
	}
	return e
}

// compareModel compares every answer of the store with the model.
func compareModel(t *testing.T, db *DB, m *model) {
	t.Helper()
	ctx := context.Background()
	list, err := db.Graphs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, info := range list {
		found = append(found, info.Name)
	}
	if want := slices.Sorted(maps.Keys(m.graphs)); !slices.Equal(found, want) {
		t.Fatalf("graphs %q, want %q", found, want)
	}
	for _, name := range found {
		compareGraph(t, db, name, m.graphs[name])
	}
	infos, err := db.Embeddings(ctx)
	if err != nil || len(infos) != len(m.embeddings) {
		t.Fatalf("%d embeddings, want %d: %v", len(infos), len(m.embeddings), err)
	}
	for _, info := range infos {
		want := m.embeddings[info.Name]
		got, matrix, err := db.Embedding(ctx, info.Name)
		if err != nil {
			t.Fatal(err)
		}
		if got.Generation != want.generation || got.Graph != want.graph || got.GraphVersion != want.version || got.Dim != want.dim || !slices.Equal(matrix.Data, want.rows) {
			t.Fatalf("embedding %q differs: %+v", info.Name, got)
		}
	}
}

func compareGraph(t *testing.T, db *DB, name string, want *modelGraph) {
	t.Helper()
	ctx := context.Background()
	s, err := db.Snapshot(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Graph.Validate(); err != nil {
		t.Fatal(err)
	}
	if s.Info.Version != want.version || s.Graph.Vertices() != len(want.keys) || s.Graph.Edges() != int64(len(want.edges)) || s.Info.Edges != s.Graph.Edges() {
		t.Fatalf("graph %q: %+v, want version %d, %d vertices, %d edges", name, s.Info, want.version, len(want.keys), len(want.edges))
	}
	for v, key := range want.keys {
		id, found := s.Vertex(key)
		if s.Key(uint32(v)) != key || !found || int(id) != v {
			t.Fatalf("vertex %d has key %q and %q has vertex %d, %t", v, s.Key(uint32(v)), key, id, found)
		}
		for _, u := range s.Graph.Neighbors(uint32(v)) {
			if !want.edges[[2]uint32{min(u, uint32(v)), max(u, uint32(v))}] {
				t.Fatalf("edge (%d, %d) of %q is invented", v, u, name)
			}
		}
	}
	if len(want.keys) > 0 {
		comparePoint(t, db, name, s.Graph, want)
	}
	for since := uint64(1); since <= want.version; since++ {
		set, err := db.Changes(ctx, name, since)
		if err != nil {
			t.Fatal(err)
		}
		var touched []uint32
		for v := range uint32(len(want.keys)) {
			if want.changed[v] > since {
				touched = append(touched, v)
			}
		}
		if !set.All && !slices.Equal(set.Touched, touched) {
			t.Fatalf("changes of %q since %d: %v, want %v", name, since, set.Touched, touched)
		}
		if set.All && 2*len(touched) <= len(want.keys) && since == want.version-1 {
			t.Fatalf("changes of %q since %d: all, want %v", name, since, touched)
		}
	}
}

// comparePoint compares the look-ups that read single blocks.
func comparePoint(t *testing.T, db *DB, name string, g *csr.Graph, want *modelGraph) {
	t.Helper()
	ctx := context.Background()
	for v := 0; v < len(want.keys); v += 1 + len(want.keys)/7 {
		id, err := db.VertexID(ctx, name, want.keys[v])
		if err != nil || int(id) != v {
			t.Fatalf("key %q: vertex %d, %v, want %d", want.keys[v], id, err, v)
		}
		list, err := db.Neighbors(ctx, name, want.keys[v])
		if err != nil || len(list) != g.Degree(id) {
			t.Fatalf("neighbours of %d: %v, %v, want %v", v, list, err, g.Neighbors(id))
		}
		for i, u := range g.Neighbors(id) {
			if list[i] != (Edge{Source: want.keys[v], Target: want.keys[u], Weight: 1}) {
				t.Fatalf("neighbour %d of %d is %+v, want %q", i, v, list[i], want.keys[u])
			}
		}
	}
	if _, err := db.VertexID(ctx, name, "nobody"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("unknown key: %v", err)
	}
}
