package run

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// ring stores a cycle of n vertices as the graph "ring".
func ring(t *testing.T, n int) (*storage.DB, *storage.Snapshot) {
	t.Helper()
	db, err := storage.Open(filepath.Join(t.TempDir(), "store"), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if report, err := db.Check(context.Background(), nil); err != nil || len(report.Faults) > 0 {
			t.Errorf("check: %v %v", report.Faults, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	var edges []csr.Edge
	for v := range n {
		edges = append(edges, csr.Edge{U: uint32(v), V: uint32((v + 1) % n)})
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	key := func(v uint32) string { return strconv.Itoa(int(v)) }
	if _, err := db.PutGraph(context.Background(), "ring", storage.PutGraphRequest{Graph: g, Keys: key, Source: "test"}); err != nil {
		t.Fatal(err)
	}
	snap, err := db.Snapshot(context.Background(), "ring")
	if err != nil {
		t.Fatal(err)
	}
	return db, snap
}

// The stored embedding equals the result of the algorithm, for every option; storing it
// again keeps the generation.
func TestEmbed_StoresResultAndProvenance(t *testing.T) {
	db, snap := ring(t, 30)
	ctx := context.Background()
	for range 2 {
		info, err := Embed(ctx, db, snap, Request{
			Name: "e", Method: "dp_spectral", Workers: 2,
			Options: []option.Given{{Name: "dim", Value: 40}, {Name: "beta", Value: int64(1)}, {Name: "common", Value: int64(1)}, {Name: "normalization", Value: "degree"}, {Name: "seed", Value: int64(-7)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if info.Generation != 1 || info.Dim != 30 || info.Graph != "ring" || info.GraphVersion != snap.Info.Version || info.Kernel != vec.Kind() {
			t.Errorf("stored as %+v", info)
		}
	}
	info, m, err := db.Embedding(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	want, stats, err := embedding.DPSpectral(ctx, snap.Graph, embedding.SpectralOptions{
		Dim: 40, Beta: new(1.0), Normalization: embedding.Degree, Seed: math.MaxUint64 - 6,
	})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Data, want.Data) || !slices.Equal(info.Eigenvalues, stats.Eigenvalues) || !slices.Equal(info.Residuals, stats.Residuals) {
		t.Error("the stored embedding differs from the computed one")
	}
	options := []storage.Setting{
		{Name: "dim", Value: "40"}, {Name: "beta", Value: "1"}, {Name: "common", Value: "1"}, {Name: "normalization", Value: "degree"},
		{Name: "scale", Value: "0.25"}, {Name: "row_scale", Value: "0.5"}, {Name: "tolerance", Value: "0.0001"},
		{Name: "seed", Value: "-7"}, {Name: "components", Value: "apart"}, {Name: "weights", Value: "true"},
	}
	if !slices.Equal(info.Options, options) {
		t.Errorf("options %v", info.Options)
	}
	if i := slices.IndexFunc(info.Stats, func(s storage.Setting) bool { return s.Name == "note" }); i < 0 {
		t.Error("no note that 30 vertices have no 40 coordinates")
	}
}

// Weights are used if the graph has any, unless an option ignores them, and the record says
// so.
func TestEmbed_Weights(t *testing.T) {
	db, snap := ring(t, 30)
	ctx := context.Background()
	g := &csr.Graph{Offsets: snap.Graph.Offsets, Targets: snap.Graph.Targets}
	for u := range uint32(30) {
		for _, v := range g.Neighbors(u) {
			g.Weights = append(g.Weights, float32(1+u*v%7))
		}
	}
	if _, err := db.PutGraph(ctx, "heavy", storage.PutGraphRequest{Graph: g, Source: "test"}); err != nil {
		t.Fatal(err)
	}
	heavy, err := db.Snapshot(ctx, "heavy")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		snap    *storage.Snapshot
		options []option.Given
		want    *csr.Graph
		stat    string // of the name weighted
	}{
		{"used", heavy, nil, g, "true"},
		{"ignored", heavy, []option.Given{{Name: "weights", Value: false}}, snap.Graph, "false"},
		{"none", snap, []option.Given{{Name: "weights", Value: true}}, snap.Graph, ""},
	} {
		for method, compute := range map[string]func(g *csr.Graph) (*vec.Matrix, error){
			"laplacian_eigenmaps": func(g *csr.Graph) (*vec.Matrix, error) {
				m, _, err := embedding.LaplacianEigenmaps(ctx, g, embedding.SpectralOptions{Dim: 5})
				return m, err
			},
			"dp_walker": func(g *csr.Graph) (*vec.Matrix, error) {
				m, _, err := embedding.DPWalker(ctx, g, embedding.WalkOptions{Dim: 5})
				return m, err
			},
		} {
			name := c.name + " by " + method
			info, err := Embed(ctx, db, c.snap, Request{Name: name, Method: method, Options: append(c.options, option.Given{Name: "dim", Value: 5})})
			if err != nil {
				t.Fatal(err)
			}
			_, m, err := db.Embedding(ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			want, err := compute(c.want)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(m.Data, want.Data) {
				t.Errorf("%s: not the embedding of the graph", name)
			}
			stat := ""
			if i := slices.IndexFunc(info.Stats, func(s storage.Setting) bool { return s.Name == "weighted" }); i >= 0 {
				stat = info.Stats[i].Value
			}
			if stat != c.stat {
				t.Errorf("%s: weighted is %q", name, stat)
			}
		}
	}
}

// Each option given with its default value changes nothing.
func TestMethods_DefaultsReadBack(t *testing.T) {
	for _, m := range Methods() {
		plain, err := prepare(m.Name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range m.Options {
			value := o.Parse(strings.Trim(o.Default, "'"))
			given, err := prepare(m.Name, []option.Given{{Name: o.Name, Value: value}})
			if err != nil {
				t.Fatalf("%s.%s: %v", m.Name, o.Name, err)
			}
			if !slices.Equal(given.options, plain.options) {
				t.Errorf("%s: %s := %s changes options: %v", m.Name, o.Name, o.Default, given.options)
			}
		}
	}
}

func TestCheck_Errors(t *testing.T) {
	var unknown *MethodError
	if _, err := Check("spectral", nil); !errors.As(err, &unknown) || len(unknown.Known) != len(Methods()) {
		t.Errorf("unknown method: %v", err)
	}
	if _, err := Check("laplacian_eigenmaps", []option.Given{{Name: "dim", Value: 8}, {Name: "scale", Value: 0}}); err != nil {
		t.Error(err)
	}
	for _, bad := range []struct {
		method string
		option option.Given
		known  bool
	}{
		{"laplacian_eigenmaps", option.Given{Name: "beta", Value: 0.5}, false},
		{"dp_spectral", option.Given{Name: "Beta", Value: 0.5}, false},
		{"dp_spectral", option.Given{Name: "beta", Value: "a lot"}, true},
		{"dp_spectral", option.Given{Name: "beta", Value: -1}, true},
		{"dp_spectral", option.Given{Name: "beta", Value: math.NaN()}, true},
		{"dp_spectral", option.Given{Name: "dim", Value: 0}, true},
		{"dp_spectral", option.Given{Name: "dim", Value: 1.5}, true},
		{"dp_spectral", option.Given{Name: "dim", Value: int64(math.MinInt64)}, true},
		{"dp_spectral", option.Given{Name: "tolerance", Value: 0.0}, true},
		{"dp_spectral", option.Given{Name: "normalization", Value: "degrees"}, true},
		{"dp_spectral", option.Given{Name: "components", Value: true}, true},
		{"dp_spectral", option.Given{Name: "seed", Value: 0.5}, true},
		{"deepwalk", option.Given{Name: "beta", Value: 1}, false},
		{"dp_walker", option.Given{Name: "beta", Value: 9}, true},
		{"dp_walker", option.Given{Name: "walks", Value: 0}, true},
		{"dp_walker", option.Given{Name: "alpha", Value: 0}, true},
		{"node2vec", option.Given{Name: "p", Value: 0}, true},
		{"node2vec", option.Given{Name: "negative", Value: -1}, true},
		{"node2vec", option.Given{Name: "partitions", Value: 65}, true},
		{"dp_spectral", option.Given{Name: "weights", Value: "true"}, true},
		{"laplacian_eigenmaps", option.Given{Name: "weights", Value: 1}, true},
	} {
		var e *option.Error
		_, err := Check(bad.method, []option.Given{bad.option})
		if !errors.As(err, &e) || e.Option != bad.option.Name || (e.Known == nil) != bad.known || bad.known == (e.Allowed == "" && e.Type == "" && e.Choices == nil) {
			t.Errorf("%s, %v: %v", bad.method, bad.option, err)
		}
	}
}

// TestEmbed_Walks stores an embedding of each method that walks.
func TestEmbed_Walks(t *testing.T) {
	db, snap := ring(t, 30)
	for _, method := range []string{"deepwalk", "dp_walker", "node2vec"} {
		info, err := Embed(context.Background(), db, snap, Request{Name: method, Method: method, Options: []option.Given{{Name: "dim", Value: 8}, {Name: "walks", Value: 2}, {Name: "seed", Value: 3}}})
		if err != nil {
			t.Fatal(err)
		}
		if info.Dim != 8 || info.Vertices != 30 || info.Seed != 3 || info.Options[0] != (storage.Setting{Name: "dim", Value: "8"}) {
			t.Errorf("%s: %+v", method, info)
		}
		if i := slices.IndexFunc(info.Stats, func(s storage.Setting) bool { return s.Name == "visits" }); i < 0 || info.Stats[i].Value != "2400" {
			t.Errorf("%s: statistics %v", method, info.Stats)
		}
	}
}

// Rows are not stored for another graph that took the name of the embedded one.
func TestEmbed_GraphMadeAgain(t *testing.T) {
	ctx := context.Background()
	db, snap := ring(t, 30)
	if err := db.DropGraph(ctx, "ring", false); err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutGraph(ctx, "ring", storage.PutGraphRequest{Graph: snap.Graph}); err != nil {
		t.Fatal(err)
	}
	if _, err := Embed(ctx, db, snap, Request{Name: "e", Method: "dp_spectral"}); !errors.Is(err, storage.ErrConflict) {
		t.Errorf("err = %v", err)
	}
}

// Nothing is stored when a job fails or is cancelled.
func TestEmbed_NothingStoredOnFailure(t *testing.T) {
	db, snap := ring(t, 30)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, test := range []struct {
		ctx    context.Context
		method string
		want   error
	}{
		{cancelled, "dp_spectral", context.Canceled},
		{context.Background(), "none", nil},
	} {
		_, err := Embed(test.ctx, db, snap, Request{Name: "e", Method: test.method})
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: error is %v", test.method, err)
		}
	}
	if _, err := db.EmbeddingInfo(context.Background(), "e"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("after failures: %v", err)
	}
}

// TestWalks has the walks of the methods that walk, and errors for the others.
func TestWalks(t *testing.T) {
	_, snap := ring(t, 30)
	for _, m := range Methods() {
		walks, err := Walks(context.Background(), snap.Graph, Request{Method: m.Name, Options: []option.Given{{Name: "seed", Value: 3}}})
		if !m.Walks {
			if !errors.Is(err, ErrNoWalks) {
				t.Errorf("%s: %v", m.Name, err)
			}
			continue
		}
		if err != nil || walks.Vertices != 30 || walks.Walks != 300 {
			t.Fatalf("%s: %+v, %v", m.Name, walks, err)
		}
		for i := range walks.Walks {
			if w := walks.Append(nil, i); len(w) != 40 || !slices.Equal(w, walks.Append(nil, i)) {
				t.Fatalf("%s: walk %d is %v", m.Name, i, w)
			}
		}
	}
	var unknown *option.Error
	if _, err := Walks(context.Background(), snap.Graph, Request{Method: "deepwalk", Options: []option.Given{{Name: "beta", Value: 1.0}}}); !errors.As(err, &unknown) {
		t.Errorf("an option that the method does not have: %v", err)
	}
}
