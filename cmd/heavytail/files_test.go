package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mutualFiles is how many pairs of files of a package may use each other, for packages
// that have such pairs. A file uses another one if it uses a package-level
// name or a method that the other declares. The numbers may only be lowered.
var mutualFiles = map[string]int{
	"embedding/eigen": 3, "embedding/link": 3, "embedding/run": 3, "embedding/tune": 3,
	"index":       1,
	"storage/vec": 3, // files for one kind of processor
}

// layered are packages without cycles of files, of any length: their files can be read in
// an order in which each file uses only files before it.
var layered = []string{
	"cmd/paper", "cmd/picture", "embedding", "embedding/internal/base", "embedding/propagate", "embedding/unitball", "embedding/walk",
	"index/internal/base", "index/internal/screen", "index/pairs",
	"query", "query/catalogue", "query/fault", "query/files", "query/graphs", "query/help", "query/internal/bind",
	"query/internal/cells", "query/internal/engine", "query/internal/entries", "query/internal/export", "query/internal/indexes",
	"query/internal/job", "query/internal/lists", "query/internal/methods", "query/internal/rowfile", "query/internal/scan",
	"query/internal/scoring", "query/internal/search", "query/internal/sweep", "query/internal/textfile",
	"query/jobs", "query/links", "query/maintenance", "query/measures", "query/plan", "query/rows", "query/studies", "query/vectors", "query/where",
	"storage", "storage/atomicfile", "storage/csr", "storage/format", "storage/format/arrow", "storage/format/columnar", "storage/format/graphfile", "storage/format/graphtext",
	"storage/format/internal/columnfile", "storage/format/internal/decimal", "storage/format/internal/delimited", "storage/format/internal/fault",
	"storage/format/internal/feed", "storage/format/internal/figure", "storage/format/internal/inflate", "storage/format/internal/reading",
	"storage/format/internal/scan", "storage/format/internal/tokens", "storage/format/internal/typed", "storage/format/internal/writing",
	"storage/format/rowtext", "storage/format/vectorfile",
	"storage/generate", "storage/gonum", "storage/internal/block", "storage/internal/compress", "storage/internal/fault",
	"storage/internal/file", "storage/internal/gather", "storage/internal/rescue",
}

// TestLayout_Files counts the pairs of files of each package that use each other. To
// change one file of such a pair, one has to read both.
func TestLayout_Files(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: checks the types of all packages")
	}
	packages, exports := listPackages(t)
	set := token.NewFileSet()
	// One importer for all packages, so that each dependency is read once.
	compiled := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, "heavytail/")
		uses := usesOf(t, p, set, compiled)
		if cycle := cyclic(uses); slices.Contains(layered, name) && len(cycle) > 0 {
			t.Errorf("package %s: there is a cycle of uses among %v", name, cycle)
		}
		pairs := mutual(uses)
		switch most := mutualFiles[name]; {
		case len(pairs) > most:
			t.Errorf("package %s: %d pairs of files use each other, and %d may:\n%s", name, len(pairs), most, strings.Join(pairs, "\n"))
		case len(pairs) < most:
			t.Logf("package %s: %d pairs of files use each other; mutualFiles can say so", name, len(pairs))
		}
	}
}

// fileUses has, for each file of a package, the files that it uses, each with one name
// that it uses of that file.
type fileUses map[string]map[string]string

// usesOf type-checks a package with the compiled packages that it imports.
func usesOf(t *testing.T, p listed, set *token.FileSet, compiled types.Importer) fileUses {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	pkg, err := (&types.Config{Importer: compiled}).Check(p.ImportPath, set, files, info)
	if err != nil {
		t.Fatal(err)
	}
	fileOf := func(pos token.Pos) string { return filepath.Base(set.Position(pos).Filename) }
	uses := fileUses{}
	for ident, object := range info.Uses {
		f, isFunc := object.(*types.Func) // also a method
		if isFunc {
			object = f.Origin()
		}
		if object.Pkg() != pkg || !isFunc && object.Parent() != pkg.Scope() {
			continue
		}
		from, to := fileOf(ident.Pos()), fileOf(object.Pos())
		if uses[from] == nil {
			uses[from] = map[string]string{}
		}
		if known := uses[from][to]; known == "" || object.Name() < known {
			uses[from][to] = object.Name()
		}
	}
	return uses
}

// cyclic returns the files of all cycles, with those that lie between two cycles: what
// remains when files that use no other one, or that no other one uses, are taken away.
func cyclic(uses fileUses) []string {
	rest := slices.Sorted(maps.Keys(uses))
	for before := 0; before != len(rest); {
		before = len(rest)
		rest = slices.DeleteFunc(slices.Clone(rest), func(file string) bool {
			other := func(a, b string) bool { return a != b && uses[a][b] != "" }
			return !slices.ContainsFunc(rest, func(b string) bool { return other(file, b) }) ||
				!slices.ContainsFunc(rest, func(b string) bool { return other(b, file) })
		})
	}
	return rest
}

// mutual lists the pairs of files that use each other, with a name that each uses.
func mutual(uses fileUses) []string {
	var pairs []string
	for a, of := range uses {
		for b, name := range of {
			if back := uses[b][a]; a < b && back != "" {
				pairs = append(pairs, "\t"+a+" uses "+name+" of "+b+", which uses "+back)
			}
		}
	}
	slices.Sort(pairs)
	return pairs
}
