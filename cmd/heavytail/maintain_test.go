package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMaintain runs the commands of maintenance on a file, and expects its
// content to stay the same.
func TestMaintain(t *testing.T) {
	path, dir := sampleFile(t), t.TempDir()
	mustRun(t, "", "exec", path, "-c", "GENERATE preferential_attachment(n := 3000, m := 5) INTO g; DROP GRAPH g")
	want := exported(t, path, "EMBEDDING e")
	same := func(path string) {
		t.Helper()
		if !bytes.Equal(exported(t, path, "EMBEDDING e"), want) {
			t.Errorf("%s holds another embedding", path)
		}
		if out := mustRun(t, "", "check", path); !strings.Contains(out, "is sound: 1 graph, 1 embedding") {
			t.Error(out)
		}
	}
	if out := mustRun(t, "", "stats", path, "--format", "csv"); !strings.Contains(out, "\ngraph line,edges,") || !strings.Contains(out, "\nembedding e,all,") {
		t.Errorf("statistics:\n%s", out)
	}
	backup := filepath.Join(dir, "backup.ht")
	mustRun(t, "", "backup", path, backup)
	same(backup)
	mustFail(t, exitFailed, []string{"exists"}, "backup", path, backup)
	mustRun(t, "", "backup", path, backup, "--overwrite")

	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, "", "compact", path)
	if after, err := os.Stat(path); err != nil || after.Size() >= before.Size()/2 {
		t.Errorf("compacted from %d bytes to %d", before.Size(), after.Size())
	}
	same(path)
	saved := filepath.Join(dir, "saved.ht")
	if out := mustRun(t, "", "recover", path, saved); !strings.Contains(out, "graph line: 4 vertices, 3 edges, whole\nembedding e: 4 vertices, whole\nnothing was lost") {
		t.Errorf("recovered:\n%s", out)
	}
	same(saved)
	missing := filepath.Join(dir, "missing.ht")
	for _, args := range [][]string{{"stats", missing}, {"compact", missing}, {"backup", missing, saved}, {"recover", missing, missing + "2"}} {
		mustFail(t, exitFailed, []string{"missing.ht", "no such file"}, args...)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*missing*")); err != nil || len(left) > 0 {
		t.Errorf("made %q, %v", left, err)
	}
}

// TestRecover_Damaged recovers a file that cannot be opened, because its first
// pages, with the root of all buckets, are lost.
func TestRecover_Damaged(t *testing.T) {
	path := sampleFile(t)
	file := mustRead(t, path)
	clear(file[:2*os.Getpagesize()])
	mustWrite(t, path, file)
	saved := filepath.Join(t.TempDir(), "saved.ht")
	mustFail(t, exitFailed, []string{path}, "exec", path, "--read-only", "-c", "SHOW GRAPHS")
	a := command(t, "", "recover", path, saved)
	if a.code != exitFailed || !strings.Contains(a.out, "4 vertices, 3 edges") || !strings.Contains(a.out, "\nlost: ") || !strings.Contains(a.err, "what was sound of "+path) {
		t.Errorf("exit code %d\n%s%s", a.code, a.out, a.err)
	}
	if !bytes.Equal(mustRead(t, path), file) {
		t.Error("the damaged file was changed")
	}
	mustRun(t, "", "check", saved)
	mustFail(t, exitFailed, []string{"exists"}, "recover", path, saved)
	if a := command(t, "", "recover", path, saved, "--overwrite"); !strings.Contains(a.out, "4 vertices, 3 edges") {
		t.Errorf("again: %s%s", a.out, a.err)
	}
}

// TestMaintain_OutputFails sends the output of check and recover to a writer
// that fails, which must not count as success.
func TestMaintain_OutputFails(t *testing.T) {
	path := sampleFile(t)
	for _, args := range [][]string{{"check", path}, {"recover", path, newFile(t)}} {
		var messages bytes.Buffer
		code := run(t.Context(), args, streams{in: strings.NewReader(""), out: fullDisk{}, err: &messages})
		if code != exitFailed || !strings.Contains(messages.String(), "no room") {
			t.Errorf("heavytail %q: exit code %d, %q", args, code, messages.String())
		}
	}
}
