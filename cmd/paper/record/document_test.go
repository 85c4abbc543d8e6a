package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables of BENCHMARKS.md")

const (
	documentPath = "../BENCHMARKS.md"
	figuresPath  = "../figures"
)

// generatedPart matches a part of the document that is generated, with the name of its file.
var generatedPart = regexp.MustCompile(`(?s)<!-- table: (\S+) -->\n.*?<!-- end -->`)

// TestDocument compares the tables of the document with the files. Each file is used once,
// and there is no other table.
func TestDocument(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(figuresPath, "*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	parts := map[string]string{} // by the name of the file
	for _, path := range files {
		name, is := strings.CutSuffix(filepath.Base(path), ".json")
		if !is {
			t.Errorf("%s has figures, and does not end in .json", path)
			continue
		}
		run, err := readRun(path)
		if err != nil {
			t.Fatal(err)
		}
		parts[name] = "<!-- table: " + name + " -->\n" + run.markdown() + "\n<!-- end -->"
		encoded, err := run.encode()
		if err != nil {
			t.Fatal(err)
		}
		compare(t, path, string(encoded))
	}
	used := map[string]int{}
	document, err := os.ReadFile(documentPath)
	if err != nil {
		t.Fatal(err)
	}
	now := generatedPart.ReplaceAllStringFunc(string(document), func(old string) string {
		name := generatedPart.FindStringSubmatch(old)[1]
		used[name]++
		if parts[name] == "" {
			t.Errorf("%s has the table %q, for which there is no file", documentPath, name)
			return old
		}
		return parts[name]
	})
	for name := range parts {
		if used[name] != 1 {
			t.Errorf("%s has the table of %s.json %d times", documentPath, name, used[name])
		}
	}
	if left := tablesIn(generatedPart.ReplaceAllString(now, "")); len(left) > 0 {
		t.Errorf("%s has a table outside the generated parts: %q", documentPath, left[0].Columns)
	}
	compare(t, documentPath, now)
}

// compare compares a file with the text that it should have, and rewrites it with -update.
func compare(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) == want {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	old, fresh := strings.Split(string(got), "\n"), strings.Split(want, "\n")
	at := 0
	for at < min(len(old), len(fresh))-1 && old[at] == fresh[at] {
		at++
	}
	t.Errorf("%s, line %d:\n has %s\nwant %s\nto rewrite it: go test ./cmd/paper/record -update", path, at+1, old[at], fresh[at])
}
