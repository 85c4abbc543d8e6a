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
