package vectors_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
	"heavytail/query/where"
	"heavytail/storage/vec"
)

// placedKey is a vertex with the vector that it had when its graph was embedded.
type placedKey struct {
	key    string
	vector []float32
}

// embeddedKeys lists the vertices that the embedding e has vectors of, in the order
// in which they came into the graph.
func embeddedKeys(t *testing.T, db *query.DB) []placedKey {
	t.Helper()
	ctx := context.Background()
	info, m, err := querytest.Engine(db).Store.Embedding(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	graph, err := querytest.Engine(db).Store.Snapshot(ctx, "g")
	if err != nil || graph.Info.Version != info.GraphVersion || graph.Info.Vertices != m.Rows {
		t.Fatalf("the embedding is of version %d, the graph of %d: %v", info.GraphVersion, graph.Info.Version, err)
	}
	list := make([]placedKey, m.Rows)
	for v := range list {
		list[v] = placedKey{graph.Key(uint32(v)), m.Row(v)}
	}
	return list
}

// bruteForce is the answer of a search, by a sort of all vertices, with the squares
// of the distances.
func bruteForce(list []placedKey, query placedKey, admits func(key string) bool) (all []vectors.Neighbor, squares []float64) {
	type hit struct {
		key  string
		dist float32
	}
	var hits []hit
	for _, p := range list {
		if p.key != query.key && admits(p.key) {
			hits = append(hits, hit{p.key, vec.L2Squared(query.vector, p.vector)})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(a.dist, b.dist) })
	for _, h := range hits {
		all = append(all, vectors.Neighbor{Vertex: h.key, Value: float64(float32(math.Sqrt(float64(h.dist))))})
		squares = append(squares, float64(h.dist))
	}
	return all, squares
}

// Vertices are deleted, added and added again, and the embedding is refreshed from time to
// time: an index that visits all candidates gives the answers of EXACT and of brute force
// over the present vertices.
func TestNearest_IndexChanges(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	seeds, rounds := uint64(3), 60
	if testing.Short() {
		seeds, rounds = 1, 12
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 7))
		db := querytest.Open(t, querytest.GraphOnly(1))
		querytest.MustRun(t, db, fmt.Sprintf("GENERATE preferential_attachment(n := 400, m := 3, seed := %d) INTO g", seed+1))
		querytest.MustRun(t, db, "EMBED g USING deepwalk(dim := 8, walks := 2, length := 10, window := 3, seed := 1) AS e")
		querytest.MustRun(t, db, "CREATE INDEX ON e WITH (ef := 5000, m := 6, ef_construction := 40)")
		known := embeddedKeys(t, db)
		present := map[string]bool{} // and those that came since
		for _, p := range known {
			present[p.key] = true
		}
		next, deleted, refreshed := 400, 0, 0
		for round := range rounds {
			keys := sortedKeys(present)
			switch action := random.IntN(6); {
			case action < 3:
				var gone []string
				for range 1 + random.IntN(15) {
					gone = append(gone, "'"+keys[random.IntN(len(keys))]+"'")
				}
				querytest.MustRun(t, db, "DELETE VERTEX "+strings.Join(gone, ", ")+" FROM g")
				for _, key := range gone {
					delete(present, strings.Trim(key, "'"))
				}
				known = slices.DeleteFunc(known, func(p placedKey) bool { return !present[p.key] })
				deleted++
			case action < 5:
				for range 1 + random.IntN(5) {
					// A new vertex, or one that existed before and may still exist.
					key := fmt.Sprint(random.IntN(next))
					if random.IntN(2) == 0 {
						key = fmt.Sprint(next)
						next++
					}
					querytest.MustRun(t, db, fmt.Sprintf("INSERT EDGE ('%s', '%s') INTO g", key, keys[random.IntN(len(keys))]))
					present[key] = true
				}
			default:
				querytest.MustRun(t, db, "REFRESH e")
				known = embeddedKeys(t, db)
				refreshed++
			}
			for range 4 {
				query := known[random.IntN(len(known))]
				admits := func(string) bool { return true }
				if random.IntN(3) == 0 {
					admits = func(key string) bool { return key[len(key)-1] < '5' }
				}
				want, squares := bruteForce(known, query, admits)
				near := vectors.NearestRequest{Embedding: "e", Vertex: query.key, K: 1 + random.IntN(30), Where: func(c where.Candidate) bool { return admits(c.Key()) }}
				within := vectors.WithinRequest{Embedding: "e", Vertex: query.key, Radius: want[len(want)/5].Value, Where: near.Where}
				inside := 0
				for inside < len(want) && squares[inside] <= within.Radius*within.Radius {
					inside++
				}
				for _, exact := range []bool{false, true} {
					near.Exact, within.Exact = exact, exact
					r, err := db.Vectors().Nearest(ctx, near)
					if err != nil || (r.Index == nil) != exact || !slices.Equal(r.Neighbors, want[:min(near.K, len(want))]) {
						t.Fatalf("seed %d, round %d, exact %v: %d nearest to %s: %v, %+v, expected %v", seed, round, exact, near.K, query.key, err, r, want[:min(near.K, len(want))])
					}
					r, err = db.Vectors().Within(ctx, within)
					if err != nil || (r.Index == nil) != exact || !slices.Equal(r.Neighbors, want[:inside]) {
						t.Fatalf("seed %d, round %d, exact %v: within %v of %s: %v, %+v, expected %v", seed, round, exact, within.Radius, query.key, err, r, want[:inside])
					}
				}
			}
		}
		if deleted == 0 || refreshed == 0 {
			t.Errorf("seed %d: %d deletions and %d refreshes", seed, deleted, refreshed)
		}
		querytest.MustBeSound(t, db)
	}
}

// sortedKeys lists the keys of a set, in order.
func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for key := range set {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// PREDICT gets the same candidates from an index with deleted vertices as from a scan.
func TestPredict_IndexDeleted(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, querytest.GraphOnly(1))
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 300, m := 2, seed := 5) INTO g")
	querytest.MustRun(t, db, "EMBED g USING deepwalk(dim := 8, walks := 2, length := 10, window := 3, seed := 1) AS e")
	querytest.MustRun(t, db, "DELETE VERTEX '5', '17', '120', '299' FROM g")
	statements := []string{"PREDICT 20 LINKS FOR '40' IN g WITH l2(e)", "PREDICT 20 LINKS IN g WITH l2(e)"}
	var want []string
	for _, statement := range statements {
		want = append(want, querytest.MustRun(t, db, statement))
	}
	querytest.MustRun(t, db, "CREATE INDEX ON e WITH (ef := 500)")
	for i, statement := range statements {
		if got := querytest.MustRun(t, db, statement); got != want[i] {
			t.Errorf("%s: %s, expected %s", statement, got, want[i])
		}
	}
}
