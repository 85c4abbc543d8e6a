package graphs_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
	"heavytail/query/where"
	"heavytail/storage"
)

// TestCountVertices compares counts by every type of attribute, under several
// conditions, with maps that are filled from the rows of SHOW VERTICES.
func TestCountVertices(t *testing.T) {
	t.Parallel()
	db, ctx, random := querytest.Open(t, nil), t.Context(), rand.New(rand.NewPCG(1, 2))
	querytest.ImportText(t, db, "g", "0 1\n")
	vertices := make([]storage.Vertex, 300)
	for i := range vertices {
		vertices[i].Key = fmt.Sprint(i)
		for _, v := range []storage.NamedValue{
			{Name: "word", Value: storage.TextValue(fmt.Sprint("w", random.IntN(12)))},
			{Name: "number", Value: storage.IntegerValue(random.Int64N(20) - 10)},
			{Name: "size", Value: storage.FloatValue(float64(random.IntN(9))/4 - 1)},
			{Name: "flag", Value: storage.BooleanValue(random.IntN(3) == 0)},
		} {
			if random.IntN(4) > 0 {
				vertices[i].Values = append(vertices[i].Values, v)
			}
		}
	}
	if _, err := db.Graphs().InsertVertices(ctx, "g", vertices); err != nil {
		t.Fatal(err)
	}
	for _, condition := range []string{"", " WHERE degree > 0", " WHERE number >= 2 AND flag", " WHERE word IS MISSING OR size < 0.5"} {
		table := queryTable(t, db, "COUNT VERTICES"+condition)
		if len(table) != 1 {
			t.Fatalf("%s: %v", condition, table)
		}
		total := table[0][0].(int64)
		for i, by := range []string{"word", "number", "size", "flag"} {
			want := map[rows.Value]int64{}
			for _, row := range queryTable(t, db, "SHOW VERTICES"+condition) {
				want[row[2+slices.Index(attributeNames(t, db), by)]]++
			}
			sum := int64(0)
			table := queryTable(t, db, "COUNT VERTICES"+condition+" BY "+by)
			for j, row := range table {
				n := row[1].(int64)
				if sum += n; n != want[row[0]] {
					t.Errorf("%s by %s: %d vertices have %v, want %d", condition, by, n, row[0], want[row[0]])
				}
				if row[0] == nil && j != len(table)-1 {
					t.Errorf("%s by %s: the vertices without a value are in row %d of %d", condition, by, j, len(table))
				}
				if j > 0 && row[0] != nil && (table[j-1][1].(int64) < n || table[j-1][1] == row[1] && !ascends(i, table[j-1][0], row[0])) {
					t.Errorf("%s by %s: %v is before %v", condition, by, table[j-1], row)
				}
			}
			if len(table) != len(want) || sum != total {
				t.Errorf("%s by %s: %d values of %d vertices, want %d of %d", condition, by, len(table), sum, len(want), total)
			}
		}
	}
}

// ascends reports whether a is below b, by Go's own order of the types in
// TestCountVertices.
func ascends(kind int, a, b rows.Value) bool {
	switch kind {
	case 0:
		return a.(string) < b.(string)
	case 1:
		return a.(int64) < b.(int64)
	case 2:
		return a.(float64) < b.(float64)
	}
	return !a.(bool) && b.(bool)
}

// attributeNames lists the attributes of the only graph.
func attributeNames(t *testing.T, db *query.DB) (names []string) {
	t.Helper()
	list, err := db.Graphs().Attributes(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range list {
		names = append(names, a.Name)
	}
	return names
}

// queryTable runs a statement and returns its rows.
func queryTable(t *testing.T, db *query.DB, text string) (table [][]rows.Value) {
	t.Helper()
	rows, err := db.Query(t.Context(), text, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	for rows.Next() {
		table = append(table, slices.Clone(rows.Row()))
	}
	if rows.Err() != nil {
		t.Fatalf("%s: %v", text, rows.Err())
	}
	return table
}

// TestCountVertices_Method calls the method as a Go program does: with a function
// that reads attributes by name, with more values than the limit, and with a context
// that has ended.
func TestCountVertices_Method(t *testing.T) {
	t.Parallel()
	db, ctx := querytest.Open(t, &query.Options{MaxRows: 3}), t.Context()
	querytest.ImportText(t, db, "g", "a b\nb c\nc d\n")
	querytest.MustRun(t, db, "INSERT VERTEX 'a' (n := 1, ok := TRUE), 'b' (n := 2, ok := TRUE), 'c' (n := 3), 'd' (n := 4, ok := TRUE) INTO g")
	many := func(v where.Candidate) bool { return v.Value("n").Integer() > 1 }
	for _, by := range []string{"", "n", "ok"} {
		found, err := db.Graphs().CountVertices(ctx, graphs.CountVerticesRequest{Where: many, Attributes: []string{"n"}, By: by})
		if err != nil || found.Vertices != 3 {
			t.Errorf("by %q: %+v, %v", by, found, err)
		}
		if want := []graphs.ValueCount{{Value: storage.BooleanValue(true), Vertices: 2}, {Value: storage.Value{}, Vertices: 1}}; by == "ok" && !slices.Equal(found.Values, want) {
			t.Errorf("%+v, want %+v", found.Values, want)
		}
	}
	var limit *fault.LimitError
	if _, err := db.Graphs().CountVertices(ctx, graphs.CountVerticesRequest{By: "n"}); !errors.As(err, &limit) || limit.Field != "MaxRows" {
		t.Errorf("four values, of which three are allowed: %v", err)
	}
	if _, err := db.Graphs().CountVertices(ctx, graphs.CountVerticesRequest{By: "m"}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("an unknown attribute: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := db.Graphs().CountVertices(ended, graphs.CountVerticesRequest{By: "ok"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that has ended: %v", err)
	}
}

// TestCountVertices_Figures compares figures with sums of big numbers over the rows of SHOW
// VERTICES.
func TestCountVertices_Figures(t *testing.T) {
	t.Parallel()
	db, random := querytest.Open(t, nil), rand.New(rand.NewPCG(3, 4))
	querytest.ImportText(t, db, "g", "0 1\n1 2\n2 3\n0 2\n")
	vertices := make([]storage.Vertex, 200)
	for i := range vertices {
		vertices[i].Key = fmt.Sprint(i)
		for _, v := range []storage.NamedValue{
			{Name: "team", Value: storage.IntegerValue(random.Int64N(4))},
			{Name: "whole", Value: storage.IntegerValue(random.Int64() - 1<<62)},
			{Name: "small", Value: storage.IntegerValue(-random.Int64N(9))},
			{Name: "part", Value: storage.FloatValue(random.NormFloat64() * math.Pow(10, float64(random.IntN(30))))},
		} {
			if random.IntN(5) > 0 {
				vertices[i].Values = append(vertices[i].Values, v)
			}
		}
	}
	if _, err := db.Graphs().InsertVertices(t.Context(), "g", vertices); err != nil {
		t.Fatal(err)
	}
	columns := []string{"degree", "small", "whole", "part"}
	for i, column := range columns {
		want := map[rows.Value][]*big.Float{}
		for _, row := range queryTable(t, db, "SHOW VERTICES IN g COLUMNS team, degree, small, whole, part WHERE degree < 3") {
			team := row[1]
			want[team] = append(want[team], []*big.Float{}...) // also where none has a number
			switch x := row[2+i].(type) {
			case int64:
				want[team] = append(want[team], new(big.Float).SetPrec(300).SetInt64(x))
			case float64:
				want[team] = append(want[team], new(big.Float).SetPrec(300).SetFloat64(x))
			}
		}
		with := " WITH mean(" + column + "), min(" + column + "), max(" + column + ")"
		table := queryTable(t, db, "COUNT VERTICES IN g WHERE degree < 3 BY team"+with)
		if len(table) != len(want) {
			t.Errorf("%s: %d teams, want %d", column, len(table), len(want))
		}
		for _, row := range table {
			list := want[row[0]]
			sum := new(big.Float).SetPrec(300)
			for _, x := range list {
				sum.Add(sum, x)
			}
			slices.SortFunc(list, (*big.Float).Cmp)
			mean, _ := new(big.Float).Quo(sum, big.NewFloat(float64(len(list)))).Float64()
			for j, x := range []float64{mean, asFloat(list[0]), asFloat(list[len(list)-1])} {
				if got := toFloat(row[2+j]); math.Abs(got-x) > 1e-14*math.Abs(x) {
					t.Errorf("%s of team %v: figure %d is %v, want %v", column, row[0], j, got, x)
				}
			}
		}
	}
	found, err := db.Graphs().CountVertices(t.Context(), graphs.CountVerticesRequest{With: []graphs.Figure{{Function: graphs.FigureSum, Of: "degree"}, {Function: graphs.FigureSum, Of: "small"}}})
	if err != nil || found.Vertices != 200 || len(found.Figures) != 1 || found.Figures[0][0].Integer() != 8 || found.Figures[0][1].Integer() >= 0 {
		t.Errorf("%+v, %v", found, err)
	}
	querytest.MustRun(t, db, "INSERT VERTEX 'x' (whole := 9223372036854775807, part := 1.7e308), 'y' (whole := 9223372036854775807, part := 1.7e308) INTO g")
	for _, figure := range []string{"sum(whole)", "sum(part)", "mean(part)"} {
		if _, err := db.Query(t.Context(), "COUNT VERTICES IN g WHERE key = 'x' OR key = 'y' WITH "+figure, nil); !errors.Is(err, storage.ErrLimit) {
			t.Errorf("%s: %v", figure, err)
		}
	}
	if got := queryTable(t, db, "COUNT VERTICES IN g WHERE key = 'x' OR key = 'y' WITH mean(whole), max(part)")[0]; got[1] != float64(math.MaxInt64) || got[2] != 1.7e308 {
		t.Errorf("mean of the largest: %v", got)
	}
}

func asFloat(x *big.Float) float64 { f, _ := x.Float64(); return f }

// toFloat is a cell that has a number.
func toFloat(v rows.Value) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v.(float64)
}
