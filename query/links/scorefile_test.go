package links_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/storage/atomicfile"
	"heavytail/storage/format"
)

// writePairs writes pairs of the vertices v0 … v59, some of them unknown, with an additional
// column.
func writePairs(t *testing.T, n int) string {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, "v%d,v%d,n%d\n", i%67, i*31%61, i%10)
	}
	path := filepath.Join(t.TempDir(), "pairs.csv")
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// writeScores is the simplest possible writer of scores.
func writeScores(t *testing.T, columns []string, scored []links.ScoredPair) []byte {
	t.Helper()
	var text bytes.Buffer
	out := csv.NewWriter(&text)
	records := [][]string{append([]string{"source", "target"}, columns...)}
	for _, p := range scored {
		record := []string{p.Source, p.Target}
		for _, x := range p.Scores {
			if math.IsNaN(x) {
				record = append(record, "")
			} else {
				record = append(record, strconv.FormatFloat(x, 'g', -1, 64))
			}
		}
		records = append(records, record)
	}
	if err := out.WriteAll(records); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// TestDB_ScoreFile_Into compares the file with encoding/csv and Score, with keys that need
// quotes.
func TestDB_ScoreFile_Into(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := querytest.Open(t, &query.Options{Workers: 3})
	keys := []string{"plain", "com,ma", `quo"te`, " blank", "ümlaut", `\.`, "#number", "7", "end "}
	var edges, pairs bytes.Buffer
	var want []links.Pair
	for i, u := range keys {
		for j, v := range keys {
			want = append(want, links.Pair{Source: u, Target: v}, links.Pair{Source: u, Target: "no" + v})
			if i != j && (i+j)%3 > 0 {
				edges.WriteString(quoted(u) + "," + quoted(v) + "\n")
			}
		}
	}
	for _, p := range want {
		pairs.WriteString(quoted(p.Source) + "," + quoted(p.Target) + "\n")
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"edges.csv": edges.Bytes(), "pairs.csv": pairs.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Graphs().Import(ctx, graphs.ImportRequest{Graph: "g", Path: filepath.Join(dir, "edges.csv"), Header: format.HeaderNone, Separator: ","}); err != nil {
		t.Fatal(err)
	}
	with := []catalogue.Scorer{{Name: "common_neighbors"}, {Name: "adamic_adar"}, {Name: "katz"}}
	scores, err := db.Links().Score(ctx, links.ScoreRequest{Pairs: want, With: with})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "scores.csv")
	result, err := db.Links().Score(ctx, links.ScoreRequest{Path: filepath.Join(dir, "pairs.csv"), With: with, Header: format.HeaderNone, Separator: ",", Into: out})
	if err != nil || result.Missing != scores.Missing || int(result.Scored) != len(want) {
		t.Fatalf("%+v, %v", result, err)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if expected := writeScores(t, []string{"common_neighbors", "adamic_adar", "katz"}, scores.Pairs); !bytes.Equal(got, expected) {
		t.Errorf("wrote\n%s\nexpected\n%s", got, expected)
	}
}

// quoted returns a CSV field in quotes.
func quoted(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }

// cutReader cancels its reader after some bytes, as Ctrl-C does.
type cutReader struct {
	io.Reader
	left int
	stop func()
}

func (r *cutReader) Read(b []byte) (int, error) {
	if r.left <= 0 {
		r.stop()
	}
	n, err := r.Reader.Read(b[:min(len(b), 5000)])
	r.left -= n
	return n, err
}

// TestDB_ScoreFile_Resumed stops runs again and again, adds bytes after the last section as a
// killed process may do, and expects the bytes of an uninterrupted run.
func TestDB_ScoreFile_Resumed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: stops and resumes a job again and again")
	}
	t.Parallel()
	ctx := context.Background()
	db := querytest.Open(t, &query.Options{Workers: 2})
	querytest.Engine(db).Opts.ScoreSection = 2 * scoreBatch
	querytest.RandomSpace(t, db, querytest.Ascending(60))
	pairs := writePairs(t, 60_000)
	with := []catalogue.Scorer{{Name: "resource_allocation"}, {Name: "l2", Embedding: "e"}}
	random := rand.New(rand.NewPCG(3, 4))
	for _, ending := range []string{"", ".gz", ".zst"} {
		dir := t.TempDir()
		whole, out := filepath.Join(dir, "whole.csv"+ending), filepath.Join(dir, "scores.csv"+ending)
		first, err := db.Links().Score(ctx, links.ScoreRequest{Path: pairs, With: with, Into: whole})
		if err != nil {
			t.Fatal(err)
		}
		req := links.ScoreRequest{Path: pairs, With: with, Into: out, Resume: true}
		stopped := 0
		for range repeat.Times(3) {
			if interruptScores(t, db, req, random.IntN(700_000)) {
				stopped++
			}
			part, err := os.OpenFile(out+".part", os.O_APPEND|os.O_WRONLY, 0)
			if errors.Is(err, os.ErrNotExist) {
				continue // no section is complete yet
			}
			if err != nil {
				t.Fatal(err)
			}
			part.WriteString("v1,v2,torn line")
			part.Close()
			if _, err := db.Links().Score(ctx, links.ScoreRequest{Path: pairs, With: with, Into: out}); !errors.Is(err, atomicfile.ErrPart) {
				t.Errorf("a new run over an unfinished file: %v", err)
			}
		}
		if stopped == 0 {
			t.Error("no run was stopped")
		}
		last, err := db.Links().Score(ctx, req)
		if err != nil {
			t.Fatal(err)
		}
		want, _ := os.ReadFile(whole)
		if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, expected %d, %v", ending, len(got), len(want), err)
		}
		if last.Scored != first.Scored || last.Missing != first.Missing {
			t.Errorf("%s: %d pairs, %d missing, expected %d and %d", ending, last.Scored, last.Missing, first.Scored, first.Missing)
		}
		if names, _ := filepath.Glob(filepath.Join(dir, "*part*")); len(names) > 0 {
			t.Errorf("files were left: %v", names)
		}
	}
}

// interruptScores runs a request until it has read some bytes, and reports whether it
// was stopped.
func interruptScores(t *testing.T, db *query.DB, req links.ScoreRequest, after int) bool {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	stop := func() {
		// The workers handle the pairs that were read meanwhile: enough for one section, also
		// without the last block of the text, which is not passed on before it is full.
		for ; after >= 400_000; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(req.Into + ".part.state"); err == nil {
				break
			}
		}
		cancel()
	}
	opened := 0 // first for the names of its columns
	querytest.Engine(db).Files.Wrap = func(in io.Reader) io.Reader {
		if opened++; opened == 1 {
			return in
		}
		return &cutReader{in, after, stop}
	}
	_, err := db.Links().Score(ctx, req)
	querytest.Engine(db).Files.Wrap = nil
	if err == nil {
		if err := os.Remove(req.Into); err != nil {
			t.Fatal(err)
		}
		return false
	}
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	_, left := os.Stat(req.Into + ".part.state")
	var stopped *fault.PartError
	if interrupted := errors.As(err, &stopped); interrupted != (left == nil) || interrupted && (stopped.Pairs == 0 || stopped.File != req.Into+".part") {
		t.Errorf("error %v, files left: %v", err, left)
	}
	return true
}

// TestDB_ScoreFile_Changed expects a refusal to resume after any change of the inputs.
func TestDB_ScoreFile_Changed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := querytest.Open(t, nil)
	querytest.Engine(db).Opts.ScoreSection = scoreBatch
	querytest.RandomSpace(t, db, querytest.Ascending(60))
	pairs := writePairs(t, 60_000)
	out := filepath.Join(t.TempDir(), "scores.csv")
	req := links.ScoreRequest{Path: pairs, With: []catalogue.Scorer{{Name: "l2", Embedding: "e"}}, Into: out, Resume: true}
	if !interruptScores(t, db, req, 400_000) {
		t.Fatal("the run was not stopped")
	}
	refused := func(req links.ScoreRequest, reason string) {
		t.Helper()
		_, err := db.Links().Score(ctx, req)
		if !errors.Is(err, atomicfile.ErrPart) || !strings.Contains(err.Error(), reason) {
			t.Errorf("%v, expected %s", err, reason)
		}
	}
	other := req
	other.With = []catalogue.Scorer{{Name: "cosine", Embedding: "e"}}
	refused(other, "the scorers were different")
	other = req
	other.Path = writePairs(t, 60_000)
	refused(other, "the pairs were those of")
	other = req
	other.Header = format.HeaderNone
	refused(other, "header and separator")
	other = req
	other.First = 1
	refused(other, "first and count")
	other = req
	other.Count = new(int64(70_000))
	refused(other, "first and count")
	if err := os.WriteFile(pairs, []byte("v1,v2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	refused(req, "has changed since")
	req.Resume, req.Overwrite = false, true
	if r, err := db.Links().Score(ctx, req); err != nil || r.Scored != 1 {
		t.Errorf("a new run: %v, %v", r, err)
	}
	var mistake *fault.Error
	if _, err := db.Links().Score(ctx, links.ScoreRequest{Path: "-", With: req.With, Into: out + "2", Resume: true}); !errors.As(err, &mistake) {
		t.Errorf("standard input: %v", err)
	}
}

// TestDB_ScoreFile_AnotherFile expects a refusal to continue with a graph of the same name,
// ID and version in a different heavytail file.
func TestDB_ScoreFile_AnotherFile(t *testing.T) {
	pairs := writePairs(t, 60_000)
	req := links.ScoreRequest{Path: pairs, With: []catalogue.Scorer{{Name: "katz"}}, Into: filepath.Join(t.TempDir(), "scores.csv"), Resume: true}
	var dbs [2]*query.DB
	for i := range dbs {
		db := querytest.Open(t, nil)
		querytest.Engine(db).Opts.ScoreSection = scoreBatch
		dbs[i] = db
		querytest.RandomSpace(t, dbs[i], querytest.Ascending(60))
	}
	if !interruptScores(t, dbs[0], req, 400_000) {
		t.Fatal("the run was not stopped")
	}
	if _, err := dbs[1].Links().Score(context.Background(), req); !errors.Is(err, atomicfile.ErrPart) || !strings.Contains(err.Error(), "that of another file") {
		t.Errorf("resumed: %v", err)
	}
	if _, err := dbs[0].Links().Score(context.Background(), req); err != nil {
		t.Error(err)
	}
}

// scoreBatch is the number of pairs that are scored at a time.
const scoreBatch = 4096
