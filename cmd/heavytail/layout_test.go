package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// layout is every package of the module with the packages of the module that
// it may import. Tests may import more. A package that is missing here fails the
// test, so that its place is decided when it is added.
var layout = map[string][]string{
	"storage": {
		"storage/csr", "storage/vec", "storage/format", "storage/format/graphfile",
		"storage/internal/fault", "storage/internal/block", "storage/internal/page", "storage/internal/file", "storage/internal/gather",
		"storage/internal/memory", "storage/internal/rescue", "storage/internal/tree", "storage/internal/graphs", "storage/internal/verify",
	},
	"storage/internal/tree":     {"storage/internal/block", "storage/internal/fault", "storage/internal/file", "storage/internal/memory", "storage/internal/page"},
	"storage/internal/graphs":   {"storage/csr", "storage/vec", "storage/format", "storage/internal/block", "storage/internal/fault", "storage/internal/gather", "storage/internal/tree"},
	"storage/internal/verify":   {"storage/csr", "storage/internal/block", "storage/internal/fault", "storage/internal/graphs", "storage/internal/page", "storage/internal/tree"},
	"storage/internal/block":    {"storage/csr", "storage/vec", "storage/internal/fault", "storage/internal/page"},
	"storage/internal/fault":    {},
	"storage/internal/compress": {"storage/internal/excerpt"},
	"storage/internal/excerpt":  {},
	"storage/internal/gather": {
		"storage/csr", "storage/format", "storage/format/rowtext", "storage/internal/block", "storage/internal/fault", "storage/internal/excerpt",
		"storage/internal/memory", "storage/vec",
	},
	"storage/internal/rescue": {"storage/csr", "storage/internal/block", "storage/internal/fault", "storage/internal/page"},
	"storage/internal/sample": {"storage/csr"},
	"storage/internal/file":   {},
	"storage/internal/memory": {},
	"storage/internal/page":   {},

	"embedding/jsonnull": {},
	"storage/checkpoint": {},
	"storage/vec":        {},
	"storage/csr":        {"storage/vec"},
	"storage/atomicfile": {"storage/internal/compress"},
	"storage/format": {
		"storage/format/internal/columnfile", "storage/format/internal/decimal", "storage/format/internal/delimited",
		"storage/format/internal/fault", "storage/format/internal/figure", "storage/format/internal/scan", "storage/internal/compress",
		"storage/internal/excerpt",
	},
	"storage/format/columnar": {
		"storage/format", "storage/format/internal/columnfile", "storage/format/internal/decimal", "storage/format/internal/delimited",
		"storage/format/internal/fault", "storage/format/internal/figure", "storage/format/internal/reading", "storage/format/internal/typed",
		"storage/format/internal/writing", "storage/internal/excerpt",
	},
	"storage/format/graphfile": {
		"storage/format", "storage/format/columnar", "storage/format/graphtext", "storage/format/internal/columnfile",
		"storage/format/internal/delimited", "storage/format/internal/fault", "storage/format/internal/feed", "storage/format/internal/figure",
		"storage/format/internal/tokens", "storage/format/internal/writing", "storage/format/rowtext", "storage/internal/compress",
	},
	"storage/format/graphtext": {
		"storage/format", "storage/format/internal/decimal", "storage/format/internal/delimited", "storage/format/internal/fault",
		"storage/format/internal/feed", "storage/format/internal/figure", "storage/format/internal/reading", "storage/format/internal/tokens",
		"storage/format/internal/typed", "storage/format/internal/writing", "storage/internal/excerpt",
	},
	"storage/format/rowtext": {
		"storage/format", "storage/format/internal/decimal", "storage/format/internal/delimited", "storage/format/internal/fault",
		"storage/format/internal/feed", "storage/format/internal/figure", "storage/format/internal/reading", "storage/format/internal/scan",
		"storage/format/internal/typed", "storage/format/internal/writing", "storage/internal/excerpt",
	},
	"storage/format/vectorfile": {
		"storage/format", "storage/format/internal/columnfile", "storage/format/internal/decimal", "storage/format/internal/delimited",
		"storage/format/internal/fault", "storage/format/internal/feed", "storage/format/internal/tokens", "storage/format/internal/writing", "storage/internal/excerpt",
	},

	"storage/format/internal/decimal":   {},
	"storage/format/internal/fault":     {},
	"storage/format/internal/delimited": {"storage/format/internal/decimal", "storage/format/internal/fault", "storage/internal/excerpt"},
	"storage/format/internal/figure":    {"storage/format/internal/decimal", "storage/format/internal/delimited", "storage/internal/excerpt"},
	"storage/format/internal/scan":      {"storage/format/internal/delimited", "storage/format/internal/figure", "storage/internal/compress"},
	"storage/format/internal/feed": {
		"storage/format", "storage/format/internal/delimited", "storage/format/internal/fault", "storage/format/internal/reading",
		"storage/format/internal/scan", "storage/format/internal/tokens", "storage/internal/compress",
	},
	"storage/format/internal/reading": {
		"storage/format", "storage/format/internal/delimited", "storage/format/internal/fault", "storage/format/internal/figure",
		"storage/internal/excerpt",
	},
	"storage/format/internal/typed": {"storage/format", "storage/format/internal/decimal", "storage/internal/excerpt"},
	"storage/format/internal/writing": {
		"storage/format", "storage/format/internal/decimal", "storage/format/internal/delimited", "storage/format/internal/fault",
		"storage/format/internal/figure", "storage/format/internal/typed", "storage/internal/excerpt",
	},
	"storage/format/internal/tokens": {"storage/format/internal/decimal", "storage/format/internal/fault", "storage/internal/excerpt"},

	"storage/format/internal/columnfile": {},
	"storage/format/internal/columntest": {"storage/format/internal/columnfile"},
	"storage/format/internal/inflate":    {},
	"storage/format/parquet":             {"storage/format/internal/columnfile", "storage/format/internal/inflate"},
	"storage/format/arrow":               {"storage/format/internal/columnfile", "storage/format/internal/inflate"},
	"storage/gonum":                      {"storage/csr", "storage/vec"},
	"storage/generate":                   {"storage/csr", "storage/vec"},
	"embedding": {
		"storage/csr", "storage/vec", "embedding/eigen", "embedding/internal/base", "embedding/spectral", "embedding/skipgram", "embedding/walk",
	},
	"embedding/internal/base": {"storage/checkpoint", "storage/csr", "storage/vec"},
	"embedding/propagate":     {"storage/csr", "storage/vec", "embedding/eigen", "embedding/internal/base"},
	"embedding/netmf":         {"storage/csr", "storage/vec", "embedding/eigen", "embedding/internal/base"},
	"embedding/spectral":      {"storage/csr", "storage/vec", "embedding/eigen", "embedding/internal/base"},
	"embedding/unitball":      {"storage/csr", "storage/vec", "index/pairs", "embedding/internal/base"},
	"embedding/eigen":         {"storage/vec"},
	"embedding/walk":          {"storage/csr", "storage/vec"},
	"embedding/skipgram":      {"storage/vec"},
	"embedding/classify":      {"storage/vec"},
	"embedding/evaluate":      {"embedding/jsonnull", "storage/csr", "storage/vec", "embedding/classify", "embedding/link", "index", "index/pairs"},
	"embedding/link":          {"storage/csr", "storage/vec", "embedding/classify"},
	"embedding/tune":          {"embedding/jsonnull", "storage/csr", "storage/vec", "embedding", "embedding/eigen", "embedding/evaluate"},
	"embedding/run": {
		"embedding", "embedding/evaluate", "embedding/link", "embedding/netmf", "embedding/option", "embedding/propagate",
		"embedding/skipgram", "embedding/tune", "embedding/unitball", "index", "storage", "storage/csr", "storage/vec",
	},
	"index":                    {"storage/vec", "index/internal/base", "index/internal/screen"},
	"index/pairs":              {"storage/vec", "index/internal/base", "index/internal/screen"},
	"index/internal/screen":    {"storage/vec", "index/internal/base"},
	"index/internal/base":      {"storage/vec"},
	"index/internal/indextest": {"storage/vec"},
	// What callers meet everywhere.
	"query/parser":     {},
	"query/algorithms": {"storage/checkpoint", "storage/csr", "storage/vec"},
	"query/rows":       {"storage"},
	"query/help":       {"embedding/option"},
	"query/plan":       {},
	"query/fault":      {"query/parser", "storage"},
	"query/where":      {"query/internal/session", "storage"},
	"query/catalogue":  {"query/fault", "query/internal/cells", "query/parser", "query/rows", "storage"},
	"query/files":      {"query/internal/rowfile", "query/rows", "storage/atomicfile"},

	// Below the families; each imports only those before it.
	"query/internal/lists":   {},
	"query/internal/rowfile": {"query/rows", "storage/format", "storage/format/columnar"},
	"query/internal/session": {
		"index", "query/fault", "query/parser", "query/plan", "query/rows", "storage", "storage/atomicfile", "storage/csr", "storage/format",
		"storage/format/columnar", "storage/format/graphfile", "storage/vec",
	},
	"query/internal/bind":  {"embedding/option", "query/fault", "query/parser", "query/rows"},
	"query/internal/job":   {"embedding", "query/fault", "query/internal/session", "query/rows", "storage", "storage/vec"},
	"query/internal/cells": {"query/internal/lists", "query/internal/session", "query/rows", "storage", "storage/format"},
	"query/internal/conditions": {
		"query/fault", "query/internal/bind", "query/internal/session", "query/parser", "query/rows", "query/where", "storage",
		"storage/format",
	},
	"query/internal/engine": {
		"embedding", "embedding/evaluate", "embedding/option", "query/fault", "query/help", "query/internal/bind",
		"query/internal/cells", "query/internal/conditions", "query/internal/job", "query/internal/lists", "query/internal/rowfile", "query/internal/session",
		"query/parser", "query/plan", "query/rows", "storage", "storage/format", "storage/format/columnar", "storage/format/graphfile",
	},
	"query/internal/entries": {
		"index", "query/catalogue", "query/fault", "query/internal/cells", "query/internal/engine", "query/internal/lists",
		"query/internal/session", "query/rows", "storage",
	},
	"query/internal/scan": {
		"query/fault", "query/internal/conditions", "query/internal/engine", "query/internal/entries", "query/internal/session",
		"query/parser", "query/plan", "query/where", "storage", "storage/csr",
	},
	"query/internal/export": {
		"embedding/option", "query/fault", "query/files", "query/internal/engine", "query/internal/lists", "query/internal/session",
		"query/parser", "query/plan", "query/rows", "storage", "storage/format", "storage/format/columnar",
	},
	"query/internal/textfile": {
		"embedding/option", "query/fault", "query/internal/bind", "query/internal/engine", "storage", "storage/format",
	},
	"query/internal/indexes": {
		"index", "query/fault", "query/internal/engine", "query/internal/entries", "query/internal/session", "storage", "storage/vec",
	},
	"query/internal/methods": {
		"embedding/option", "embedding/run", "query/fault", "query/internal/bind", "query/internal/engine", "query/internal/session",
		"query/parser", "storage", "storage/csr",
	},
	"query/internal/search": {
		"embedding/option", "index", "query/catalogue", "query/fault", "query/internal/bind", "query/internal/conditions", "query/internal/engine",
		"query/internal/entries", "query/internal/lists", "query/internal/scan", "query/internal/session", "query/parser", "query/plan",
		"query/rows", "query/where", "storage", "storage/format", "storage/format/graphfile", "storage/vec",
	},
	"query/internal/sweep": {
		"embedding/evaluate", "embedding/option", "query/fault", "query/internal/cells", "query/internal/engine", "query/rows",
	},
	"query/internal/scoring": {
		"embedding/evaluate", "embedding/link", "embedding/option", "query/algorithms", "query/catalogue", "query/fault",
		"query/internal/engine", "query/internal/lists", "query/internal/session", "storage", "storage/csr",
	},

	// The families, and the door over them.
	"query/maintenance": {
		"embedding/option", "query/fault", "query/help", "query/internal/engine", "query/internal/entries", "query/internal/lists",
		"query/internal/session", "query/parser", "query/plan", "query/rows", "storage", "storage/atomicfile", "storage/format",
	},
	"query/measures": {
		"embedding", "embedding/option", "query/algorithms", "query/catalogue", "query/fault", "query/help", "query/internal/bind",
		"query/internal/cells", "query/internal/engine", "query/internal/entries", "query/internal/job", "query/internal/lists",
		"query/internal/session", "query/parser", "query/plan", "query/rows", "storage", "storage/csr",
	},
	"query/graphs": {
		"embedding/evaluate", "embedding/jsonnull", "embedding/link", "embedding/option", "index", "query/algorithms", "query/fault",
		"query/files", "query/help", "query/internal/bind", "query/internal/cells", "query/internal/conditions",
		"query/internal/engine", "query/internal/entries", "query/internal/export", "query/internal/lists", "query/internal/scan",
		"query/internal/search", "query/internal/session", "query/internal/textfile", "query/parser", "query/plan", "query/rows",
		"query/where", "storage", "storage/csr", "storage/format", "storage/format/columnar", "storage/format/graphfile",
		"storage/format/graphtext", "storage/format/rowtext", "storage/format/vectorfile", "storage/generate",
	},
	"query/vectors": {
		"embedding", "embedding/evaluate", "embedding/jsonnull", "embedding/netmf", "embedding/option", "embedding/propagate", "embedding/run",
		"embedding/unitball", "index", "index/pairs", "query/catalogue", "query/fault",
		"query/files", "query/graphs", "query/help", "query/internal/bind", "query/internal/cells", "query/internal/conditions",
		"query/internal/engine", "query/internal/entries", "query/internal/export", "query/internal/indexes", "query/internal/job",
		"query/internal/lists", "query/internal/methods", "query/internal/scan", "query/internal/search", "query/internal/session",
		"query/internal/sweep", "query/parser", "query/plan", "query/rows", "query/where", "storage", "storage/csr", "storage/format",
		"storage/format/columnar", "storage/format/rowtext", "storage/format/vectorfile",
		"storage/vec",
	},
	"query/links": {
		"embedding", "embedding/evaluate", "embedding/jsonnull", "embedding/link", "embedding/option", "embedding/run", "index", "query/catalogue", "query/fault", "query/files",
		"query/help", "query/internal/bind", "query/internal/cells", "query/internal/conditions", "query/internal/engine",
		"query/internal/entries", "query/internal/job", "query/internal/lists", "query/internal/rowfile", "query/internal/scan",
		"query/internal/scoring", "query/internal/search", "query/internal/session", "query/internal/textfile", "query/parser",
		"query/plan", "query/rows", "query/where", "storage", "storage/atomicfile", "storage/csr", "storage/format", "storage/format/columnar",
		"storage/format/graphfile", "storage/vec",
	},
	"query/studies": {
		"embedding", "embedding/evaluate", "embedding/jsonnull", "embedding/link", "embedding/option", "embedding/run",
		"embedding/tune", "query/fault", "query/files", "query/help", "query/internal/bind", "query/internal/cells",
		"query/internal/engine", "query/internal/entries", "query/internal/export", "query/internal/job", "query/internal/lists",
		"query/internal/methods", "query/internal/rowfile", "query/internal/scoring", "query/internal/session",
		"query/internal/sweep", "query/links", "query/parser", "query/plan", "query/rows", "query/vectors",
		"storage", "storage/csr", "storage/vec",
	},
	"query/jobs": {
		"query/catalogue", "query/fault", "query/help", "query/internal/engine", "query/internal/entries", "query/internal/job",
		"query/internal/lists", "query/links", "query/measures", "query/parser", "query/plan", "query/rows", "query/vectors", "storage",
	},
	"query": {
		"embedding", "embedding/evaluate", "embedding/link", "embedding/option", "embedding/run", "index", "query/catalogue",
		"query/fault", "query/graphs", "query/help", "query/internal/cells", "query/internal/engine", "query/internal/entries",
		"query/internal/job", "query/internal/lists", "query/internal/session", "query/jobs", "query/links", "query/maintenance",
		"query/measures", "query/parser", "query/plan", "query/rows", "query/studies", "query/vectors", "storage", "storage/atomicfile", "storage/format",
		"storage/vec",
	},
	"query/internal/querytest": {
		"query", "query/graphs", "query/internal/engine", "query/internal/session", "query/rows", "query/studies", "storage",
		"storage/vec",
	},
	"query/driver":        {"query", "query/fault", "query/parser", "query/rows", "storage"},
	"query/internal/wire": {"query", "query/fault", "query/parser", "query/rows", "storage"},
	"query/serve":         {"query", "query/fault", "query/files", "query/internal/wire", "query/parser", "query/rows", "storage"},
	"query/remote":        {"query", "query/internal/wire", "query/parser", "query/rows"},
	"repl": {
		"embedding/option", "query", "query/catalogue", "query/fault", "query/files", "query/graphs", "query/help", "query/links", "query/measures",
		"query/parser", "query/rows", "query/vectors",
	},

	"cmd/figure":    {"query/parser"},
	"cmd/markdown":  {"query/parser"},
	"cmd/placement": {"storage/csr", "storage/vec"},
	"cmd/picture": {
		"cmd/figure", "cmd/placement", "embedding/evaluate", "index", "query", "query/graphs", "query/measures", "query/studies", "query/vectors",
		"storage", "storage/csr",
	},
	"cmd/report": {
		"cmd/figure", "cmd/picture", "embedding/evaluate", "query", "query/catalogue", "query/fault", "query/graphs", "query/measures",
		"query/parser", "query/rows", "query/studies", "query/vectors", "storage",
	},
	"cmd/paper": {"embedding", "query", "query/rows", "repl", "storage"},

	"cmd/paper/record":     {"storage/vec"},
	"cmd/heavytail/manual": {},
	"cmd/heavytail": {
		"cmd/figure", "cmd/heavytail/manual", "cmd/markdown", "cmd/picture", "cmd/report", "embedding/evaluate", "embedding/option", "query", "query/catalogue",
		"query/fault", "query/files", "query/graphs", "query/links", "query/maintenance", "query/parser", "query/remote", "query/rows", "query/serve",
		"query/studies", "query/vectors", "repl", "storage", "storage/atomicfile", "storage/format", "storage/format/arrow", "storage/format/parquet",
	},
	"embedding/option": {"storage"},
}

// outsiders are the modules that only some packages may import: only storage
// accesses the file, and libraries do not print.
var outsiders = map[string][]string{
	"github.com/KimMachineGun/automemlimit": {"storage/internal/memory"},
	"go.etcd.io/bbolt":                      {"storage", "storage/internal/file", "storage/internal/tree", "storage/internal/verify"},
	"github.com/vmihailenco/msgpack/v5":     {"storage/internal/block"},
	"github.com/andybalholm/brotli":         {"storage/format/parquet"},
	"github.com/parquet-go/parquet-go":      {"storage/format/parquet"},
	"github.com/google/flatbuffers":         {"storage/format/arrow"},
	"github.com/klauspost/compress":         {"storage/internal/compress", "storage/format/internal/inflate", "storage/format/parquet"},
	"github.com/ulikunitz/xz":               {"storage/internal/compress"},
	"golang.org/x/text":                     {"storage/format/internal/tokens", "storage/internal/compress"},
	"gonum.org/v1/gonum":                    {"embedding/classify", "embedding/eigen", "embedding/evaluate", "embedding/link", "query/algorithms", "storage/gonum"},
	"github.com/spf13/cobra":                {"cmd/heavytail"},
	"github.com/yuin/goldmark":              {"cmd/markdown"},
	"github.com/spf13/pflag":                {"cmd/heavytail"},
	"github.com/reeflective/readline":       {"repl"},
	"github.com/rivo/uniseg":                {"query/parser"},
	"gonum.org/v1/plot":                     {"cmd/figure"},
	"codeberg.org/go-pdf/fpdf":              {"cmd/figure"},
	"codeberg.org/go-fonts/liberation":      {"cmd/figure"},
	"golang.org/x/image":                    {"cmd/figure"},
	"golang.org/x/sys":                      {"storage/internal/file", "storage/internal/memory", "storage/vec", "storage/atomicfile", "repl", "cmd/heavytail"},

	// With a template that may call any method by its name, a program keeps all methods, as it does with Parquet.
	"text/template": {},
	"html/template": {"cmd/report"},
}

// listed has the fields of a package in go list that the tests use.
type listed struct {
	ImportPath string
	Dir        string
	Export     string // the file with the compiled package
	GoFiles    []string
	Imports    []string
	Module     *struct{ Path, Dir string }
}

// listing is what go list reports of the packages of the module and of all that they
// import, compiled. The tests share one run of go list.
var listing = sync.OnceValues(func() ([]listed, error) {
	command := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Imports,Module", "heavytail/...")
	command.Stderr = os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var packages []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, err
		}
		packages = append(packages, p)
	}
})

// listPackages returns the packages of the module, and the files with all compiled
// packages by their import paths.
func listPackages(t *testing.T) (own []listed, compiled map[string]string) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short: go list reads all packages of the module and of its modules")
	}
	all, err := listing()
	if err != nil {
		t.Fatal(err)
	}
	compiled = map[string]string{}
	for _, p := range all {
		compiled[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, "heavytail/") {
			own = append(own, p)
		}
	}
	return own, compiled
}

// A program that embeds the query language and its driver for database/sql links these modules
// and no other, and no part of the standard library that is large: what draws, edits lines and
// parses flags belongs to the command, and Parquet to the programs that import it.
func TestLayout_Embedding(t *testing.T) {
	want := []string{
		"github.com/KimMachineGun/automemlimit", "github.com/klauspost/compress", "github.com/pbnjay/memory", "github.com/rivo/uniseg",
		"github.com/ulikunitz/xz", "github.com/vmihailenco/msgpack",
		"github.com/vmihailenco/tagparser", "go.etcd.io/bbolt", "golang.org/x/sys", "golang.org/x/text", "golang.org/x/tools", "gonum.org/v1/gonum",
	}
	listPackages(t)
	all, err := listing()
	if err != nil {
		t.Fatal(err)
	}
	imports := map[string][]string{}
	for _, p := range all {
		imports[p.ImportPath] = p.Imports
	}
	linked := map[string]bool{}
	var link func(string)
	link = func(name string) {
		if !linked[name] {
			linked[name] = true
			for _, imported := range imports[name] {
				link(imported)
			}
		}
	}
	for _, name := range []string{"query", "query/driver", "storage/gonum"} {
		link("heavytail/" + name)
	}
	module := regexp.MustCompile(`^(github\.com/[^/]+/[^/]+|golang\.org/x/[^/]+|gonum\.org/v1/[^/]+|[^/]*\.[^/]*/[^/]+)`)
	var modules []string
	for name := range linked {
		if found := module.FindString(name); found != "" {
			modules = append(modules, found)
		}
	}
	slices.Sort(modules)
	if modules = slices.Compact(modules); !slices.Equal(modules, want) {
		t.Errorf("it links\n%v, want\n%v", modules, want)
	}
	for _, name := range []string{"heavytail/query/serve", "heavytail/query/remote", "net/http", "html/template", "text/template", "image/png"} {
		if linked[name] {
			t.Errorf("it links %s", name)
		}
	}
}

// TestLayout compares the packages and their imports with the tables above.
func TestLayout(t *testing.T) {
	const module = "heavytail/"
	seen := map[string]bool{}
	packages, _ := listPackages(t)
	for _, p := range packages {
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
			owner := outsider(imported)
			if first, _, _ := strings.Cut(imported, "/"); owner == "" && !strings.Contains(first, ".") {
				continue // of the standard library
			}
			if owner == "" {
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

// TestLayout_Contributing expects CONTRIBUTING to name the folder of every package but the
// inner ones, as text in backquotes.
func TestLayout_Contributing(t *testing.T) {
	packages, _ := listPackages(t)
	document, err := os.ReadFile(path.Join(packages[0].Module.Dir, ".github", "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, "heavytail/")
		if strings.Contains(name, "internal/") {
			continue // explained where it is used
		}
		if !strings.Contains(string(document), "`"+name+"`") {
			t.Errorf("CONTRIBUTING.md does not name `%s`", name)
		}
	}
}
