package links_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/storage"
)

// TestPredict_AsOf has the links that a graph with the earlier edges alone has, and counts
// those of them that came later.
func TestPredict_AsOf(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := querytest.Open(t, nil)
	random := rand.New(rand.NewPCG(4, 4))
	const time = 60
	var all, earlier []storage.Edge
	later := map[links.Pair]bool{} // every pair that has an edge, and whether it came later
	add := func(u, v int, at int64) {
		pair := links.Pair{Source: fmt.Sprint(min(u, v)), Target: fmt.Sprint(max(u, v))}
		if _, known := later[pair]; known {
			return
		}
		later[pair] = at >= time
		e := storage.Edge{Source: fmt.Sprint(u), Target: fmt.Sprint(v), Time: at, Timed: true}
		if all = append(all, e); at < time {
			earlier = append(earlier, e)
		}
	}
	for v := range 40 { // all vertices, in one order
		add(v, (v+1)%40, int64(v))
	}
	for at := int64(40); at < 100; at++ {
		u := random.IntN(40)
		add(u, (u+2+random.IntN(37))%40, at)
	}
	querytest.StoreEdges(t, db, "all", all)
	querytest.StoreEdges(t, db, "earlier", earlier)
	for _, name := range []string{"adamic_adar", "l3", "katz", "preferential_attachment", "recent_neighbors"} {
		at := int64(time)
		want, err := db.Links().Predict(ctx, links.PredictRequest{K: 50, Graph: "earlier", With: catalogue.Scorer{Name: name}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := db.Links().Predict(ctx, links.PredictRequest{K: 50, Graph: "all", With: catalogue.Scorer{Name: name}, AsOf: &at})
		became := 0
		for _, l := range got.Links {
			u, v := l.Source, l.Target
			if later[links.Pair{Source: u, Target: v}] || later[links.Pair{Source: v, Target: u}] {
				became++
			}
		}
		if err != nil || !reflect.DeepEqual(got.Links, want.Links) || got.Became != became || became == 0 {
			t.Errorf("%s: %v, %v, expected %v; %d of %d became edges", name, got.Links, err, want.Links, got.Became, became)
		}
		one, err := db.Links().Predict(ctx, links.PredictRequest{Vertex: "7", K: 5, Graph: "all", With: catalogue.Scorer{Name: name}, AsOf: &at})
		alone, _ := db.Links().Predict(ctx, links.PredictRequest{Vertex: "7", K: 5, Graph: "earlier", With: catalogue.Scorer{Name: name}})
		if err != nil || !reflect.DeepEqual(one.Links, alone.Links) {
			t.Errorf("%s of a vertex: %v, %v, expected %v", name, one.Links, err, alone.Links)
		}
	}
}
