package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestSyncFaults lets the n-th fsync or fdatasync of each thread of statements that write fail,
// for ascending n until none is reached. Each failure is an error with its cause; the store is sound afterwards, the output is absent
// or whole, and no temporary file is left.
func TestSyncFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: runs some forty processes under strace")
	}
	t.Parallel()
	if out, err := exec.Command("strace", "-o", os.DevNull, "-e", "inject=fsync:error=EIO:when=1", "true").CombinedOutput(); err != nil {
		t.Skipf("strace does not run here: %v %s", err, out)
	}
	dir := t.TempDir()
	base, file, trace := filepath.Join(dir, "base"), filepath.Join(dir, "store"), filepath.Join(t.TempDir(), "trace")
	mustRun(t, "", "exec", base, "-c", "GENERATE preferential_attachment(n := 100, m := 3, seed := 1) INTO g; EMBED g USING fastrp(dim := 4) AS e")
	pairs, out := filepath.Join(dir, "pairs.csv"), filepath.Join(dir, "out")
	if err := os.WriteFile(pairs, []byte("0,1\n2,3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for statement, leaves := range map[string]struct {
		outputs []string // endings of out
		parts   bool     // an unfinished output stays, to be resumed
	}{
		"DROP GRAPH g CASCADE":                                                {nil, false},
		"COMPACT":                                                             {nil, false},
		"BACKUP INTO FILE '" + out + "'":                                      {[]string{""}, false},
		"RECOVER INTO FILE '" + out + "'":                                     {[]string{""}, false},
		"EXPORT GRAPH g INTO FILE '" + out + ".csv'":                          {[]string{".csv"}, false},
		"EXPORT EMBEDDING e INTO FILE '" + out + ".npy'":                      {[]string{".npy", ".npy.keys"}, false},
		"SHOW VERTICES IN g INTO FILE '" + out + ".json'":                     {[]string{".json"}, false},
		"SCORE FILE '" + pairs + "' IN g WITH l3 INTO FILE '" + out + ".csv'": {[]string{".csv"}, true},
	} {
		for n := 1; ; n++ {
			if err := os.WriteFile(file, mustRead(t, base), 0o600); err != nil {
				t.Fatal(err)
			}
			of := child(t, "exec", file, "-c", statement)
			args := []string{"-f", "-qq", "-o", trace, "-e", "trace=fsync,fdatasync", "-e", fmt.Sprintf("inject=fsync,fdatasync:error=EIO:when=%d", n), of.Path}
			cmd := exec.Command("strace", append(args, of.Args[1:]...)...)
			cmd.Env = of.Env
			said, err := cmd.CombinedOutput()
			reached := bytes.Contains(mustRead(t, trace), []byte("INJECTED"))
			if reached != (err != nil) || reached && !bytes.Contains(said, []byte("input/output error")) {
				t.Errorf("%s, fault %d: reached %v, %v: %s", statement, n, reached, err, said)
			}
			if a := command(t, "", "check", file); a.code != exitDone {
				t.Errorf("%s, fault %d: %s%s", statement, n, a.out, a.err)
			}
			for _, ending := range leaves.outputs {
				if _, err := os.Stat(out + ending); err != nil && !reached {
					t.Errorf("%s: %v", statement, err)
				} else if err == nil && reached && !bytes.Contains(said, []byte("loss of power")) && ending == leaves.outputs[0] {
					t.Errorf("%s, fault %d: the file is there, and the error says only %s", statement, n, said)
				}
				os.Remove(out + ending)
			}
			for _, path := range entriesOf(t, dir) {
				name := filepath.Base(path)
				switch {
				case name == "base" || name == "store" || name == "pairs.csv":
				case leaves.parts && strings.Contains(name, ".part"):
					os.Remove(path)
				default:
					t.Errorf("%s, fault %d left %s", statement, n, name)
					os.Remove(path)
				}
			}
			if !reached {
				if n == 1 {
					t.Errorf("%s: no fault was reached", statement)
				}
				break
			}
			if n > 60 {
				t.Fatalf("%s: more than 60 faults", statement)
			}
		}
	}
}

func entriesOf(t *testing.T, dir string) (paths []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		paths = append(paths, filepath.Join(dir, e.Name()))
	}
	return paths
}
