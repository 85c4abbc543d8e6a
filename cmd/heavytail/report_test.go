package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// reported makes a small file, and a path for its page.
func reported(t *testing.T) (file, page string) {
	t.Helper()
	folder := t.TempDir()
	file = filepath.Join(folder, "social.ht")
	mustRun(t, "", "exec", file, "-c", "GENERATE preferential_attachment(n := 60, m := 3, seed := 1) INTO pa; EMBED pa USING fastrp(dim := 4) AS rp; CREATE GRAPH bare")
	return file, filepath.Join(folder, "page.html")
}

// The page is written and replaces an existing page, and the database file stays
// unchanged.
func TestReport(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: package report writes one")
	}
	t.Parallel()
	file, page := reported(t)
	before := mustRead(t, file)
	for range 2 {
		if out := mustRun(t, "", "report", file, "--graph", "pa", "--skip", "work,picture", "--using", "fastrp(dim := 2)", "--bootstrap", "0", "--out", page); out != "" {
			t.Errorf("it prints %q", out)
		}
	}
	text := string(mustRead(t, page))
	for _, want := range []string{"<title>social.ht</title>", "Prediction of links", "cosine of fastrp(dim := 2", "DESCRIBE GRAPH pa<"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for _, not := range []string{"The network", "Jobs", "bare"} {
		if strings.Contains(text, not) {
			t.Errorf("the page has %q", not)
		}
	}
	if !bytes.Equal(before, mustRead(t, file)) {
		t.Error("the file has changed")
	}
	mustRun(t, "", "report", file, "--dated", "--out", page)
	if !strings.Contains(string(mustRead(t, page)), "heavytail report of 20") {
		t.Error("the page has no date")
	}
}

func TestReport_Errors(t *testing.T) {
	t.Parallel()
	file, page := reported(t)
	folder := filepath.Dir(file)
	empty, damaged := filepath.Join(folder, "empty.ht"), filepath.Join(folder, "damaged.ht")
	mustRun(t, "", "exec", empty, "-c", "SHOW GRAPHS")
	content := mustRead(t, file)
	for i := 3 * 4096; i < len(content); i += 64 {
		content[i] ^= 0x55
	}
	if err := os.WriteFile(damaged, content, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		code int
		want string
		args []string
	}{
		{exitUsage, "expected FILE", []string{"--out", page}},
		{exitUsage, "--out is missing", []string{file}},
		{exitUsage, "does not end in .html", []string{file, "--out", "page.pdf"}},
		{exitUsage, `--skip "cake": expected picture, degrees`, []string{file, "--out", page, "--skip", "cake"}},
		{exitUsage, "is no method with its options", []string{file, "--out", page, "--using", "fastrp("}},
		{exitUsage, "--vertices is 0", []string{file, "--out", page, "--vertices", "0"}},
		{exitUsage, "--edges is -1", []string{file, "--out", page, "--edges", "-1"}},
		{exitUsage, "--bootstrap is -1", []string{file, "--out", page, "--bootstrap", "-1"}},
		{exitFailed, "no such file", []string{file, "--out", filepath.Join(folder, "nowhere", "page.html")}},
		{exitFailed, "no such file", []string{filepath.Join(folder, "none.ht"), "--out", page}},
		{exitFailed, `unknown graph "ap"`, []string{file, "--out", page, "--graph", "ap"}},
		{exitFailed, "the file has no graphs", []string{empty, "--out", page}},
		{exitFailed, "", []string{damaged, "--out", page}},
	} {
		a := command(t, "", append([]string{"report"}, c.args...)...)
		if a.code != c.code || !strings.Contains(a.err, c.want) {
			t.Errorf("%v: exit code %d, %q, want %d and %q", c.args, a.code, a.err, c.code, c.want)
		}
	}
	nothingLeft(t, folder)
}

// A report that is cancelled leaves neither a page nor a part of one.
func TestReport_Cancelled(t *testing.T) {
	t.Parallel()
	file, page := reported(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, failed bytes.Buffer
	code := run(ctx, []string{"report", file, "--out", page}, streams{in: strings.NewReader(""), out: &out, err: &failed})
	if code != exitFailed || !strings.Contains(failed.String(), "cancelled") {
		t.Errorf("exit code %d, %q", code, failed.String())
	}
	nothingLeft(t, filepath.Dir(file))
}

// nothingLeft expects no page, and no temporary file.
func nothingLeft(t *testing.T, folder string) {
	t.Helper()
	for _, pattern := range []string{".*", "*.html"} {
		if left, err := filepath.Glob(filepath.Join(folder, pattern)); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	}
}
