package graphs_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"heavytail/query/internal/querytest"
	"heavytail/storage"
)

// TestLinked compares the vertices and edges that linked, links_to and linked_from admit with a set of edges, in
// every kind of statement that has a condition on vertices, where the edges by direction are in memory and where they
// are read in the file.
func TestLinked(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"DIRECTED ", ""} {
		edges := map[[2]string]bool{}
		var list []storage.Edge
		keys := map[string]bool{}
		for _, e := range randomEdges(11, 24, 70) {
			if edges[[2]string{e.Source, e.Target}] {
				continue
			}
			edges[[2]string{e.Source, e.Target}] = true
			list = append(list, e)
			keys[e.Source], keys[e.Target] = true, true
		}
		db := querytest.Open(t, nil)
		querytest.ExecAll(t, db, "CREATE "+kind+"GRAPH g")
		if _, err := db.Graphs().InsertEdges(t.Context(), "g", list); err != nil {
			t.Fatal(err)
		}
		querytest.ExecAll(t, db, "INSERT VERTEX 'alone' INTO g; DELETE VERTEX 'v3' FROM g; UPDATE VERTICES IN g SET n := 0 WHERE degree >= 0")
		maps.DeleteFunc(edges, func(e [2]string, _ bool) bool { return e[0] == "v3" || e[1] == "v3" })
		delete(keys, "v3")
		keys["alone"] = true
		order := querytest.Answers(t, db, "SHOW VERTICES IN g COLUMNS vertex")
		words := []string{"linked"}
		if kind != "" {
			words = append(words, "links_to", "linked_from")
		}
		for i, of := range slices.Sorted(maps.Keys(keys)) {
			for _, word := range words {
				admits := func(key string) bool {
					to, from := edges[[2]string{key, of}], edges[[2]string{of, key}]
					return to && word != "linked_from" || from && word != "links_to"
				}
				switch i % 3 {
				case 0:
					querytest.ForgetLoaded(db)
				case 1:
					querytest.MustRun(t, db, "SHOW EDGES IN g") // loads the edges by direction
				}
				condition := word + " '" + of + "'"
				var want, others []string
				for _, key := range order {
					if admits(key) {
						want = append(want, key)
					} else {
						others = append(others, key)
					}
				}
				same := func(statement string, want []string) {
					t.Helper()
					if got := querytest.Answers(t, db, statement); !slices.Equal(got, want) {
						t.Fatalf("%s: %v, want %v", statement, got, want)
					}
				}
				same("SHOW VERTICES IN g COLUMNS vertex WHERE "+condition, want)
				same("SHOW VERTICES IN g COLUMNS vertex WHERE NOT "+condition+" AND degree >= 0", others)
				if len(want) > 0 {
					same("SHOW VERTICES IN g COLUMNS vertex WHERE "+condition+" LIMIT 1", want[:1])
				}
				same("COUNT VERTICES IN g WHERE "+condition, []string{fmt.Sprint(len(want))})
				var near []string
				for _, key := range order {
					if admits(key) && (edges[[2]string{key, "v1"}] || edges[[2]string{"v1", key}]) {
						near = append(near, key)
					}
				}
				same("SHOW NEIGHBORS OF 'v1' IN g COLUMNS vertex WHERE "+condition, near)
				both, either := 0, 0
				for e := range edges {
					if admits(e[0]) && admits(e[1]) {
						both++
					}
					if admits(e[0]) || admits(e[1]) {
						either++
					}
				}
				if kind == "" { // an edge may be in the set in both directions
					both, either = undirectedPairs(edges, admits)
				}
				if n := len(querytest.Answers(t, db, "SHOW EDGES IN g WHERE BOTH ("+condition+")")); n != both {
					t.Fatalf("%s: %d edges, want %d", condition, n, both)
				}
				if n := len(querytest.Answers(t, db, "SHOW EDGES IN g WHERE EITHER ("+condition+")")); n != either {
					t.Fatalf("%s: %d edges, want %d", condition, n, either)
				}
				querytest.ExecAll(t, db, fmt.Sprintf("UPDATE VERTICES IN g SET n := %d WHERE %s", i+1, condition))
				same(fmt.Sprintf("SHOW VERTICES IN g COLUMNS vertex WHERE n = %d", i+1), want)
				querytest.ExecAll(t, db, "CREATE GRAPH s AS SUBGRAPH OF g WHERE "+condition)
				same("SHOW VERTICES IN s COLUMNS vertex", want)
				if shown := querytest.MustRun(t, db, "SHOW ATTRIBUTES IN s"); strings.Contains(shown, "linked") {
					t.Fatalf("a condition became an attribute: %s", shown)
				}
				querytest.ExecAll(t, db, "DROP GRAPH s; UPDATE VERTICES IN g SET n := 0 WHERE degree >= 0")
			}
		}
		querytest.MustBeSound(t, db)
	}
}

func undirectedPairs(edges map[[2]string]bool, admits func(string) bool) (both, either int) {
	for e := range edges {
		if edges[[2]string{e[1], e[0]}] && e[0] > e[1] {
			continue
		}
		if admits(e[0]) && admits(e[1]) {
			both++
		}
		if admits(e[0]) || admits(e[1]) {
			either++
		}
	}
	return both, either
}
