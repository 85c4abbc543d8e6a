package vectors_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heavytail/index"
	"heavytail/query/internal/querytest"
	"heavytail/query/internal/session"
	"heavytail/query/rows"
	"heavytail/query/vectors"
	"heavytail/query/where"
)

// For NEAREST and LIMIT, the answers with k are the first k of the answers with a larger k.
func TestSearch_PrefixOfMore(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.RandomSpace(t, db, querytest.Ascending(60))
	for _, metric := range index.Metrics() {
		all := querytest.Answers(t, db, fmt.Sprintf("NEAREST 100 TO 'v7' USING %s(e)", metric))
		if len(all) != 59 {
			t.Fatalf("%s: %d of the 59 other vertices", metric, len(all))
		}
		for k := 1; k < len(all); k++ {
			if got := querytest.Answers(t, db, fmt.Sprintf("NEAREST %d TO 'v7' USING %s(e)", k, metric)); !slices.Equal(got, all[:k]) {
				t.Errorf("%s: NEAREST %d: %v, expected %v", metric, k, got, all[:k])
			}
		}
		within := querytest.Answers(t, db, fmt.Sprintf("WITHIN RADIUS 1.5 OF 'v7' USING %s(e)", metric))
		for k := 1; k < len(within); k++ {
			if got := querytest.Answers(t, db, fmt.Sprintf("WITHIN RADIUS 1.5 OF 'v7' USING %s(e) LIMIT %d", metric, k)); !slices.Equal(got, within[:k]) {
				t.Errorf("%s: LIMIT %d: %v, expected %v", metric, k, got, within[:k])
			}
		}
	}
}

// A filter in the search has the same answers as a filter after a search for all vertices.
func TestSearch_FilterIsExact(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.RandomSpace(t, db, querytest.Ascending(60))
	ctx := context.Background()
	for _, condition := range []struct {
		text string
		keep func(where.Candidate) bool
	}{
		{"linked", func(c where.Candidate) bool { return c.Linked }},
		{"NOT linked AND degree > 4", func(c where.Candidate) bool { return !c.Linked && c.Degree > 4 }},
		{"degree < 4 OR degree >= 8", func(c where.Candidate) bool { return c.Degree < 4 || c.Degree >= 8 }},
	} {
		for v := range 60 {
			vertex := fmt.Sprintf("v%d", v)
			all, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 60, Vertex: vertex, Embedding: "e"})
			if err != nil {
				t.Fatal(err)
			}
			// The condition of each vertex, computed from the graph.
			snapshot, err := querytest.Engine(db).Store.Snapshot(ctx, "g")
			if err != nil {
				t.Fatal(err)
			}
			self, _ := snapshot.Vertex(vertex)
			var want []string
			for _, n := range all.Neighbors {
				u, _ := snapshot.Vertex(n.Vertex)
				c := where.Candidate{Degree: snapshot.Graph.Degree(u), Linked: snapshot.Graph.HasEdge(self, u)}
				if condition.keep(c) && len(want) < 5 {
					want = append(want, fmt.Sprint([]rows.Value{n.Vertex, n.Value}...))
				}
			}
			got := querytest.Answers(t, db, fmt.Sprintf("NEAREST 5 TO '%s' USING e WHERE %s", vertex, condition.text))
			if !slices.Equal(got, want) {
				t.Errorf("%s WHERE %s: %v, expected %v", vertex, condition.text, got, want)
			}
		}
	}
}

// A different order of the vertices changes only the order of ties.
func TestSearch_Relabelling(t *testing.T) {
	one, other := querytest.Open(t, nil), querytest.Open(t, nil)
	querytest.RandomSpace(t, one, querytest.Ascending(60))
	order := querytest.Ascending(60)
	rand.New(rand.NewPCG(3, 4)).Shuffle(60, func(i, j int) { order[i], order[j] = order[j], order[i] })
	querytest.RandomSpace(t, other, order)
	for v := range 60 {
		for _, text := range []string{
			fmt.Sprintf("NEAREST 100 TO 'v%d' USING e WHERE degree > 3", v),
			fmt.Sprintf("WITHIN RADIUS 0.99 OF 'v%d' USING cosine(e)", v),
		} {
			a, b := querytest.Answers(t, one, text), querytest.Answers(t, other, text)
			slices.Sort(a)
			slices.Sort(b)
			if !slices.Equal(a, b) {
				t.Errorf("%s: %v and %v", text, a, b)
			}
		}
	}
}

// An isolated vertex is nobody's neighbour, and changes no answer about other vertices.
func TestSearch_IsolatedVertexChangesNothing(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.RandomSpace(t, db, querytest.Ascending(30))
	before := querytest.Answers(t, db, "NEAREST 30 TO 'v3' USING e WHERE degree > 0")
	querytest.ImportText(t, db, "g", "loner loner\n")
	if after := querytest.Answers(t, db, "NEAREST 30 TO 'v3' USING e WHERE degree > 0"); !slices.Equal(before, after) {
		t.Errorf("%v before, %v after", before, after)
	}
}

// EXPLAIN of a search reads only the catalogue, and a search that loads the embedding gives
// each notice once.
func TestSearch_ResolvesOnce(t *testing.T) {
	ctx := context.Background()
	db := querytest.Open(t, nil)
	querytest.RandomSpace(t, db, querytest.Ascending(30))
	for _, text := range []string{
		"INSERT EDGE ('v0', 'new') INTO g", // the embedding is now older than the graph
		"INSERT VERTEX 'v1' (age := 3) INTO g",
	} {
		querytest.Answers(t, db, text)
	}
	for _, text := range []string{
		"NEAREST 3 TO 'v7' USING cosine(e) WHERE age = 3 OR degree > 1",
		"NEAREST 3 TO ('v7', 'v8') USING e",
		"NEAREST 3 TO [1, 2, 3] USING e",
		"WITHIN RADIUS 3 OF 'v7' USING e",
		"RECONSTRUCT e RADIUS 1",
		"EVALUATE RECONSTRUCTION OF e",
	} {
		querytest.Engine(db).Cache.Entries = map[session.CacheKey]*session.CacheEntry{}
		plan, err := db.Explain(ctx, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		if querytest.Loaded(db) {
			t.Errorf("EXPLAIN %s loaded something", text)
		}
		rows, err := db.Query(ctx, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		behind := 0
		for _, n := range rows.Notices() {
			if strings.Contains(n.Text, "1 version behind") {
				behind++
			}
		}
		if behind != 1 || !strings.Contains(plan.String(), "1 version behind") || !querytest.Loaded(db) {
			t.Errorf("%s: %d notices of the age, plan %s", text, behind, plan)
		}
	}
}

// In JSON an answer has one number, a distance or a similarity as the metric says.
func TestSearch_JSON(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.ImportText(t, db, "g", "a b\n")
	if _, err := querytest.PutVectors(db, "g", "e", "a 3 4\nb 0 8"); err != nil {
		t.Fatal(err)
	}
	for metric, want := range map[index.Metric]string{
		index.L2:     `"neighbors":[{"vertex":"b","value":5}],"metric":"l2"`,
		index.Cosine: `"neighbors":[{"vertex":"b","value":0.800000011920929}],"metric":"cosine"`,
		index.Dot:    `"neighbors":[{"vertex":"b","value":32}],"metric":"dot"`,
	} {
		r, err := db.Vectors().Nearest(context.Background(), vectors.NearestRequest{K: 1, Embedding: "e", Vertex: "a", Metric: metric})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r)
		if err != nil || !strings.Contains(string(text), want) || !strings.Contains(string(text), `"embedding":{"name":"e","generation":1,"graph_version":1,"behind":0,"changed":0}`) {
			t.Errorf("%v: %s, %v", metric, text, err)
		}
		var back vectors.SearchResult
		if err := json.Unmarshal(text, &back); err != nil || back.Metric != metric || !slices.Equal(back.Neighbors, r.Neighbors) {
			t.Errorf("%v: %+v, %v", metric, back, err)
		}
	}
}
