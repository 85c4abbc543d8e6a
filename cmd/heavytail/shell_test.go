package main

import (
	"os"
	"strings"
	"testing"
)

// TestShell_NoTerminal expects the shell to do the same as exec without a
// terminal.
func TestShell_NoTerminal(t *testing.T) {
	path := sampleFile(t)
	const script = ".mode csv\nSCORE ('a', 'c') IN line WITH common_neighbors;\n"
	want := mustRun(t, script, "exec", path)
	if want != "source,target,common_neighbors\na,c,1\n" {
		t.Fatalf("exec printed %q", want)
	}
	for _, args := range [][]string{
		{path}, {"shell", path}, {path, "-c", script}, {"shell", path, "--read-only", "-c", script}, {path, "-f", "-"},
	} {
		if got := mustRun(t, script, args...); got != want {
			t.Errorf("heavytail %q printed %q", args, got)
		}
	}
	mustFail(t, exitFailed, []string{"line 1: unknown command .mdoe: did you mean .mode?"}, path, "-c", ".mdoe csv")
	mustFail(t, exitFailed, []string{".edit works only in"}, path, "-c", ".edit")
}

// TestShell_Temporary expects a shell without a file to leave no temporary file
// behind.
func TestShell_Temporary(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	out := mustRun(t, "CREATE GRAPH g; .schema", "shell")
	if !strings.Contains(out, " g ") {
		t.Errorf("printed %q", out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	mustFail(t, exitUsage, []string{"expected a FILE with --read-only"}, "shell", "--read-only")
	t.Chdir(t.TempDir())
	for _, args := range [][]string{{"exec", ":memory:", "CREATE GRAPH g", "SHOW GRAPHS COLUMNS graph"}, {"shell", ":memory:", "-c", "CREATE GRAPH g; SHOW GRAPHS COLUMNS graph"}, {":memory:", "-c", "CREATE GRAPH g; SHOW GRAPHS COLUMNS graph"}} {
		if got := mustRun(t, "", append(args, "--format", "csv")...); got != "graph\ng\n" {
			t.Errorf("%q printed %q", args, got)
		}
	}
	mustFail(t, exitFailed, []string{"is a new store"}, "describe", ":memory:")
	for _, folder := range []string{dir, "."} {
		if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
			t.Errorf("left %v, %v", left, err)
		}
	}
}

// TestShell_Data opens files of data in a temporary store.
func TestShell_Data(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	t.Chdir(t.TempDir())
	mustWrite(t, "my edges.csv", []byte("source,target\na,b\nb,c\n"))
	mustWrite(t, "2024.edges", []byte("1 2\n"))
	for args, want := range map[string]string{"my edges.csv": "my_edges,2,", "2024.edges": "graph_2024,1,"} {
		a := command(t, "", args, "--format", "csv", "-c", "SHOW GRAPHS COLUMNS graph, edges")
		if a.code != 0 || !strings.HasSuffix(strings.TrimSpace(a.out), strings.TrimSuffix(want, ",")) || !strings.Contains(a.err, strings.Split(want, ",")[0]) {
			t.Errorf("%s: exit code %d, %q, %q", args, a.code, a.out, a.err)
		}
	}
	if a := command(t, "CHECK", "missing.csv"); a.code != 0 {
		t.Errorf("a new file of any name: %d, %s", a.code, a.err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	mustWrite(t, "bad.csv", []byte("source,target\na\n"))
	mustFail(t, exitFailed, []string{"bad.csv:2:1"}, "bad.csv", "-c", "CHECK")
}

// TestShell_Word expects a word to be read as a file only if it has a dot or a
// slash, or the file exists.
func TestShell_Word(t *testing.T) {
	t.Chdir(t.TempDir())
	mustFail(t, exitUsage, []string{`unknown command "exce": did you mean exec?`}, "exce")
	mustFail(t, exitUsage, []string{`unknown command "network"`, "heavytail shell network creates it"}, "network")
	if _, err := os.Lstat("network"); err == nil {
		t.Error("an unknown command made a file")
	}
	mustRun(t, "CHECK", "shell", "network")
	mustRun(t, "CHECK", "network")
	mustRun(t, "CHECK", "./other")
	mustFail(t, exitUsage, []string{"expected at most one FILE, found 2 arguments"}, "shell", "a", "b")
	mustFail(t, exitUsage, []string{"expected at most one FILE, found 2 arguments"}, "network", "b")
}

// Commands complete the names of the graphs of their file, and of one that cannot be opened none.
func TestComplete_Graphs(t *testing.T) {
	path := sampleFile(t)
	for _, args := range [][]string{{"describe", path, ""}, {"export", path, "graph", ""}, {"plot", "graph", path, ""}, {"plot", "degrees", path, ""}, {"import", path, ""}} {
		if got := mustRun(t, "", append([]string{"__complete"}, args...)...); !strings.HasPrefix(got, "line\n") {
			t.Errorf("%q: %q", args, got)
		}
	}
	if got := mustRun(t, "", "__complete", "describe", path+".missing", ""); !strings.HasPrefix(got, ":") {
		t.Errorf("of a missing file: %q", got)
	}
}
