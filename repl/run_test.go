package repl

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"heavytail/.ci/leaktest"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
)

// ownProcess does nothing in a usual run. If the test binary was started as a child
// process of a test, ownProcess does the work of the child and exits.
var ownProcess = func() {}

func TestMain(m *testing.M) {
	ownProcess()
	leaktest.Main(m)
}

var update = flag.Bool("update", false, "rewrite golden files")

// result is what the fake executor answers.
type result struct {
	columns []string
	rows    [][]rows.Value
	err     error // returned after the rows
	notices []rows.Notice
	more    func(i int) []rows.Value // makes row i instead of rows, nil at the end
	at      int
	row     []rows.Value
	closed  bool
}

func (r *result) Columns() []string { return r.columns }
func (r *result) Row() []rows.Value { return r.row }
func (r *result) ColumnTypes() []rows.ColumnType {
	return make([]rows.ColumnType, len(r.columns))
}
func (r *result) Notices() []rows.Notice { return r.notices }
func (r *result) Close() error           { r.closed = true; return nil }

func (r *result) Next() bool {
	r.row = nil
	switch {
	case r.more != nil:
		r.row = r.more(r.at)
	case r.at < len(r.rows):
		r.row = r.rows[r.at]
	}
	r.at++
	return r.row != nil
}

func (r *result) Err() error {
	if r.row != nil {
		return nil
	}
	return r.err
}

// answers are the results of the statements that the sessions run.
func answers(_ context.Context, r query.Request) (tabular, error) {
	st, err := r.Parse()
	if err != nil {
		return nil, err // which the session has seen already
	}
	params := r.Params
	switch text := parser.Text(st); text {
	case "CREATE GRAPH g":
		return &result{}, nil
	case "SHOW GRAPHS":
		return &result{
			columns: []string{"text", "integer", "float", "boolean", "nothing", "mixed"},
			rows: [][]rows.Value{
				{"plain", int64(math.MaxInt64), 0.30000000000000004, true, nil, "a"},
				{"größe 世界 e\u0301", int64(math.MinInt64), 1e-7, false, nil, int64(1)},
				{"", int64(0), 1234567.8, nil, nil, nil},
				{"two words, \"quoted\"", nil, 3.0, true, nil, 0.5},
				{"a|b <i>_c_ d_e*`", int64(-12), math.Inf(1), true, nil, true},
				{" ", int64(7), math.NaN(), true, nil, 1e21},
			},
		}, nil
	case "SHOW EMBEDDINGS":
		return &result{columns: []string{"hostile\u202e"}, rows: [][]rows.Value{
			{"\x1b]52;c;aGk=\x07"}, {"\x1b[2J"}, {"line\r\nbreak\ttab"}, {"\xff\xfe"}, {"user\u202egpj.exe"},
			{"zero\u200bwidth"}, {"NUL\x00"}, {"\u009b31m"}, {`back\slash`}, {"DEL\x7f"},
		}}, nil
	case "SHOW METHODS":
		return &result{columns: []string{"name"}, rows: [][]rows.Value{{""}, {nil}, {"x"}}}, nil
	case "SHOW SCORERS":
		return &result{
			columns: []string{"source", "score"}, rows: [][]rows.Value{{"a", 0.5}}, err: errors.New("pairs.csv: line 2: no comma"),
		}, nil
	case "SHOW GENERATORS":
		return &result{columns: []string{"name", "summary"}}, nil
	case "DESCRIBE GRAPH g":
		return &result{
			columns: []string{"vertices", "edges"}, rows: [][]rows.Value{{int64(3), int64(2)}},
			notices: []rows.Notice{{Text: "the embedding \x1b[31mspec is 2 versions behind"}},
		}, nil
	case "DESCRIBE GRAPH $g":
		return &result{columns: []string{"param"}, rows: [][]rows.Value{{params["g"]}}}, nil
	case "CHECK":
		return nil, errors.Join(errors.New("first fault in \x1b[31mred"), errors.New("second fault"))
	}
	if drop, ok := st.(*parser.DropGraph); ok {
		return nil, fmt.Errorf("query: %w", &fault.Error{
			Range: drop.Graph.Range, Message: fmt.Sprintf("unknown graph %q", drop.Graph.Name), Nearest: `"g"`,
		})
	}
	if _, ok := st.(*parser.Help); ok {
		return &result{columns: []string{"statement"}, rows: [][]rows.Value{{params["p"]}}}, nil
	}
	return nil, fmt.Errorf("no answer to %s", st)
}

// transcript is a file of testdata: options of Config in its first line, then the
// script, what was written to both streams, and the error of Run, each behind a
// line with its name.
type transcript struct{ options, in, out, err, end string }

const sectionIn, sectionOut, sectionErr, sectionEnd = "-- in --\n", "-- out --\n", "-- err --\n", "-- returned --\n"

func readTranscript(t *testing.T, file string) transcript {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var s transcript
	var rest string
	s.options, rest, _ = strings.Cut(string(text), sectionIn)
	s.in, rest, _ = strings.Cut(rest, sectionOut)
	s.out, rest, _ = strings.Cut(rest, sectionErr)
	s.err, s.end, _ = strings.Cut(rest, sectionEnd)
	return s
}

func (s transcript) String() string {
	return s.options + sectionIn + s.in + sectionOut + s.out + sectionErr + s.err + sectionEnd + s.end
}

// TestRun_Sessions runs each testdata/*.session and compares all it writes.
func TestRun_Sessions(t *testing.T) {
	files, err := filepath.Glob("testdata/*.session")
	if err != nil || len(files) == 0 {
		t.Fatalf("found sessions %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".session"), func(t *testing.T) {
			want := readTranscript(t, file)
			config := &Config{Params: map[string]any{"p": "value"}}
			for _, word := range strings.Fields(want.options) {
				name, value, _ := strings.Cut(word, "=")
				switch name {
				case "format":
					config.Format = Format(value)
				case "name":
					config.Name = value
				case "keepgoing":
					config.KeepGoing = true
				}
			}
			for _, oneByOne := range []bool{false, true} {
				config.In = strings.NewReader(want.in)
				if oneByOne {
					config.In = iotest.OneByteReader(config.In)
				}
				var out, status bytes.Buffer
				config.Out, config.Status = &out, NewStatus(&status, Terminal{})
				end := "nil"
				if err := run(t.Context(), config, answers); err != nil {
					end = err.Error()
				}
				got := transcript{want.options, want.in, out.String(), status.String(), end + "\n"}
				if *update {
					if err := os.WriteFile(file, []byte(got.String()), 0o644); err != nil {
						t.Fatal(err)
					}
				} else if got != want {
					t.Errorf("one byte at a time: %v. Got\n%s", oneByOne, got)
				}
			}
		})
	}
}

// TestRun_AsSoonAsComplete answers a statement before the next one is written.
func TestRun_AsSoonAsComplete(t *testing.T) {
	in, script := io.Pipe()
	answer, out := io.Pipe()
	ended := make(chan error)
	go func() {
		config := &Config{In: in, Out: out, Format: JSON, Status: NewStatus(io.Discard, Terminal{})}
		err := run(context.Background(), config, answers)
		out.CloseWithError(io.EOF)
		ended <- err
	}()
	for range 3 {
		if _, err := io.WriteString(script, "CREATE GRAPH g;"); err != nil {
			t.Fatal(err)
		}
		line := make([]byte, len("[]\n"))
		if _, err := io.ReadFull(answer, line); err != nil {
			t.Fatal(err)
		}
	}
	script.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// million answers any statement with a million rows.
func million(context.Context, query.Request) (tabular, error) {
	row := make([]rows.Value, 3)
	return &result{columns: []string{"source", "target", "score"}, more: func(i int) []rows.Value {
		if i == 1_000_000 {
			return nil
		}
		row[0], row[1], row[2] = "somebody", int64(i), float64(i)/3
		return row
	}}, nil
}

// peak is a writer that measures the heap while it is written to.
type peak struct {
	written, most uint64
}

func (w *peak) Write(p []byte) (int, error) {
	if before := w.written; (before+uint64(len(p)))>>22 > before>>22 { // every 4 MiB
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		w.most = max(w.most, m.HeapAlloc)
	}
	w.written += uint64(len(p))
	return len(p), nil
}

// TestRun_BoundedMemory writes a million rows, some 40 MB, in each format and
// measures what stays allocated meanwhile.
func TestRun_BoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("a million rows in every format take seconds")
	}
	for _, format := range Formats() {
		out := &peak{}
		var before runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		config := &Config{In: strings.NewReader("CHECK"), Out: out, Format: Format(format), Status: NewStatus(io.Discard, Terminal{})}
		if err := run(t.Context(), config, million); err != nil {
			t.Fatal(err)
		}
		if out.written < 20_000_000 || out.most == 0 {
			t.Errorf("%s: wrote only %d bytes", format, out.written)
		}
		if more := int64(out.most) - int64(before.HeapAlloc); more > 2<<20 {
			t.Errorf("%s: %d bytes stay allocated while rows are written", format, more)
		}
	}
}

// TestRun_OutFails ends the run at the error of the writer, and prints nothing.
func TestRun_OutFails(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, format := range Formats() {
		r := &result{columns: []string{"n"}, more: func(i int) []rows.Value { return []rows.Value{int64(i)} }} // no end
		var status bytes.Buffer
		config := &Config{
			In: strings.NewReader("CHECK; CHECK"), Out: failingWriter{broken}, Format: Format(format),
			Status: NewStatus(&status, Terminal{}), KeepGoing: true,
		}
		statements := 0
		err := run(t.Context(), config, func(context.Context, query.Request) (tabular, error) {
			statements++
			return r, nil
		})
		if !errors.Is(err, broken) || statements != 1 || !r.closed || status.Len() > 0 {
			t.Errorf("%s: got error %v after %d statements, rows closed: %v, status %q", format, err, statements, r.closed, &status)
		}
		var failure *Failure
		if errors.As(err, &failure) {
			t.Errorf("%s: the writer's error counts as a failed statement: %v", format, err)
		}
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// TestRun_Cancelled cancels while a statement runs, between two rows, and while
// the next statement is awaited.
func TestRun_Cancelled(t *testing.T) {
	t.Run("statement", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var status bytes.Buffer
		config := &Config{In: strings.NewReader("CHECK; CHECK"), Out: io.Discard, Status: NewStatus(&status, Terminal{}), KeepGoing: true}
		err := run(ctx, config, func(ctx context.Context, _ query.Request) (tabular, error) {
			cancel()
			<-ctx.Done()
			return nil, fmt.Errorf("query: check: %w", ctx.Err())
		})
		var failure *Failure
		if !errors.As(err, &failure) || failure.Count != 1 || !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v", err)
		}
		if got, want := status.String(), "error: line 1: cancelled; the file is as it was before this statement\n"; got != want {
			t.Errorf("got status %q, want %q", got, want)
		}
	})
	t.Run("job", func(t *testing.T) {
		var status bytes.Buffer
		config := &Config{In: strings.NewReader("CHECK"), Out: io.Discard, Status: NewStatus(&status, Terminal{})}
		err := run(t.Context(), config, func(context.Context, query.Request) (tabular, error) {
			return nil, fmt.Errorf("EMBED: %w", &fault.JobError{Job: 7, Err: context.Canceled})
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v", err)
		}
		if got, want := status.String(), "error: line 1: cancelled; RESUME JOB 7 continues from its checkpoint\n"; got != want {
			t.Errorf("got status %q, want %q", got, want)
		}
	})
	t.Run("rows", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var out bytes.Buffer
		config := &Config{In: strings.NewReader("CHECK; CHECK"), Out: &out, Format: JSON, Status: NewStatus(io.Discard, Terminal{})}
		err := run(ctx, config, func(ctx context.Context, _ query.Request) (tabular, error) {
			r := &result{columns: []string{"n"}}
			r.more = func(i int) []rows.Value {
				if i == 2 {
					cancel()
					r.err = ctx.Err()
					return nil
				}
				return []rows.Value{int64(i)}
			}
			return r, nil
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got error %v", err)
		}
		if got, want := out.String(), `[{"n":0},{"n":1}`+"\n"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("input", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		in, script := io.Pipe()
		defer script.Close() // ends the read that was left behind
		slow := &awaited{Reader: in, reading: make(chan struct{}, 1)}
		go func() {
			<-slow.reading
			cancel()
		}()
		err := run(ctx, &Config{In: slow, Out: io.Discard, Status: NewStatus(io.Discard, Terminal{})}, answers)
		var failure *Failure
		if !errors.Is(err, context.Canceled) || errors.As(err, &failure) {
			t.Errorf("got error %v", err)
		}
	})
}

// awaited signals when it is being read.
type awaited struct {
	io.Reader
	reading chan struct{}
}

func (r *awaited) Read(p []byte) (int, error) {
	select {
	case r.reading <- struct{}{}:
	default:
	}
	return r.Reader.Read(p)
}

func TestRun_InFails(t *testing.T) {
	in := io.MultiReader(strings.NewReader("CHECK; SHOW GRAPHS"), iotest.ErrReader(iotest.ErrTimeout))
	err := run(t.Context(), &Config{In: in, Out: io.Discard, Status: NewStatus(io.Discard, Terminal{}), KeepGoing: true}, answers)
	var failure *Failure
	if !errors.Is(err, iotest.ErrTimeout) || !errors.As(err, &failure) || failure.Count != 1 {
		t.Errorf("got error %v, want that of the reader and one failed statement", err)
	}
}

func TestConfig_Validate(t *testing.T) {
	err := Run(t.Context(), Config{Format: "tabel"})
	for _, want := range []string{"DB is missing", "In is missing", "Out is missing", "Status is missing", `unknown format "tabel"`, "did you mean table?"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want %q in it", err, want)
		}
	}
	if !errors.Is(err, ErrFormat) {
		t.Errorf("%v is no ErrFormat", err)
	}
}

func TestParseFormat(t *testing.T) {
	for _, name := range Formats() {
		if f, err := ParseFormat(strings.ToUpper(name)); err != nil || string(f) != name {
			t.Errorf("got %v, %v for %s", f, err, name)
		}
	}
}

// TestRun_Database runs statements on a real file, from errors of the language
// to rows.
func TestRun_Database(t *testing.T) {
	var out, status bytes.Buffer
	s := NewStatus(&status, Terminal{})
	db, err := query.Open(filepath.Join(t.TempDir(), "test.ht"), &query.Options{Progress: s.Progress})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	config := Config{
		DB: db, Out: &out, Status: s, Format: JSON, KeepGoing: true, Params: map[string]any{"n": int64(30)},
		In: strings.NewReader("GENERATE preferential_attachment(n := $n, m := 2) INTO g;\nDESCRIBE GRAPH gg;\nSHOW GRAPS; DROP GRAPH g"),
	}
	err = Run(t.Context(), config)
	var failure *Failure
	if !errors.As(err, &failure) || failure.Count != 2 {
		t.Errorf("got error %v, want two failed statements", err)
	}
	if got := strings.Count(out.String(), "\n"); got != 2 || !strings.Contains(out.String(), `[{"graph":"g","vertices":30,`) {
		t.Errorf("got rows %q", &out)
	}
	for _, want := range []string{"line 2, column 16: ", "\n  DESCRIBE GRAPH gg;\n                 ^^\n", "line 3, column 6: "} {
		if !strings.Contains(status.String(), want) {
			t.Errorf("got status %q, want %q in it", &status, want)
		}
	}
}

// TestCommands_Manual expects every command on the page of the manual about the shell.
func TestCommands_Manual(t *testing.T) {
	text, err := os.ReadFile("../cmd/heavytail/manual/shell.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands() {
		if !strings.Contains(string(text), "`"+c.name) {
			t.Errorf("the manual does not have %s", c.name)
		}
	}
}

// The ending of a file of .once sets the format of the one result; .mode behind it is
// stronger.
func TestRun_OnceEndings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := query.Open(filepath.Join(dir, "once.ht"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Graphs().Create(t.Context(), "g"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"a.csv": "vertices\n0\n", "a.TSV": "vertices\n0\n", "a.json": `[{"vertices":0}]`, "a.ndjson": "{\"vertices\":0}\n", "a.md": "| -", "a.txt": "vertices = 0",
	} {
		var out, messages bytes.Buffer
		path := filepath.Join(dir, name)
		script := ".mode line\n.once '" + path + "'\nCOUNT VERTICES IN g;\nCOUNT VERTICES IN g;\n.once '" + path + ".csv'\n.mode json\nCOUNT VERTICES IN g;\n.once '" + path + ".csv'\n.output\nCOUNT VERTICES IN g;\n"
		if err := Run(t.Context(), Config{DB: db, In: strings.NewReader(script), Out: &out, Status: NewStatus(&messages, Terminal{})}); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q, %v", name, text, err)
		}
		if text, err := os.ReadFile(path + ".csv"); err != nil || len(text) > 0 {
			t.Errorf("%s.csv: %q, %v", name, text, err)
		}
		if got := out.String(); !strings.Contains(got, "vertices = 0\n") || !strings.HasSuffix(got, "]\n") && !strings.HasSuffix(got, "}\n") {
			t.Errorf("%s: printed %q", name, got)
		}
	}
	for _, ending := range append(format.ColumnarEndings(), atomicfile.Compressions()...) {
		name := "a.csv" + ending
		var messages bytes.Buffer
		err := Run(t.Context(), Config{DB: db, In: strings.NewReader(".once " + filepath.Join(dir, name)), Out: io.Discard, Status: NewStatus(&messages, Terminal{})})
		if err == nil || !strings.Contains(messages.String()+err.Error(), "INTO FILE") {
			t.Errorf("%s: %v, %s", name, err, messages.String())
		}
		if _, err := os.Stat(filepath.Join(dir, name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was made: %v", name, err)
		}
	}
}

// .once writes the result of one statement into a file and ends with it, even if the
// statement fails. .tables lists graphs and embeddings.
func TestRun_Once(t *testing.T) {
	t.Parallel()
	db, err := query.Open(filepath.Join(t.TempDir(), "once.ht"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	first, second := filepath.Join(t.TempDir(), "first.csv"), filepath.Join(t.TempDir(), "second.csv")
	script := "CREATE GRAPH g;\n.once '" + first + "'\nCOUNT VERTICES IN g;\nCOUNT VERTICES IN g;\n.once '" + second + "'\nCOUNT VERTICES IN h;\n.tables\n"
	var out, messages bytes.Buffer
	err = Run(t.Context(), Config{DB: db, In: strings.NewReader(script), Out: &out, Status: NewStatus(&messages, Terminal{}), Format: CSV, KeepGoing: true})
	var failure *Failure
	if !errors.As(err, &failure) || failure.Count != 1 {
		t.Errorf("the error is %v", err)
	}
	if text, err := os.ReadFile(first); err != nil || string(text) != "vertices\n0\n" {
		t.Errorf("the file has %q, %v", text, err)
	}
	if got := out.String(); !strings.HasPrefix(got, "vertices\n0\n") || !strings.Contains(got, "\ngraph,") || !strings.Contains(got, "\nembedding,") {
		t.Errorf("printed\n%s\n%s", got, messages.String())
	}
}
