package option_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heavytail/query"
)

// words are the names of options that occur in the code several times because they are the names of
// something else too. A word that no longer does fails the test.
var words = map[string]string{
	"columns and properties of answers": "attribute columns count dim directed direction embeddings hits key metric model source state target time times top vector vertices weight",
	"settings of records":               "ef ef_construction m near negatives purpose seed share training",
	"flags of commands that draw":       "bootstrap format latest points scorers threshold",
	"options of several statements":     "criterion overwrite sample separator tolerance",
	"options of methods that are drawn": "beta row_scale scale",
	"parts of a text, and stages":       "order trials",
}

// fields are the fields of requests that no statement has as an option, for which errors name the field.
var fields = []string{"CurveSteps", "attribute"}

// naming are the calls that name an option, with the argument that does.
var naming = map[string]int{"Option": 0, "OfOption": 0, "WithOption": 1}

// TestField_Only expects that options are declared by fields alone: no other package describes one by an
// Info with a type, none reads a value by the name of its option from a map of values, no error names an
// option by a literal, and each name is a literal of one place.
func TestField_Only(t *testing.T) {
	described := regexp.MustCompile(`option\.Info\{[^}]*Type:|option\.Values\b|\bset\["`)
	places := map[string][]string{}
	for _, h := range query.Helps() {
		for _, o := range h.Options {
			places[o.Name] = nil
		}
	}
	if len(places) < 60 {
		t.Errorf("only %d options", len(places))
	}
	files := 0
	for _, dir := range []string{"../run", "../../query", "../../repl", "../../cmd/heavytail"} {
		err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files++
			text, err := os.ReadFile(path)
			if found := described.Find(text); found != nil {
				t.Errorf("%s has %q", path, found)
			}
			if err == nil && dir != "../run" && dir != "../../repl" {
				literals(t, path, text, places)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("only %d files were read", files)
	}
	known := strings.Fields(strings.Join(slices.Collect(maps.Values(words)), " "))
	for _, name := range slices.Sorted(maps.Keys(places)) {
		if many, expected := len(places[name]) > 1, slices.Contains(known, name); many != expected {
			t.Errorf("option %s is a literal of %v; a name of something else too: %v", name, places[name], expected)
		}
	}
	for _, name := range known {
		if _, ok := places[name]; !ok {
			t.Errorf("no statement has an option %s", name)
		}
	}
}

// literals adds the places at which a file has the name of an option as a literal, except paths of
// imports, and finds calls that name an option by one.
func literals(t *testing.T, path string, text []byte, places map[string][]string) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.BasicLit:
			name, err := strconv.Unquote(n.Value)
			if _, ok := places[name]; ok && err == nil {
				places[name] = append(places[name], set.Position(n.Pos()).String())
			}
		case *ast.CallExpr:
			function, ok := n.Fun.(*ast.SelectorExpr)
			if !ok {
				break
			}
			if at, ok := naming[function.Sel.Name]; ok && len(n.Args) > at {
				if l, ok := n.Args[at].(*ast.BasicLit); ok && !slices.Contains(fields, strings.Trim(l.Value, `"`)) {
					t.Errorf("%s names option %s, which its field does", set.Position(l.Pos()), l.Value)
				}
			}
		}
		return true
	})
}
