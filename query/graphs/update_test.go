package graphs_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
	"heavytail/query/where"
	"heavytail/storage"
)

// world is a model of a graph in maps, with which the answers of a DB are compared. Vertices
// are in the order of their insertion.
type world struct {
	keys    []string
	values  map[string]map[string]storage.Value // by key, then by attribute
	edges   map[[2]string]float64               // weight by the sorted ends
	vectors map[string][2]float32               // of the vertices in the embedding
}

func newWorld() *world {
	return &world{values: map[string]map[string]storage.Value{}, edges: map[[2]string]float64{}, vectors: map[string][2]float32{}}
}

func ends(u, v string) [2]string { return [2]string{min(u, v), max(u, v)} }

func (w *world) add(key string) {
	if w.values[key] == nil {
		w.keys = append(w.keys, key)
		w.values[key] = map[string]storage.Value{}
	}
}

func (w *world) remove(key string) {
	w.keys = slices.DeleteFunc(w.keys, func(k string) bool { return k == key })
	delete(w.values, key)
	delete(w.vectors, key)
	maps.DeleteFunc(w.edges, func(e [2]string, _ float64) bool { return e[0] == key || e[1] == key })
}

func (w *world) degree(key string) (n int) {
	for e := range w.edges {
		if e[0] == key || e[1] == key {
			n++
		}
	}
	return n
}

// TestUpdate_Model makes the same random changes in a DB and in a model, and compares their
// vertices, neighbours and distances.
func TestUpdate_Model(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			db := querytest.Open(t, nil)
			ctx := context.Background()
			if _, err := db.Graphs().Create(ctx, "g"); err != nil {
				t.Fatal(err)
			}
			w, random := newWorld(), rand.New(rand.NewPCG(seed, 1))
			for range 60 {
				if err := changeBoth(ctx, db, w, random); err != nil {
					t.Fatal(err)
				}
				compareWorld(t, db, w, random)
			}
		})
	}
}

// changeBoth makes one random change of a DB and of its model.
func changeBoth(ctx context.Context, db *query.DB, w *world, random *rand.Rand) error {
	key := func() string { return fmt.Sprintf("v%d", random.IntN(12)) }
	value := storage.IntegerValue(int64(random.IntN(5)))
	k := key()
	switch random.IntN(7) {
	case 0:
		w.add(k)
		w.values[k]["x"] = value
		_, err := db.Graphs().InsertVertices(ctx, "g", []storage.Vertex{{Key: k, Values: []storage.NamedValue{{Name: "x", Value: value}}}})
		return err
	case 1, 2:
		var edges []storage.Edge
		for range 1 + random.IntN(3) {
			e := storage.Edge{Source: key(), Target: key(), Weight: float64(1 + random.IntN(3))}
			w.add(e.Source)
			w.add(e.Target)
			if e.Source != e.Target {
				w.edges[ends(e.Source, e.Target)] = e.Weight
			}
			edges = append(edges, e)
		}
		_, err := db.Graphs().InsertEdges(ctx, "g", edges)
		return err
	case 3:
		other := key()
		delete(w.edges, ends(k, other))
		_, err := db.Graphs().DeleteEdges(ctx, "g", []storage.Edge{{Source: other, Target: k}})
		return err
	case 4:
		w.remove(k)
		_, err := db.Graphs().DeleteVertices(ctx, graphs.DeleteVerticesRequest{Graph: "g", Keys: []string{k}})
		return err
	case 5:
		for key := range w.values {
			if w.degree(key) >= 2 {
				w.values[key]["x"] = value
			}
		}
		_, err := db.Graphs().UpdateVertices(ctx, graphs.UpdateVerticesRequest{
			Graph: "g", Set: []storage.NamedValue{{Name: "x", Value: value}},
			Where: func(c where.Candidate) bool { return c.Degree >= 2 },
		})
		return err
	default:
		return embedBoth(db, w, random)
	}
}

// embedBoth gives every vertex a random vector.
func embedBoth(db *query.DB, w *world, random *rand.Rand) error {
	if len(w.keys) == 0 {
		return nil
	}
	var lines []string
	clear(w.vectors)
	for _, key := range w.keys {
		x := [2]float32{float32(random.IntN(20)), float32(random.IntN(20))}
		w.vectors[key] = x
		lines = append(lines, fmt.Sprint(key, " ", x[0], " ", x[1]))
	}
	_, err := querytest.PutVectors(db, "g", "pos", strings.Join(lines, "\n"))
	return err
}

func compareWorld(t *testing.T, db *query.DB, w *world, random *rand.Rand) {
	t.Helper()
	ctx := context.Background()
	request := graphs.VerticesRequest{Graph: "g"}
	attributes, err := db.Graphs().Attributes(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	if len(attributes) > 0 {
		request.Attributes = []string{"x"}
	}
	got, err := db.Graphs().Vertices(ctx, request)
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, v := range got.Vertices {
		have = append(have, fmt.Sprint(v.Vertex, v.Degree, v.Values))
	}
	for _, key := range w.keys {
		var values []storage.Value
		if len(attributes) > 0 {
			values = append(values, w.values[key]["x"])
		}
		want = append(want, fmt.Sprint(key, w.degree(key), values))
	}
	if !slices.Equal(have, want) {
		t.Fatalf("vertices\n %v, expected\n %v", have, want)
	}
	if len(w.keys) == 0 {
		return
	}
	of := w.keys[random.IntN(len(w.keys))]
	compareNeighbors(t, db, w, of)
	if _, ok := w.vectors[of]; ok && len(attributes) > 0 {
		compareNearest(t, db, w, of)
	}
}

func compareNeighbors(t *testing.T, db *query.DB, w *world, of string) {
	t.Helper()
	got, err := db.Graphs().Neighbors(context.Background(), graphs.NeighborsRequest{Vertex: of})
	if err != nil {
		t.Fatal(err)
	}
	var have, want []string
	for _, n := range got.Neighbors {
		have = append(have, fmt.Sprint(n.Vertex, n.Weight))
	}
	strength := 0.0
	for _, key := range w.keys {
		if weight, ok := w.edges[ends(of, key)]; ok {
			want = append(want, fmt.Sprint(key, weight))
			strength += weight
		}
	}
	if !slices.Equal(have, want) {
		t.Fatalf("neighbours of %s: %v, expected %v", of, have, want)
	}
	d, err := db.Graphs().DescribeVertex(context.Background(), "g", of)
	if err != nil || d.Degree != len(want) || d.Strength != strength {
		t.Fatalf("description of %s: %+v, %v; expected degree %d, strength %v", of, d, err, len(want), strength)
	}
}

func compareNearest(t *testing.T, db *query.DB, w *world, of string) {
	t.Helper()
	text := fmt.Sprintf("NEAREST 100 TO '%s' USING pos WHERE x <= 2 AND NOT linked", of)
	rows, err := db.Query(context.Background(), text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for rows.Next() {
		have = append(have, fmt.Sprintf("%s %.4f", rows.Row()...))
	}
	type hit struct {
		key      string
		distance float64
	}
	var hits []hit
	for _, key := range w.keys {
		x, known := w.vectors[key]
		_, linked := w.edges[ends(of, key)]
		v := w.values[key]["x"]
		if key == of || !known || linked || v.IsMissing() || v.Integer() > 2 {
			continue
		}
		a := w.vectors[of]
		hits = append(hits, hit{key, math.Hypot(float64(x[0]-a[0]), float64(x[1]-a[1]))})
	}
	slices.SortStableFunc(hits, func(a, b hit) int {
		switch {
		case a.distance < b.distance:
			return -1
		case a.distance > b.distance:
			return 1
		}
		return 0
	})
	var want []string
	for _, h := range hits {
		want = append(want, fmt.Sprintf("%s %.4f", h.key, h.distance))
	}
	if !slices.Equal(have, want) {
		t.Fatalf("%s\n %v, expected\n %v", text, have, want)
	}
}

// Each change of a writer gives all vertices the same new number, removes or restores the
// edges of a ring, and sets the degree of every vertex as an attribute. In every version that
// readers see, all vertices have the same number and the degree in their attribute.
func TestUpdate_Concurrent(t *testing.T) {
	n, rounds := 12, repeat.Times(15)
	db := querytest.Open(t, nil)
	ctx := context.Background()
	var ring []storage.Edge
	var vectors []string
	for i := range n {
		ring = append(ring, storage.Edge{Source: fmt.Sprint("v", i), Target: fmt.Sprint("v", (i+1)%n)})
	}
	if _, err := db.Graphs().Create(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Graphs().InsertEdges(ctx, "g", ring); err != nil {
		t.Fatal(err)
	}
	info, err := db.Graphs().Vertices(ctx, graphs.VerticesRequest{Graph: "g"})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range info.Vertices {
		vectors = append(vectors, fmt.Sprint(v.Vertex, " ", i, " 0"))
	}
	if _, err := querytest.PutVectors(db, "g", "pos", strings.Join(vectors, "\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Query(ctx, "UPDATE VERTICES IN g SET round := 0, expected := 2 WHERE degree = 2", nil); err != nil {
		t.Fatal(err)
	}

	var writers, readers sync.WaitGroup
	done := make(chan struct{})
	for writer := range 2 {
		writers.Add(1)
		go func() {
			defer writers.Done()
			for i := range rounds {
				statement := fmt.Sprintf("UPDATE VERTICES IN g SET round := %d WHERE round IS NOT MISSING", writer*rounds+i)
				if _, err := db.Query(ctx, statement, nil); err != nil {
					t.Error(err)
				}
				err := db.Update(ctx, func(tx *storage.Tx) error { return toggle(tx, ring) })
				if err != nil {
					t.Error(err)
				}
			}
		}()
	}
	for reader := range 3 {
		readers.Add(1)
		go func() {
			defer readers.Done()
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
				}
				if err := readRound(ctx, db, n, reader+i); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	writers.Wait()
	close(done)
	readers.Wait()
}

// toggle removes a ring of edges, or restores it.
func toggle(tx *storage.Tx, ring []storage.Edge) error {
	degree := int64(0)
	stats, err := tx.DeleteEdges("g", ring)
	if err != nil {
		return err
	}
	if stats.Deleted == 0 {
		degree = 2
		if _, err := tx.InsertEdges("g", ring); err != nil {
			return err
		}
	}
	vertices := make([]storage.Vertex, len(ring))
	for i, e := range ring {
		vertices[i] = storage.Vertex{Key: e.Source, Values: []storage.NamedValue{{Name: "expected", Value: storage.IntegerValue(degree)}}}
	}
	_, err = tx.UpdateVertices("g", vertices)
	return err
}

// readRound runs one of three queries, and expects the same number in all vertices.
func readRound(ctx context.Context, db *query.DB, n, question int) error {
	switch question % 3 {
	case 0:
		r, err := db.Graphs().Vertices(ctx, graphs.VerticesRequest{Graph: "g", Attributes: []string{"expected", "round"}})
		if err != nil {
			return err
		}
		for _, v := range r.Vertices {
			if int64(v.Degree) != v.Values[0].Integer() || v.Values[1] != r.Vertices[0].Values[1] {
				return fmt.Errorf("one version has %v and %v", r.Vertices[0], v)
			}
		}
		return nil
	case 1:
		var seen sync.Map
		r, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{
			K: n, Embedding: "pos", Vector: []float32{0, 0}, Attributes: []string{"round", "expected"},
			Where: func(c where.Candidate) bool {
				seen.Store([2]storage.Value{c.Value("round"), c.Value("expected")}, true)
				return int64(c.Degree) == c.Value("expected").Integer()
			},
		})
		if err != nil {
			return err
		}
		rounds := 0
		seen.Range(func(any, any) bool { rounds++; return true })
		if len(r.Neighbors) != n || rounds != 1 {
			return fmt.Errorf("one version has %d of %d vertices of their degree, and %d rounds", len(r.Neighbors), n, rounds)
		}
		return nil
	default:
		d, err := db.Graphs().DescribeVertex(ctx, "g", "v3")
		if err != nil {
			return err
		}
		for _, a := range d.Attributes {
			if a.Name == "expected" && a.Value.Integer() != int64(d.Degree) {
				return fmt.Errorf("one version has a vertex of degree %d with %v", d.Degree, d.Attributes)
			}
		}
		return nil
	}
}

// If the graph changes while the condition of a statement is evaluated, the condition is
// evaluated again, the last time with the graph locked against other writers.
func TestUpdate_WhereGraphChanges(t *testing.T) {
	for _, changes := range []int{0, 1, 3} {
		db := querytest.Open(t, nil)
		ctx := context.Background()
		if _, err := db.Graphs().ImportReader(ctx, strings.NewReader("a b\n"), graphs.ImportRequest{Graph: "g"}); err != nil {
			t.Fatal(err)
		}
		asked := 0
		result, err := db.Graphs().UpdateVertices(ctx, graphs.UpdateVerticesRequest{
			Graph: "g", Set: []storage.NamedValue{{Name: "x", Value: storage.IntegerValue(1)}},
			Where: func(c where.Candidate) bool {
				if c.Key() != "a" {
					return true
				}
				if asked++; asked <= changes {
					edge := storage.Edge{Source: "a", Target: fmt.Sprint("new", asked)}
					if _, err := db.Graphs().InsertEdges(ctx, "g", []storage.Edge{edge}); err != nil {
						t.Error(err)
					}
				}
				return true
			},
		})
		if err != nil || result.Updated != int64(2+changes) || asked != changes+1 {
			t.Errorf("%d changes: %d vertices updated, condition called %d times, %v", changes, result.Updated, asked, err)
		}
	}
}

// A failed transaction changes nothing, and Update returns its error.
func TestDB_Update_Fails(t *testing.T) {
	db := querytest.Open(t, nil)
	ctx := context.Background()
	want := errors.New("changed my mind")
	err := db.Update(ctx, func(tx *storage.Tx) error {
		if _, err := tx.CreateGraph("g"); err != nil {
			return err
		}
		if _, err := tx.InsertEdges("g", []storage.Edge{{Source: "a", Target: "b"}}); err != nil {
			return err
		}
		return want
	})
	if !errors.Is(err, want) {
		t.Errorf("got %v, expected %v", err, want)
	}
	if graphs, err := db.Graphs().List(ctx); err != nil || len(graphs) != 0 {
		t.Errorf("graphs are %v, %v", graphs, err)
	}
}

// Errors of requests from Go name the part that is wrong, without a position.
func TestUpdate_Mistakes(t *testing.T) {
	db := querytest.Open(t, nil)
	ctx := context.Background()
	if _, err := db.Graphs().Create(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	age := func(v storage.Value) []storage.NamedValue { return []storage.NamedValue{{Name: "age", Value: v}} }
	if _, err := db.Graphs().InsertVertices(ctx, "g", []storage.Vertex{{Key: "alice", Values: age(storage.IntegerValue(41))}}); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		run  func() error
		want string
		is   error
	}{
		{"graph", func() error { _, err := db.Graphs().InsertEdges(ctx, "h", nil); return err }, `unknown graph "h", expected "g"`, storage.ErrNotFound},
		{"type", func() error {
			_, err := db.Graphs().InsertVertices(ctx, "g", []storage.Vertex{{Key: "bob", Values: age(storage.TextValue("old"))}})
			return err
		}, `vertex "bob": attribute "age" is integer, and the value "old" is text: invalid argument`, storage.ErrInvalid},
		{"key", func() error {
			_, err := db.Graphs().UpdateVertices(ctx, graphs.UpdateVerticesRequest{Graph: "g", Vertices: []storage.Vertex{{Key: "alicia", Values: age(storage.IntegerValue(1))}}})
			return err
		}, `vertex 'alicia' is not in graph g: did you mean 'alice'?`, storage.ErrNotFound},
		{"edge", func() error {
			_, err := db.Graphs().UpdateEdges(ctx, "g", []storage.Edge{{Source: "alice", Target: "bob", Weight: 2}})
			return err
		}, `edge "alice – bob" is not in graph g`, storage.ErrNotFound},
		{"attribute", func() error {
			_, err := db.Graphs().Vertices(ctx, graphs.VerticesRequest{Attributes: []string{"agee"}})
			return err
		}, `graph g has no attribute "agee": did you mean "age"?`, storage.ErrNotFound},
		{"drop", func() error { return db.Graphs().DropAttribute(ctx, "g", "city") }, `graph g has no attribute "city", expected "age"`, storage.ErrNotFound},
		{"limit", func() error { _, err := db.Graphs().Vertices(ctx, graphs.VerticesRequest{Limit: -1}); return err }, "the limit is -1, and must not be negative", fault.ErrInvalid},
	}
	for _, tt := range tests {
		err := tt.run()
		var mistake *fault.Error
		if !errors.As(err, &mistake) || err.Error() != tt.want || !errors.Is(err, tt.is) {
			t.Errorf("%s: got %v, expected %s", tt.name, err, tt.want)
		}
	}
}

// Streamed rows are of one version, whatever changes the graph meanwhile.
func TestShowVertices_StreamsOneVersion(t *testing.T) {
	db := querytest.Open(t, nil)
	ctx := context.Background()
	if _, err := db.Graphs().ImportReader(ctx, strings.NewReader("a b\nb c\nc d\n"), graphs.ImportRequest{Graph: "g"}); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(ctx, "SHOW VERTICES WHERE degree > 0", nil)
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for rows.Next() {
		keys = append(keys, rows.Row()[0].(string))
		if _, err := db.Query(ctx, "DELETE VERTICES FROM g WHERE key = 'c' OR key = 'd'", nil); err != nil {
			t.Fatal(err)
		}
	}
	if rows.Err() != nil || !slices.Equal(keys, []string{"a", "b", "c", "d"}) {
		t.Errorf("got %v, %v", keys, rows.Err())
	}
}
