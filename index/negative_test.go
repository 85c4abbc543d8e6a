package index

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/storage/vec"
)

// entry is an exported function that takes a context: do calls it with a context, numbers, and
// otherwise valid arguments.
type entry struct {
	numbers []int // valid ones
	do      func(ctx context.Context, n []int) error
}

func entries(t *testing.T) map[string]entry {
	t.Helper()
	m := vec.NewMatrix(50, 3)
	for i := range m.Data {
		m.Data[i] = float32(i*i%17) + 1
	}
	h, err := NewHNSW(context.Background(), m, L2, HNSWOptions{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := NewExact(m, L2)
	if err != nil {
		t.Fatal(err)
	}
	var stored bytes.Buffer
	if _, err := h.WriteTo(&stored); err != nil {
		t.Fatal(err)
	}
	v, err := viewOf(stored.Bytes(), m)
	if err != nil {
		t.Fatal(err)
	}
	query := m.Row(0)
	yield := func(uint32, []uint32) error { return nil }
	return map[string]entry{
		"Join": {[]int{1}, func(ctx context.Context, n []int) error { return Join(ctx, m, .5, JoinOptions{Workers: n[0]}, yield) }},
		"JoinRange": {[]int{1, 0, 9}, func(ctx context.Context, n []int) error {
			return JoinRange(ctx, m, .5, n[1], n[2], JoinOptions{Workers: n[0]}, yield)
		}},
		"Moving.Join": {[]int{1}, func(ctx context.Context, n []int) error {
			_, _, err := NewMoving(m.Rows, m.Dim).Join(ctx, m, .5, MovingOptions{Workers: n[0]}, yield)
			return err
		}},
		"SampleDistances": {[]int{5}, func(ctx context.Context, n []int) error { _, err := SampleDistances(ctx, m, n[0], 1); return err }},
		"Batches.Nearest": {[]int{2, 1}, func(ctx context.Context, n []int) error {
			_, err := x.Batches().Nearest(ctx, []uint32{1, 2}, n[0], n[1], func(u, v uint32) bool { return true })
			return err
		}},
		"Batches.Search": {[]int{2}, func(ctx context.Context, n []int) error {
			_, err := x.Batches().Search(ctx, m, n[0], SearchOptions{})
			return err
		}},
		"Exact.Search": {[]int{2}, func(ctx context.Context, n []int) error {
			_, err := x.Search(ctx, query, n[0], SearchOptions{})
			return err
		}},
		"Exact.SearchBatch": {[]int{2}, func(ctx context.Context, n []int) error {
			_, err := x.SearchBatch(ctx, m, n[0], SearchOptions{})
			return err
		}},
		"Exact.Within": {[]int{1}, func(ctx context.Context, n []int) error {
			_, err := x.Within(ctx, query, float64(n[0]), SearchOptions{})
			return err
		}},
		"NewHNSW": {[]int{4, 20, 20, 1}, func(ctx context.Context, n []int) error {
			_, err := NewHNSW(ctx, m, L2, HNSWOptions{M: n[0], EfConstruction: n[1], Ef: n[2], Workers: n[3]})
			return err
		}},
		"HNSW.Apply": {[]int{1}, func(ctx context.Context, n []int) error {
			_, err := h.Apply(ctx, m, Changes{Changed: []uint32{3}}, HNSWOptions{Workers: n[0]})
			return err
		}},
		"HNSW.Calibrate": {[]int{3, 5}, func(ctx context.Context, n []int) error { _, err := h.Calibrate(ctx, n[0], n[1], .9); return err }},
		"HNSW.Recall":    {[]int{3, 5, 10}, func(ctx context.Context, n []int) error { _, err := h.Recall(ctx, n[0], n[1], n[2]); return err }},
		"HNSW.Find": {[]int{2, 10}, func(ctx context.Context, n []int) error {
			_, err := h.Find(ctx, query, n[0], SearchOptions{Ef: n[1]})
			return err
		}},
		"HNSW.Search": {[]int{2, 10}, func(ctx context.Context, n []int) error {
			_, err := h.Search(ctx, query, n[0], SearchOptions{Ef: n[1]})
			return err
		}},
		"HNSW.Within": {[]int{1, 10}, func(ctx context.Context, n []int) error {
			_, err := h.Within(ctx, query, float64(n[0]), SearchOptions{Ef: n[1]})
			return err
		}},
		"View.Find": {[]int{2, 10}, func(ctx context.Context, n []int) error {
			_, err := v.Find(ctx, query, n[0], SearchOptions{Ef: n[1]})
			return err
		}},
		"View.Within": {[]int{1, 10}, func(ctx context.Context, n []int) error {
			_, err := v.Within(ctx, query, float64(n[0]), SearchOptions{Ef: n[1]})
			return err
		}},
		"NewSweep": {[]int{1}, func(ctx context.Context, n []int) error {
			_, err := NewSweep(ctx, m, []float64{.5}, JoinOptions{Workers: n[0]})
			return err
		}},
	}
}

// TestEntries calls every exported function that takes a context with a nil one, which never
// ends, and with each of its numbers negative, which is an error.
func TestEntries(t *testing.T) {
	t.Parallel()
	known := entries(t)
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
			return e.do(ctx, n)
		}
		if err := try("nil", nil, e.numbers); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i := range e.numbers {
			n := append([]int(nil), e.numbers...)
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
	if len(names) < 15 {
		t.Errorf("only %v", names)
	}
	return names
}
