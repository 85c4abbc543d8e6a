package query_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/internal/querytest"
)

// FuzzQueryOnTinyGraph runs any text as statements on a small file: nothing may panic,
// exceed the limits or leave a damaged file, and every statement must end with its context.
func FuzzQueryOnTinyGraph(f *testing.F) {
	for i, statement := range scriptStatements(f) {
		if testing.Short() && i%100 > 0 || i%repeat.Every(5) > 0 {
			continue // TestScripts runs them all
		}
		f.Add(statement)
	}
	for i, h := range query.Helps() {
		if testing.Short() && i%8 > 0 {
			continue
		}
		f.Add(h.Example)
	}
	f.Add("NEAREST 9223372036854775807 TO [1e38, -1e38] USING dot(pos) WHERE NOT NOT (degree = degree)")
	f.Add("GENERATE preferential_attachment(n := 4000000000, m := 1) INTO big")
	f.Add("WITHIN RADIUS 1e308 OF 'a' USING pos LIMIT 1")
	template := filepath.Join(f.TempDir(), "template.ht")
	db, err := query.Open(template, nil)
	if err != nil {
		f.Fatal(err)
	}
	querytest.TwoTriangles(f, db)
	if err := db.Close(); err != nil {
		f.Fatal(err)
	}
	image, err := os.ReadFile(template)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "test.ht")
		if err := os.WriteFile(path, image, 0o600); err != nil {
			t.Fatal(err)
		}
		db, err := query.Open(path, &query.Options{
			MaxRows: 100, MemoryLimit: 4 << 20, NoFiles: true, Input: strings.NewReader("x y\ny z\n"), Workers: 2,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		// A busy machine may stop this process for a while.
		const budget, hangs = 500 * time.Millisecond, 5 * time.Minute
		ctx, cancel := context.WithTimeout(context.Background(), budget)
		defer cancel()
		began := time.Now()
		rows, err := db.Query(ctx, text, map[string]any{"k": 3, "v": []float64{1, 2}, "s": "a"})
		if err == nil {
			n := 0
			for rows.Next() {
				n++
			}
			if n > 1000 { // HELP and SHOW list what the language has, whatever MaxRows is
				t.Errorf("%d rows", n)
			}
		} else if strings.ContainsAny(err.Error(), "\x1b\r\u202e") {
			t.Errorf("the error %q is not safe to print", err)
		}
		// Only a statement that ignores its context takes so long.
		if spent := time.Since(began); spent > hangs {
			t.Errorf("took %v", spent)
		}
		querytest.MustBeSound(t, db)
	})
}

// scriptStatements returns every statement of the golden scripts.
func scriptStatements(t testing.TB) []string {
	files, err := filepath.Glob("testdata/*.script")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	var statements []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range strings.Split(string(text), "\n\n") {
			directive, rest, _ := strings.Cut(strings.TrimLeft(block, "\n"), "\n")
			for strings.HasPrefix(directive, "#") {
				directive, rest, _ = strings.Cut(rest, "\n")
			}
			switch body, _, _ := strings.Cut(rest, "----"); strings.Fields(directive + " -")[0] {
			case "query", "fail", "exec", "explain":
				statements = append(statements, body)
			}
		}
	}
	return statements
}
