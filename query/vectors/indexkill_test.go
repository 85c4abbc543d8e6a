package vectors_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/index"
	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// indexKills are the statements that are killed, which build an index of the embedding e of
// graph "g" or refresh it, with the statements before them. The indexes visit all
// candidates.
var indexKills = []struct{ name, before, statement string }{
	{"create", "", "CREATE INDEX ON e WITH (ef := 5000, m := 8, seed := 2)"},
	{
		"create after deletions", "DELETE VERTEX '77', '3', '740' FROM g; INSERT EDGE ('0', '77') INTO g",
		"CREATE INDEX ON e WITH (ef := 5000, m := 8, seed := 2)",
	},
	{
		"replace", "CREATE INDEX ON e WITH (ef := 5000, m := 5, seed := 1)",
		"CREATE INDEX ON e WITH (ef := 5000, m := 8, seed := 2)",
	},
	{
		"refresh",
		"CREATE INDEX ON e WITH (ef := 5000, m := 8); CREATE INDEX ON e WITH (metric := 'cosine', ef := 5000, m := 8); " +
			"INSERT EDGE ('0', '740'), ('3', '730'), ('new', '5') INTO g",
		"REFRESH e",
	},
	{
		"refresh after deletions",
		"CREATE INDEX ON e WITH (ef := 5000, m := 8); DELETE VERTEX '77', '730' FROM g; INSERT EDGE ('0', '740'), ('77', '5') INTO g",
		"REFRESH e",
	},
}

// TestIndex_Killed kills the process at random moments while it builds an index, or
// refreshes an embedding with indexes: the file stays sound, every stored index is complete
// and finds what EXACT finds, and the statement succeeds afterwards.
func TestIndex_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the kills of TestJobs_Killed are enough")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	db := querytest.OpenAt(t, path)
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 800, m := 3, seed := 1) INTO g")
	querytest.MustRun(t, db, querytest.JobStatements["walks"])
	querytest.Close(t, db)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	moments := repeat.Times(2)
	for _, k := range indexKills {
		t.Run(k.name, func(t *testing.T) {
			before := querytest.CopyStore(t, path)
			db := querytest.OpenAt(t, before)
			for _, text := range querytest.StatementsOf(k.before) {
				querytest.MustRun(t, db, text)
			}
			old := storedIndexes(t, db)
			querytest.Close(t, db)
			whole := querytest.CopyStore(t, before)
			began := time.Now()
			if !querytest.Child(t, whole, k.statement, 1<<30, querytest.Never) {
				t.Fatal("the statement does not end")
			}
			took := time.Since(began)
			db = openIndexed(t, whole)
			rows, want := querytest.RowsOfEmbedding(t, db), storedIndexes(t, db)
			mustAgree(t, db, len(want))
			querytest.Close(t, db)

			seen := map[string]int{}
			for i := range moments {
				// Every other kill happens while indexes are stored.
				wait := time.Duration(random.Int64N(int64(took)))
				if i%2 == 1 {
					wait = took/2 + wait/2
				}
				at := querytest.CopyStore(t, before)
				began := time.Now()
				state := "killed"
				if querytest.Child(t, at, k.statement, 1<<30, wait) {
					took, state = min(took, time.Since(began)), "finished"
				}
				db := openIndexed(t, at)
				left := storedIndexes(t, db)
				switch same := slices.Equal(querytest.RowsOfEmbedding(t, db), rows); {
				case slices.Equal(left, want) && same:
					state += ", with the new indexes"
				case slices.Equal(left, old) && same != strings.HasPrefix(k.statement, "REFRESH"):
					state += ", as before"
				default:
					t.Errorf("%s after %v: %d indexes are left of %d and %d", state, wait, len(left), len(old), len(want))
				}
				seen[state]++
				mustAgree(t, db, len(left))
				querytest.Close(t, db)

				db = openIndexed(t, at)
				querytest.MustRun(t, db, k.statement)
				last := storedIndexes(t, db)
				if !slices.Equal(querytest.RowsOfEmbedding(t, db), rows) || !slices.Equal(last, want) {
					t.Errorf("%s after %v, and done again: %d indexes, expected %d", state, wait, len(last), len(want))
				}
				mustAgree(t, db, len(last))
				querytest.Close(t, db)
			}
			t.Log(seen)
		})
	}
}

// openIndexed opens a store whose searches use indexes whenever possible.
func openIndexed(t *testing.T, path string) *query.DB {
	t.Helper()
	db, err := query.Open(path, querytest.GraphOnly(1))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// storedIndexes returns the indexes of e by metric: their descriptions and their bytes.
func storedIndexes(t *testing.T, db *query.DB) []string {
	t.Helper()
	ctx := context.Background()
	list, err := querytest.Engine(db).Store.Indexes(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	of, _, err := querytest.Engine(db).Store.Embedding(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, info := range list {
		_, r, err := querytest.Engine(db).Store.Index(ctx, of, info.Metric)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil || int64(len(data)) != info.Bytes {
			t.Fatalf("%d bytes of %d: %v", len(data), info.Bytes, err)
		}
		all = append(all, fmt.Sprintln(info.Metric, info.Parameters, info.Vectors, info.Recall)+string(data))
	}
	return all
}

// mustAgree fails unless searches with the given number of metrics use indexes, and all
// searches find what EXACT finds.
func mustAgree(t *testing.T, db *query.DB, indexes int) {
	t.Helper()
	used := 0
	for _, metric := range []index.Metric{index.L2, index.Cosine} {
		var by *storage.IndexInfo
		for _, vertex := range []string{"0", "5", "76", "78", "799"} {
			r := nearestTo(t, db, vectors.NearestRequest{Vertex: vertex, Metric: metric})
			exact := nearestTo(t, db, vectors.NearestRequest{Vertex: vertex, Metric: metric, Exact: true})
			if !slices.Equal(r.Neighbors, exact.Neighbors) || len(r.Neighbors) != 10 {
				t.Errorf("nearest to %s by %s: %v, with EXACT %v", vertex, metric, r.Neighbors, exact.Neighbors)
			}
			for _, n := range r.Notices {
				if strings.Contains(n.Text, "scanned") {
					t.Error(n.Text)
				}
			}
			by = r.Index
		}
		if by != nil {
			used++
		}
	}
	if used != indexes {
		t.Errorf("%d of %d indexes were used", used, indexes)
	}
}
