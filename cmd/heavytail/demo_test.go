package main

import (
	"strings"
	"testing"

	"heavytail/query/parser"
)

// TestDemo runs the tour on a small graph, and expects that what it prints as
// statements can be typed.
func TestDemo(t *testing.T) {
	path := newFile(t)
	args := []string{"demo", "--vertices", "300", "--attach", "5", "--dim", "16", "--file", path}
	out := mustRun(t, "", args...)
	const prompt = "heavytail> "
	statements := 0
	for _, piece := range strings.Split(out, prompt)[1:] {
		text, _, ended := strings.Cut(piece, ";\n")
		if _, err := parser.Parse(text); err != nil || !ended {
			t.Errorf("%s: %v", text, err)
		}
		statements++
	}
	want := 1 // EXPLAIN SCORE of the first prediction
	for _, step := range demoSteps(demoFlags{vertices: 300, attach: 5, dim: 16}) {
		want += len(step.statements)
	}
	if statements != want {
		t.Errorf("%d statements were printed, expected %d", statements, want)
	}
	for _, text := range []string{"from_penalised", " wrong of all 44850 pairs.", "EXPLAIN SCORE ('299', ", " shell " + path} {
		if !strings.Contains(out, text) {
			t.Errorf("the tour does not have %q:\n%s", text, out)
		}
	}
	if out := mustRun(t, "", "check", path); !strings.Contains(out, "3 graphs, 3 embeddings") {
		t.Errorf("the file it left: %s", out)
	}
	mustFail(t, exitFailed, []string{"exists already", "--file"}, args...)
}

func TestStartedAs(t *testing.T) {
	for program, want := range map[string]string{
		"heavytail": "heavytail", "./heavytail": "./heavytail", "/tmp/go-build2/b001/exe/heavytail": "go run ./cmd/heavytail", "/my bin/heavytail": "'/my bin/heavytail'",
	} {
		if got := startedAs(program); got != want {
			t.Errorf("%s: got %s, expected %s", program, got, want)
		}
	}
}

func TestShellQuote(t *testing.T) {
	for path, want := range map[string]string{
		"/tmp/demo.ht": "/tmp/demo.ht", "my file": "'my file'", "it's": `'it'\''s'`, "$HOME": "'$HOME'",
	} {
		if got := shellQuote(path); got != want {
			t.Errorf("%s: got %s, expected %s", path, got, want)
		}
	}
}
