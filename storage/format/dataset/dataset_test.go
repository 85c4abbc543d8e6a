package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/format"
	"heavytail/storage/vec"
)

func open(t *testing.T, path string) *storage.DB {
	t.Helper()
	db, err := storage.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if report, err := db.Check(context.Background(), nil); err != nil || !report.OK() {
			t.Errorf("check of %s: %+v, %v", path, report.Faults, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// load imports texts into the graph g.
func load(t *testing.T, db *storage.DB, layout format.Layout, text string) {
	t.Helper()
	opts := storage.ImportOptions{Format: format.Options{Layout: layout, EdgeListOptions: format.EdgeListOptions{Separator: ",", Header: format.HeaderNames, Name: "test"}}}
	if _, err := db.Import(context.Background(), "g", strings.NewReader(text), opts); err != nil {
		t.Fatal(err)
	}
}

// vectors stores an embedding of the present version of g.
func vectors(t *testing.T, db *storage.DB, name string, dim int) storage.EmbeddingInfo {
	t.Helper()
	ctx := context.Background()
	g, err := db.Graph(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	m := vec.NewMatrix(g.Vertices, dim)
	for i := range m.Data {
		m.Data[i] = float32(i*i%97) / 7
	}
	e, err := db.PutEmbedding(ctx, storage.EmbeddingInfo{Name: name, Graph: "g", GraphVersion: g.Version, Method: "test", Seed: 7, Stats: []storage.Setting{{Name: "a", Value: "b"}}}, m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// made are graphs g of every kind, with what else belongs to them.
var made = map[string]func(t *testing.T, db *storage.DB) Names{
	"all": func(t *testing.T, db *storage.DB) Names {
		ctx := context.Background()
		load(t, db, format.LayoutEdges, "source,target,weight,time\nada,\"b \"\"o\"\"\",0.25,2024-02-29\nada,cyd,3,1969-12-31T23:59:59Z\ncyd,gone,1,\n")
		load(t, db, format.LayoutVertices, "key,id,key_2,ok,n:text\nada,41,0.1,true,\n\"b \"\"o\"\"\",-7,,false,007\ncyd,,1e300,,é|北京\nalone,9,,,x\n")
		if err := db.Update(ctx, func(x *storage.Tx) error {
			_, err := x.DeleteVertices("g", []string{"gone"})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		vectors(t, db, "e", 3)
		e := vectors(t, db, "e", 3)
		vectors(t, db, "../é 100%", 2)
		if _, err := db.PutIndex(ctx, e, storage.IndexInfo{Metric: "cosine", Vectors: 4}, copyOf("an index")); err != nil {
			t.Fatal(err)
		}
		if _, err := db.PutModel(ctx, storage.ModelInfo{Name: "m", Graph: "g", GraphVersion: 2, Embedding: "e", Generation: 1, Coordinates: e.Coordinates, Terms: []string{"x"}}, copyOf("a model")); err != nil {
			t.Fatal(err)
		}
		load(t, db, format.LayoutEdges, "source,target\nada,new\n") // newer than the vectors
		return Names{Graph: "g", Embeddings: []string{"e", "../é 100%"}, Models: []string{"m"}, Indexes: true}
	},
	"no vertices": func(t *testing.T, db *storage.DB) Names {
		if _, err := db.CreateGraph(context.Background(), "g"); err != nil {
			t.Fatal(err)
		}
		return Names{Graph: "g"}
	},
	"one vertex": func(t *testing.T, db *storage.DB) Names {
		load(t, db, format.LayoutVertices, "key\nalone\n")
		vectors(t, db, ".", 1)
		return Names{Graph: "g", Embeddings: []string{"."}}
	},
	"a hub": func(t *testing.T, db *storage.DB) Names {
		edges := make([]csr.Edge, 100_000)
		for i := range edges {
			edges[i] = csr.Edge{U: 50_000, V: uint32(i + i/50_000)}
		}
		g, err := csr.FromEdges(len(edges)+1, edges)
		if err == nil {
			_, err = db.PutGraph(context.Background(), "g", storage.PutGraphRequest{Graph: g})
		}
		if err != nil {
			t.Fatal(err)
		}
		vectors(t, db, "e", 2)
		return Names{Graph: "g", Embeddings: []string{"e"}}
	},
}

func copyOf(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// answers are what a store says about objects, except their numbers in the store.
func answers(t *testing.T, db *storage.DB, names Names) (list []any) {
	t.Helper()
	ctx := context.Background()
	add := func(x any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, x)
	}
	info, err := db.Graph(ctx, "g")
	var attributes []string
	for _, a := range info.Attributes {
		attributes = append(attributes, a.Name)
	}
	info.ID, info.Deleted = 0, 0
	add(info, err)
	s, columns, err := db.SnapshotColumns(ctx, "g", attributes...)
	add(s.Graph, err)
	for v := range uint32(s.Graph.Vertices()) {
		list = append(list, s.Key(v))
		for _, c := range columns {
			list = append(list, c.At(v).String(), c.IsMissing(v))
		}
	}
	digest, err := s.Digest(ctx)
	add(digest, err)
	for _, name := range names.Embeddings {
		e, m, err := db.Embedding(ctx, name)
		add(m, err)
		rows, err := s.RowsOf(e)
		add(rows, err)
		indexes, err := db.Indexes(ctx, name)
		add(indexes, err)
		for _, i := range indexes {
			_, from, err := db.Index(ctx, e, i.Metric)
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(from)
			add(string(text), err)
		}
		text, err := json.Marshal(withoutNumber(e))
		add(string(text), err)
	}
	for _, name := range names.Models {
		m, from, err := db.Model(ctx, name)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(from)
		add(string(text), err)
		m.GraphID = 0
		list = append(list, m)
	}
	return list
}

func withoutNumber(e storage.EmbeddingInfo) storage.EmbeddingInfo {
	e.GraphID = 0
	return e
}

// A store that is made of a folder answers as the one that was written, whatever the size
// of the files; and what is written of it again has the same bytes.
func TestContent_Restore(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, prepare := range made {
		for _, small := range []bool{false, true} {
			if testing.Short() && small && name != "a hub" {
				t.Log("-short: small files only of a hub")
				continue
			}
			t.Run(fmt.Sprintf("%s, small files %t", name, small), func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				db := open(t, filepath.Join(dir, "a.ht"))
				names := prepare(t, db)
				w := &writer{ctx: ctx, db: db, dir: filepath.Join(dir, "data"), fileBytes: fileBytes, content: Content{Version: Version}}
				if small {
					w.fileBytes, w.options.RowGroup = 1000, 32<<10
				}
				if err := w.run(names); err != nil {
					t.Fatal(err)
				}
				if files := len(w.content.Files); small && name == "a hub" && files < 20 {
					t.Errorf("%d files", files)
				}
				// The content goes through a file of the caller.
				text, err := json.Marshal(w.content)
				var content Content
				if err := errors.Join(err, json.Unmarshal(text, &content)); err != nil {
					t.Fatal(err)
				}
				if err := content.Restore(ctx, w.dir, filepath.Join(dir, "b.ht")); err != nil {
					t.Fatal(err)
				}
				other := open(t, filepath.Join(dir, "b.ht"))
				got, want := answers(t, other, names), answers(t, db, names)
				for i := range want {
					if !reflect.DeepEqual(got[i], want[i]) {
						t.Errorf("%+v, expected %+v", got[i], want[i])
					}
				}
				if small {
					return
				}
				again, err := Write(ctx, other, filepath.Join(dir, "again"), names)
				if err != nil || !slices.Equal(again.Files, content.Files) {
					t.Errorf("%v, expected %v: %v", again.Files, content.Files, err)
				}
			})
		}
	}
}

// A file that is missing, cut off or changed at any byte is named, with what to do.
func TestContent_Damaged(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "a.ht"))
	content, err := Write(ctx, db, filepath.Join(dir, "data"), made["all"](t, db))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(what string, c *Content, file string) {
		t.Helper()
		err := c.Restore(ctx, filepath.Join(dir, "data"), filepath.Join(dir, "b.ht"))
		var at *FileError
		if !errors.As(err, &at) || !errors.Is(err, ErrDamaged) || !strings.HasSuffix(at.Path, filepath.FromSlash(file)) || !strings.Contains(err.Error(), "plan again") {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "b.ht")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: there is a store: %v", what, err)
		}
	}
	for _, f := range content.Files {
		path := f.in(filepath.Join(dir, "data"))
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		put := func(text []byte) {
			t.Helper()
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for i := range whole {
			if i%max(1, len(whole)/20) == 0 {
				changed := slices.Clone(whole)
				changed[i] ^= 1
				put(changed)
				refused(fmt.Sprintf("byte %d of %s", i, f.Path), content, f.Path)
			}
		}
		put(whole[:len(whole)-1])
		refused("cut off", content, f.Path)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		refused("missing", content, f.Path)
		put(whole)
	}
	out := *content
	out.Files = []File{{Path: "../a.ht"}}
	refused("a path out of the folder", &out, "../a.ht")
	newer := *content
	newer.Version = Version + 1
	if err := newer.Restore(ctx, filepath.Join(dir, "data"), filepath.Join(dir, "b.ht")); !errors.Is(err, ErrVersion) || !strings.Contains(err.Error(), "version 2, expected 1") {
		t.Error(err)
	}
	// Right checksums over a table of other values.
	for what, change := range map[string]func(c *Content){
		"edges":    func(c *Content) { c.Times = false; c.Catalogue.Graphs[0].Vertices = 2 },
		"vertices": func(c *Content) { c.Catalogue.Graphs[0].Vertices = 9 },
		"vectors":  func(c *Content) { c.Catalogue.Embeddings[0].Dim = 2 },
		"graphs":   func(c *Content) { c.Catalogue.Graphs = nil },
	} {
		wrong := *content
		wrong.Catalogue.Graphs, wrong.Catalogue.Embeddings = slices.Clone(content.Catalogue.Graphs), slices.Clone(content.Catalogue.Embeddings)
		change(&wrong)
		if err := wrong.Restore(ctx, filepath.Join(dir, "data"), filepath.Join(t.TempDir(), "b.ht")); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// What a folder cannot have is refused with what to do.
func TestWrite_Unfit(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := open(t, filepath.Join(t.TempDir(), "a.ht"))
	load(t, db, format.LayoutEdges, "source,target\na,b\nb,c\n")
	vectors(t, db, "e", 2)
	vectors(t, db, "e", 2)
	refused := func(name, want string) {
		t.Helper()
		if _, err := Write(ctx, db, t.TempDir(), Names{Graph: "g", Embeddings: []string{name}}); !errors.Is(err, ErrUnfit) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	refused("e@1", "past generation")
	for _, gone := range []string{"c", "a"} { // the last vertex, and the first
		if err := db.Update(ctx, func(x *storage.Tx) error {
			_, err := x.DeleteVertices("g", []string{gone})
			return err
		}); err != nil {
			t.Fatal(err)
		}
		refused("e", "REFRESH")
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Write(ended, db, t.TempDir(), Names{Graph: "g"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
