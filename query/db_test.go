package query_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/querytest"
	"heavytail/query/internal/sweep"
	"heavytail/query/links"
	"heavytail/query/parser"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/query/where"
	"heavytail/storage"
	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
)

func TestOptions_Validate_ReportsAllFaults(t *testing.T) {
	_, err := query.Open(filepath.Join(t.TempDir(), "x"), &query.Options{Workers: -1, MaxRows: -2, MemoryLimit: -3, BatchBytes: -5})
	if err == nil {
		t.Fatal("no error")
	}
	for _, field := range []string{"Workers (-1)", "MaxRows (-2)", "MemoryLimit (-3)", "BatchBytes (-5)"} {
		if !strings.Contains(err.Error(), field) {
			t.Errorf("%q does not name %s", err, field)
		}
	}
}

func TestDB_Close_EndsCalls(t *testing.T) {
	db, err := query.Open(filepath.Join(t.TempDir(), "test.ht"), nil)
	if err != nil {
		t.Fatal(err)
	}
	querytest.TwoTriangles(t, db)
	querytest.MustBeSound(t, db)

	// Close waits for a running call: it returns after the call has ended.
	inside, proceed := make(chan struct{}), make(chan struct{})
	var worked atomic.Bool
	var both sync.WaitGroup
	var once sync.Once
	both.Go(func() {
		_, err := db.Vectors().Nearest(context.Background(), vectors.NearestRequest{K: 1, Vertex: "a", Embedding: "pos", Where: func(where.Candidate) bool {
			once.Do(func() { close(inside); <-proceed; worked.Store(true) })
			return true
		}})
		if err != nil {
			t.Error(err)
		}
	})
	<-inside
	both.Go(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if !worked.Load() {
			t.Error("Close returned while the call ran")
		}
	})
	// When new calls are refused, Close has begun to wait.
	for {
		if _, err := db.Graphs().List(context.Background()); errors.Is(err, fault.ErrClosed) {
			break
		}
		runtime.Gosched()
	}
	close(proceed)
	both.Wait()
	if _, err := db.Query(context.Background(), "SHOW GRAPHS", nil); !errors.Is(err, fault.ErrClosed) {
		t.Errorf("a query after Close: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Errorf("a second Close: %v", err)
	}
}

func TestDB_RowsOutliveClose(t *testing.T) {
	db, err := query.Open(filepath.Join(t.TempDir(), "test.ht"), nil)
	if err != nil {
		t.Fatal(err)
	}
	querytest.TwoTriangles(t, db)
	querytest.MustBeSound(t, db)
	pairs := filepath.Join(t.TempDir(), "pairs")
	if err := os.WriteFile(pairs, []byte(strings.Repeat("a b\n", 10_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := db.Query(context.Background(), "SCORE FILE $f WITH l2(pos)", map[string]any{"f": pairs})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	n := 0
	for rows.Next() {
		if got := fmt.Sprint(rows.Row()...); got != "a b 3" && got != "ab3" {
			t.Fatalf("row %d is %q", n, got)
		}
		n++
	}
	if rows.Err() != nil || n != 10_000 {
		t.Errorf("%d rows, %v", n, rows.Err())
	}
}

func TestDB_ReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.ht")
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	querytest.TwoTriangles(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err = query.Open(path, &query.Options{ReadOnly: true, Input: strings.NewReader("x y\n")})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"CREATE GRAPH g", "DROP GRAPH social CASCADE", "DROP EMBEDDING pos", "IMPORT '-' INTO social",
		"GENERATE preferential_attachment(n := 5, m := 1) INTO g", "EMBED social USING dp_spectral AS s",
		"RECONSTRUCT pos RADIUS 1 INTO GRAPH g",
	} {
		if _, err := db.Query(context.Background(), text, nil); !errors.Is(err, storage.ErrReadOnly) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"SHOW GRAPHS", "DESCRIBE GRAPH social", "NEAREST 2 TO 'a' USING pos", "RECONSTRUCT pos RADIUS 1", "CHECK"} {
		if _, err := db.Query(context.Background(), text, nil); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	querytest.MustBeSound(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(before) != string(after) {
		t.Error("reading has changed the file")
	}
}

func TestDB_NoFiles(t *testing.T) {
	db := querytest.Open(t, &query.Options{NoFiles: true, Input: strings.NewReader("x y\n")})
	querytest.TwoTriangles(t, db)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("p q\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	params := map[string]any{"f": secret, "new": secret + ".new"}
	for _, text := range []string{
		"IMPORT $f INTO g", "EXPORT GRAPH social INTO FILE $new", "EXPORT GRAPH social INTO FILE $f WITH (overwrite := true)",
		"EXPORT EMBEDDING pos INTO FILE $new", "RECONSTRUCT pos RADIUS 1 INTO FILE $new", "SCORE FILE $f WITH jaccard",
		"SCORE FILE '-' WITH jaccard INTO FILE $new", "EXPLAIN IMPORT $f INTO g",
	} {
		if _, err := db.Query(context.Background(), text, params); !errors.Is(err, fault.ErrNoFiles) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if _, err := os.Stat(secret + ".new"); err == nil {
		t.Error("a file was written")
	}
	// Standard input comes from the program, and is not a file.
	if _, err := db.Query(context.Background(), "IMPORT '-' INTO g", nil); err != nil {
		t.Error(err)
	}
}

func TestDB_MaxRows(t *testing.T) {
	db := querytest.Open(t, &query.Options{MaxRows: 3})
	querytest.TwoTriangles(t, db)
	for text, fits := range map[string]bool{
		"NEAREST 3 TO 'a' USING pos":                                 true,
		"NEAREST 4 TO 'a' USING pos":                                 false,
		"WITHIN RADIUS 5 OF 'a' USING pos":                           true,
		"WITHIN RADIUS 50 OF 'a' USING pos":                          false,
		"WITHIN RADIUS 50 OF 'a' USING pos LIMIT 3":                  true,
		"SCORE ('a','b'),('a','c'),('a','d') WITH jaccard":           true,
		"SCORE ('a','b'),('a','c'),('a','d'),('a','e') WITH jaccard": false,
		"PROFILE WITHIN RADIUS 50 OF 'a' USING pos":                  false,
	} {
		_, err := db.Query(context.Background(), text, nil)
		if fits != (err == nil) || !fits && !errors.Is(err, fault.ErrLimit) {
			t.Errorf("%s: %v", text, err)
		}
		var limit *fault.LimitError
		if errors.As(err, &limit) && (limit.Limit != 3 || limit.Need < 4 || limit.Field != "MaxRows") {
			t.Errorf("%s: %+v", text, limit)
		}
	}
}

func TestDB_MemoryLimit(t *testing.T) {
	db := querytest.Open(t, &query.Options{MemoryLimit: 600}) // the graph takes about 490 bytes
	querytest.TwoTriangles(t, db)
	ctx := context.Background()
	if _, err := db.Graphs().Degrees(ctx, "social"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"DESCRIBE GRAPH social", "EXPORT WALKS OF social USING dp_walker INTO FILE 'x'", "EMBED social USING dp_walker AS w", "RECONSTRUCT pos RADIUS 9 INTO GRAPH g", "GENERATE preferential_attachment(n := 100, m := 3) INTO g"} {
		_, err := db.Query(ctx, text, nil)
		var limit *fault.LimitError
		if !errors.As(err, &limit) || limit.Limit != 600 || limit.Need <= 600 || limit.Field != "MemoryLimit" {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Every long statement checks for a context that has ended.
func TestDB_Cancelled(t *testing.T) {
	db := querytest.Open(t, &query.Options{Input: strings.NewReader("x y\n")})
	querytest.TwoTriangles(t, db)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, h := range query.Helps() {
		if _, err := db.Query(ctx, h.Example, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", h.Example, err)
		}
	}
	// So do statements while their rows are streamed.
	pairs := filepath.Join(t.TempDir(), "pairs")
	if err := os.WriteFile(pairs, []byte(strings.Repeat("a b\n", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	rows, err := db.Query(ctx, "SCORE FILE $f WITH jaccard", map[string]any{"f": pairs})
	if err != nil || !rows.Next() {
		t.Fatal(err)
	}
	cancel()
	for rows.Next() {
	}
	if !errors.Is(rows.Err(), context.Canceled) {
		t.Errorf("cancelled rows end with %v", rows.Err())
	}
}

// A cancelled import leaves nothing.
func TestDB_Import_CancelledWhileReading(t *testing.T) {
	db := querytest.Open(t, nil)
	ctx, cancel := context.WithCancel(context.Background())
	in := io.MultiReader(strings.NewReader("a b\n"), readerFunc(func([]byte) (int, error) { cancel(); return 0, nil }))
	if _, err := db.Graphs().ImportReader(ctx, in, graphs.ImportRequest{Graph: "g"}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if _, err := db.Graphs().Describe(context.Background(), graphs.DescribeGraphRequest{Graph: "g"}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("the graph of a cancelled import: %v", err)
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// errors.Is and errors.As find the errors of every layer.
func TestDB_ErrorsAnswerIs(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.TwoTriangles(t, db)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bad"), []byte("a b\nc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	params := map[string]any{"bad": filepath.Join(dir, "bad"), "none": filepath.Join(dir, "none"), "dir": dir}
	for text, target := range map[string]error{
		"DESCRIBE GRAPH x":                   storage.ErrNotFound,
		"NEAREST 1 TO 'x' USING pos":         storage.ErrNotFound,
		"NEAREST 1 TO 'a' USING x":           storage.ErrNotFound,
		"CREATE GRAPH social":                storage.ErrExists,
		"DROP GRAPH social":                  storage.ErrInUse,
		"CREATE GRAPH \"\x01\"":              storage.ErrName,
		"IMPORT $bad INTO g":                 format.ErrSyntax,
		"IMPORT $none INTO g":                os.ErrNotExist,
		"IMPORT $dir INTO g":                 atomicfile.ErrNotRegular,
		"EXPORT GRAPH social INTO FILE $bad": atomicfile.ErrExists,
		"NEAREST 0 TO 'a' USING pos":         fault.ErrInvalid,
		"SELECT 1":                           parser.ErrSyntax,
	} {
		if _, err := db.Query(context.Background(), text, params); !errors.Is(err, target) {
			t.Errorf("%s: %v is no %v", text, err, target)
		}
	}
	_, err := db.Vectors().Nearest(context.Background(), vectors.NearestRequest{K: 1, Vertex: "alcie", Embedding: "pos"})
	var mistake *fault.Error
	if !errors.As(err, &mistake) || mistake.Start.Line != 0 || strings.Contains(err.Error(), "line") {
		t.Errorf("an error without a text has a position: %v", err)
	}
}

// The typed methods and the statements give the same answers.
func TestDB_StatementsEqualMethods(t *testing.T) {
	db := querytest.Open(t, nil)
	querytest.TwoTriangles(t, db)
	ctx := context.Background()
	table := func(text string) string {
		t.Helper()
		rows, err := db.Query(ctx, text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var b strings.Builder
		for rows.Next() {
			fmt.Fprintln(&b, rows.Row()...)
		}
		return b.String()
	}
	nearest, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{K: 3, Vertex: "a", Embedding: "pos", Where: func(c where.Candidate) bool { return !c.Linked && c.Degree >= 2 }})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, n := range nearest.Neighbors {
		fmt.Fprintln(&b, n.Vertex, n.Value)
	}
	if got := table("NEAREST 3 TO 'a' USING pos WHERE NOT linked AND degree >= 2"); got != b.String() {
		t.Errorf("NEAREST: %q, method %q", got, b.String())
	}
	scored, err := db.Links().Score(ctx, links.ScoreRequest{Pairs: []links.Pair{{Source: "a", Target: "d"}, {Source: "b", Target: "c"}}, With: []catalogue.Scorer{{Name: "adamic_adar"}, {Name: "l2", Embedding: "pos"}}})
	if err != nil {
		t.Fatal(err)
	}
	b.Reset()
	for _, p := range scored.Pairs {
		fmt.Fprintln(&b, p.Row()...)
	}
	if got := table("SCORE ('a', 'd'), ('b', 'c') WITH adamic_adar, l2(pos)"); got != b.String() {
		t.Errorf("SCORE: %q, method %q", got, b.String())
	}
	reconstructed, err := db.Vectors().Reconstruct(ctx, vectors.ReconstructRequest{Embedding: "pos", Auto: true, Criterion: evaluate.ByF1})
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintln(sweep.PointRow(reconstructed.Points[reconstructed.Best], reconstructed.Null)...)
	if got := table("RECONSTRUCT pos AUTO WITH (criterion := 'f1')"); got != want {
		t.Errorf("RECONSTRUCT: %q, method %q", got, want)
	}
	evaluated, err := db.Vectors().EvaluateReconstruction(ctx, vectors.EvaluateReconstructionRequest{Embedding: "pos", Criterion: evaluate.ByF1})
	if err != nil {
		t.Fatal(err)
	}
	want = fmt.Sprintln(sweep.EvaluationRow(evaluated.Points[evaluated.Best], evaluated.Null)...)
	if got := table("EVALUATE RECONSTRUCTION OF pos WITH (criterion := 'f1')"); got != want {
		t.Errorf("EVALUATE RECONSTRUCTION: %q, method %q", got, want)
	}
	links, err := db.Studies().EvaluateLinks(ctx, studies.EvaluateLinksRequest{
		Graph: "social", Methods: []studies.LinkMethod{{Method: "laplacian_eigenmaps", Settings: map[string]any{"dim": 2}}}, Share: 0.5, Seed: 3,
		Scorers: []string{"jaccard", "l2"}, Features: []string{"l1"}, HitsAt: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	want = ""
	for i, scorer := range []string{"<nil> jaccard", "laplacian_eigenmaps(dim := 2) l2", "laplacian_eigenmaps(dim := 2) logistic(l1)"} {
		s := links.Scores[i]
		want += fmt.Sprintln(scorer, s.Negatives, cells.Number(s.AUC), cells.Number(s.AveragePrecision), cells.Number(s.Precision), cells.Number(s.Recall), cells.Number(s.F1), cells.Number(s.Hits))
	}
	if got := table("EVALUATE LINKS IN social USING laplacian_eigenmaps(dim := 2) WITH (share := 0.5, seed := 3, scorers := 'jaccard,l2', features := 'l1', hits := 1)"); got != want {
		t.Errorf("EVALUATE LINKS: %q, method %q", got, want)
	}
	table("UPDATE VERTEX 'a', 'b' SET kind := 'x,y' IN social")
	table("UPDATE VERTEX 'c', 'd' SET kind := 'y' IN social")
	labels, err := db.Studies().EvaluateLabels(ctx, studies.EvaluateLabelsRequest{
		Embedding: "pos", Attribute: "kind", Separator: ",", Fractions: []float64{0.5}, Seeds: 3, Seed: 1, Penalty: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	score := labels.Scores[0]
	want = fmt.Sprintln(0.5, 2, 2, score.MicroF1.Mean, score.MicroF1.Deviation, score.MacroF1.Mean, score.MacroF1.Deviation, score.Accuracy.Mean, score.Accuracy.Deviation)
	if got := table("EVALUATE LABELS 'kind' OF pos WITH (separator := ',', fractions := '0.5', seeds := 3, seed := 1, penalty := 2)"); got != want {
		t.Errorf("EVALUATE LABELS: %q, method %q", got, want)
	}
	if got := fmt.Sprint(labels.Classes, labels.Labelled, labels.Unlabelled, labels.New); got != "[x y] 4 2 0" {
		t.Errorf("EVALUATE LABELS: %s", got)
	}
	if got := strings.Count(table("RECONSTRUCT pos AUTO WITH (criterion := 'f1', sweep := TRUE)"), "\n"); got != len(reconstructed.Points) {
		t.Errorf("RECONSTRUCT with sweep: %d rows of %d points", got, len(reconstructed.Points))
	}
}

// A DB over a store that is already open answers like any other, and closes the store.
func TestNew_OverAnOpenStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.ht")
	store, err := storage.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := query.New(nil, nil); !errors.Is(err, storage.ErrInvalid) {
		t.Errorf("New without a store: %v", err)
	}
	if _, err := query.New(store, &query.Options{Workers: -1}); err == nil {
		t.Error("wrong options are taken")
	}
	db, err := query.New(store, nil)
	if err != nil {
		t.Fatal(err)
	}
	querytest.TwoTriangles(t, db)
	if found, err := db.Vectors().Nearest(t.Context(), vectors.NearestRequest{K: 1, Vertex: "a", Embedding: "pos"}); err != nil || found.Neighbors[0].Vertex != "b" {
		t.Errorf("%v, %v", found.Neighbors, err)
	}
	querytest.MustBeSound(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Graphs(t.Context()); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("the store answers after Close: %v", err)
	}

	if store, err = storage.Open(path, &storage.Options{ReadOnly: true}); err != nil {
		t.Fatal(err)
	}
	if db, err = query.New(store, nil); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Graphs().Create(t.Context(), "g"); !errors.Is(err, storage.ErrReadOnly) || !db.ReadOnly() {
		t.Errorf("a statement that writes to a store that is open for reading: %v", err)
	}
}

// An error of Open names the file once, without the layers, and has a remedy.
func TestOpen_ErrorsSayWhatToDo(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.ht")
	_, err := query.Open(missing, &query.Options{NoCreate: true})
	if !errors.Is(err, fs.ErrNotExist) || strings.Count(err.Error(), "missing.ht") != 1 {
		t.Errorf("a missing file: %v", err)
	}
	for _, tt := range []struct {
		cause error
		want  string
	}{
		{fs.ErrNotExist, `open "f.ht": file does not exist; give the path`},
		{fs.ErrPermission, `open "f.ht": permission denied; change the permissions`},
		{syscall.EROFS, `open "f.ht": ` + syscall.EROFS.Error() + "; its file system cannot be written"},
	} {
		below := fmt.Errorf("storage: open: %w", &fs.PathError{Op: "open", Path: "f.ht", Err: tt.cause})
		if err := fault.OpenError("f.ht", below); !errors.Is(err, tt.cause) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%v becomes %v", below, err)
		}
	}
	locked := &storage.FileError{Path: "f.ht", Err: storage.ErrLocked, Remedy: "close it"}
	if err := fault.OpenError("f.ht", locked); !errors.Is(err, storage.ErrLocked) || err.Error() != `"f.ht": file is locked; close it` {
		t.Errorf("a locked file: %v", err)
	}
}

// Memory is a new store for each call of Open, of which nothing is left when it is closed.
func TestOpen_Memory(t *testing.T) {
	for _, name := range []string{"TMPDIR", "TMP"} {
		t.Setenv(name, t.TempDir())
	}
	folder := os.TempDir()
	t.Chdir(t.TempDir())
	var open []*query.DB
	for range 2 {
		db, err := query.Open(query.Memory, nil)
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, db)
		if _, err := db.Query(t.Context(), "CREATE GRAPH g", nil); err != nil {
			t.Error(err)
		}
	}
	for _, db := range open {
		if err := errors.Join(db.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	}
	for _, place := range []string{folder, "."} {
		if left, err := os.ReadDir(place); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, %v", place, left, err)
		}
	}
	if _, err := query.Open(query.Memory, &query.Options{ReadOnly: true}); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("for reading only: %v", err)
	}
}
