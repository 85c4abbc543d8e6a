package query_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heavytail/embedding/option"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/help"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/querytest"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/query/vectors"
)

func TestHelps_ExamplesParse(t *testing.T) {
	for _, h := range query.Helps() {
		statement, err := parser.Parse(h.Example)
		if err != nil {
			t.Errorf("HELP %s: example %q: %v", h.Statement, h.Example, err)
			continue
		}
		_, explains := statement.(*parser.Explain)
		_, into := statement.(*parser.Tail)
		if kind := parser.Heading(statement); !explains && !into && !strings.HasPrefix(kind, h.Statement) {
			t.Errorf("HELP %s: the example is %s", h.Statement, kind)
		}
		if h.Syntax == "" || h.Summary == "" || !into && !strings.HasPrefix(h.Syntax, h.Statement) {
			t.Errorf("HELP %s: syntax %q, summary %q", h.Statement, h.Syntax, h.Summary)
		}
	}
}

// HELP must find every statement by its first words, in capitals or not, by its example,
// and by its keywords with parts between them.
func TestHelps_AsTyped(t *testing.T) {
	helps := query.Helps()
	explains := func(text, statement string) {
		t.Helper()
		parsed, err := parser.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			return
		}
		table, err := query.HelpRows(parsed.(*parser.Help).Topic...)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if !slices.ContainsFunc(table, func(row []rows.Value) bool {
			return row[0] == "statement" && row[1] == statement || row[0] == statement
		}) {
			t.Errorf("%s does not explain %s", text, statement)
		}
	}
	for _, h := range helps {
		explains("HELP "+h.Statement, h.Statement)
		explains("HELP "+strings.ToLower(h.Statement), h.Statement)
		// HELP EXPLAIN NEAREST is about EXPLAIN, and HELP NEAREST … INTO FILE about NEAREST.
		if h.Statement != "EXPLAIN" && h.Statement != "PROFILE" && h.Statement != "INTO FILE" {
			explains("HELP "+h.Example, h.Statement)
		}
		words := strings.FieldsFunc(h.Syntax, func(r rune) bool { return r < 'A' || r > 'Z' })
		explains("HELP "+strings.Join(words, " "), h.Statement)
		// WHERE is a topic of its own, and CREATE GRAPH is not CREATE DIRECTED GRAPH.
		short := words[0] + " " + words[len(words)-1]
		if !strings.HasSuffix(short, " WHERE") && !slices.ContainsFunc(helps, func(o help.Statement) bool { return o.Statement == short && short != h.Statement }) {
			explains("HELP "+short, h.Statement)
		}
	}
	for text, statement := range map[string]string{
		"PREDICT LINKS": "PREDICT", "PREDICT 20 LINKS FOR 'alice'": "PREDICT", "INSERT VERTICES": "INSERT VERTEX",
		"SHOW GRAPHS": "SHOW", "show job": "SHOW", "CREATE INDEXES": "CREATE INDEX", "INDEX": "DROP INDEX",
		"JOBS": "RESUME JOB", "DROP": "DROP MODEL", "EMBED social USING deepwalk": "EMBED", "BACKUP 'a.ht';": "BACKUP",
		"IMPORT FILE": "IMPORT", "EXPORT": "EXPORT WALKS", "MATERIALIZE": "MATERIALIZE PREDICTIONS",
	} {
		explains("HELP "+text, statement)
	}
	for _, text := range []string{"cypher queries", "CREATE GRPH", "nearst", "XS"} {
		if table, err := query.HelpRows(strings.Fields(text)...); err == nil {
			t.Errorf("HELP %s: %v", text, table)
		}
	}
}

// A default is shown as a short number, without rounding errors.
func TestHelps_DefaultsAreShort(t *testing.T) {
	for topic, row := range query.EachHelpRow {
		for _, word := range strings.Fields(row[1].(string)) {
			digits := strings.Trim(word, ",;()")
			if _, err := strconv.ParseFloat(digits, 64); err == nil && strings.Contains(digits, ".") && len(digits) > 8 {
				t.Errorf("HELP %s: %s: %s", topic, row[0], digits)
			}
		}
	}
}

// Every keyword of the language must appear in the syntax of some statement, and every word
// in capitals there must be a keyword.
func TestHelps_NameEveryKeyword(t *testing.T) {
	later := []string{"FALSE", "TRUE", "AND", "OR", "NOT", "FOR", "FROM", "IS", "LIKE", "ESCAPE", "MISSING", "NULL"} // conditions and later statements
	var listed []string
	for _, h := range query.Helps() {
		for _, word := range strings.FieldsFunc(h.Syntax, func(r rune) bool { return r < 'A' || r > 'Z' }) {
			listed = append(listed, word)
			if !slices.Contains(parser.Keywords(), word) {
				t.Errorf("HELP %s: %s is no keyword", h.Statement, word)
			}
		}
	}
	for _, word := range parser.Keywords() {
		if !slices.Contains(listed, word) && !slices.Contains(later, word) {
			t.Errorf("no syntax in HELP has the keyword %s", word)
		}
	}
}

// The columns that HELP lists must be the columns of the result.
func TestHelps_Columns(t *testing.T) {
	db := querytest.Open(t, &query.Options{Input: strings.NewReader("a b\nb c\n")})
	dir := t.TempDir()
	run := func(text string) []string {
		t.Helper()
		rows, err := db.Query(context.Background(), text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for rows.Next() {
			if len(rows.Row()) != len(rows.Columns()) {
				t.Errorf("%s: row %v of columns %v", text, rows.Row(), rows.Columns())
			}
		}
		if rows.Err() != nil {
			t.Fatalf("%s: %v", text, rows.Err())
		}
		return rows.Columns()
	}
	listed := func(statement, prefix string) []string {
		for _, h := range query.Helps() {
			if h.Statement == statement {
				_, after, _ := strings.Cut("; "+h.Columns, prefix)
				list, _, _ := strings.Cut(after, ";")
				return strings.Split(strings.TrimSpace(list), ", ")
			}
		}
		t.Fatalf("no help on %s", statement)
		return nil
	}
	expect := func(text, statement, prefix string) {
		t.Helper()
		if got, want := run(text), listed(statement, prefix); !slices.Equal(got, want) {
			t.Errorf("%s has the columns %v, and HELP says %v", text, got, want)
		}
	}
	expect("IMPORT '-' INTO g", "IMPORT", "; ")
	if err := os.WriteFile(dir+"/people.csv", []byte("key,y\na,1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	expect(fmt.Sprintf("IMPORT VERTICES '%s/people.csv' INTO g", dir), "IMPORT VERTICES", "; ")
	if _, err := querytest.PutVectors(db, "g", "pos", "a 0\nb 1\nc 2"); err != nil {
		t.Fatal(err)
	}
	expect("GENERATE preferential_attachment(n := 9, m := 1) INTO pa", "GENERATE", "; ")
	expect("INSERT VERTEX 'a' (x := 1) INTO g", "INSERT VERTEX", "; ")
	expect("INSERT EDGE ('a', 'd', weight := 2) INTO g", "INSERT EDGE", "; ")
	expect("UPDATE VERTEX 'a' SET x := 2 IN g", "UPDATE VERTEX", "; ")
	expect("UPDATE VERTICES IN g SET x := 2 WHERE degree > 1", "UPDATE VERTICES", "; ")
	expect("UPDATE EDGE ('a', 'd') SET weight := 3 IN g", "UPDATE EDGE", "; ")
	expect("DELETE EDGE ('a', 'd') FROM g", "DELETE EDGE", "; ")
	expect("DELETE VERTEX 'd' FROM g", "DELETE VERTEX", "; ")
	expect("DELETE VERTICES FROM g WHERE degree > 9", "DELETE VERTICES", "; ")
	expect("DELETE EDGES FROM g WHERE weight > 900", "DELETE EDGES", "; ")
	expect("COUNT EDGES IN g", "COUNT EDGES", "; ")
	expect("SHOW ATTRIBUTES IN g", "SHOW ATTRIBUTES", "; ")
	expect("COUNT VERTICES IN g", "COUNT VERTICES", "; ")
	expect("DESCRIBE VERTEX 'a' IN g", "DESCRIBE VERTEX", "; ")
	expect("DESCRIBE GRAPH g", "DESCRIBE GRAPH", "; ")
	expect("DESCRIBE EMBEDDING pos", "DESCRIBE EMBEDDING", "; ")
	for _, what := range []string{"GRAPHS", "EMBEDDINGS", "METHODS", "SCORERS", "GENERATORS", "STATS"} {
		expect("SHOW "+what, "SHOW", "; "+what+": ")
	}
	expect("RECONSTRUCT pos RADIUS 1", "RECONSTRUCT", "; ")
	expect("EVALUATE LINKS IN pa USING dp_spectral(dim := 2)", "EVALUATE LINKS", "; ")
	both := run("EVALUATE LINKS IN pa WITH (splits := 2, null_graph := TRUE)")
	if got, want := both[len(both)-4:], append(listed("EVALUATE LINKS", "splits in addition: "), listed("EVALUATE LINKS", "null_graph or negatives by degree in addition: ")...); !slices.Equal(got, want) {
		t.Errorf("EVALUATE LINKS with splits and null_graph ends with the columns %v, and HELP says %v", got, want)
	}
	expect("EVALUATE PARAMETERS IN pa USING dp_spectral(dim := 2) WITH (beta := '1')", "EVALUATE PARAMETERS", "; ")
	run("UPDATE VERTEX 'b' SET x := 3 IN g")
	expect("EVALUATE LABELS 'x' OF pos", "EVALUATE LABELS", "; ")
	expect("EVALUATE LABELS 'x' OF pos WITH (classes := TRUE)", "EVALUATE LABELS", "with classes: ")
	expect("EVALUATE RECONSTRUCTION OF pos", "EVALUATE RECONSTRUCTION", "; ")
	expect(fmt.Sprintf("EXPORT GRAPH g INTO FILE '%s/g'", dir), "EXPORT GRAPH", "; ")
	expect(fmt.Sprintf("DELETE EDGES FILE '%s/g' FROM g", dir), "DELETE EDGES FILE", "; ")
	expect(fmt.Sprintf("EXPORT VERTICES OF g INTO FILE '%s/v'", dir), "EXPORT VERTICES", "; ")
	expect(fmt.Sprintf("EXPORT WALKS OF g USING deepwalk INTO FILE '%s/w'", dir), "EXPORT WALKS", "; ")
	expect(fmt.Sprintf("EXPORT EMBEDDING pos INTO FILE '%s/e'", dir), "EXPORT EMBEDDING", "; ")
	expect(fmt.Sprintf("SCORE FILE '%s/g' IN g WITH jaccard INTO FILE '%s/s'", dir, dir), "SCORE FILE", "INTO FILE: ")
	expect("CHECK", "CHECK", "; ")
	expect("COMPACT", "COMPACT", "; ")
	expect(fmt.Sprintf("BACKUP INTO FILE '%s/b'", dir), "BACKUP", "; ")
	expect("EXPLAIN CHECK", "EXPLAIN", "; ")
	expect("PROFILE CHECK", "PROFILE", "; ")
	expect("HELP", "HELP", "; ")
	expect("HELP CHECK", "HELP", "; ")
	expect("EMBED g USING dp_spectral(dim := 2) AS s", "EMBED", "; ")
	if got := run("SCORE ('a', 'b') IN g WITH jaccard, l2(pos)"); !slices.Equal(got, []string{"source", "target", "jaccard", "l2(pos)"}) {
		t.Errorf("SCORE has the columns %v", got)
	}
}

// Every option that HELP lists must be accepted, with its listed default.
func TestHelps_OptionsAreAccepted(t *testing.T) {
	tables := map[string][]option.Info{}
	for _, h := range query.Helps() {
		tables[h.Statement] = h.Options
	}
	for _, m := range vectors.Methods() {
		tables[m.Name] = m.Options
	}
	for _, g := range graphs.Generators() {
		tables[g.Name] = g.Options
	}
	for owner, table := range tables {
		for _, o := range table {
			if o.Default == "" {
				continue
			}
			statement, err := parser.Parse("EMBED g USING m(x := " + o.Default + ") AS e")
			if err != nil {
				t.Errorf("%s: the default of %s, %s, is no literal: %v", owner, o.Name, o.Default, err)
				continue
			}
			b := &engine.Binder{Call: &engine.Call{}, Values: bind.New(map[fault.Part]parser.Range{}, nil)}
			given := b.Given(statement.(*parser.Embed).Method.Options)
			if b.Err != nil {
				t.Fatal(b.Err)
			}
			if _, err := o.Convert(given[0].Value); err != nil {
				t.Errorf("%s: the default of %s: %v", owner, o.Name, err)
			}
		}
	}
}
