package main

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// layout is every package of the module with the packages of the module that
// it may import. Tests may import more. A package that is missing here fails
// the test: whoever adds one decides where it stands.
var layout = map[string][]string{
	"storage/vec":        {},
	"storage/csr":        {},
	"storage/format":     {},
	"storage/generate":   {"storage/csr"},
	"storage/realgraph":  {"storage/csr"},
	"storage":            {"storage/csr", "storage/vec", "storage/format"},
	"embedding":          {"storage/csr", "storage/vec", "embedding/eigen", "embedding/skipgram", "embedding/walk"},
	"embedding/eigen":    {"storage/vec"},
	"embedding/walk":     {"storage/csr", "storage/vec"},
	"embedding/skipgram": {"storage/vec"},
	"embedding/classify": {"storage/vec"},
	"embedding/evaluate": {"storage/csr", "storage/vec", "embedding/classify", "embedding/link", "index"},
	"embedding/link":     {"storage/csr", "storage/vec", "embedding/classify"},
	"embedding/tune":     {"storage/csr", "storage/vec", "embedding", "embedding/evaluate"},
	"embedding/job": {
		"storage", "storage/csr", "storage/vec", "embedding", "embedding/evaluate", "embedding/link", "embedding/tune", "embedding/skipgram",
	},
	"index":        {"storage/vec"},
	"query/parser": {},
	"query": {
		"storage", "storage/csr", "storage/vec", "storage/format", "storage/generate",
		"embedding", "embedding/evaluate", "embedding/link", "embedding/job", "embedding/tune", "index", "query/parser",
	},
	"repl":          {"query", "query/parser"},
	"cmd/figure":    {},
	"cmd/paper":     {"query", "storage", "cmd/figure"},
	"cmd/heavytail": {"repl", "query", "query/parser", "cmd/figure", "cmd/paper"},
}

// outsiders are the modules that only some packages may import: the file is
// storage's alone, and libraries do not print.
var outsiders = map[string][]string{
	"go.etcd.io/bbolt":                  {"storage"},
	"github.com/vmihailenco/msgpack/v5": {"storage"},
	"github.com/klauspost/compress":     {"storage/format"},
	"gonum.org/v1/gonum":                {"embedding", "embedding/eigen", "embedding/evaluate"},
	"github.com/spf13/cobra":            {"cmd/heavytail"},
	"github.com/jedib0t/go-pretty/v6":   {"repl", "cmd/heavytail"},
	"github.com/guptarohit/asciigraph":  {"repl", "cmd/heavytail"},
	"github.com/reeflective/readline":   {"repl"},
	"gonum.org/v1/plot":                 {"cmd/figure"},
	"golang.org/x/sys":                  {"storage", "storage/vec", "storage/format", "repl", "cmd/heavytail"},
}

// listed is what the test asks of go list.
type listed struct {
	ImportPath string
	Dir        string
	Imports    []string
	Module     *struct{ Path, Dir string }
}

func listPackages(t *testing.T) []listed {
	t.Helper()
	command := exec.Command("go", "list", "-json=ImportPath,Dir,Imports,Module", "heavytail/...")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

// TestLayout holds the packages and their imports against the tables above.
func TestLayout(t *testing.T) {
	const module = "heavytail/"
	seen := map[string]bool{}
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, module)
		seen[name] = true
		allowed, known := layout[name]
		if !known {
			t.Errorf("package %s is not in the layout", name)
			continue
		}
		for _, imported := range p.Imports {
			if own, ok := strings.CutPrefix(imported, module); ok {
				if !slices.Contains(allowed, own) {
					t.Errorf("%s imports %s, and may import %v", name, own, allowed)
				}
				continue
			}
			if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
				continue // of the standard library
			}
			if owner := outsider(imported); owner == "" {
				t.Errorf("%s imports %s, which is not in the layout", name, imported)
			} else if !slices.Contains(outsiders[owner], name) {
				t.Errorf("%s imports %s, which is for %v only", name, imported, outsiders[owner])
			}
		}
	}
	for name := range layout {
		if !seen[name] {
			t.Errorf("package %s of the layout does not exist", name)
		}
	}
}

// outsider returns the module in the table that an imported package belongs to.
func outsider(imported string) string {
	for dir := imported; dir != "."; dir = path.Dir(dir) {
		if _, ok := outsiders[dir]; ok {
			return dir
		}
	}
	return ""
}

// TestLayout_Readme expects the README to name the folder of every package, as
// text in backquotes.
func TestLayout_Readme(t *testing.T) {
	packages := listPackages(t)
	readme, err := os.ReadFile(path.Join(packages[0].Module.Dir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, "heavytail/")
		if !strings.Contains(string(readme), "`"+name+"`") {
			t.Errorf("README.md does not name `%s`", name)
		}
	}
}
