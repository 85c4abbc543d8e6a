package evaluate

import (
	"errors"
	"reflect"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

// TestSplitLinks_Connected expects a split to keep the components and to hold out the
// requested number of edges. With Latest, it must not hold out an edge that could replace a
// later edge of the forest.
func TestSplitLinks_Connected(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		for _, g := range []*csr.Graph{timed(attachedBy(t, 120, 3, seed)), timed(chance(t, 90, 0.05, seed)), timed(cliques(t, 6, 5))} {
			for _, opts := range []SplitOptions{
				{Connected: true, Seed: seed}, {Connected: true, Seed: seed, Unseen: true}, {Connected: true, Seed: seed, Latest: true, Unseen: true},
				{Connected: true, Seed: seed, Share: 0.99},
			} {
				s, err := SplitLinks(t.Context(), g, opts)
				if err != nil {
					t.Fatal(err)
				}
				if !reflect.DeepEqual(s.Graph.Components().Sizes, g.Components().Sizes) {
					t.Fatalf("%+v: components %v, expected %v", opts, s.Graph.Components().Sizes, g.Components().Sizes)
				}
				all := slices.Concat(s.Edges)
				if opts.Unseen {
					all = append(all, s.TrainEdges...)
				}
				forest := int64(g.Vertices() - g.Components().Count())
				if s.Graph.Edges()+int64(len(all)) != g.Edges() || s.Graph.Edges() < forest {
					t.Fatalf("%+v: %d edges of %d, %d held out, forest of %d", opts, s.Graph.Edges(), g.Edges(), len(all), forest)
				}
				if opts.Share == 0.99 && s.Graph.Edges() != forest {
					t.Fatalf("%d edges are left of a forest of %d", s.Graph.Edges(), forest)
				}
				for _, e := range all {
					if s.Graph.HasEdge(e.U, e.V) || !g.HasEdge(e.U, e.V) {
						t.Fatalf("%+v: edge %v", opts, e)
					}
				}
				again, err := SplitLinks(t.Context(), g, opts)
				if err != nil || !reflect.DeepEqual(s, again) {
					t.Fatalf("%+v: another split by the same seed, %v", opts, err)
				}
			}
		}
	}
	tree, err := csr.FromEdges(6, []csr.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 1, V: 3}, {U: 4, V: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := SplitLinks(t.Context(), tree, SplitOptions{Connected: true}); !errors.Is(err, ErrLinks) {
		t.Errorf("a tree: %v", err)
	}
}

// TestSpanningForest expects the forest with the smallest sum of times: it tries to replace
// each edge of the forest by each edge of the graph.
func TestSpanningForest(t *testing.T) {
	t.Parallel()
	g := timed(chance(t, 40, 0.15, 3))
	forest, err := spanningForest(t.Context(), g, SplitOptions{Latest: true})
	if err != nil {
		t.Fatal(err)
	}
	time := func(e csr.Edge) int64 { return g.Times[g.Offsets[e.U]+int64(slices.Index(g.Neighbors(e.U), e.V))] }
	count := g.Vertices() - g.Components().Count()
	if len(forest) != count {
		t.Fatalf("%d edges, expected %d", len(forest), count)
	}
	for u := range uint32(g.Vertices()) {
		for _, v := range g.Neighbors(u) {
			for i, e := range forest {
				swapped := slices.Clone(forest)
				swapped[i] = csr.Edge{U: u, V: v}
				other, err := csr.FromEdges(g.Vertices(), swapped)
				if err != nil {
					t.Fatal(err)
				}
				if other.Components().Count() == g.Components().Count() && time(swapped[i]) < time(e) {
					t.Fatalf("%v is earlier than %v", swapped[i], e)
				}
			}
		}
	}
}
