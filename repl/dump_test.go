package repl

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/query"
)

// runScript runs a script on a file and returns what it prints, rows as CSV, and its
// messages.
func runScript(t *testing.T, path, script string) (out, messages string, err error) {
	t.Helper()
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var rows, status bytes.Buffer
	err = Run(t.Context(), Config{DB: db, In: strings.NewReader(script), Out: &rows, Status: NewStatus(&status, Terminal{}), Format: CSV})
	return rows.String(), status.String(), err
}

// The output of .dump recreates the same graphs: vertices and edges in their order, keys
// with any text, attributes with their types, weights, times and dates.
func TestDump_RoundTrip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	dice := rand.New(rand.NewPCG(1, 2))
	var made strings.Builder
	made.WriteString("CREATE GRAPH \"two words\"; CREATE GRAPH empty; CREATE GRAPH days; CREATE GRAPH plain;\n" +
		"INSERT VERTEX 'it''s' (note := 'a;b\n.quit\n-- c', age := -7, score := 3.0, ok := TRUE, zip := '007'), 'line\nbreak' (score := 0.1, note := ''), '北京', '.quit' INTO \"two words\";\n" +
		"INSERT EDGE ('北京', 'it''s', WEIGHT := 0.1, TIME := 5, kind := 'a;b', \"Weight\" := 0.5), ('.quit', 'line\nbreak', WEIGHT := 3e20), ('.quit', 'it''s', ok := FALSE, n := -3) INTO \"two words\";\n" +
		"INSERT EDGE ('a', 'b', TIME := '2024-02-29'), ('b', 'c', TIME := '2024-02-29T01:02:03Z'), ('c', 'a') INTO days;\n")
	for range 1300 { // more than one statement of a dump
		fmt.Fprintf(&made, "%d %d\n", dice.IntN(700), dice.IntN(700))
	}
	head, edges, _ := strings.Cut(made.String(), "INTO days;\n")
	if err := os.WriteFile(at("edges.txt"), []byte(edges), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, messages, err := runScript(t, at("first.ht"), head+"INTO days;\n.import "+at("edges.txt")+" plain\n"); err != nil {
		t.Fatalf("%v\n%s", err, messages)
	}
	show := "SHOW GRAPHS;"
	for _, graph := range []string{`"two words"`, "empty", "days", "plain"} {
		show += "SHOW VERTICES IN " + graph + "; SHOW EDGES IN " + graph + ";"
	}
	want, _, err := runScript(t, at("first.ht"), show)
	if err != nil {
		t.Fatal(err)
	}
	_, messages, err := runScript(t, at("first.ht"), "EMBED days USING fastrp(dim := 2) AS e;\n.once "+at("dump.sql")+"\n.dump\n")
	if err != nil || !strings.Contains(messages, "embeddings (1) and models (0) are not dumped") {
		t.Fatalf("%v\n%s", err, messages)
	}
	if _, messages, err := runScript(t, at("second.ht"), ".read "+at("dump.sql")+"\n"); err != nil {
		t.Fatalf("%v\n%s", err, messages)
	}
	got, _, err := runScript(t, at("second.ht"), show)
	if _, wantRows, _ := strings.Cut(want, "\n\n"); err != nil || !strings.Contains(got, wantRows) {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	_, again, err := runScript(t, at("second.ht"), ".once "+at("again.sql")+"\n.dump\n")
	first, _ := os.ReadFile(at("dump.sql"))
	second, _ := os.ReadFile(at("again.sql"))
	if err != nil || len(first) == 0 || !bytes.Equal(first, second) {
		t.Errorf("a dump of what was dumped differs: %v\n%s", err, again)
	}
	part, _, err := runScript(t, at("second.ht"), ".dump days\n")
	if err != nil || !strings.HasPrefix(part, "CREATE GRAPH days;\n") || strings.Contains(part, "plain") || !strings.Contains(part, "TIME := '2024-02-29T01:02:03Z'") {
		t.Errorf("%v\n%s", err, part)
	}
	if _, messages, err := runScript(t, at("second.ht"), "INSERT VERTEX 'a' (gone := 1) INTO days; UPDATE VERTEX 'a' SET gone := MISSING IN days;\n.dump days\n"); err != nil || !strings.Contains(messages, "attribute gone of graph days has no values and is not dumped") {
		t.Errorf("%v\n%s", err, messages)
	}
	var failure *Failure
	if _, messages, err := runScript(t, at("second.ht"), ".dump dys\n"); !errors.As(err, &failure) || !strings.Contains(messages, `did you mean "days"`) {
		t.Errorf("%v\n%s", err, messages)
	}
}

// A mistake of .import has the line of the command, and no place in the statement that it makes.
func TestImport_Mistake(t *testing.T) {
	t.Parallel()
	_, messages, err := runScript(t, filepath.Join(t.TempDir(), "import.ht"), "SHOW GRAPHS;\n\n.import 'nosuch.txt' g\n")
	if err == nil || messages != "error: line 3: file \"nosuch.txt\": no such file or directory\n" {
		t.Errorf("%q, %v", messages, err)
	}
}

// .nullvalue sets the text of missing values, and a script cannot run .open.
func TestRun_NullValue(t *testing.T) {
	t.Parallel()
	script := "CREATE GRAPH g; INSERT VERTEX 'a' (x := 1), 'b' INTO g;\n.nullvalue '-'\nSHOW VERTICES IN g;\n.mode json\nSHOW VERTICES IN g;\n.open x.ht\n"
	out, messages, err := runScript(t, filepath.Join(t.TempDir(), "null.ht"), script)
	if err == nil || !strings.Contains(messages, ".open works only in an interactive shell") {
		t.Errorf("%v\n%s", err, messages)
	}
	if !strings.Contains(out, "b,0,-\n") || !strings.Contains(out, `{"vertex":"b","degree":0,"x":null}`) {
		t.Error(out)
	}
}

// The file that is open is never overwritten by results.
func TestOutput_OpenFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "open.ht")
	for _, script := range []string{"CREATE GRAPH g;\n.output '" + path + "'\n", ".once '" + path + "'\n"} {
		if _, messages, err := runScript(t, path, script); err == nil || !strings.Contains(messages, "is the open database itself") {
			t.Errorf("%s: %s, %v", script, messages, err)
		}
	}
	if rows, messages, err := runScript(t, path, ".columns graph\nSHOW GRAPHS;"); err != nil || rows != "graph\ng\n" {
		t.Errorf("%q, %s, %v", rows, messages, err)
	}
}
