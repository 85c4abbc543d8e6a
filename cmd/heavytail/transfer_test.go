package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTransfer imports edges and vertices, exports them, and imports them
// again.
func TestTransfer(t *testing.T) {
	path, dir := newFile(t), t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if text != "" {
			mustWrite(t, name, []byte(text))
		}
		return name
	}
	mail := file("mail.csv", "id,from,to,sent\n1,alice,bob,17\n2,bob,carol,18\n3,bob,alice,19\n")
	people := file("people.csv", "age,name\n41,alice\n27,bob\n")
	if out := mustRun(t, "", "import", path, "mail", mail, "--time", "sent", "--repeated", "count"); !strings.Contains(out, " mail  |        3 |     2 |") {
		t.Errorf("imported:\n%s", out)
	}
	if out := mustRun(t, "", "import", path, "mail", people, "--vertices", "--key", "2"); !strings.Contains(out, " mail  |        3 |        0 |       2 |") {
		t.Errorf("imported:\n%s", out)
	}
	mustRun(t, "x y\n", "import", path, "small", "-")

	edges, vertices := file("mail.graphml.gz", ""), file("out.csv", "")
	mustRun(t, "", "export", path, "graph", "mail", edges)
	mustRun(t, "", "export", path, "vertices", "mail", vertices)
	if text := string(mustRead(t, vertices)); text != "vertex,age\nalice,41\nbob,27\ncarol,\n" {
		t.Errorf("vertices %q", text)
	}
	mustRun(t, "", "import", path, "again", edges)
	const show = "SHOW VERTICES IN %; SHOW NEIGHBORS OF 'bob' IN %"
	first := mustRun(t, "", "exec", path, "--format", "csv", "-c", strings.ReplaceAll(show, "%", "mail"))
	if again := mustRun(t, "", "exec", path, "--format", "csv", "-c", strings.ReplaceAll(show, "%", "again")); again != first || !strings.Contains(first, "alice,1,2,19,41\n") {
		t.Errorf("after a round trip:\n%s\nbefore:\n%s", again, first)
	}
	forced := file("x.txt", "")
	mustRun(t, "", "export", path, "graph", "mail", forced, "--format", "csv")
	if text := string(mustRead(t, forced)); !strings.HasPrefix(text, "source,target,weight,time\n") {
		t.Errorf("as CSV: %q", text)
	}

	walks := file("walks.txt", "")
	mustRun(t, "", "export", path, "walks", "small", walks, "--walks", "1", "--length", "3", "--beta", "2.5", "--weights=false")
	if text := string(mustRead(t, walks)); text != "x y x\ny x y\n" && text != "y x y\nx y x\n" {
		t.Errorf("walks %q", text)
	}
	mustRun(t, "", "export", path, "walks", "small", walks, "--method", "node2vec", "--q", "0.5", "--overwrite")

	mustFail(t, exitFailed, []string{"method dp_spectral has no walks"}, "export", path, "walks", "small", file("w", ""), "--method", "dp_spectral")
	mustFail(t, exitUsage, []string{"method deepwalk has no --beta"}, "export", path, "walks", "small", file("w", ""), "--method", "deepwalk", "--beta", "1")
	mustFail(t, exitFailed, []string{"--beta is 99, and must be"}, "export", path, "walks", "small", file("w", ""), "--beta", "99")
	mustFail(t, exitFailed, []string{"--beta"}, "export", path, "walks", "small", file("w", ""), "--beta", "NaN")
	mustFail(t, exitUsage, []string{"--beta is for EXPORT WALKS, not for EXPORT GRAPH"}, "export", path, "graph", "mail", file("w", ""), "--beta", "1")
	mustFail(t, exitUsage, []string{"--method is for EXPORT WALKS"}, "export", path, "graph", "mail", file("w", ""), "--method", "deepwalk")
	mustFail(t, exitUsage, []string{"--format is for EXPORT"}, "export", path, "walks", "small", file("w", ""), "--format", "csv")
	mustFail(t, exitFailed, []string{"no such file"}, "import", path, "g", file("missing", ""))
	mustFail(t, exitFailed, []string{"not a regular file: '-' reads standard input"}, "import", path, "g", os.DevNull)
	mustFail(t, exitUsage, []string{"--weight is for IMPORT, not for IMPORT VERTICES"}, "import", path, "g", people, "--vertices", "--weight", "w")
	mustFail(t, exitFailed, []string{"layout edges has no use for a key column"}, "import", path, "g", people, "--key", "name")
	mustFail(t, exitUsage, []string{"--spreadsheet is for EXPORT"}, "export", path, "embedding", "e", file("e", ""), "--spreadsheet")
	mustFail(t, exitUsage, []string{`invalid argument "mean" for "--repeated" flag: expected last, first, sum, min, max or count`}, "import", path, "g", mail, "--repeated", "mean")
	mustFail(t, exitFailed, []string{"error: file ", "exists: to replace it, set --overwrite\n"}, "export", path, "graph", "mail", forced)
	mustFail(t, exitFailed, []string{`unknown embedding "mail"`}, "export", path, "embedding", "mail", file("e", ""))
	mustFail(t, exitFailed, []string{"no such file"}, "export", newFile(t), "graph", "mail", file("e", ""))
	mustFail(t, exitUsage, []string{`expected graph, vertices, embedding or walks, found "edges"`}, "export", path, "edges", "mail", file("e", ""))
	mustFail(t, exitUsage, []string{"expected FILE, GRAPH and INPUT, found 2 arguments"}, "import", path, "mail")
}
