package storage

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

// A part has the rows of a vertex and of its neighbours as a snapshot has them, also after
// vertices were deleted, and its cost is that of its definition.
func TestGraphPart_ReadAround(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := newStore(t, nil)
	putRing(t, db, "ring", 40)
	s, err := db.Snapshot(ctx, "ring")
	if err != nil {
		t.Fatal(err)
	}
	update(t, db, func(x *Tx) error {
		_, err := x.DeleteVertices("ring", []string{s.Key(4), s.Key(20)})
		return err
	})
	if s, err = db.Snapshot(ctx, "ring"); err != nil {
		t.Fatal(err)
	}
	above := errors.New("the part costs too much")
	err = db.ViewGraph(ctx, "ring", func(v *GraphView) error {
		for u := range uint32(s.Info.Vertices) {
			for steps := range 4 {
				within := around(s.Graph, u, steps)
				cost := int64(0)
				for _, w := range within {
					cost += int64(RowCost + s.Graph.Degree(w))
				}
				if err := readAround(v.NewPart(cost-1, above), u, steps); err != above {
					t.Errorf("%d steps below the cost of vertex %d: %v", steps, u, err)
				}
				p := v.NewPart(cost, above)
				if err := readAround(p, u, steps); err != nil {
					t.Fatal(err)
				}
				g, vertices := p.Graph()
				if p.Cost != cost || !slices.Equal(vertices, around(s.Graph, u, steps+1)) {
					t.Fatalf("%d steps around vertex %d: cost %d of %v, expected %d", steps, u, p.Cost, vertices, cost)
				}
				for i, x := range vertices {
					var row, want []uint32
					for _, w := range g.Neighbors(uint32(i)) {
						row = append(row, vertices[w])
					}
					if slices.Contains(within, x) {
						want = s.Graph.Neighbors(x)
					}
					if !slices.Equal(row, want) || !slices.Equal(p.Neighbors(x), want) {
						t.Errorf("%d steps around %d: vertex %d has %v, expected %v", steps, u, x, row, want)
					}
				}
			}
		}
		if err := v.NewPart(1000, above).Read(38); !errors.Is(err, ErrInvalid) {
			t.Errorf("a vertex that is not there: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.ViewGraph(ctx, "none", func(*GraphView) error { return nil }); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
}

// The snapshot of a part has the keys, weights, times and attributes that a snapshot of the whole
// graph has, and Degrees the degrees of all vertices, also after vertices were deleted.
func TestGraphPart_Snapshot(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := newStore(t, nil)
	var edges []Edge
	for i := range 3000 {
		edges = append(edges, Edge{Source: fmt.Sprint("v", i*i%97), Target: fmt.Sprint("v", i%89+7*(i%3)), Weight: float64(i%5 + 1), Time: int64(i), Timed: i%4 > 0})
	}
	importText(t, db, "g", "v0 v1\n")
	update(t, db, func(x *Tx) error { _, err := x.InsertEdges("g", edges); return err })
	for _, deleted := range [][]string{nil, {"v0"}, {"v5", "v6", "v96"}} {
		update(t, db, func(x *Tx) error {
			if _, err := x.InsertVertices("g", []Vertex{{"v1", []NamedValue{{Name: "age", Value: IntegerValue(41)}}}, {"v9", []NamedValue{{Name: "age", Value: IntegerValue(7)}}}, {Key: "alone"}}); err != nil {
				return err
			}
			_, err := x.DeleteVertices("g", deleted)
			return err
		})
		whole, columns, err := db.SnapshotColumns(ctx, "g", "age")
		if err != nil {
			t.Fatal(err)
		}
		err = db.ViewGraph(ctx, "g", func(v *GraphView) error {
			degrees, err := v.Degrees()
			if err != nil || len(degrees) != whole.Info.Vertices {
				t.Fatalf("degrees %v, %v", degrees, err)
			}
			p := v.NewPart(1<<20, nil)
			named, _ := whole.Vertex("v9")
			p.Name(named)
			var read []uint32
			for _, key := range []string{"v1", "v50", "alone"} {
				u, _ := whole.Vertex(key)
				read = append(read, u)
			}
			if err := p.Read(read...); err != nil {
				return err
			}
			s, values, vertices, err := p.Snapshot([]string{"age"})
			if err != nil {
				return err
			}
			if s.Info.Version != whole.Info.Version || s.Graph.Vertices() != len(vertices) {
				t.Errorf("%+v of %d vertices, expected %d", s.Info, s.Graph.Vertices(), len(vertices))
			}
			for i, u := range vertices {
				at, key := uint32(i), ""
				if isRead := slices.Contains(read, u); isRead || u == named {
					key = whole.Key(u)
				}
				found, ok := s.Vertex(key)
				if s.Key(at) != key || ok != (key != "") || ok && found != at {
					t.Errorf("vertex %d has the key %q and is found %v, expected %q", u, s.Key(at), ok, key)
				}
				if key != "" && values[0].At(at) != columns[0].At(u) {
					t.Errorf("age of %s: %v, expected %v", key, values[0].At(at), columns[0].At(u))
				}
				if !slices.Contains(read, u) {
					continue
				}
				from, to := s.Graph.Offsets[i], s.Graph.Offsets[i+1]
				if !slices.Equal(s.Graph.Weights[from:to], whole.Graph.WeightsOf(u)) || !slices.Equal(s.Graph.Times[from:to], whole.Graph.Times[whole.Graph.Offsets[u]:whole.Graph.Offsets[u+1]]) {
					t.Errorf("weights or times of %s", key)
				}
			}
			for u, d := range degrees {
				if int(d) != whole.Graph.Degree(uint32(u)) {
					t.Errorf("degree %d of vertex %d, expected %d", d, u, whole.Graph.Degree(uint32(u)))
				}
			}
			if _, _, _, err := p.Snapshot([]string{"size"}); !errors.Is(err, ErrNotFound) {
				t.Errorf("an unknown attribute: %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func readAround(p *GraphPart, u uint32, steps int) error { return p.ReadAround(u, steps, p.Neighbors) }

// A part of a directed graph has the rows of the vertices that were read as Directed has them, and as the snapshot has
// them in the undirected view; also after changes and after vertices were deleted.
func TestGraphPart_Directed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, kind := range []struct{ weighted, timed bool }{{}, {weighted: true}, {timed: true}, {true, true}} {
		db := newStore(t, nil)
		if _, err := db.CreateDirected(ctx, "g"); err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(3, 4))
		for range 3 {
			var edges []Edge
			for range 1500 {
				e := Edge{Source: fmt.Sprint("v", random.IntN(120)), Target: fmt.Sprint("v", random.IntN(1+random.IntN(120))), Weight: 1}
				if e.Source == e.Target {
					continue
				}
				if kind.weighted {
					e.Weight = float64(1 + random.IntN(4))
				}
				if e.Timed = kind.timed && random.IntN(3) > 0; e.Timed {
					e.Time = random.Int64N(1000)
				}
				edges = append(edges, e)
			}
			update(t, db, func(x *Tx) error {
				if _, err := x.InsertEdges("g", edges); err != nil {
					return err
				}
				_, err := x.DeleteVertices("g", []string{edges[0].Source, edges[1].Source})
				return err
			})
			d, info, err := db.Directed(ctx, "g")
			if err != nil {
				t.Fatal(err)
			}
			whole, err := db.Snapshot(ctx, "g")
			if err != nil {
				t.Fatal(err)
			}
			err = db.ViewGraph(ctx, "g", func(v *GraphView) error {
				in, err := v.InDegrees()
				if err != nil || len(in) != d.Vertices() {
					t.Fatalf("%d in-degrees, %v", len(in), err)
				}
				for u := range in {
					if int(in[u]) != d.In.Degree(uint32(u)) {
						t.Errorf("in-degree %d of vertex %d, expected %d", in[u], u, d.In.Degree(uint32(u)))
					}
				}
				for _, start := range []uint32{0, 7, uint32(info.Vertices - 1)} {
					p := v.NewPart(1<<20, nil)
					rows := []func(uint32) []uint32{p.Neighbors, p.Out, p.In}
					if err := p.ReadAround(start, 1, rows[random.IntN(3)]); err != nil {
						return err
					}
					g, vertices := p.Graph()
					part := p.Directed(vertices)
					for i, u := range vertices {
						read := p.has(u)
						sameRow(t, vertices, uint32(i), (*csr.Rows)(g), u, (*csr.Rows)(whole.Graph), read)
						sameRow(t, vertices, uint32(i), &part.Out, u, &d.Out, read)
						sameRow(t, vertices, uint32(i), &part.In, u, &d.In, read)
						if read && !(slices.Equal(p.Neighbors(u), whole.Graph.Neighbors(u)) && slices.Equal(p.Out(u), d.Out.Neighbors(u)) && slices.Equal(p.In(u), d.In.Neighbors(u))) {
							t.Errorf("rows of vertex %d", u)
						}
					}
					p.DropRows()
					if len(p.Vertices()) > 0 || p.Cost == 0 {
						t.Errorf("%d vertices without rows, cost %d", len(p.Vertices()), p.Cost)
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

// sameRow compares the row of vertex i of a part, which is u in the whole graph, with that of the whole graph, or with
// an empty one if it was not read.
func sameRow(t *testing.T, vertices []uint32, i uint32, part *csr.Rows, u uint32, whole *csr.Rows, read bool) {
	t.Helper()
	var row []uint32
	for _, w := range part.Neighbors(i) {
		row = append(row, vertices[w])
	}
	if !read {
		whole = &csr.Rows{Offsets: make([]int64, len(whole.Offsets))}
	}
	if !slices.Equal(row, whole.Neighbors(u)) || !slices.Equal(part.WeightsOf(i), whole.WeightsOf(u)) {
		t.Errorf("row of vertex %d: %v, expected %v", u, row, whole.Neighbors(u))
	}
	times := func(r *csr.Rows, v uint32) []int64 {
		if r.Times == nil {
			return nil
		}
		return r.Times[r.Offsets[v]:r.Offsets[v+1]]
	}
	if !slices.Equal(times(part, i), times(whole, u)) {
		t.Errorf("times of vertex %d: %v, expected %v", u, times(part, i), times(whole, u))
	}
}

// around lists the vertices within steps edges of u, ascending.
func around(g *csr.Graph, u uint32, steps int) []uint32 {
	list := []uint32{u}
	for range steps {
		for _, w := range slices.Clone(list) {
			list = append(list, g.Neighbors(w)...)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}
