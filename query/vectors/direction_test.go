package vectors_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/internal/querytest"
	"heavytail/query/vectors"
)

// arcLines are edges of a directed graph with weights, one in four with an edge back of another weight. The edges of the
// first lines name all vertices.
func arcLines(n int, seed uint64) string {
	random := rand.New(rand.NewPCG(seed, 6))
	var text strings.Builder
	for v := range n - 1 {
		fmt.Fprintf(&text, "%d %d %d\n", v, v+1, 1+random.IntN(4))
	}
	for range 3 * n {
		u, v := random.IntN(n), int(float64(n)*math.Pow(random.Float64(), 3))
		if u == v || u%5 == 4 {
			continue
		}
		fmt.Fprintf(&text, "%d %d %d\n", u, v, 1+random.IntN(4))
		if random.IntN(4) == 0 {
			fmt.Fprintf(&text, "%d %d %d\n", v, u, 1+random.IntN(4))
		}
	}
	return text.String()
}

func rowsOf(t *testing.T, db *query.DB, embedding string) (keys []string, rows [][]float32) {
	t.Helper()
	answer, err := db.Query(t.Context(), "SHOW VERTICES IN g COLUMNS vertex", nil)
	if err != nil {
		t.Fatal(err)
	}
	for answer.Next() {
		keys = append(keys, answer.Row()[0].(string))
	}
	for _, key := range keys {
		row, err := db.Vectors().Vector(t.Context(), embedding, key)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, slices.Clone(row))
	}
	return keys, rows
}

// TestEmbed_Direction embeds a directed graph, its reversed graph and its undirected view by walks in every direction,
// and expects equal vectors where the walks are the same, after a refresh as well, and a notice of the undirected view
// where walks read it.
func TestEmbed_Direction(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	path := filepath.Join(t.TempDir(), "edges.txt")
	if err := os.WriteFile(path, []byte(arcLines(120, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	querytest.MustRun(t, db, fmt.Sprintf("IMPORT '%s' INTO g WITH (directed := 'true', weight := 3)", path))
	querytest.MustRun(t, db, "CREATE GRAPH reversed AS REVERSED OF g")
	querytest.MustRun(t, db, "CREATE GRAPH undirected AS UNDIRECTED OF g")
	embed := func(graph, name, method, direction string) [][]float32 {
		t.Helper()
		settings := map[string]any{"dim": 8, "walks": 3, "length": 12, "seed": 2}
		if method == "node2vec" {
			settings["q"] = 3
		}
		if direction != "" {
			settings["direction"] = direction
		}
		made, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: graph, Name: name, Method: method, Settings: settings})
		if err != nil {
			t.Fatal(err)
		}
		view := false
		for _, n := range made.Notices {
			view = view || strings.Contains(n.Text, "undirected view")
		}
		follows := direction == "out" || direction == "in"
		if view != (graph != "undirected" && !follows) || (made.StateBytes == 0) != follows {
			t.Errorf("%s of %s, %s: a notice of the undirected view %v, %d bytes of state", method, graph, direction, view, made.StateBytes)
		}
		_, rows := rowsOf(t, db, name)
		return rows
	}
	equal := func(a, b [][]float32) bool { return slices.EqualFunc(a, b, slices.Equal) }
	for _, method := range []string{"deepwalk", "node2vec"} {
		both, out, in := embed("g", method, method, ""), embed("g", method+"_out", method, "out"), embed("g", method+"_in", method, "in")
		if !equal(embed("reversed", method+"_1", method, "in"), out) || !equal(embed("reversed", method+"_2", method, "out"), in) {
			t.Errorf("%s: other vectors of the reversed graph in the other direction", method)
		}
		if !equal(embed("g", method+"_3", method, "both"), both) || !equal(embed("undirected", method+"_4", method, ""), both) {
			t.Errorf("%s: other vectors in both directions", method)
		}
		if equal(out, in) || equal(out, both) {
			t.Errorf("%s: the direction makes no difference", method)
		}
	}
	querytest.MustRun(t, db, "INSERT EDGE ('new', '3'), ('7', 'last', WEIGHT := 2) INTO g")
	querytest.MustRun(t, db, "DELETE EDGE ('0', '1') FROM g")
	for _, method := range []string{"deepwalk", "node2vec"} {
		for _, direction := range []string{"out", "in"} {
			name := method + "_" + direction
			r, err := db.Vectors().Refresh(t.Context(), vectors.RefreshRequest{Embedding: name})
			if err != nil || r.Kind != catalogue.RefreshFull || r.To.Generation != 2 {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
			if _, got := rowsOf(t, db, name); !equal(embed("g", name+"_again", method, direction), got) {
				t.Errorf("%s: a refresh gives other vectors than EMBED", name)
			}
			v, err := db.Vectors().Verify(t.Context(), vectors.VerifyRequest{Embedding: name})
			if err != nil || v.Measures[0].Stored != 1 {
				t.Errorf("%s: %+v, %v", name, v.Measures, err)
			}
		}
	}
}
