package graphs_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/storage"
)

// TestCountEdges compares counts of edges and their figures with those of the rows of SHOW EDGES, of graphs with and
// without directions.
func TestCountEdges(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"DIRECTED ", ""} {
		var list []storage.Edge
		for i, e := range randomEdges(5, 30, 200) {
			e.Weight, e.Time, e.Timed = float64(i%4)+0.1, int64(i%7), i%5 > 0
			if i%3 > 0 {
				e.Values = append(e.Values, storage.NamedValue{Name: "kind", Value: storage.TextValue(fmt.Sprint("k", i%2))})
			}
			if i%4 > 0 {
				e.Values = append(e.Values, storage.NamedValue{Name: "n", Value: storage.IntegerValue(int64(i % 6))})
			}
			list = append(list, e)
		}
		db := querytest.Open(t, nil)
		querytest.ExecAll(t, db, "CREATE "+kind+"GRAPH g")
		if _, err := db.Graphs().InsertEdges(t.Context(), "g", list); err != nil {
			t.Fatal(err)
		}
		querytest.ExecAll(t, db, "DELETE VERTEX 'v3' FROM g")
		for _, condition := range []string{"", "n > 1", "kind = 'k1' AND weight < 3", "EITHER (degree > 9)", "time IS MISSING OR BOTH (linked 'v1')", "n = 100"} {
			where := condition
			if where != "" {
				where = " WHERE " + where
			}
			rows, err := db.Query(t.Context(), "SHOW EDGES IN g COLUMNS weight, time, kind, n"+where, nil)
			if err != nil {
				t.Fatal(err)
			}
			var table [][]any
			for rows.Next() {
				table = append(table, slices.Clone(rows.Row()))
			}
			if got := queryTable(t, db, "COUNT EDGES IN g"+where); got[0][0] != int64(len(table)) {
				t.Fatalf("%s: %v, want %d", where, got, len(table))
			}
			for column, by := range []string{"weight", "time", "kind", "n"} {
				edges, sums, known := map[any]int64{}, map[any]float64{}, map[any]bool{}
				for _, row := range table {
					value := row[column+2]
					edges[value]++
					sums[value] += row[2].(float64)
					known[value] = known[value] || row[5] != nil
				}
				got := queryTable(t, db, "COUNT EDGES IN g"+where+" BY "+by+" WITH mean(weight), max(n)")
				if len(got) != len(edges) {
					t.Fatalf("%s by %s: %v, want %v", condition, by, got, edges)
				}
				for i, row := range got {
					value := row[0]
					if row[1] != edges[value] || math.Abs(row[2].(float64)-sums[value]/float64(edges[value])) > 1e-9 || (row[3] != nil) != known[value] {
						t.Errorf("%s by %s: %v, want %d and the mean of %v", condition, by, row, edges[value], sums[value])
					}
					if i > 0 && got[i-1][1].(int64) < row[1].(int64) && value != nil {
						t.Errorf("%s by %s: %v is before %v", condition, by, got[i-1], row)
					}
				}
			}
		}
		found, err := db.Graphs().CountEdges(t.Context(), graphs.CountEdgesRequest{By: "time", With: []graphs.Figure{{Function: graphs.FigureSum, Of: "n"}}})
		if err != nil || len(found.Values) != 8 || len(found.Figures) != 8 || !found.Values[7].Value.IsMissing() {
			t.Errorf("%+v, %v", found, err)
		}
	}
}
