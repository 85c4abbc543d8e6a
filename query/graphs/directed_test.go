package graphs_test

import (
	"cmp"
	"maps"
	"slices"
	"testing"

	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/where"
	"heavytail/storage"
)

// TestDirected compares what statements say of a directed graph with a map of its edges.
func TestDirected(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := querytest.Open(t, nil)
	s := db.Graphs()
	if _, err := s.CreateDirected(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	edges := map[[2]string]storage.Edge{}
	for i, e := range randomEdges(3, 30, 120) {
		if i%3 > 0 { // a third of the edges has no value
			e.Values = []storage.NamedValue{{Name: "tag", Value: storage.IntegerValue(int64(i))}}
		}
		edges[[2]string{e.Source, e.Target}] = e
	}
	tag := func(e storage.Edge) (tag storage.Value) {
		if len(e.Values) > 0 {
			tag = e.Values[0].Value
		}
		return tag
	}
	in, out, keys := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, e := range edges {
		out[e.Source]++
		in[e.Target]++
		keys[e.Source], keys[e.Target] = true, true
	}
	list := slices.SortedFunc(maps.Values(edges), func(a, b storage.Edge) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target))
	})
	if _, err := s.InsertEdges(ctx, "g", list); err != nil {
		t.Fatal(err)
	}
	same := func(name string, want map[[2]string]storage.Edge) {
		n := 0
		for e, err := range s.EachEdge(ctx, graphs.EdgesRequest{Graph: name}) {
			w, there := want[[2]string{e.Source, e.Target}]
			if n++; err != nil || !there || e.Weight != w.Weight || e.Timed != w.Timed || e.Timed && e.Time != w.Time || e.Attributes[0] != tag(w) {
				t.Fatalf("%s: edge %+v, %v, want %+v", name, e, err, w)
			}
		}
		if n != len(want) {
			t.Fatalf("%s: %d edges, want %d", name, n, len(want))
		}
	}
	same("g", edges)
	found, err := s.Vertices(ctx, graphs.VerticesRequest{Graph: "g", Columns: []string{"in_degree", "out_degree"}})
	if err != nil || len(found.Vertices) != len(keys) {
		t.Fatalf("%d vertices, %v", len(found.Vertices), err)
	}
	for _, v := range found.Vertices {
		if v.Values[0] != storage.IntegerValue(int64(in[v.Vertex])) || v.Values[1] != storage.IntegerValue(int64(out[v.Vertex])) {
			t.Errorf("%s has %v, want %d and %d", v.Vertex, v.Values, in[v.Vertex], out[v.Vertex])
		}
	}
	for _, direction := range []graphs.Direction{"", graphs.DirectionIn, graphs.DirectionOut, graphs.DirectionBoth} {
		follows := func(from, to string) bool {
			_, there := edges[[2]string{from, to}]
			_, back := edges[[2]string{to, from}]
			return there && direction != graphs.DirectionIn || back && direction != graphs.DirectionOut
		}
		for key := range keys {
			near, err := s.Neighbors(ctx, graphs.NeighborsRequest{Graph: "g", Vertex: key, Direction: direction})
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			for other := range keys {
				if follows(key, other) {
					want++
				}
			}
			for _, n := range near.Neighbors {
				if want--; !follows(key, n.Vertex) {
					t.Errorf("%s is no neighbour of %s, %q", n.Vertex, key, direction)
				}
				var tagged storage.Value // of the edge from the vertex, or else of that to it
				if direction != graphs.DirectionIn {
					tagged = tag(edges[[2]string{key, n.Vertex}])
				}
				if direction != graphs.DirectionOut && tagged.IsMissing() {
					tagged = tag(edges[[2]string{n.Vertex, key}])
				}
				if n.Attributes[0] != tagged {
					t.Errorf("%s has the neighbour %s with %v, want %v, %q", key, n.Vertex, n.Attributes[0], tagged, direction)
				}
			}
			if want != 0 {
				t.Errorf("%d more neighbours of %s, %q", want, key, direction)
			}
			// The default of a path is out, that of neighbours both.
			along := cmp.Or(direction, graphs.DirectionOut)
			path, err := s.ShortestPath(ctx, graphs.PathRequest{Graph: "g", From: key, To: "v1", Direction: along})
			if err != nil {
				t.Fatal(err)
			}
			if got, want := len(path.Steps)-1, steps(edges, keys, key, "v1", along); got != want {
				t.Errorf("path of %d edges from %s, %q, want %d", got, key, along, want)
			}
		}
	}
	heavy := map[[2]string]storage.Edge{}
	reverse := map[[2]string]storage.Edge{}
	for pair, e := range edges {
		if e.Weight > 4 {
			heavy[pair] = e
		}
		reverse[[2]string{pair[1], pair[0]}] = e
	}
	for _, req := range []graphs.DeriveRequest{
		{Graph: "heavy", How: graphs.DeriveSubgraph, EdgesWhere: func(e where.EdgeCandidate) bool { return e.Weight > 4 }},
		{Graph: "reverse", How: graphs.DeriveReversed},
	} {
		req.Of = "g"
		if made, err := s.Derive(ctx, req); err != nil || !made.Graph.Directed {
			t.Fatalf("%+v, %v", made, err)
		}
	}
	same("heavy", heavy)
	same("reverse", reverse)
	view, err := s.Derive(ctx, graphs.DeriveRequest{Graph: "view", Of: "g", How: graphs.DeriveUndirected})
	d, err2 := s.Describe(ctx, graphs.DescribeGraphRequest{Graph: "g"})
	if err != nil || err2 != nil || view.Graph.Directed || d.Directions == nil || view.Graph.Edges != d.Directions.Pairs {
		t.Fatalf("%+v, %v, %+v, %v", view, err, d.Directions, err2)
	}
	// The undirected graphs have the value of the edge from the vertex that came into the graph first, or else the other.
	for _, req := range []graphs.DeriveRequest{
		{Graph: "view", How: graphs.DeriveUndirected},
		{Graph: "forest", How: graphs.DeriveForest},
	} {
		req.Of = "g"
		if req.Graph != "view" {
			if made, err := s.Derive(ctx, req); err != nil || made.Graph.Directed {
				t.Fatalf("%+v, %v", made, err)
			}
		}
		valued := 0
		for e, err := range s.EachEdge(ctx, graphs.EdgesRequest{Graph: req.Graph}) {
			if err != nil {
				t.Fatal(err)
			}
			there, back := tag(edges[[2]string{e.Source, e.Target}]), tag(edges[[2]string{e.Target, e.Source}])
			if there.IsMissing() {
				there = back
			}
			if valued++; e.Attributes[0] != there {
				t.Errorf("%s: edge %s, %s has %v, want %v", req.Graph, e.Source, e.Target, e.Attributes[0], there)
			}
		}
		if valued == 0 {
			t.Errorf("%s has no edges", req.Graph)
		}
	}
	// A union has the last weight, time and value; the edges of an undirected graph lead in both directions.
	both := map[[2]string]storage.Edge{}
	for e, err := range s.EachEdge(ctx, graphs.EdgesRequest{Graph: "view"}) {
		if err != nil {
			t.Fatal(err)
		}
		edge := storage.Edge{Weight: e.Weight, Time: e.Time, Timed: e.Timed}
		if !e.Attributes[0].IsMissing() {
			edge.Values = []storage.NamedValue{{Name: "tag", Value: e.Attributes[0]}}
		}
		both[[2]string{e.Source, e.Target}], both[[2]string{e.Target, e.Source}] = edge, edge
	}
	for other, last := range map[string]map[[2]string]storage.Edge{"heavy": heavy, "reverse": reverse, "view": both} {
		for _, of := range [][2]string{{"g", other}, {other, "g"}} {
			want, first, second := map[[2]string]storage.Edge{}, edges, last
			if of[0] == other {
				first, second = last, edges
			}
			maps.Copy(want, first)
			for pair, e := range second {
				if tag(e).IsMissing() {
					e.Values = first[pair].Values
				}
				if !e.Timed {
					e.Time, e.Timed = first[pair].Time, first[pair].Timed
				}
				want[pair] = e
			}
			name := "union " + of[0] + " " + of[1]
			if made, err := s.Derive(ctx, graphs.DeriveRequest{Graph: name, Of: of[0], How: graphs.DeriveUnion, Others: of[1:]}); err != nil || !made.Graph.Directed {
				t.Fatalf("%+v, %v", made, err)
			}
			same(name, want)
		}
	}
	if made, err := s.Derive(ctx, graphs.DeriveRequest{Graph: "null", Of: "g", How: graphs.DeriveNull, Seed: 1}); err != nil || !made.Graph.Directed || made.Graph.Weighted || made.Graph.Arcs != int64(len(edges)) {
		t.Fatalf("%+v, %v", made, err)
	}
	drawn, err := s.Vertices(ctx, graphs.VerticesRequest{Graph: "null", Columns: []string{"in_degree", "out_degree"}})
	if err != nil || !slices.EqualFunc(drawn.Vertices, found.Vertices, func(a, b graphs.VertexRow) bool { return a.Vertex == b.Vertex && slices.Equal(a.Values, b.Values) }) {
		t.Errorf("the null model has other degrees: %v", err)
	}
	mutual := 0
	for pair := range edges {
		if _, back := reverse[pair]; back {
			mutual++
		}
	}
	if want := float64(mutual) / float64(len(edges)); d.Directions.Reciprocity != want {
		t.Errorf("reciprocity %v, want %v", d.Directions.Reciprocity, want)
	}
}

// steps is the number of edges of a shortest path, -1 if there is none.
func steps(edges map[[2]string]storage.Edge, keys map[string]bool, from, to string, direction graphs.Direction) int {
	reached := map[string]bool{from: true}
	for n := 0; ; n++ {
		if reached[to] {
			return n
		}
		next := maps.Clone(reached)
		for pair := range edges {
			if direction != graphs.DirectionIn && reached[pair[0]] {
				next[pair[1]] = true
			}
			if direction != graphs.DirectionOut && reached[pair[1]] {
				next[pair[0]] = true
			}
		}
		if len(next) == len(reached) {
			return -1
		}
		reached = next
	}
}
