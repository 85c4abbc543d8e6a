package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the tables of BENCHMARKS.md and the manual")

const figuresPath = "../figures"

// documentPaths are the documents with tables; the first has no others.
var documentPaths = []string{"../BENCHMARKS.md", "../../heavytail/manual/paper.md", "../../heavytail/manual/methods.md"}

// generatedPart matches a part of the document that is generated, with the name of its file.
var generatedPart = regexp.MustCompile(`(?s)<!-- table: (\S+) -->\n.*?<!-- end -->`)

// TestDocument compares the tables of the documents with the files. Each file is used once.
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
	for i, path := range documentPaths {
		document, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		now := generatedPart.ReplaceAllStringFunc(string(document), func(old string) string {
			name := generatedPart.FindStringSubmatch(old)[1]
			used[name]++
			if parts[name] == "" {
				t.Errorf("%s has the table %q, for which there is no file", path, name)
				return old
			}
			return parts[name]
		})
		if left := tablesIn(generatedPart.ReplaceAllString(now, "")); i == 0 && len(left) > 0 {
			t.Errorf("%s has a table outside the generated parts: %q", path, left[0].Columns)
		}
		compare(t, path, now)
	}
	for name := range parts {
		if used[name] != 1 {
			t.Errorf("the table of %s.json is %d times in the documents", name, used[name])
		}
	}
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
