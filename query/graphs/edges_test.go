package graphs_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/where"
	"heavytail/storage"
)

// TestEdges_Brute compares chosen and ordered edges with a list that is sorted in full, for
// limits below and above what a sort holds at once.
func TestEdges_Brute(t *testing.T) {
	t.Parallel()
	db, ctx := querytest.Open(t, nil), t.Context()
	random := rand.New(rand.NewPCG(1, 2))
	var edges []storage.Edge
	for u := range 90 {
		for v := range u {
			e := storage.Edge{Source: fmt.Sprint("v", v), Target: fmt.Sprint("v", u), Weight: float64(1 + random.IntN(4)), Time: random.Int64N(9), Timed: random.IntN(5) > 0}
			if random.IntN(3) > 0 {
				edges = append(edges, e)
			}
		}
	}
	if _, err := db.Graphs().Create(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Graphs().InsertEdges(ctx, "g", edges); err != nil {
		t.Fatal(err)
	}
	list := func(req graphs.EdgesRequest) (list []graphs.EdgeRow) {
		for e, err := range db.Graphs().EachEdge(ctx, req) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, e)
		}
		return list
	}
	all := list(graphs.EdgesRequest{})
	if len(all) != len(edges) || len(all) < 2000 {
		t.Fatalf("%d edges of %d", len(all), len(edges))
	}
	heavy := func(e where.EdgeCandidate) bool { return e.Weight > 1 && e.Source.Degree != e.Target.Degree }
	degrees := map[string]int{}
	for _, e := range edges {
		degrees[e.Source]++
		degrees[e.Target]++
	}
	want := slices.DeleteFunc(slices.Clone(all), func(e graphs.EdgeRow) bool { return e.Weight <= 1 || degrees[e.Source] == degrees[e.Target] })
	if got := list(graphs.EdgesRequest{Where: heavy}); !reflect.DeepEqual(got, want) {
		t.Errorf("%d edges, want %d", len(got), len(want))
	}
	slices.SortStableFunc(want, func(a, b graphs.EdgeRow) int {
		if a.Timed != b.Timed {
			return cmp.Compare(fmt.Sprint(b.Timed), fmt.Sprint(a.Timed))
		}
		return cmp.Compare(b.Time, a.Time)
	})
	for _, limit := range []int{0, 1, 7, 500, len(want), 5000} {
		got := list(graphs.EdgesRequest{Where: heavy, OrderBy: "time", Descending: true, Limit: limit})
		end := len(want)
		if limit > 0 {
			end = min(limit, end)
		}
		if !reflect.DeepEqual(got, want[:end]) {
			t.Errorf("limit %d: %d edges, not the first %d", limit, len(got), end)
		}
	}
	found, err := db.Graphs().Edges(ctx, graphs.EdgesRequest{Limit: 3, Columns: []string{"degree"}})
	if err != nil || len(found.Edges) != 3 || len(found.Edges[0].Values) != 2 || found.Edges[0].Values[0].Integer() != int64(degrees[found.Edges[0].Source]) {
		t.Errorf("%+v, %v", found, err)
	}

	stopped, cancel := context.WithCancel(ctx)
	defer cancel()
	rows := 0
	for _, err = range db.Graphs().EachEdge(stopped, graphs.EdgesRequest{}) {
		rows++
		cancel()
	}
	if !errors.Is(err, context.Canceled) || rows == len(all) {
		t.Errorf("%d rows of a cancelled list, %v", rows, err)
	}
	for _, err = range db.Graphs().EachEdge(ctx, graphs.EdgesRequest{OrderBy: "degree"}) {
	}
	var mistake *fault.Error
	if !errors.As(err, &mistake) || !slices.Equal(mistake.Expected, []string{"weight", "time"}) {
		t.Errorf("ordered by degree: %v", err)
	}
}
