package indextest

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Entry is an exported function that takes a context: Do calls it with a context, numbers, and
// otherwise valid arguments.
type Entry struct {
	Numbers []int // valid ones
	Do      func(ctx context.Context, n []int) error
}

// TryEntries calls every exported function of the package under test that takes a context with a nil one, which
// never ends, and with each of its numbers negative, which is an error.
func TryEntries(t *testing.T, known map[string]Entry) {
	t.Helper()
	for _, name := range takesContext(t) {
		if _, ok := known[name]; !ok {
			t.Errorf("%s takes a context, and is not called here", name)
		}
	}
	for name, e := range known {
		try := func(what string, ctx context.Context, n []int) (err error) {
			defer func() {
				if what := recover(); what != nil {
					t.Errorf("%s, %v: panic: %v", name, n, what)
				}
			}()
			return e.Do(ctx, n)
		}
		if err := try("nil", nil, e.Numbers); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range e.Numbers {
			n := append([]int(nil), e.Numbers...)
			n[i] = -1
			if err := try("negative", context.Background(), n); err == nil {
				t.Errorf("%s: no error for %v", name, n)
			}
		}
	}
}

// takesContext lists the exported functions and methods of the package whose first parameter
// is a context, from its source.
func takesContext(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || len(f.Type.Params.List) == 0 {
				continue
			}
			if of, ok := f.Type.Params.List[0].Type.(*ast.SelectorExpr); !ok || of.Sel.Name != "Context" {
				continue
			}
			full := f.Name.Name
			if f.Recv != nil {
				star, ok := f.Recv.List[0].Type.(*ast.StarExpr)
				if !ok {
					t.Fatalf("receiver of %s", full)
				}
				full = star.X.(*ast.Ident).Name + "." + full
			}
			names = append(names, full)
		}
	}
	if len(names) == 0 {
		t.Error("none takes a context")
	}
	return names
}
