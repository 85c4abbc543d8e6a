package query

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/query/fault"
	"heavytail/query/parser"
	"heavytail/query/studies"
	"heavytail/storage"
)

// partOf writes a range of trials of a statement, and returns a function that opens them.
func partOf(t *testing.T, db *DB, statement string, first, count int64) func() (io.ReadCloser, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "part")
	if err := db.Studies().WriteTrials(t.Context(), studies.TrialsRequest{Statement: mustParse(t, statement), First: first, Count: count, Path: path}); err != nil {
		t.Fatal(err)
	}
	return func() (io.ReadCloser, error) { return os.Open(path) }
}

func mustParse(t *testing.T, text string) parser.Statement {
	t.Helper()
	s, err := parser.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDB_RunTrials expects errors for parts of other statements, in the wrong order, or
// incomplete.
func TestDB_RunTrials(t *testing.T) {
	t.Parallel()
	db := openTest(t, nil)
	attached(t, db)
	const statement, other = "EVALUATE LINKS IN pa WITH (splits := 4, training := 50)", "EVALUATE LINKS IN pa WITH (splits := 4, training := 50, seed := 1)"
	if n, err := db.Studies().Trials(t.Context(), mustParse(t, statement)); n != 4 || err != nil {
		t.Fatalf("%d trials, %v", n, err)
	}
	type part = func() (io.ReadCloser, error)
	a, b, c, none := partOf(t, db, statement, 0, 1), partOf(t, db, statement, 1, 3), partOf(t, db, statement, 1, 2), partOf(t, db, statement, 4, 0)
	text := func(p part) string {
		file, err := p()
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		all, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(all)
	}
	written := func(text string) part {
		return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }
	}
	ended := errors.New("the end")
	for what, of := range map[string]struct {
		parts []part
		want  error
	}{
		"all":                {[]part{a, b, none}, nil},
		"none":               {nil, storage.ErrInvalid},
		"one missing":        {[]part{a, c}, storage.ErrInvalid},
		"other order":        {[]part{b, a}, storage.ErrInvalid},
		"twice":              {[]part{a, a, b}, storage.ErrInvalid},
		"one too many":       {[]part{a, b, b}, storage.ErrInvalid},
		"another seed":       {[]part{a, partOf(t, db, other, 1, 3)}, storage.ErrInvalid},
		"cut off":            {[]part{a, written(text(b)[:len(text(b))/2])}, storage.ErrInvalid},
		"a trial is missing": {[]part{a, written(strings.Join(strings.SplitAfter(text(b), "\n")[:3], ""))}, storage.ErrInvalid},
		"a trial too many":   {[]part{written(text(a) + "{}\n"), b}, storage.ErrInvalid},
		"no text":            {[]part{written(""), b}, storage.ErrInvalid},
		"another form":       {[]part{written(strings.Replace(text(a), "trials 1", "trials 2", 1)), b}, storage.ErrInvalid},
		"no trials, damaged": {[]part{a, b, written(text(none) + "{")}, storage.ErrInvalid},
		"not opened":         {[]part{a, func() (io.ReadCloser, error) { return nil, ended }}, ended},
	} {
		rows, err := db.Studies().RunTrials(t.Context(), mustParse(t, statement), of.parts)
		if !errors.Is(err, of.want) || (err == nil) != (of.want == nil) {
			t.Errorf("%s: %v", what, err)
		}
		if err == nil {
			rows.Close()
		}
	}
	before := []part{a, b}
	mustExec(t, db, "INSERT EDGE ('0', 'new') INTO pa")
	if _, err := db.Studies().RunTrials(t.Context(), mustParse(t, statement), before); !errors.Is(err, storage.ErrInvalid) || !strings.Contains(fmt.Sprint(err), "version 1") {
		t.Errorf("a different version of the graph: %v", err)
	}
}

// Every call that takes a parsed statement returns an Error if it is nil.
func TestDB_NilStatement(t *testing.T) {
	t.Parallel()
	db := openTest(t, nil)
	_, run := db.Run(t.Context(), nil, nil)
	_, trials := db.Studies().Trials(t.Context(), nil)
	_, runTrials := db.Studies().RunTrials(t.Context(), nil, nil)
	for i, err := range []error{run, trials, runTrials, db.Studies().WriteTrials(t.Context(), studies.TrialsRequest{Path: filepath.Join(t.TempDir(), "part")})} {
		if mistake := new(fault.Error); !errors.As(err, &mistake) || mistake.Error() != "no statement is given" {
			t.Errorf("call %d: %v", i, err)
		}
	}
}

// TestDB_WriteTrials_Errors expects errors for statements without trials, and for numbers out
// of range.
func TestDB_WriteTrials_Errors(t *testing.T) {
	t.Parallel()
	db := openTest(t, nil)
	attached(t, db)
	path := filepath.Join(t.TempDir(), "part")
	for _, req := range []studies.TrialsRequest{
		{Statement: mustParse(t, "SHOW GRAPHS"), Path: path},
		{Statement: mustParse(t, "EVALUATE LINKS IN ap"), Path: path},
		{Statement: mustParse(t, "EVALUATE LINKS IN pa INTO FILE 'x.csv'"), Path: path},
		{Statement: mustParse(t, "EVALUATE LINKS IN pa"), First: -1, Path: path},
		{Statement: mustParse(t, "EVALUATE LINKS IN pa"), First: 1, Count: 1, Path: path},
		{Statement: mustParse(t, "EVALUATE LINKS IN pa"), Count: 2, Path: path},
		{Statement: mustParse(t, "EVALUATE LINKS IN pa"), Count: -1, Path: path},
	} {
		var mistake *fault.Error
		if err := db.Studies().WriteTrials(t.Context(), req); !errors.As(err, &mistake) {
			t.Errorf("%s: error %v, want an *Error", req.Statement, err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s: a file was left", req.Statement)
		}
	}
}

// TestDB_Trials_Cores expects the same bytes with any number of workers, and for a trial alone
// and in a range.
func TestDB_Trials_Cores(t *testing.T) {
	t.Parallel()
	db := openTest(t, nil)
	attached(t, db)
	for _, statement := range []string{
		"EVALUATE LINKS IN pa USING fastrp(dim := 4) WITH (splits := 2, null_graph := TRUE, training := 50)",
		"EVALUATE PARAMETERS IN pa USING dp_spectral(dim := 4) WITH (dim := '3,6', scale := '0.5', beta := '0', points := 4)",
	} {
		all, err := db.Studies().Trials(t.Context(), mustParse(t, statement))
		if err != nil || all < 4 {
			t.Fatalf("%d, %v", all, err)
		}
		lines := func(first, count int64) []string {
			file, err := partOf(t, db, statement, first, count)()
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			text, err := io.ReadAll(file)
			if err != nil {
				t.Fatal(err)
			}
			return strings.SplitAfter(string(text), "\n")[1 : 1+count]
		}
		want := lines(0, all)
		for i := range all {
			db.e.Opts.Workers = 1 + int(i)%3
			if got := lines(i, 1); !slices.Equal(got, want[i:i+1]) {
				t.Errorf("%s: trial %d alone is %s, in the range %s", statement, i, got, want[i])
			}
		}
	}
}
