package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestExec_Formats prints the same rows in every format.
func TestExec_Formats(t *testing.T) {
	path := sampleFile(t)
	const statement = "SCORE ('a', 'c'), ('a', 'x|y') WITH common_neighbors"
	for format, want := range map[string]string{
		"table": " source | target | common_neighbors\n" +
			"--------+--------+------------------\n" +
			" a      | c      |                1\n" +
			" a      | x|y    |                 \n" +
			"(2 rows)\n",
		"csv":  "source,target,common_neighbors\na,c,1\na,x|y,\n",
		"json": `[{"source":"a","target":"c","common_neighbors":1},{"source":"a","target":"x|y","common_neighbors":null}]` + "\n",
		"markdown": "| source | target | common_neighbors |\n" +
			"| ------ | ------ | ---------------: |\n" +
			"| a      | c      |                1 |\n" +
			"| a      | x\\|y   |                  |\n",
	} {
		a := command(t, "", "exec", path, "--format", format, "-c", statement)
		if a.code != exitDone || a.out != want {
			t.Errorf("%s: exit code %d, got\n%sexpected\n%s", format, a.code, a.out, want)
		}
		if want := "notice: 1 pair names a vertex that graph line does not have\n"; a.err != want {
			t.Errorf("%s: notices %q, expected %q", format, a.err, want)
		}
	}
}

// TestExec_Arrow reads what exec has printed as a stream of Arrow.
func TestExec_Arrow(t *testing.T) {
	path := sampleFile(t)
	want := mustRun(t, "", "exec", path, "--format", "csv", "SHOW EDGES IN line")
	stream := filepath.Join(t.TempDir(), "edges.arrows")
	if err := os.WriteFile(stream, []byte(mustRun(t, "", "exec", path, "--format", "arrow", "SHOW EDGES IN line")), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := mustRun(t, "", "exec", newFile(t), "--format", "csv", "IMPORT '"+stream+"' INTO again; SHOW EDGES IN again"); !strings.HasSuffix(got, "\n\n"+want) {
		t.Errorf("read\n%s\nwant\n%s", got, want)
	}
	if a := command(t, "", "exec", path, "--format", "arow", "SHOW GRAPHS"); a.code != exitUsage {
		t.Errorf("a wrong format: %d, %s", a.code, a.err)
	}
}

// TestExec_JSONLines expects one valid line of JSON for each statement, of any kind.
func TestExec_JSONLines(t *testing.T) {
	path := newFile(t)
	statements := []string{
		"CREATE GRAPH empty", "GENERATE preferential_attachment(n := 30, m := 2, seed := 1) INTO g",
		"DESCRIBE GRAPH g", "EMBED g USING laplacian_eigenmaps(dim := 3) AS e", "DESCRIBE EMBEDDING e",
		"NEAREST 4 TO '1' USING e", "WITHIN RADIUS 0.1 OF '1' USING cosine(e)", "RECONSTRUCT e AUTO WITH (sweep := TRUE)",
		"SCORE ('1', '2') IN g WITH jaccard", "SHOW GRAPHS", "SHOW METHODS", "EXPLAIN NEAREST 1 TO '1' USING e",
		"PROFILE CHECK", "HELP", "HELP NEAREST", "CHECK", "DROP EMBEDDING e",
	}
	out := mustRun(t, "", "exec", path, "--format", "json", "-c", strings.Join(statements, "; "))
	lines := strings.SplitAfter(out, "\n")
	if len(lines) != len(statements)+1 || lines[len(statements)] != "" {
		t.Fatalf("%d statements gave\n%s", len(statements), out)
	}
	for i, statement := range statements {
		var result []map[string]any
		if err := json.Unmarshal([]byte(lines[i]), &result); err != nil || result == nil {
			t.Errorf("%s: %v in %s", statement, err, lines[i])
		}
		for _, row := range result {
			if len(row) == 0 || len(row) != len(result[0]) {
				t.Errorf("%s: %d columns in one row and %d in another", statement, len(row), len(result[0]))
			}
		}
	}
}

// TestExec_Sources runs statements from -c, from a script, and from standard input.
func TestExec_Sources(t *testing.T) {
	path, dir := sampleFile(t), t.TempDir()
	script := filepath.Join(dir, "script")
	mustWrite(t, script, []byte("SHOW GRAPHS;\n-- and nothing else\n"))
	inline := mustRun(t, "no statement", "exec", path, "-c", "SHOW GRAPHS")
	for _, got := range []string{
		mustRun(t, "no statement", "exec", path, "-f", script),
		mustRun(t, "SHOW GRAPHS", "exec", path),
		mustRun(t, "SHOW GRAPHS;", "exec", path, "-f", "-"),
	} {
		if got != inline {
			t.Errorf("got\n%s, and from -c\n%s", got, inline)
		}
	}
	// An empty -c, such as an empty variable of a shell, does not make exec read standard
	// input.
	if out := mustRun(t, "SHOW GRAPHS", "exec", path, "-c", ""); out != "" {
		t.Errorf("an empty -c printed %q", out)
	}
	mustFail(t, exitFailed, []string{"script: open ", "missing"}, "exec", path, "-f", filepath.Join(dir, "missing"))
	mustFail(t, exitFailed, []string{"read statements: "}, "exec", path, "-f", dir)

	mustWrite(t, script, []byte("SHOW GRAPHS;\nDESCRIBE GRAPH lines"))
	a := command(t, "", "exec", path, "-f", script)
	want := "error: " + script + ": line 2, column 16: unknown graph \"lines\": did you mean \"line\"?\n" +
		"  DESCRIBE GRAPH lines\n" +
		"                 ^^^^^\n"
	if a.code != exitFailed || a.out != inline || a.err != want {
		t.Errorf("exit code %d, %q, expected %q", a.code, a.err, want)
	}
}

// TestExec_ImportFromInput reads a graph from standard input, which works only if the
// statements are not read from there.
func TestExec_ImportFromInput(t *testing.T) {
	path := newFile(t)
	script := filepath.Join(t.TempDir(), "script")
	mustWrite(t, script, []byte("IMPORT '-' INTO g"))
	for _, args := range [][]string{{"-c", "IMPORT '-' INTO g"}, {"-f", script}} {
		out := mustRun(t, "a b\nb c\n", append([]string{"exec", path, "--format", "csv"}, args...)...)
		if !strings.Contains(out, "\ng,3,2,") {
			t.Errorf("%q: %s", args, out)
		}
	}
	a := command(t, "IMPORT '-' INTO g;\na b\n", "exec", path)
	if a.code != exitFailed || !strings.Contains(a.err, "there is no standard input to read") {
		t.Errorf("exit code %d, %q", a.code, a.err)
	}
}

// TestExec_Params binds parameters of every type, and keys that look like other
// types.
func TestExec_Params(t *testing.T) {
	path := newFile(t)
	keys := []string{"7", "007", "1e5", "-1.50", "true", "nan", "12345678901234567890", "two words", "it's", "größe", "a=b"}
	var edges bytes.Buffer
	w := csv.NewWriter(&edges)
	for i, key := range keys {
		w.Write([]string{key, keys[(i+1)%len(keys)]})
	}
	w.Flush()
	mustRun(t, edges.String(), "exec", path, "-c", "IMPORT '-' INTO g WITH (separator := 'comma'); EMBED g USING dp_spectral(dim := 3) AS e")
	for i, key := range keys {
		out := mustRun(t, "", "exec", path, "--read-only", "--format", "csv", "-c",
			"SCORE ($u, $v) WITH preferential_attachment", "--param", "u="+key, "--param", "$v="+keys[(i+1)%len(keys)])
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if want := []string{key, keys[(i+1)%len(keys)], "4"}; err != nil || len(rows) != 2 || !slices.Equal(rows[1], want) {
			t.Errorf("%s: %v, %v", key, rows, err)
		}
	}
	for _, c := range []struct{ statement, param, want string }{
		{"NEAREST $p TO '7' USING e", "p=2", "(2 rows)"},                                            // an integer
		{"WITHIN RADIUS $p OF '7' USING e", "p=1e3", "(10 rows)"},                                   // a float
		{"NEAREST 9 TO '7' USING e WHERE linked = $p", "p=true", "(2 rows)"},                        // a truth value
		{"NEAREST 9 TO '7' USING e WHERE degree > $p", "p=1.5", "(9 rows)"},                         //
		{"SCORE ($p, '7') WITH jaccard", "p='it''s'", " it's   | 7 "},                               // text in quotes
		{"SCORE ($p, '7') WITH jaccard", "p='''quoted'''", " 'quoted' | 7 "},                        // the inner quotes are part of the text
		{"EXPLAIN IMPORT $p INTO h WITH (max_line := 80)", "p=" + path, "the open database itself"}, // a file
	} {
		a := command(t, "", "exec", path, "-c", c.statement, "--param", c.param)
		if !strings.Contains(a.out+a.err, c.want) {
			t.Errorf("%s with %s:\n%s%s", c.statement, c.param, a.out, a.err)
		}
	}
	for param, want := range map[string]string{
		"p=2.5": "line 1, column 9: found 2.5, expected an integer", "p='2'": "found the text '2', expected an integer", "q=2": "parameter $p has no value, expected $q",
	} {
		mustFail(t, exitFailed, []string{want}, "exec", path, "-c", "NEAREST $p TO '7' USING e", "--param", param)
	}
}

// TestExec_Commands gives -c twice, the first with a comment at its end.
func TestExec_Commands(t *testing.T) {
	a := command(t, "", "exec", newFile(t), "--format", "csv", "-c", "CREATE GRAPH g -- first", "-c", "CREATE GRAPH h;", "-c", "SHOW GRAPHS")
	if a.code != exitDone || !strings.Contains(a.out, "\ng,1") || !strings.Contains(a.out, "\nh,1") {
		t.Errorf("exit %d, output %q, error %q", a.code, a.out, a.err)
	}
	texts := []string{"CREATE GRAPH g(dim\n:= 1)", ".mode csv", "A; -- b", "A /* ; */", "A -- b", "", "B"}
	if got, want := scriptOf(texts), "CREATE GRAPH g(dim\n:= 1)\n;\n.mode csv\n;\nA; -- b\nA /* ; */;\nA -- b\n;\n;\nB"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	mustFail(t, exitFailed, []string{"line 3, column 6: "}, "exec", newFile(t), "-c", "CREATE GRAPH g;", "-c", "ALTER GRAPH g RENAME TO h", "-c", "SHOW GRAPS")
}

// Each is reported on standard error; standard output has only rows.
func TestExec_Failures(t *testing.T) {
	path, missing := sampleFile(t), newFile(t)
	for _, args := range [][]string{{"--no-create"}, {"--read-only"}} {
		mustFail(t, exitFailed, []string{"test.ht", "no such file"}, append([]string{"exec", missing, "-c", "SHOW GRAPHS"}, args...)...)
	}
	if _, err := os.Lstat(missing); err == nil {
		t.Error("a file was made in spite of --no-create")
	}
	for statement, want := range map[string]string{
		"SHOW GRAPS":                                   "line 1, column 6: found \"GRAPS\"",
		"NEAREST 1 TO 'z' USING e":                     "vertex 'z' is not in graph line",
		"EXPORT GRAPH line INTO FILE '" + path + "'":   "the open database itself",
		"IMPORT 'missing.txt' INTO line":               "missing.txt",
		"EMBED line USING dp_spectral(dimm := 2) AS f": "did you mean dim?",
		"SELECT * FROM line":                           "line 1, column 1: there is no SELECT",
		"NEAREST 1 TO 'a' USING 'e":                    "string is never closed",
		"RECONSTRUCT e EPSILON 0.7":                    "epsilon",
	} {
		mustFail(t, exitFailed, []string{"error: ", want}, "exec", path, "-c", statement)
	}
	mustFail(t, exitFailed, []string{"store is open for reading only"}, "exec", path, "--read-only", "-c", "CREATE GRAPH new")
}

// TestExec_Limit names the flag that raises a limit.
func TestExec_Limit(t *testing.T) {
	mustFail(t, exitFailed, []string{"and --memory-limit allows 10 bytes"},
		"exec", newFile(t), "--memory-limit", "10", "-c", "GENERATE erdos_renyi(n := 100, m := 100) INTO g")
}

// TestExec_KeepGoing expects the statements after a failed one to run only with
// --keep-going, and the exit code of a failure in both cases.
func TestExec_KeepGoing(t *testing.T) {
	path := sampleFile(t)
	const script = "DROP GRAPH nothing; SHOW GRAPHS; DROP EMBEDDING nothing; HELP CHECK"
	stopped := command(t, script, "exec", path)
	if stopped.code != exitFailed || stopped.out != "" || strings.Count(stopped.err, "error: ") != 1 {
		t.Errorf("exit code %d, %q, %q", stopped.code, stopped.out, stopped.err)
	}
	went := command(t, script, "exec", path, "--keep-going")
	if went.code != exitFailed || strings.Count(went.out, " rows)")+strings.Count(went.out, " row)") != 2 || strings.Count(went.err, "error: ") != 2 {
		t.Errorf("exit code %d, %q, %q", went.code, went.out, went.err)
	}
}

func TestExec_Timer(t *testing.T) {
	a := command(t, "", "exec", newFile(t), "--timer", "-c", "CREATE GRAPH g; SHOW GRAPHS")
	if a.code != exitDone || !strings.HasPrefix(a.err, "CREATE: ") || !strings.Contains(a.err, " s\nSHOW: ") {
		t.Errorf("exit code %d, %q", a.code, a.err)
	}
}

// TestExec_ReadOnly expects reading to leave every byte of a file as it was.
func TestExec_ReadOnly(t *testing.T) {
	path := sampleFile(t)
	before := mustRead(t, path)
	mustRun(t, "", "exec", path, "--read-only", "-c", "DESCRIBE GRAPH line; NEAREST 2 TO 'a' USING e; RECONSTRUCT e AUTO; CHECK")
	mustRun(t, "", "check", path)
	if !bytes.Equal(mustRead(t, path), before) {
		t.Error("the file has changed")
	}
}

// TestExec_Locked opens a file that another process holds.
func TestExec_Locked(t *testing.T) {
	t.Parallel() // each refusal waits for a second
	for _, holder := range []struct {
		name    string
		args    []string
		readers bool // others may read
	}{{"a writer", nil, false}, {"a reader", []string{"--read-only"}, true}} {
		t.Run(holder.name, func(t *testing.T) {
			t.Parallel()
			path := sampleFile(t)
			cmd := child(t, append([]string{"exec", path, "--format", "json"}, holder.args...)...)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			io.WriteString(in, "SHOW GRAPHS;\n")
			if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				t.Fatalf("the holder says %q, %v", line, err)
			}
			mustFail(t, exitFailed, []string{path, "file is locked"}, "exec", path, "-c", "CREATE GRAPH g")
			if holder.readers {
				mustRun(t, "", "exec", path, "--read-only", "-c", "SHOW GRAPHS")
				mustRun(t, "", "check", path)
			} else {
				mustFail(t, exitFailed, []string{path, "file is locked"}, "check", path)
			}
			in.Close()
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
			mustRun(t, "", "check", path)
		})
	}
}

// TestExec_OutputFails writes rows to an output that fails.
func TestExec_OutputFails(t *testing.T) {
	var status bytes.Buffer
	code := run(t.Context(), []string{"exec", newFile(t), "-c", "HELP"}, streams{in: strings.NewReader(""), out: fullDisk{}, err: &status})
	if code != exitFailed || !strings.Contains(status.String(), "no room") {
		t.Errorf("exit code %d, %q", code, status.String())
	}
}

// fullDisk is a writer that always fails, as on a full disk.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no room") }

// TestExec_WaitsForJobs starts jobs in the background, and expects exec to end only
// after them.
func TestExec_WaitsForJobs(t *testing.T) {
	path := newFile(t)
	a := command(t, "", "exec", path, "-c", "GENERATE preferential_attachment(n := 600, m := 4, seed := 1) INTO g; EMBED g USING deepwalk(dim := 16, walks := 2) AS e IN BACKGROUND; EMBED g USING dp_spectral(dim := 4) AS s IN BACKGROUND")
	if a.code != exitDone || !strings.Contains(a.err, "notice: job 1 is done") || !strings.Contains(a.err, "notice: job 2 is done") {
		t.Errorf("%+v", a)
	}
	if out := mustRun(t, "", "exec", path, "--format", "csv", "-c", "SHOW EMBEDDINGS"); strings.Count(out, "\n") != 3 {
		t.Errorf("embeddings:\n%s", out)
	}
	if runtime.GOOS != "windows" { // where a process cannot send an interrupt to another one
		// The row of the statement is printed when the job has its number.
		code, messages, _ := stopped(t, path, "EMBED g USING deepwalk(epochs := 65536) AS f IN BACKGROUND", 0, func(p *os.Process) error { return p.Signal(os.Interrupt) })
		if code != exitFailed || !strings.Contains(messages, "job 3 is interrupted; RESUME JOB 3 continues it") {
			t.Errorf("interrupt: exit code %d, %q", code, messages)
		}
		if out := mustRun(t, "", "exec", path, "--format", "csv", "-c", "SHOW JOBS"); !strings.Contains(out, "3,interrupted,") {
			t.Errorf("jobs:\n%s", out)
		}
	}
	mustFail(t, exitUsage, []string{"--detach", "exec waits for the jobs"}, "exec", path, "--detach")
}
