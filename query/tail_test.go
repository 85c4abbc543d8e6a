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
	"unicode/utf8"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/query/rows"
)

// tailed are statements with rows. The rows of each are the same whenever it runs.
var tailed = []string{
	"SHOW GRAPHS", "SHOW EMBEDDINGS", "SHOW INDEXES", "SHOW MODELS", "SHOW PREDICTIONS", "SHOW METHODS", "SHOW MEASURES", "SHOW SCORERS", "SHOW GENERATORS",
	"SHOW STATS", "SHOW JOBS", "SHOW ATTRIBUTES IN g", "SHOW GENERATIONS OF e", "SHOW VECTOR OF 1 IN e",
	"SHOW VERTICES IN g", "SHOW EDGES IN g", "SHOW NEIGHBORS OF 1 IN g",
	"SHOW NEIGHBORS OF 1 WITHIN 2 IN g", "COUNT EDGES IN g", "COUNT EDGES IN g BY weight WITH mean(weight)", "COUNT VERTICES IN g", "COUNT VERTICES IN g BY degree", "COUNT VERTICES IN g BY b WITH mean(a), max(degree)",
	"COMPUTE pagerank IN g", "COMPUTE core IN g", "PATH FROM 1 TO 40 IN g", "PATHS 3 FROM 1 TO 40 IN g", "DESCRIBE GRAPH g", "DESCRIBE GRAPH g ALL", "DESCRIBE VERTEX 1 IN g", "DESCRIBE EMBEDDING e", "DESCRIBE MODEL m ALL",
	"NEAREST 12 TO 1 USING e", "NEAREST 12 TO 1 USING cosine(e)", "NEAREST 2 FOR ALL USING e", "WITHIN RADIUS 10 OF 1 USING e",
	"SCORE (1, 2), (3, 9), ('x', 20) IN g WITH katz, jaccard", "PREDICT 9 LINKS FOR 1 IN g WITH katz", "PREDICT 9 LINKS IN g WITH jaccard",
	"PREDICT 2 LINKS FOR ALL IN g WITH jaccard", "EXPLAIN SCORE (1, 9) IN g", "DIFF e@1, e@2",
	"EVALUATE LINKS IN g USING fastrp(dim := 2)", "EVALUATE LABELS 'a' OF e WITH (seeds := 1, fractions := '0.5', penalty := 1.0)",
	"EVALUATE PARAMETERS IN g USING fastrp(dim := 2)", "EVALUATE RECONSTRUCTION OF e", "EVALUATE TEST GRAPH g AGAINST GRAPH g IN g WITH (allow_leaks := TRUE)", "CHECK",
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
		of := text
		if strings.HasPrefix(text, "DIFF") {
			of += " LIMIT 1000" // instead of ten
		}
		all := answerOf(t, db, of)
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
		known := done[h.Statement] || slices.ContainsFunc(append(jobs, "CANCEL JOB", "RESUME JOB"), func(text string) bool { return strings.HasPrefix(text, h.Statement) }) || h.Statement == "SHOW" || h.Statement == "EXPLAIN" || h.Statement == "PROFILE" || h.Statement == "INTO FILE" || h.Statement == "HELP"
		if _, err := parser.Parse(h.Example + " OFFSET 1"); err == nil && !known {
			t.Errorf("%s has rows, and is not tested", h.Statement)
		}
	}
}

// What a statement takes of the clauses behind it gives what the same clauses give when they are
// done with all rows and the attributes of their vertices: terms of WHERE about vertices first, then
// the number of rows, then the terms about columns, the order and the limit.
func TestTail_Pushed(t *testing.T) {
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
	vertices := answerOf(t, db, "SHOW VERTICES IN g")
	of := map[rows.Value][]rows.Value{}
	for _, row := range vertices.rows {
		of[row[0]] = row[1:]
	}
	for at, text := range []string{"NEAREST %d TO 1 USING e", "NEAREST %d TO 1 USING cosine(e)", "WITHIN RADIUS %d OF 1 USING e", "PREDICT %d LINKS FOR 1 IN g WITH katz"} {
		all := answerOf(t, db, fmt.Sprintf(text, 1000))
		wide := answered{columns: append(slices.Clone(all.columns), vertices.columns[1:]...)}
		for _, row := range all.rows {
			wide.rows = append(wide.rows, append(row, of[row[0]]...))
		}
		r := rand.New(rand.NewPCG(uint64(at), 11))
		for range repeat.Times(40) {
			k := 1 + r.IntN(len(all.rows))
			if strings.HasPrefix(text, "WITHIN") {
				k = 1000
			}
			with, want := fmt.Sprintf(text, k), answered{rows: slices.Clone(wide.rows)}
			term := func(i int) string {
				return strings.TrimPrefix(wide.where(&want, r, i, parser.Ident{Name: wide.columns[i]}.String()), " WHERE ")
			}
			ofVertex := term(2 + r.IntN(len(wide.columns)-2))
			want.rows = want.rows[:min(k, len(want.rows))]
			if with += " WHERE " + ofVertex; r.IntN(3) == 0 {
				with += " AND " + term(r.IntN(2))
			}
			if i := r.IntN(len(wide.columns)); r.IntN(2) == 0 {
				with += " ORDER BY " + parser.Ident{Name: wide.columns[i]}.String()
				slices.SortStableFunc(want.rows, func(a, b []rows.Value) int { return orderOf(a[i], b[i], false) })
			}
			limit, offset := 1+r.IntN(9), r.IntN(4)
			with += fmt.Sprint(" LIMIT ", limit, " OFFSET ", offset)
			want.rows = want.rows[min(offset, len(want.rows)):]
			want.rows = want.rows[:min(limit, len(want.rows))]
			for i, row := range want.rows {
				want.rows[i] = row[:2]
			}
			if got := answerOf(t, db, with); fmt.Sprint(got.rows) != fmt.Sprint(want.rows) {
				t.Errorf("%s\n got %v\nwant %v", with, got.rows, want.rows)
			}
		}
	}
}

// jobs are statements whose work is a job; as those with IN BACKGROUND they have rows about it.
var jobs = []string{
	"EMBED g USING fastrp(dim := 2) AS e3", "EMBED g USING fastrp(dim := 2) AS e4 IN BACKGROUND", "WAIT JOB 1", "WAIT JOB 2", "CREATE INDEX ON e WITH (metric := 'cosine')",
	"REFRESH e", "REFRESH MEASURE a IN g", "REFRESH PREDICTIONS FROM cosine(e) IN g", "REFRESH ALL IN g", "VERIFY e", "COMPUTE core IN g AS core IN BACKGROUND",
	"TRAIN MODEL m2 IN g USING heuristics(jaccard)", "MATERIALIZE PREDICTIONS FROM jaccard IN g",
}

// The clauses behind a statement whose work is a job are about its rows, whose columns are known
// before it runs.
func TestTail_Jobs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store")
	if err := os.WriteFile(path, namesStore(t), 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := query.Open(path, &query.Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, text := range jobs {
		all := answerOf(t, db, text+" OFFSET 0") // without a clause that changes the rows
		got := answerOf(t, db, strings.NewReplacer("AS e", "AS again_e", "cosine')", "dot')", "MODEL m2", "MODEL m3", "AS core", "AS core2").Replace(text)+" LIMIT 9")
		if !slices.Equal(got.columns, all.columns) || !slices.Equal(got.types, all.types) || len(all.rows) != len(got.rows) {
			t.Errorf("%s\n got %v %v %v\nwant %v %v %v", text, got.columns, got.types, got.rows, all.columns, all.types, all.rows)
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

// check draws clauses behind a statement, with names of its columns.
func (all answered) check(t *testing.T, db *query.DB, text string, r *rand.Rand) {
	t.Helper()
	want := answered{all.columns, all.types, slices.Clone(all.rows)}
	takes := func(clause string) bool {
		statement, err := parser.Parse(text + clause)
		_, is := statement.(*parser.Tail)
		return err == nil && is
	}
	name := func(i int) string { return parser.Ident{Name: all.columns[i]}.String() }
	with, chosen, distinct := text, []int(nil), false
	adds := strings.HasPrefix(text, "SHOW VERTICES") || strings.HasPrefix(text, "SHOW EDGES") // COLUMNS adds to the keys
	if takes(" COLUMNS x") && !adds && r.IntN(2) == 0 {
		for range 1 + r.IntN(3) {
			chosen = append(chosen, r.IntN(len(all.columns)))
		}
		var names []string
		for _, i := range chosen {
			names = append(names, name(slices.Index(all.columns, all.columns[i])))
		}
		with += " COLUMNS "
		if distinct = r.IntN(2) == 0; distinct {
			with += "DISTINCT "
		}
		with += strings.Join(names, ", ")
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
	if distinct {
		seen := map[string]bool{}
		want.rows = slices.DeleteFunc(want.rows, func(row []rows.Value) bool {
			key := ""
			for _, i := range chosen {
				if v := row[i]; v != nil && kindOf(v) == 2 {
					key += fmt.Sprint(float(v), ";")
				} else {
					key += fmt.Sprintf("%T %[1]q;", v)
				}
			}
			known := seen[key]
			seen[key] = true
			return known
		})
	}
	limit, offset := len(want.rows), 0
	if takes(" LIMIT 1") && (strings.HasPrefix(text, "DIFF") || r.IntN(2) == 0) {
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
	switch r.IntN(4) {
	case 3:
		text, is := pivot.(string)
		if !is || !utf8.ValidString(text) {
			break
		}
		prefix := string([]rune(text)[:r.IntN(utf8.RuneCountInString(text)+1)])
		keep(func(v rows.Value) bool {
			text, is := v.(string)
			return is && strings.HasPrefix(text, prefix)
		})
		return " WHERE " + name + " LIKE " + parser.String{Value: strings.NewReplacer("%", "!%", "_", "!_", "!", "!!").Replace(prefix) + "%"}.String() + " ESCAPE '!'"
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
