package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBench_Usage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"bench"}, "expected one of: paper, links"},
		{[]string{"bench", "book"}, `unknown experiment "book": expected paper, links, curve, disk or partition`},
		{[]string{"bench", "paper"}, "expected --data DIR"},
		{[]string{"bench", "paper", "--data", ".", "x"}, "expected no arguments"},
		{[]string{"bench", "paper", "--data", ".", "--budget", "0s"}, "--budget is 0s"},
		{[]string{"bench", "paper", "--data", ".", "--only", "links,table"}, "--only table: expected tables, methods, links"},
		{[]string{"bench", "paper", "--data", ".", "--quick", "--only", "links,searches"}, "--only searches: --quick makes no searches"},
		{[]string{"bench", "paper", "--data", ".", "--trials", "-1"}, "--trials is -1"},
		{[]string{"bench", "paper", "--data", ".", "--graphs", "mobile"}, `unknown graph "mobile": expected coauthor, facebook, synthetic, synthetic20, citation, twitter`},
		{[]string{"bench", "links"}, "expected --data DIR"},
		{[]string{"bench", "links", "--data", ".", "--graphs", "mobile"}, `unknown graph "mobile": expected cora, grqc`},
		{[]string{"bench", "disk"}, "expected FILE GRAPH"},
		{[]string{"bench", "disk", "a.ht", "g", "--edges", "0"}, "--edges is 0"},
		{[]string{"bench", "disk", "a.ht", "g", "--side", "left"}, `--side is "left": expected both, memory or disk`},
		{[]string{"bench", "disk", "a.ht", "g", "--dim", "-1"}, "--dim is -1"},
		{[]string{"bench", "partition", "--machines", "1"}, "--machines is 1"},
		{[]string{"bench", "partition", "--vertices", "5"}, "--vertices is 5"},
		{[]string{"bench", "partition", "--vertices", "50", "--m", "50"}, "m"},
		{[]string{"bench", "partition", "--hub", "2"}, "--hub is 2"},
		{[]string{"bench", "paper", "--datum", "."}, "did you mean --data?"},
	} {
		a := command(t, "", c.args...)
		if a.code != exitUsage || !strings.Contains(a.err, c.want) {
			t.Errorf("%v: exit code %d, %q, want %q", c.args, a.code, a.err, c.want)
		}
	}
}

// TestBench_Missing expects a run without its files to report which file is
// missing, and to create nothing.
func TestBench_Missing(t *testing.T) {
	folder := t.TempDir()
	out := filepath.Join(folder, "out")
	a := command(t, "", "bench", "paper", "--data", folder, "--graphs", "facebook", "--out", out)
	if a.code != exitFailed || !strings.Contains(a.err, "ego-facebook.txt.gz") {
		t.Errorf("exit code %d, %q", a.code, a.err)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("the folder of results was made")
	}
}
