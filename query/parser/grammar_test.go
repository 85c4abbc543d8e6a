package parser

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestGrammar_Assembled compares the grammar in doc.go with the productions of the rules of
// statements and of the comments of what reads their parts. It begins with script;
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
			if text := Text(st); !strings.HasPrefix(text, Heading(st)) && !strings.HasPrefix(text, "PROFILE ") {
				t.Errorf("%s has the heading %s", text, Heading(st))
			}
			for _, st := range []Statement{st, withoutTail(st)} {
				seen[strings.TrimPrefix(reflect.TypeOf(st).String(), "*parser.")] = true
			}
		}
	}
	for _, name := range nodes() {
		if !seen[name] {
			t.Errorf("the grammar has no example of %s", name)
		}
		delete(seen, name)
	}
	for name := range seen {
		t.Errorf("%s has no rule", name)
	}
}

// nodes returns the names of the types of statements.
func nodes() []string {
	names := []string{"Explain", "ExplainScore", "Tail"}
	for _, r := range statements {
		names = append(names, r.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
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
	for _, name := range nodes() {
		if !strings.Contains(string(generators), "&"+name+"{") {
			t.Errorf("no generator in law_test.go makes a %s", name)
		}
	}
}

// ruled returns the production of each rule of statements, as the lines of a comment; the rules with the
// same words make one. The production plain names them all.
func ruled() map[string]string {
	texts, examples := map[string][]string{}, map[string][]string{}
	var names []string
	for _, r := range append(slices.Clone(statements), explainScore) {
		name := strings.ToLower(strings.ReplaceAll(r.text, " ", ""))
		if texts[name] == nil && r.name != explainScore.name {
			names = append(names, name)
		}
		texts[name] = append(texts[name], r.syntax(notation{grammar: true}))
		examples[name] = append(examples[name], r.example)
	}
	texts["plain"], examples["plain"] = names, []string{"CHECK"}
	blocks := map[string]string{}
	for name, all := range texts {
		blocks[name] = block(name, strings.Join(all, " | "), strings.Join(examples[name], "; ")+";")
	}
	return blocks
}

// block writes a production with its example, in lines that are not too long.
func block(name, text, example string) string {
	const indent, width = 15, 55
	open := strings.NewReplacer("[ ", "[\u00a0", "{ ", "{\u00a0", "( ", "(\u00a0", "| ", "|\u00a0") // no line ends behind these
	line := fmt.Sprintf("%-12s =", name)
	var b strings.Builder
	for _, word := range strings.Split(open.Replace(text), " ") {
		if utf8.RuneCountInString(line+" "+word) > width {
			b.WriteString("//\t" + line + "\n")
			line = strings.Repeat(" ", indent-1)
		}
		line += " " + word
	}
	fmt.Fprintf(&b, "//\t%-*s e.g. %s\n", width, line, example)
	return strings.ReplaceAll(b.String(), "\u00a0", " ")
}

// productions returns the comment lines of every production by its name.
func productions(t *testing.T) map[string]string {
	t.Helper()
	first := regexp.MustCompile(`^//\t(\w+) += `)
	blocks := ruled()
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
