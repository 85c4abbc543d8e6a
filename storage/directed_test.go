package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/format"
)

// directedEdges lists the edges of a directed graph as "source target weight".
func directedEdges(t *testing.T, db *DB, graph string) []string {
	t.Helper()
	ctx := context.Background()
	d, _, err := db.Directed(ctx, graph)
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.Snapshot(ctx, graph)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for u := range uint32(d.Vertices()) {
		for i, v := range d.Out.Neighbors(u) {
			w := float32(1)
			if d.Weighted() {
				w = d.Out.WeightsOf(u)[i]
			}
			list = append(list, fmt.Sprint(s.Key(u), " ", s.Key(v), " ", w))
		}
	}
	slices.Sort(list)
	return list
}

// What the edges of a text become: by the option, by the graph that exists, and undirected otherwise.
func TestImport_Direction(t *testing.T) {
	ctx := context.Background()
	const text = "who whom\na b\nb a\nb c\nc c\nb c\n"
	one, both := []string{"a b 1", "b a 1", "b c 1"}, []string{"a b 1", "b a 1", "b c 1", "c b 1"}
	for _, c := range []struct {
		name     string
		exists   string // "", "directed" or "undirected"
		option   format.Direction
		want     []string // nil for an undirected graph
		stats    ImportStats
		remark   int64
		conflict bool
	}{
		{"new", "", "", nil, ImportStats{Edges: 2, Added: 2, Duplicates: 2}, 0, false},
		{"new, auto", "", format.DirectionAuto, nil, ImportStats{Edges: 2, Added: 2, Duplicates: 2}, 0, false},
		{"new, false", "", format.Undirected, nil, ImportStats{Edges: 2, Added: 2, Duplicates: 2}, 0, false},
		{"new, true", "", format.Directed, one, ImportStats{Edges: 3, Added: 3, Duplicates: 1}, 0, false},
		{"directed", "directed", "", one, ImportStats{Edges: 3, Added: 3, Duplicates: 1}, 0, false},
		{"directed, true", "directed", format.Directed, one, ImportStats{Edges: 3, Added: 3, Duplicates: 1}, 0, false},
		{"directed, false", "directed", format.Undirected, both, ImportStats{Edges: 4, Added: 4, Duplicates: 4}, 4, false},
		{"undirected", "undirected", "", nil, ImportStats{Edges: 2, Added: 2, Duplicates: 2}, 0, false},
		{"undirected, true", "undirected", format.Directed, nil, ImportStats{}, 0, true},
	} {
		for _, room := range []int64{0, 1} {
			t.Run(fmt.Sprint(c.name, room), func(t *testing.T) {
				db := newStore(t, nil)
				var err error
				switch c.exists {
				case "directed":
					_, err = db.CreateDirected(ctx, "g")
				case "undirected":
					_, err = db.CreateGraph(ctx, "g")
				}
				if err != nil {
					t.Fatal(err)
				}
				stats, err := db.Import(ctx, "g", strings.NewReader(text), ImportOptions{Format: format.Options{Directed: c.option, EdgeListOptions: format.EdgeListOptions{Header: format.HeaderNames}}, edgeRoom: room})
				if c.conflict {
					if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "is undirected") {
						t.Errorf("%v", err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if stats.Edges != c.stats.Edges || stats.Added != c.stats.Added || stats.Duplicates != c.stats.Duplicates || stats.SelfLoops != 1 || stats.DirectedGraph != (c.want != nil) || stats.Vertices != 3 {
					t.Errorf("%+v", stats)
				}
				if r := remarkOf(stats, "edges without a direction"); r.Count != c.remark {
					t.Errorf("%+v, want %d", r, c.remark)
				}
				checkStore(t, db)
				if c.want == nil {
					if _, _, err := db.Directed(ctx, "g"); !errors.Is(err, ErrInvalid) {
						t.Errorf("%v", err)
					}
				} else if got := directedEdges(t, db, "g"); !slices.Equal(got, c.want) {
					t.Errorf("edges %q, want %q", got, c.want)
				}
			})
		}
	}
}

// A first line that turns out to be a header takes both of its directions with it.
func TestImport_DirectedHeader(t *testing.T) {
	ctx := context.Background()
	for _, both := range []bool{false, true} {
		for _, header := range []string{"who whom", "10 100"} {
			db := newStore(t, nil)
			if _, err := db.CreateDirected(ctx, "g"); err != nil {
				t.Fatal(err)
			}
			opts := ImportOptions{}
			if both {
				opts.Format.Directed = format.Undirected
			}
			text := header + "\n"
			for i := range 100 {
				text += fmt.Sprintf("%d %d\n", i%10, (3*i+1)%10)
			}
			stats, err := db.Import(ctx, "g", strings.NewReader(text), opts)
			if err != nil || stats.Header != header || stats.Vertices != 10 || stats.Added+stats.Duplicates+stats.SelfLoops < 100 {
				t.Fatalf("%+v, %v", stats, err)
			}
			for _, e := range directedEdges(t, db, "g") {
				if strings.Contains(e, "who") || strings.Contains(e, "100") {
					t.Errorf("edge %q", e)
				}
			}
		}
	}
}

// PutGraph takes one graph that is sound.
func TestPutGraph_Directed(t *testing.T) {
	ctx := context.Background()
	out := csr.Rows{Offsets: []int64{0, 2, 3, 3}, Targets: []uint32{1, 2, 0}, Weights: []float32{1, 2, 3}}
	d := csr.NewDirected(out)
	other := csr.NewDirected(csr.Rows{Offsets: []int64{0, 1, 3, 3}, Targets: []uint32{2, 0, 2}, Weights: []float32{1, 2, 3}})
	db := newStore(t, nil)
	for name, req := range map[string]PutGraphRequest{
		"none":           {},
		"two":            {Graph: &csr.Graph{Offsets: []int64{0}}, Directed: d},
		"not transposed": {Directed: &csr.Directed{Out: d.Out, In: other.In}},
		"fewer":          {Directed: &csr.Directed{Out: d.Out, In: csr.Rows{Offsets: []int64{0, 0, 0, 0}}}},
		"weights":        {Directed: &csr.Directed{Out: d.Out, In: csr.Rows{Offsets: d.In.Offsets, Targets: d.In.Targets}}},
		"other weight":   {Directed: &csr.Directed{Out: d.Out, In: csr.Rows{Offsets: d.In.Offsets, Targets: d.In.Targets, Weights: []float32{3, 1, 1}}}},
		"loop":           {Directed: csr.NewDirected(csr.Rows{Offsets: []int64{0, 1}, Targets: []uint32{0}})},
	} {
		if _, err := db.PutGraph(ctx, "g", req); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	info, err := db.PutGraph(ctx, "g", PutGraphRequest{Directed: d})
	if err != nil || !info.Directed || info.Count() != 3 || info.Edges != 2 || !info.Weighted {
		t.Fatalf("%+v, %v", info, err)
	}
	if got := directedEdges(t, db, "g"); !slices.Equal(got, []string{"0 1 1", "0 2 2", "1 0 3"}) {
		t.Errorf("%q", got)
	}
	lists, err := db.Lists(ctx, "g")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	err = lists.Each(ctx, func(sources, targets []uint32, weights []float32) error {
		for i := range sources {
			all = append(all, fmt.Sprint(sources[i], targets[i], weights[i]))
		}
		return nil
	})
	if err != nil || !slices.Equal(all, []string{"0 1 4", "0 2 2", "1 0 4", "2 0 2"}) {
		t.Errorf("lists %q, %v", all, err)
	}
	err = db.ViewGraph(ctx, "g", func(v *GraphView) error {
		p := v.NewPart(10_000, ErrLimit)
		if err := p.Read(0, 1, 2); err != nil {
			return err
		}
		g, _ := p.Graph()
		s, err := db.Snapshot(ctx, "g")
		if err == nil && (!slices.Equal(g.Weights, s.Graph.Weights) || !slices.Equal(g.Targets, s.Graph.Targets)) {
			t.Errorf("part %+v, graph %+v", g, s.Graph)
		}
		degrees, derr := v.Degrees()
		if !slices.Equal(degrees, []uint32{2, 1, 1}) {
			t.Errorf("degrees %v", degrees)
		}
		return errors.Join(err, derr)
	})
	if err != nil {
		t.Error(err)
	}
}
