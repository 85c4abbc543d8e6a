package shard

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/query/rows"
)

// evaluated lists statements that consist of trials, with the number of their trials.
var evaluated = map[string]struct {
	statement string
	trials    int64
}{
	"splits": {"EVALUATE LINKS IN g USING fastrp(dim := 4), dp_spectral(dim := 4) WITH (splits := 3, null_graph := TRUE, scorers := 'jaccard, l3, cosine', negatives := 'random, two_hop', training := 200, seed := 5)", 12},
	"graph":  {"EVALUATE LINKS IN g WITH (splits := 9, training := 100)", 9},
	"vectors": {
		"EVALUATE LINKS IN bare USING fastrp(dim := 3), fastrp(dim := 5) WITH (scorers := 'cosine', features := 'all', training := 20)", 2},
	"ranking":    {"EVALUATE LINKS IN g USING fastrp(dim := 4), fastrp(dim := 8) WITH (ranking := 5, vertices := 40, null_graph := TRUE, model := TRUE, scorers := 'l3, cosine', training := 200)", 6},
	"parameters": {"EVALUATE PARAMETERS IN g USING dp_spectral(dim := 6) WITH (dim := '2,9', beta := '0,0.5,1', scale := '0.5', points := 6)", 6},
	"walks":      {"EVALUATE PARAMETERS IN bare USING deepwalk(walks := 1, length := 5) WITH (dim := '2,3', points := 4)", 2},
}

// answer holds the rows and notices of a statement.
type answer struct {
	columns []string
	rows    [][]rows.Value
	notices []rows.Notice
}

func answerOf(t *testing.T, got *rows.Rows, err error) (a answer) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer got.Close()
	for a.columns = got.Columns(); got.Next(); {
		a.rows = append(a.rows, append([]rows.Value(nil), got.Row()...))
	}
	if a.notices = got.Notices(); got.Err() != nil || len(a.rows) == 0 {
		t.Fatalf("%d rows: %v", len(a.rows), got.Err())
	}
	return a
}

// Any number of shards, also more than there are trials, returns the rows of the statement
// alone, to the last bit of each figure, with the same notices, and writes the same bytes with
// INTO FILE.
func TestTrials_SameAnswer(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	all := []string{"json", "csv", "parquet"}
	if testing.Short() {
		t.Log("-short: no files, and rankings without models, which take most of the time")
	}
	for i, name := range slices.Sorted(maps.Keys(evaluated)) {
		of, forms := evaluated[name], all
		switch {
		case testing.Short():
			of.statement = strings.Replace(of.statement, "model := TRUE, ", "", 1)
			forms = nil
		case repeat.Times(1) == 1:
			forms = all[i%3 : i%3+1] // each form of two statements
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db, _ := open(t)
			rows, err := db.Query(ctx, of.statement, nil)
			want := answerOf(t, rows, err)
			for _, n := range numbers() {
				m := plan(t, db, of.statement, n)
				all := int64(0)
				for _, s := range m.Shards {
					if all += s.Rows; s.First+s.Rows != all {
						t.Errorf("shard %+v before trial %d", s, all)
					}
				}
				if all != of.trials || !m.Answered() || m.Stored() {
					t.Errorf("%d trials, expected %d; %v, %v", all, of.trials, m.Answered(), m.Stored())
				}
				for _, i := range rand.New(rand.NewPCG(uint64(n), 1)).Perm(n) {
					if err := m.Run(ctx, db, i); err != nil {
						t.Fatal(err)
					}
				}
				rows, err := m.Answer(ctx, db)
				if got := answerOf(t, rows, err); !reflect.DeepEqual(got, want) {
					t.Errorf("%d shards: %v, expected %v", n, got, want)
				}
			}
			for _, form := range forms {
				alone, merged := filepath.Join(t.TempDir(), "alone."+form), filepath.Join(t.TempDir(), "merged."+form)
				into := func(file string) string { return of.statement + " INTO FILE '" + file + "'" }
				m := plan(t, db, into(merged), 3)
				rows, err := db.Query(ctx, into(alone), nil)
				answerOf(t, rows, err)
				if err := m.RunAll(ctx, db, 0, 2); err != nil {
					t.Fatal(err)
				}
				rows, err = m.Answer(ctx, db)
				answerOf(t, rows, err)
				if got, want := read(t, merged), read(t, alone); got != want || len(got) == 0 {
					t.Errorf("%s: %d bytes, expected %d", form, len(got), len(want))
				}
			}
		})
	}
}

// If anything differs from the plan, the error names it.
func TestTrials_Refused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := copyFile(t)
	db := readOnly(t, path)
	statement := evaluated["graph"].statement
	m := plan(t, db, statement, 4)
	refused := func(what string, err, want error, text string) {
		t.Helper()
		if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("%s: %v", what, err)
		}
	}
	answered := func() error { _, err := m.Answer(ctx, db); return err }
	refused("nothing done", answered(), ErrIncomplete, "4 of 4 shards: 0-3")
	for i := range 3 {
		if err := m.Run(ctx, db, i); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.Stat(m.output(one(1)))
	if err != nil {
		t.Fatal(err)
	}
	refused("one missing", answered(), ErrIncomplete, "1 of 4 shards: 3")
	if err := m.RunAll(ctx, db, 0, 3); err != nil {
		t.Fatal(err)
	}
	if again, err := os.Stat(m.output(one(1))); err != nil || !again.ModTime().Equal(written.ModTime()) {
		t.Errorf("a finished shard was run again: %v", err)
	}
	refused("into a file", m.Merge(ctx, filepath.Join(t.TempDir(), "x"), false), ErrTarget, "Answer")
	refused("into the store", m.MergeInto(ctx, db), ErrTarget, "Answer")

	part := m.output(one(2))
	whole := []byte(read(t, part))
	for _, at := range []int{0, len(whole) / 2, len(whole) - 1} {
		wrong := append([]byte(nil), whole...)
		wrong[at] ^= 1
		if err := os.WriteFile(part, wrong, 0o600); err != nil {
			t.Fatal(err)
		}
		refused(fmt.Sprintf("byte %d", at), answered(), ErrDamaged, "run shard 2 again")
	}
	if err := os.WriteFile(part, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := m.Answer(ctx, db)
	answerOf(t, rows, err)

	// Parts with a different seed or different options belong to a different plan.
	for _, other := range []string{"seed := 1, splits := 9", "splits := 9, training := 101"} {
		o := plan(t, db, "EVALUATE LINKS IN g WITH ("+other+")", 4)
		if err := o.Run(ctx, db, 2); err != nil {
			t.Fatal(err)
		}
		state := read(t, m.state(one(2)))
		for from, to := range map[string]string{o.output(one(2)): part, o.state(one(2)): m.state(one(2))} {
			if err := os.WriteFile(to, []byte(read(t, from)), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		refused(other, answered(), ErrDamaged, "of another plan")
		for to, text := range map[string]string{part: string(whole), m.state(one(2)): state} {
			if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}

	other := readOnly(t, copyFile(t, "INSERT EDGE ('0', 'another') INTO g"))
	_, err = m.Answer(ctx, other)
	refused("another version", err, ErrChanged, "graph g is not version")
	if err := os.Remove(m.state(one(0))); err != nil {
		t.Fatal(err)
	}
	refused("shard of another version", m.Run(ctx, other, 0), ErrChanged, "graph g is not version")
	file, err := os.ReadFile(m.path())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.path(), []byte(strings.Replace(string(file), "splits := 9", "splits := 8", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(m.dir)
	refused("options of the manifest", err, ErrDamaged, "changed after it was written")
}

// After kills of workers at random moments, two of them on the same shards, and of merges, the
// answer is that of the statement alone.
func TestTrials_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the kills of TestShards_Killed are enough")
	}
	t.Parallel()
	ctx := context.Background()
	db, f := open(t)
	dir := t.TempDir()
	alone, merged := filepath.Join(dir, "alone.csv"), filepath.Join(dir, "merged.csv")
	const statement = "EVALUATE LINKS IN g USING fastrp(dim := 8) WITH (splits := 11, null_graph := TRUE, training := 500) INTO FILE '%s' WITH (overwrite := TRUE)"
	rows, err := db.Query(ctx, fmt.Sprintf(statement, alone), nil)
	answerOf(t, rows, err)
	m := plan(t, db, fmt.Sprintf(statement, merged), 30)
	start := func(first string) *exec.Cmd {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%s", shardOf, f.file, m.dir, first))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 3))
	var jobs []*exec.Cmd
	for i := range 10 {
		jobs = append(jobs, start(fmt.Sprint(i%8)))
	}
	for i, c := range jobs {
		if i%2 == 0 {
			time.Sleep(time.Duration(random.Int64N(int64(20 * time.Millisecond)))) // a random moment
			c.Process.Kill()
		}
		c.Wait() // two on the same shard: the second one may have an error
	}
	for i := range 8 {
		if err := start(fmt.Sprint(i)).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	want := read(t, alone)
	for range repeat.Times(2) {
		c := start("merge")
		time.Sleep(time.Duration(random.Int64N(int64(40 * time.Millisecond))))
		c.Process.Kill()
		c.Wait()
		if text, err := os.ReadFile(merged); err == nil && string(text) != want {
			t.Fatalf("killed in the merge: %d bytes, expected %d", len(text), len(want))
		}
	}
	if err := start("merge").Wait(); err != nil || read(t, merged) != want {
		t.Errorf("%v, or the bytes differ from those of the statement alone", err)
	}
}
