package query_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// tailed are statements with rows. The rows of each are the same whenever it runs.
var tailed = []string{
	"SHOW GRAPHS", "SHOW EMBEDDINGS", "SHOW INDEXES", "SHOW MODELS", "SHOW PREDICTIONS", "SHOW METHODS", "SHOW MEASURES", "SHOW SCORERS", "SHOW GENERATORS",
	"SHOW STATS", "SHOW JOBS", "SHOW ATTRIBUTES IN g", "SHOW GENERATIONS OF e", "SHOW VECTOR OF 1 IN e",
	"SHOW VERTICES IN g", "SHOW VERTICES IN g COLUMNS degree, b", "SHOW EDGES IN g", "SHOW EDGES IN g COLUMNS degree", "SHOW NEIGHBORS OF 1 IN g",
	"SHOW NEIGHBORS OF 1 WITHIN 2 IN g", "COUNT VERTICES IN g", "COUNT VERTICES IN g BY degree", "COUNT VERTICES IN g BY b WITH mean(a), max(degree)",
	"COMPUTE pagerank IN g", "COMPUTE core IN g", "PATH FROM 1 TO 40 IN g", "DESCRIBE GRAPH g", "DESCRIBE VERTEX 1 IN g", "DESCRIBE EMBEDDING e", "DESCRIBE MODEL m",
	"NEAREST 12 TO 1 USING e", "NEAREST 12 TO 1 USING cosine(e)", "NEAREST 2 FOR ALL USING e", "WITHIN RADIUS 10 OF 1 USING e",
	"SCORE (1, 2), (3, 9), ('x', 20) IN g WITH katz, jaccard", "PREDICT 9 LINKS FOR 1 IN g WITH katz", "PREDICT 9 LINKS IN g WITH jaccard",
	"PREDICT 2 LINKS FOR ALL IN g WITH jaccard", "EXPLAIN SCORE (1, 9) IN g", "DIFF e@1, e@2",
	"EVALUATE LINKS IN g USING fastrp(dim := 2)", "EVALUATE LABELS 'a' OF e WITH (seeds := 1, fractions := '0.5', penalty := 1.0)",
	"EVALUATE PARAMETERS IN g USING fastrp(dim := 2)", "EVALUATE RECONSTRUCTION OF e", "CHECK",
}

// Whatever is done with the rows of a statement gives what the same operations give when they
// are done with all its rows, and the names and types of its columns are known before it runs.
func TestTail_Naive(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(path, namesStore(t, "INSERT VERTEX 1 (b := 'p'), 2 (b := 'q'), 3 (b := 'p'), 'x' (b := 'r') INTO g"), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := query.Open(path, &query.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	done := map[string]bool{"ESTIMATE EMBED": true, "ESTIMATE COMPUTE": true} // they measure the machine
	for at, text := range tailed {
		statement, err := parser.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		done[parser.Heading(statement)] = true
		all := answerOf(t, db, text)
		if len(all.columns) == 0 {
			t.Fatalf("%s: no columns", text)
		}
		r := rand.New(rand.NewPCG(uint64(at), 7))
		for range repeat.Times(12) {
			all.check(t, db, text, r)
		}
		if strings.HasPrefix(text, "EXPLAIN") {
			continue
		}
		if _, err := db.Query(context.Background(), "EXPLAIN "+text+" OFFSET 1", nil); err != nil {
			t.Error(err)
		}
		if _, err := db.Query(context.Background(), "EXPLAIN "+text+" ORDER BY nothing", nil); err == nil {
			t.Errorf("EXPLAIN %s ORDER BY nothing: no error", text)
		}
	}
	for _, h := range query.Helps() {
		known := done[h.Statement] || h.Statement == "SHOW" || h.Statement == "EXPLAIN" || h.Statement == "PROFILE" || h.Statement == "INTO FILE" || h.Statement == "HELP"
		if _, err := parser.Parse(h.Example + " OFFSET 1"); err == nil && !known {
			t.Errorf("%s has rows, and is not tested", h.Statement)
		}
	}
}

// answered is an answer in memory.
type answered struct {
	columns []string
	types   []rows.ColumnType
	rows    [][]rows.Value
}

func answerOf(t *testing.T, db *query.DB, text string) (all answered) {
	t.Helper()
	answer, err := db.Query(context.Background(), text, nil)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	all.columns, all.types = answer.Columns(), slices.Clone(answer.ColumnTypes())
	for row, err := range answer.All() {
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		all.rows = append(all.rows, slices.Clone(row))
	}
	return all
}

// check draws clauses that a statement does not have of its own.
func (all answered) check(t *testing.T, db *query.DB, text string, r *rand.Rand) {
	t.Helper()
	want := answered{all.columns, all.types, slices.Clone(all.rows)}
	takes := func(clause string) bool {
		statement, err := parser.Parse(text + clause)
		_, is := statement.(*parser.Tail)
		return err == nil && is
	}
	name := func(i int) string { return parser.Ident{Name: all.columns[i]}.String() }
	with, chosen := text, []int(nil)
	if takes(" COLUMNS x") && r.IntN(2) == 0 {
		for range 1 + r.IntN(3) {
			chosen = append(chosen, r.IntN(len(all.columns)))
		}
		var names []string
		for _, i := range chosen {
			names = append(names, name(slices.Index(all.columns, all.columns[i])))
		}
		with += " COLUMNS " + strings.Join(names, ", ")
	}
	if i := r.IntN(len(all.columns)); takes(" WHERE x") && len(all.rows) > 0 && r.IntN(2) == 0 {
		with += all.where(&want, r, i, name(i))
	}
	if i := r.IntN(len(all.columns)); takes(" ORDER BY x") && r.IntN(2) == 0 {
		descending := r.IntN(2) == 0
		with += " ORDER BY " + name(i)
		if descending {
			with += " DESC"
		}
		slices.SortStableFunc(want.rows, func(a, b []rows.Value) int { return orderOf(a[i], b[i], descending) })
	}
	limit, offset := len(want.rows), 0
	if takes(" LIMIT 1") && r.IntN(2) == 0 {
		limit = 1 + r.IntN(len(all.rows)+2)
		with += fmt.Sprint(" LIMIT ", limit)
	}
	if r.IntN(2) == 0 {
		offset = r.IntN(len(all.rows) + 2)
		with += fmt.Sprint(" OFFSET ", offset)
	}
	want.rows = want.rows[min(offset, len(want.rows)):]
	want.rows = want.rows[:min(limit, len(want.rows))]
	if chosen != nil {
		want.columns, want.types = nil, nil
		for _, i := range chosen {
			want.columns, want.types = append(want.columns, all.columns[i]), append(want.types, all.types[i])
		}
		for k, row := range want.rows {
			var cut []rows.Value
			for _, i := range chosen {
				cut = append(cut, row[i])
			}
			want.rows[k] = cut
		}
	}
	got := answerOf(t, db, with)
	if !slices.Equal(got.columns, want.columns) || !slices.Equal(got.types, want.types) || fmt.Sprint(got.rows) != fmt.Sprint(want.rows) && !reflect.DeepEqual(got.rows, want.rows) {
		t.Errorf("%s\n got %v %v %v\nwant %v %v %v", with, got.columns, got.types, got.rows, want.columns, want.types, want.rows)
	}
}

// where draws a condition on a column, and keeps the rows that meet it.
func (all answered) where(want *answered, r *rand.Rand, i int, name string) string {
	pivot := all.rows[r.IntN(len(all.rows))][i]
	keep := func(f func(v rows.Value) bool) {
		want.rows = slices.DeleteFunc(want.rows, func(row []rows.Value) bool { return !f(row[i]) })
	}
	var literal string
	switch v := pivot.(type) {
	case string:
		literal = parser.String{Value: v}.String()
	case int64:
		literal = parser.Int{Value: v}.String()
	case float64:
		literal = parser.Float{Value: v}.String()
	default:
		keep(func(v rows.Value) bool { return v == nil })
		return " WHERE " + name + " IS MISSING"
	}
	same := func(v rows.Value) bool { return v != nil && kindOf(v) == kindOf(pivot) }
	switch r.IntN(3) {
	case 0:
		keep(func(v rows.Value) bool { return same(v) && orderOf(v, pivot, false) == 0 })
		return " WHERE " + name + " IN (" + literal + ")"
	case 1:
		keep(func(v rows.Value) bool { return same(v) && orderOf(v, pivot, false) <= 0 })
		return " WHERE " + name + " <= " + literal
	}
	keep(func(v rows.Value) bool { return same(v) && orderOf(v, pivot, false) > 0 })
	return " WHERE " + literal + " < " + name
}

// kindOf numbers the types of cells, numbers as one.
func kindOf(v rows.Value) int {
	switch v.(type) {
	case string:
		return 1
	case bool:
		return 3
	}
	return 2
}

// orderOf orders cells, missing ones last.
func orderOf(a, b rows.Value, descending bool) int {
	if a == nil || b == nil {
		switch {
		case a != nil:
			return -1
		case b != nil:
			return 1
		}
		return 0
	}
	sign := 1
	if descending {
		sign = -1
	}
	if k := kindOf(a) - kindOf(b); k != 0 {
		return sign * k
	}
	switch x := a.(type) {
	case string:
		return sign * strings.Compare(x, b.(string))
	case bool:
		if x == b.(bool) {
			return 0
		} else if x {
			return sign
		}
		return -sign
	}
	x, y := float(a), float(b)
	switch {
	case x < y:
		return -sign
	case x > y:
		return sign
	}
	return 0
}

func float(v rows.Value) float64 {
	if n, is := v.(int64); is {
		return float64(n)
	}
	return v.(float64)
}
