package storage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/internal/tree"

	"heavytail/.ci/repeat"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/page"
	"heavytail/storage/vec"

	bolt "go.etcd.io/bbolt"
)

var recoverImage image

// recoverBase returns the path of a store with weights, timestamps, attributes, deleted
// vertices and edges, and embeddings.
func recoverBase(t *testing.T) string {
	t.Helper()
	return recoverImage.copy(t, func(path string) { fillRecoverBase(t, path) })
}

func fillRecoverBase(t *testing.T, path string) {
	t.Helper()
	ctx := context.Background()
	db := openStore(t, path, nil)
	putRing(t, db, "ring", 3000)
	importText(t, db, "g", killText())
	err := db.Update(ctx, func(x *Tx) error {
		var vertices []Vertex
		var edges []Edge
		for i := range 2000 {
			key := fmt.Sprintf("p%d", i)
			vertices = append(vertices, Vertex{Key: key, Values: []NamedValue{{Name: "age", Value: IntegerValue(int64(i))}, {Name: "name", Value: TextValue("person " + key)}}})
			edges = append(edges, Edge{Source: key, Target: fmt.Sprintf("p%d", i*i%2000), Weight: 1 + float64(i%7), Time: int64(i), Timed: i%3 > 0,
				Values: []NamedValue{{Name: "kind", Value: TextValue(fmt.Sprint("kind ", i%9))}, {Name: "since", Value: IntegerValue(int64(i))}}})
		}
		if _, err := x.CreateGraph("people"); err != nil {
			return err
		}
		if _, err := x.InsertVertices("people", vertices); err != nil {
			return err
		}
		if _, err := x.InsertEdges("people", edges); err != nil {
			return err
		}
		_, err := x.DeleteVertices("people", []string{"p4", "p1999", "p77"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateGraph(ctx, "empty"); err != nil {
		t.Fatal(err)
	}
	for name, graph := range map[string]string{"e": "ring", "f": "people"} {
		s, err := db.Snapshot(ctx, graph)
		if err != nil {
			t.Fatal(err)
		}
		info := EmbeddingInfo{Name: name, Graph: graph, GraphVersion: s.Info.Version, Method: "numbers"}
		if _, err := db.PutEmbedding(ctx, info, numberedRows(s)); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// numberedRows is an embedding whose rows name their vertex.
func numberedRows(s *Snapshot) *vec.Matrix {
	m := vec.NewMatrix(s.Graph.Vertices(), 20)
	for v := range m.Rows {
		for i := range m.Dim {
			m.Row(v)[i] = keyNumber(s.Key(uint32(v))) + float32(i)
		}
	}
	return m
}

// keyNumber is the number in a key.
func keyNumber(key string) float32 {
	var n float32
	_, _ = fmt.Sscanf(strings.TrimLeft(key, "pv"), "%f", &n)
	return n
}

// facts are all statements that a store makes, one text each.
func facts(t *testing.T, db *DB) map[string]bool {
	t.Helper()
	ctx := context.Background()
	out := make(map[string]bool)
	graphs, err := db.Graphs(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range graphs {
		s, columns, err := db.SnapshotColumns(ctx, g.Name)
		if err != nil {
			t.Fatal(err)
		}
		name := g.Name
		for v := range uint32(s.Graph.Vertices()) {
			out[fmt.Sprintf("%s: %s", name, s.Key(v))] = true
			for i, u := range s.Graph.Neighbors(v) {
				at := s.Graph.Offsets[v] + int64(i)
				edge := fmt.Sprintf("%s: %s-%s", name, s.Key(v), s.Key(u))
				if s.Graph.Weights != nil {
					edge += fmt.Sprintf(" weight %v", s.Graph.Weights[at])
				}
				if s.Graph.Times != nil {
					edge += fmt.Sprintf(" time %v", s.Graph.Times[at])
				}
				out[edge] = true
			}
			for _, c := range columns {
				if !c.IsMissing(v) {
					out[fmt.Sprintf("%s: %s.%s = %v", name, s.Key(v), c.Name, c.At(v))] = true
				}
			}
		}
	}
	for _, g := range graphs {
		s, err := db.Snapshot(ctx, g.Name)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := db.EdgeColumns(ctx, g.Name, g.Version)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range columns {
			order := s.Graph.Order()
			for e := range uint32(c.Len()) {
				if u, v := order.Ends(int64(e)); !c.IsMissing(e) {
					out[fmt.Sprintf("%s: (%s, %s).%s = %v", g.Name, s.Key(u), s.Key(v), c.Name, c.At(e))] = true
				}
			}
		}
	}
	embeddings, err := db.Embeddings(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range embeddings {
		s, err := db.Snapshot(ctx, e.Graph)
		if err != nil {
			t.Fatal(err)
		}
		_, m, err := db.Embedding(ctx, e.Name)
		if err != nil {
			t.Fatal(err)
		}
		if m, err = s.Align(e, m); err != nil {
			t.Fatal(err)
		}
		for v := range m.Rows {
			out[fmt.Sprintf("%s of %s: %s %v", e.Name, e.Graph, s.Key(uint32(v)), m.Row(v))] = true
		}
	}
	return out
}

// recovered recovers a file and returns what the new one says.
func recovered(t *testing.T, from string) (RecoverReport, map[string]bool, error) {
	t.Helper()
	to := filepath.Join(t.TempDir(), "new")
	before := fileSum(t, from)
	report, err := Recover(context.Background(), from, to, RecoverOptions{})
	if before != fileSum(t, from) {
		t.Error("the source was changed")
	}
	left, readErr := os.ReadDir(filepath.Dir(to))
	if readErr != nil || (err == nil) != (len(left) == 1) {
		t.Errorf("left %v, %v", left, readErr)
	}
	if err != nil {
		return report, nil, err
	}
	db := openStore(t, to, nil)
	checkStore(t, db)
	all := facts(t, db)
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	return report, all, nil
}

func TestRecover_SoundFile(t *testing.T) {
	path := recoverBase(t)
	db := openStore(t, path, &Options{ReadOnly: true})
	want := facts(t, db)
	report, got, err := recovered(t, path)
	if err != nil || len(report.Lost) > 0 || len(report.Graphs) != 4 || len(report.Embeddings) != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	for fact := range want {
		if !got[fact] {
			t.Fatalf("lost %q", fact)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d facts from %d", len(got), len(want))
	}
	for _, g := range report.Graphs {
		if g.Rebuilt || g.LostEdges != 0 || g.LostVertices != 0 {
			t.Errorf("%+v", g)
		}
	}
}

// TestRecover_Mutants damages a file in many ways. What is recovered passes the
// check and says nothing that the file did not say, and what is missing is
// reported.
func TestRecover_Mutants(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages a file in thousands of ways")
	}
	t.Parallel()
	count := repeat.Times(6) // one of each kind
	base := recoverBase(t)
	file, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	db := openStore(t, base, &Options{ReadOnly: true})
	want := facts(t, db)
	anyGraph := make(map[string]bool)
	for fact := range want {
		_, said, _ := strings.Cut(fact, ": ")
		said, _, _ = strings.Cut(said, " ") // a graph without its name may have lost what its edges had
		anyGraph[said] = true
	}
	scratch := filepath.Join(t.TempDir(), "mutant")
	refused, kept := 0, 0
	for seed := range count {
		mutant, what := mutate(file, seed)
		if err := os.WriteFile(scratch, mutant, 0o600); err != nil {
			t.Fatal(err)
		}
		report, got, err := recovered(t, scratch)
		if err != nil {
			refused++
			if !typed(err) {
				t.Errorf("%d (%s): %v", seed, what, err)
			}
			continue
		}
		missing := len(want)
		for fact := range got {
			graph, said, _ := strings.Cut(fact, ": ")
			said, _, _ = strings.Cut(said, " ")
			if !want[fact] && (!strings.HasPrefix(graph, "recovered_") || !anyGraph[said]) {
				t.Errorf("%d (%s): says %q", seed, what, fact)
				break
			}
			missing--
		}
		kept += len(got)
		if missing > 0 && len(report.Lost) == 0 {
			t.Errorf("%d (%s): %d facts are missing and nothing is reported", seed, what, missing)
		}
	}
	t.Logf("%d mutants: %d refused; of the others, %.1f%% was kept", count, refused, 100*float64(kept)/float64(len(want)*(count-refused)))
}

// damageRecords changes a byte of every n-th record of a part of a graph.
func damageRecords(t *testing.T, path, name string, part []byte, every int) {
	withRoot(t, path, func(root *bolt.Bucket) error {
		b, _ := objectBucket(t, root, "graphs", name, part)
		i := 0
		cursor := b.Cursor()
		for key, value := cursor.First(); key != nil; key, value = cursor.Next() {
			if i++; i%every == 0 {
				value = append([]byte(nil), value...)
				value[len(value)-1] ^= 0xff
				if err := b.Put(append([]byte(nil), key...), value); err != nil {
					return err
				}
			}
		}
		if i < every {
			return errors.New("too few records for this test")
		}
		return nil
	})
}

// Each edge is stored twice and each key too: the loss of either list of keys,
// and of some blocks of edges, costs nothing.
func TestRecover_UsesRedundancy(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages a file in thousands of ways")
	}
	t.Parallel()
	db := openStore(t, recoverBase(t), &Options{ReadOnly: true})
	want := facts(t, db)
	for _, c := range []struct {
		name  string
		part  []byte
		every int
		lost  bool // edges may be lost
	}{
		{"keys", block.KeysName, 1, false},
		{"ids", block.IDsName, 1, false},
		{"one block of arcs", block.ArcsName, 8, true},
		{"attributes", block.AttrsName, 2, false},
		{"attributes of edges", block.EdgeAttrsName, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := recoverBase(t)
			damageRecords(t, path, "people", c.part, c.every)
			report, got, err := recovered(t, path)
			if err != nil || len(report.Lost) == 0 {
				t.Fatalf("%+v, %v", report, err)
			}
			edges := 0
			for fact := range want {
				switch {
				case got[fact]:
				case strings.Contains(fact, "-") && strings.HasPrefix(fact, "people"):
					edges++
				case c.name == "attributes" && strings.Contains(fact, " = "):
				case (c.name == "attributes of edges" || c.lost) && strings.Contains(fact, ")."):
				default:
					t.Fatalf("lost %q; %q", fact, report.Lost)
				}
			}
			if edges > 0 && !c.lost {
				t.Errorf("%d arcs were lost", edges)
			}
			for _, g := range report.Graphs {
				if g.Rebuilt != (g.Name == "people") || (g.Rebuilt && 2*g.LostEdges != int64(edges)) {
					t.Errorf("%+v, and %d arcs are missing", g, edges)
				}
			}
		})
	}
}

// What is left of a directed graph is directed: an edge is lost only with both of its arcs, and none
// is turned or gets another weight.
func TestRecover_Directed(t *testing.T) {
	ctx := context.Background()
	random := rand.New(rand.NewPCG(8, 8))
	want := map[[2]string]Edge{}
	var edges []Edge
	for i := range 4000 {
		e := Edge{Source: fmt.Sprint("p", random.IntN(900)), Target: fmt.Sprint("p", i%900), Weight: float64(1 + i%7)}
		if i%3 > 0 {
			e.Time, e.Timed = int64(i), true
		}
		if ends := [2]string{e.Source, e.Target}; e.Source != e.Target && want[ends].Source == "" {
			if i%2 == 0 {
				e.Values = []NamedValue{{Name: "kind", Value: TextValue(fmt.Sprint("kind ", i%9))}}
			}
			want[ends] = e
			edges = append(edges, e)
		}
	}
	for name, damage := range map[string]func(path string){
		"keys":      func(path string) { damageRecords(t, path, "g", block.KeysName, 1) },
		"ids":       func(path string) { damageRecords(t, path, "g", block.IDsName, 1) },
		"some arcs": func(path string) { damageRecords(t, path, "g", block.ArcsName, 4) },
		"all arcs":  func(path string) { damageRecords(t, path, "g", block.ArcsName, 1) },
		"entry": func(path string) {
			withRoot(t, path, func(root *bolt.Bucket) error {
				return root.Bucket(block.GraphsName).Put([]byte("g"), []byte("no record"))
			})
		},
		"header": func(path string) {
			withRoot(t, path, func(root *bolt.Bucket) error { return root.Put(block.HeaderKey, []byte("no header")) })
		},
	} {
		t.Run(name, func(t *testing.T) {
			db := newStore(t, nil)
			if _, err := db.CreateDirected(ctx, "g"); err != nil {
				t.Fatal(err)
			}
			update(t, db, func(x *Tx) error { _, err := x.InsertEdges("g", edges); return err })
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			damage(db.Path())
			to := filepath.Join(t.TempDir(), "new")
			report, err := Recover(ctx, db.Path(), to, RecoverOptions{})
			if err != nil || len(report.Graphs) != 1 {
				t.Fatalf("%+v, %v", report, err)
			}
			got := openStore(t, to, nil)
			checkStore(t, got)
			g := report.Graphs[0]
			s, err := got.Snapshot(ctx, g.Name)
			if err != nil {
				t.Fatal(err)
			}
			d, info, err := got.Directed(ctx, g.Name)
			if err != nil || info.Count() != g.Edges {
				t.Fatalf("%+v of %+v, %v", info, g, err)
			}
			for u := range uint32(d.Vertices()) {
				list, err := got.Neighbors(ctx, g.Name, s.Key(u))
				if err != nil || len(list) != d.Out.Degree(u)+d.In.Degree(u) {
					t.Fatalf("%d edges of %q, %v", len(list), s.Key(u), err)
				}
				for _, e := range list {
					was := want[[2]string{e.Source, e.Target}]
					if name == "entry" { // which had the attributes
						was.Values = nil
					}
					if !reflect.DeepEqual(e, was) {
						t.Fatalf("edge %+v, want %+v", e, was)
					}
				}
			}
			switch lost := int64(len(want)) - g.Edges; name {
			case "some arcs":
				if lost != g.LostEdges || lost == 0 || g.Edges == 0 {
					t.Errorf("%d edges are lost, %+v", lost, g)
				}
			case "all arcs":
				if g.Edges != 0 || g.LostEdges != lost {
					t.Errorf("%+v", g)
				}
			default:
				if lost != 0 {
					t.Errorf("%d edges are lost", lost)
				}
			}
			if stats, err := got.Stats(ctx); err != nil || !slices.Contains(stats.Features, block.FeatureDirected) {
				t.Errorf("features %q, %v", stats.Features, err)
			}
		})
	}
}

// A graph whose catalogue entry is lost is found by its object.
func TestRecover_WithoutCatalogueEntry(t *testing.T) {
	path := recoverBase(t)
	db, err := Open(path, &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	want, err := db.Graph(context.Background(), "people")
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	withRoot(t, path, func(root *bolt.Bucket) error {
		return root.Bucket(block.GraphsName).Put([]byte("people"), []byte("no record"))
	})
	report, _, err := recovered(t, path)
	if err != nil || len(report.Graphs) != 4 || len(report.Embeddings) != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	last := report.Graphs[3]
	if !strings.HasPrefix(last.Name, "recovered_") || last.Vertices != want.Vertices || last.Edges != want.Edges || last.LostEdges != -1 {
		t.Errorf("%+v, want %+v", last, want)
	}
	if lost := strings.Join(report.Lost, "\n"); !strings.Contains(lost, `graph "people", catalogue entry`) || !strings.Contains(lost, `embedding "f"`) {
		t.Errorf("reported is %q", report.Lost)
	}
}

// Without its root a store is found by looking at every page.
func TestRecover_WithoutRoot(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages a file in many places")
	}
	t.Parallel()
	base := recoverBase(t)
	file, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	size := os.Getpagesize()
	withKeys := func(keys ...string) []int { // leaf pages with these keys
		var ids []int
		for at := 2 * size; at+size <= len(file); at += size {
			b := file[at : at+size]
			all := block.Native.Uint16(b[8:]) == page.LeafFlag && int(block.Native.Uint64(b)) == at/size
			for _, key := range keys {
				all = all && strings.Contains(string(b), key)
			}
			if all {
				ids = append(ids, at/size)
			}
		}
		return ids
	}
	for _, c := range []struct {
		name  string
		pages []int
		says  string
	}{
		{"newest root", []int{int(newestRoot(t, base))}, "the root is damaged"},
		{"all roots", withKeys("heavytail"), "the root is damaged"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if len(c.pages) == 0 {
				t.Fatal("no page found")
			}
			mutant := append([]byte(nil), file...)
			for _, p := range c.pages {
				clear(mutant[p*size : (p+1)*size])
			}
			path := filepath.Join(t.TempDir(), "mutant")
			if err := os.WriteFile(path, mutant, 0o600); err != nil {
				t.Fatal(err)
			}
			report, _, err := recovered(t, path)
			if err != nil || len(report.Graphs) < 3 || !strings.Contains(strings.Join(report.Lost, "\n"), c.says) {
				t.Errorf("%+v, %v", report, err)
			}
		})
	}
}

// newestRoot is the page of the root bucket of a file.
func newestRoot(t *testing.T, path string) uint64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	metas, _ := page.BothMetas(f, info.Size())
	return metas[0].Root
}

func TestRecover_Refused(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path := recoverBase(t)
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("0 1\n", 9000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from, to string
		want     error
	}{
		{"", filepath.Join(dir, "x"), ErrInvalid},
		{filepath.Join(dir, "none"), filepath.Join(dir, "x"), os.ErrNotExist},
		{dir, filepath.Join(dir, "x"), ErrNotStore},
		{text, filepath.Join(dir, "x"), ErrNotStore},
		{path, text, ErrExists},
		{path, "", ErrInvalid},
	} {
		if _, err := Recover(ctx, c.from, c.to, RecoverOptions{}); !errors.Is(err, c.want) {
			t.Errorf("%q to %q: %v, want %v", c.from, c.to, err, c.want)
		}
	}
	if _, err := Recover(ctx, path, path, RecoverOptions{Overwrite: true}); !errors.Is(err, ErrInvalid) {
		t.Errorf("onto itself: %v", err)
	}
	db := openStore(t, path, nil)
	if _, err := Recover(ctx, path, filepath.Join(dir, "x"), RecoverOptions{LockTimeout: -1}); !errors.Is(err, ErrLocked) {
		t.Errorf("beside a writer: %v", err)
	}
	report, err := db.Recover(ctx, filepath.Join(dir, "x"), RecoverOptions{})
	if err != nil || len(report.Graphs) != 4 || len(report.Lost) > 0 {
		t.Errorf("through the writer itself: %+v, %v", report, err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := db.Recover(cancelled, filepath.Join(dir, "y"), RecoverOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Hostile content under right checksums is decoded with the same care.
func TestRecover_PlantedDamage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages a file in thousands of ways")
	}
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	file, err := os.ReadFile(recoverBase(t))
	if err != nil {
		t.Fatal(err)
	}
	for round := range 10 {
		path := filepath.Join(t.TempDir(), "planted")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		part := [][]byte{block.KeysName, block.IDsName, block.ArcsName, block.AttrsName, block.EdgeAttrsName}[round%5]
		withRoot(t, path, func(root *bolt.Bucket) error {
			b, seed := objectBucket(t, root, "graphs", "people", part)
			reseal(t, b, seed, func(payload []byte) []byte {
				payload[random.IntN(len(payload))] ^= byte(1 << random.IntN(8))
				return payload
			})
			return nil
		})
		if _, _, err := recovered(t, path); err != nil && !typed(err) {
			t.Errorf("round %d: %v", round, err)
		}
	}
}

// FuzzRecover recovers any bytes: a store that passes the check, which Recover
// makes sure of, or a typed error.
func FuzzRecover(f *testing.F) {
	path := filepath.Join(f.TempDir(), "seed")
	db, err := Open(path, nil)
	if err != nil {
		f.Fatal(err)
	}
	importText(f, db, "g", "a b\nb c\nc a\n")
	if err := db.Close(); err != nil {
		f.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Add(file[:len(file)/2])
	f.Add(file[2*os.Getpagesize():])
	f.Add([]byte("a b\n"))
	f.Add([]byte{})
	for seed := range 12 {
		mutant, _ := mutate(file, seed)
		f.Add(mutant)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		dir := t.TempDir()
		from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
		if err := os.WriteFile(from, file, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Recover(context.Background(), from, to, RecoverOptions{}); err != nil && !typed(err) {
			t.Error(err)
		}
	})
}

// What belongs to an entry that cannot be read is kept: removing stray objects is an error then.
func TestMender_UnreadableEntry(t *testing.T) {
	db, err := Open(recoverBase(t), nil) // which the test leaves damaged
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, embeddings := context.Background(), 0
	err = db.file.InTransaction(ctx, func(t *tree.Tx) error {
		var names []string
		err := t.Each(block.EmbeddingsName, func(key, _ []byte) error {
			names = append(names, string(key))
			return nil
		})
		if embeddings = len(names); err != nil || embeddings == 0 {
			return err
		}
		return t.Root.Bucket(block.EmbeddingsName).Put([]byte(names[0]), []byte("no record"))
	})
	if err != nil || embeddings == 0 {
		t.Fatal(embeddings, err)
	}
	objects := func() (count int) {
		if err := db.file.View(ctx, func(t *tree.Tx) error {
			return t.Each(block.ObjectsName, func([]byte, []byte) error { count++; return nil })
		}); err != nil {
			t.Fatal(err)
		}
		return count
	}
	before := objects()
	if err := (&mender{db: db}).objects(ctx); err == nil || objects() != before {
		t.Errorf("error %v, and %d objects of %d", err, objects(), before)
	}
}
