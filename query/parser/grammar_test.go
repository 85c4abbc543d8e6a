package parser

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestGrammar_Assembled compares the grammar in doc.go with the productions in the
// comments of the nodes and of the functions that read them. It begins with script;
// each production follows the first one that mentions it. Run with -update after a
// change of a production.
func TestGrammar_Assembled(t *testing.T) {
	const begin, end = "with an example, after \"e.g.\".\n//\n", "//\n// A statement is at most"
	blocks := productions(t)
	var grammar strings.Builder
	quoted := regexp.MustCompile(`"[^"]*"`)
	order := []string{"script"}
	for i := 0; i < len(order); i++ {
		block, ok := blocks[order[i]]
		if !ok {
			continue // lexical
		}
		grammar.WriteString(block)
		delete(blocks, order[i])
		for line := range strings.Lines(block) {
			rule, _, _ := strings.Cut(line, "e.g. ")
			order = append(order, regexp.MustCompile(`\w+`).FindAllString(quoted.ReplaceAllString(rule, ""), -1)...)
		}
	}
	for name := range blocks {
		t.Errorf("no production uses %s", name)
	}
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(doc), begin)
	got, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatal("doc.go has no grammar")
	}
	if *update && got != grammar.String() {
		if err := os.WriteFile("doc.go", []byte(head+begin+grammar.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got != grammar.String() {
		t.Error("the grammar in doc.go differs from the productions in the other files (run with -update)")
	}
}

// heading is the method that makes a node a statement.
var heading = regexp.MustCompile(`(?m)^func \((?:s )?\*(\w+)\) Heading\(\) string`)

// TestGrammar_Statements holds the statements that the examples of the grammar parse
// to against the types that are statements.
func TestGrammar_Statements(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range grammar(t) {
		statements, err := ParseScript(r.example)
		if err != nil {
			t.Fatalf("%s: %v", r.example, err)
		}
		for _, st := range statements {
			if text := st.String(); !strings.HasPrefix(text, Heading(st)) && !strings.HasPrefix(text, "PROFILE ") {
				t.Errorf("%s has the heading %s", text, Heading(st))
			}
			seen[strings.TrimPrefix(reflect.TypeOf(st).String(), "*parser.")] = true
		}
	}
	for file, text := range sources(t) {
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			if !seen[m[1]] {
				t.Errorf("%s: the grammar has no example of %s", file, m[1])
			}
			delete(seen, m[1])
		}
	}
	for name := range seen {
		t.Errorf("%s has no Heading of its own", name)
	}
}

// TestGrammar_Tested expects a generator of trees for every statement in the law tests.
func TestGrammar_Tested(t *testing.T) {
	names, err := filepath.Glob("law*_test.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("%v, %v", names, err)
	}
	var generators []byte
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		generators = append(generators, text...)
	}
	for file, text := range sources(t) {
		for _, m := range heading.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(string(generators), "&"+m[1]+"{") {
				t.Errorf("%s: no generator in law_test.go makes a %s", file, m[1])
			}
		}
	}
}

// productions returns the comment lines of every production by its name.
func productions(t *testing.T) map[string]string {
	t.Helper()
	first := regexp.MustCompile(`^//\t(\w+) += `)
	blocks := map[string]string{}
	for file, text := range sources(t) {
		name := ""
		for line := range strings.Lines(text) {
			if m := first.FindStringSubmatch(line); m != nil {
				name = m[1]
				if blocks[name] != "" {
					t.Errorf("%s: there is another production %s", file, name)
				}
			} else if !strings.HasPrefix(line, "//\t") {
				name = ""
			}
			if name != "" {
				blocks[name] += line
			}
		}
	}
	return blocks
}

// sources returns the text of every file of the package but doc.go and the tests.
func sources(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, file := range files {
		if file == "doc.go" || strings.HasSuffix(file, "_test.go") {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(text)
	}
	return texts
}
