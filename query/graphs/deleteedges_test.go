package graphs_test

import (
	"slices"
	"testing"

	"heavytail/query/internal/querytest"
	"heavytail/storage"
)

// TestDeleteEdges compares the edges that are left with those that SHOW EDGES listed without the condition, of graphs
// with and without directions.
func TestDeleteEdges(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"DIRECTED ", ""} {
		for _, condition := range []string{"weight > 2", "n = 1 OR n IS MISSING", "BOTH (degree > 8)", "EITHER (linked 'v1')", "NOT weight > 2", "weight > 99", "weight > 0"} {
			var list []storage.Edge
			for i, e := range randomEdges(8, 30, 150) {
				if e.Weight = float64(i % 4); e.Weight == 0 {
					e.Weight = 9
				}
				if i%3 > 0 {
					e.Values = []storage.NamedValue{{Name: "n", Value: storage.IntegerValue(int64(i % 6))}}
				}
				list = append(list, e)
			}
			db := querytest.Open(t, nil)
			querytest.ExecAll(t, db, "CREATE "+kind+"GRAPH g")
			if _, err := db.Graphs().InsertEdges(t.Context(), "g", list); err != nil {
				t.Fatal(err)
			}
			vertices := querytest.Answers(t, db, "COUNT VERTICES IN g")
			all, gone := querytest.Answers(t, db, "SHOW EDGES IN g"), querytest.Answers(t, db, "SHOW EDGES IN g WHERE "+condition)
			want := slices.DeleteFunc(all, func(edge string) bool { return slices.Contains(gone, edge) })
			table := queryTable(t, db, "DELETE EDGES FROM g WHERE "+condition)
			if table[0][1] != int64(len(gone)) || table[0][2] != int64(0) {
				t.Errorf("%s: %v, want %d", condition, table, len(gone))
			}
			if left := querytest.Answers(t, db, "SHOW EDGES IN g"); !slices.Equal(left, want) {
				t.Errorf("%s: %d edges are left, want %d", condition, len(left), len(want))
			}
			if now := querytest.Answers(t, db, "COUNT VERTICES IN g"); !slices.Equal(now, vertices) {
				t.Errorf("%s: %v vertices, want %v", condition, now, vertices)
			}
			querytest.MustBeSound(t, db)
		}
	}
}
