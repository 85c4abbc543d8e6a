package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"heavytail/.ci/leaktest"
	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/storage/format"
	_ "heavytail/storage/format/parquet"
)

// shardOf in the environment makes the test binary a process of a job array: file, folder of the
// plan, and the first shard, from which it runs every eighth one, separated by line feeds. A
// file whose name begins with data: is made from the data of the plan. With merge instead of
// the number, the process stores the rows or answers the statement.
const shardOf = "HEAVYTAIL_TEST_SHARD"

func TestMain(m *testing.M) {
	if job := os.Getenv(shardOf); job != "" {
		if err := runEighth(strings.Split(job, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	code := leaktest.Run(m)
	os.RemoveAll(fixtureDir)
	os.Exit(code)
}

func runEighth(job []string) error {
	m, err := Open(job[1])
	if err != nil {
		return err
	}
	merge := job[2] == "merge"
	// Make the file from the data of the plan, if it does not exist.
	if strings.HasPrefix(filepath.Base(job[0]), "data:") {
		if _, there := os.Stat(job[0]); there != nil {
			if err := m.Restore(context.Background(), job[0]); err != nil {
				return err
			}
		}
	}
	db, err := query.Open(job[0], &query.Options{ReadOnly: !merge || m.Answered(), LockTimeout: time.Hour})
	if err != nil {
		return err
	}
	defer db.Close()
	if merge && m.Answered() {
		rows, err := m.Answer(context.Background(), db)
		if err == nil {
			err = drain(rows)
		}
		return err
	}
	if merge {
		return m.MergeInto(context.Background(), db)
	}
	first, err := strconv.Atoi(job[2])
	for i := first; i < len(m.Shards) && err == nil; i += 8 {
		err = m.Run(context.Background(), db, i)
	}
	return err
}

// made has the paths of a store with a graph, an embedding and a model, and of files of pairs
// and keys.
type made struct{ file, pairs, keys, plain, table string }

var fixtureDir string // of the fixture, "" before its first use

var fixture = sync.OnceValues(func() (made, error) {
	dir, err := os.MkdirTemp("", "shard")
	if err != nil {
		return made{}, err
	}
	fixtureDir = dir
	f := made{filepath.Join(dir, "g.ht"), filepath.Join(dir, "pairs.txt"), filepath.Join(dir, "keys.txt"), filepath.Join(dir, "plain.txt"), filepath.Join(dir, "pairs.parquet")}
	db, err := query.Open(f.file, nil)
	if err != nil {
		return f, err
	}
	defer db.Close()
	for _, s := range []string{
		"GENERATE preferential_attachment(n := 300, m := 3, seed := 1) INTO g",
		"EMBED g USING deepwalk(dim := 8, walks := 1) AS e",
		"INSERT EDGE ('a, \"quoted\" key', '7'), ('7', '9'), ('key', 'source'), ('#c', ' lead') INTO g",
		"REFRESH e",
		"TRAIN MODEL friends IN g USING e, heuristics(adamic_adar, cosine)",
		"GENERATE preferential_attachment(n := 50, m := 2, seed := 2) INTO bare",
	} {
		rows, err := db.Query(context.Background(), s, nil)
		if err == nil {
			err = drain(rows)
		}
		if err != nil {
			return f, fmt.Errorf("%s: %w", s, err)
		}
	}
	var pairs, keys, plain strings.Builder
	var table bytes.Buffer
	typed := format.NewParquetRows(&table, []string{"target", "note", "source", "n", "x", "ok"}, []format.Type{format.Integer, format.Text, format.Text, format.Integer, format.Float, format.Boolean}, nil)
	for i := range 2000 {
		fmt.Fprintf(&plain, "%d\t%d\n", i*7%301, i*i%299)
		row := []any{int64(i * i % 299), fmt.Sprintf("%03d", i%9), fmt.Sprint(i * 7 % 301), int64(i), float64(i) / 2, i%2 == 0}
		if i%10 == 0 {
			row[1], row[3], row[4], row[5] = nil, nil, nil, nil
		}
		if err := typed.Row(row); err != nil {
			return f, err
		}
		fmt.Fprintf(&pairs, "%d\t%d\t\"note %d\"\t%d\n", i*7%301, i*i%299, i%9, i)
	}
	keys.WriteString("7\n3\n7\nnobody\n299\n")
	pairs.WriteString("7\ta, \"quoted\" key\n")
	return f, errors.Join(typed.Close(), os.WriteFile(f.plain, []byte(plain.String()), 0o600), os.WriteFile(f.table, table.Bytes(), 0o600), os.WriteFile(f.pairs, []byte(pairs.String()), 0o600), os.WriteFile(f.keys, []byte(keys.String()), 0o600))
})

func open(t *testing.T) (*query.DB, made) {
	t.Helper()
	f, err := fixture()
	if err != nil {
		t.Fatal(err)
	}
	db, err := query.Open(f.file, &query.Options{ReadOnly: true, LockTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, f
}

// statements returns the statements of the tests by name, for given input and output files.
func statements(f made, into string) map[string]string {
	text := strings.TrimSuffix(into, ".csv") + ".txt"
	table := strings.TrimSuffix(into, ".csv") + ".parquet"
	return map[string]string{
		"walks table":   fmt.Sprintf("EXPORT WALKS OF bare USING dp_walker(walks := 3, length := 6, seed := 4) INTO FILE '%s'", table),
		"score table":   fmt.Sprintf("SCORE FILE '%s' IN g WITH adamic_adar, cosine(e), model(friends) INTO FILE '%s' WITH (separator := 'tab', threshold := 0.1)", f.pairs, table),
		"score text":    fmt.Sprintf("SCORE FILE '%s' IN g WITH adamic_adar INTO FILE '%s' WITH (separator := 'tab', columns := 'none')", f.plain, table),
		"score typed":   fmt.Sprintf("SCORE FILE '%s' IN g WITH adamic_adar, cosine(e) INTO FILE '%s'", f.table, table),
		"typed as text": fmt.Sprintf("SCORE FILE '%s' IN g WITH cosine(e) INTO FILE '%s'", f.table, into),
		"all table":     fmt.Sprintf("NEAREST 3 FOR ALL USING cosine(e) INTO FILE '%s'", table),
		"few table":     fmt.Sprintf("NEAREST 2 FOR FILE '%s' USING e EXACT WHERE NOT linked INTO FILE '%s' WITH (overwrite := TRUE)", f.keys, table),
		"walks":         fmt.Sprintf("EXPORT WALKS OF bare USING dp_walker(walks := 3, length := 6, seed := 4) INTO FILE '%s'", text),
		"edges":         fmt.Sprintf("RECONSTRUCT e RADIUS 0.6 INTO FILE '%s'", text),
		"default":       fmt.Sprintf("EXPORT WALKS OF bare USING deepwalk(length := 2) INTO FILE '%s' WITH (overwrite := TRUE)", text),
		"score":         fmt.Sprintf("SCORE FILE '%s' IN g WITH adamic_adar, cosine(e), model(friends) INTO FILE '%s' WITH (separator := 'tab', threshold := 0.1)", f.pairs, into),
		"all":           fmt.Sprintf("NEAREST 3 FOR ALL USING cosine(e) INTO FILE '%s'", into),
		"filtered":      fmt.Sprintf("NEAREST 2 FOR FILE '%s' USING e EXACT WHERE NOT linked INTO FILE '%s' WITH (overwrite := TRUE)", f.keys, into),
	}
}

// Any number of shards, also more than there are rows, gives the bytes of the statement alone.
func TestShards_SameBytes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, f := open(t)
	mergeToSameBytes(t, db, f, func(t *testing.T, statement string, n int) *Manifest {
		m := plan(t, db, statement, n)
		for i := range m.Shards {
			if err := m.Run(ctx, db, i); err != nil {
				t.Fatal(err)
			}
		}
		return m
	})
}

// numbers returns into how many shards tests divide every statement: 7, of which two have none
// of the 5 keys; and where tests are repeated also one, and more than there are rows.
func numbers() []int {
	if repeat.Times(1) > 1 {
		return []int{1, 7, 64}
	}
	return []int{7}
}

// mergeToSameBytes compares the output of every statement alone with its merged shards. Function
// run plans and runs a statement in n shards.
func mergeToSameBytes(t *testing.T, db *query.DB, f made, run func(t *testing.T, statement string, n int) *Manifest) {
	for name := range statements(f, "") {
		t.Run(name, func(t *testing.T) {
			want := alone(t, db, statements(f, filepath.Join(t.TempDir(), "alone.csv"))[name])
			for _, n := range numbers() {
				m := run(t, statements(f, filepath.Join(t.TempDir(), "merged.csv"))[name], n)
				if err := m.Merge(context.Background(), "", false); err != nil {
					t.Fatal(err)
				}
				if got := read(t, m.Output); got != want {
					t.Errorf("%d shards: %d bytes, expected %d", len(m.Shards), len(got), len(want))
				}
			}
		})
	}
}

// alone runs a statement, and returns the file that it writes.
func alone(t *testing.T, db *query.DB, statement string) string {
	t.Helper()
	output := plan(t, db, statement, 1).Output
	exhaust(t, db, statement)
	return read(t, output)
}

// exhaust runs a statement to its end.
func exhaust(t *testing.T, db *query.DB, statement string) {
	t.Helper()
	rows, err := db.Query(context.Background(), statement, nil)
	if err == nil {
		err = drain(rows)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func plan(t *testing.T, db *query.DB, statement string, n int) *Manifest {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "plan")
	if _, err := Make(context.Background(), db, dir, statement, n); err != nil {
		t.Fatal(err)
	}
	m, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A job array of eight processes, some of which are killed and run again, gives the bytes of one
// process. Two more processes run the same shards at the same time.
func TestShards_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: starts eighteen processes")
	}
	t.Parallel()
	db, f := open(t)
	statement := statements(f, filepath.Join(t.TempDir(), "merged.csv"))["score"]
	m, once := plan(t, db, statement, 24), plan(t, db, statement, 1)
	if err := once.Run(context.Background(), db, 0); err != nil {
		t.Fatal(err)
	}
	start := func(first int) *exec.Cmd {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%d", shardOf, f.file, m.dir, first))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	var jobs []*exec.Cmd
	for i := range 10 {
		jobs = append(jobs, start(i%8))
	}
	for i, c := range jobs {
		if i%3 == 0 { // kill it at this moment
			c.Process.Kill()
		}
		c.Wait()
	}
	for i := range 8 { // the next run of the array computes the missing shards
		if err := start(i).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	into := filepath.Join(t.TempDir(), "again.csv")
	if err := m.Merge(context.Background(), into, false); err != nil {
		t.Fatal(err)
	}
	if read(t, into) != read(t, once.output(one(0))) {
		t.Error("the bytes differ from those of one process")
	}
}

// If anything differs from the plan, the error names it.
func TestShards_Refused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, f := open(t)
	m := plan(t, db, statements(f, filepath.Join(t.TempDir(), "merged.csv"))["all"], 4)
	refused := func(what string, err, want error, text string) {
		t.Helper()
		if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("%s: %v", what, err)
		}
	}
	refused("nothing done", m.Merge(ctx, "", false), ErrIncomplete, "4 of 4 shards: 0-3")
	refused("shard 4", m.Run(ctx, db, 4), ErrNumber, "0 to 3")
	for i := range 3 {
		if err := m.Run(ctx, db, i); err != nil {
			t.Fatal(err)
		}
	}
	refused("one missing", m.Merge(ctx, "", false), ErrIncomplete, "1 of 4 shards: 3")
	states, err := m.Status()
	if err != nil || !states[2].Done || states[3].Done || states[3].Rows < 75 {
		t.Errorf("%+v, %v", states, err)
	}

	change := func(path string) {
		text := []byte(read(t, path))
		text[len(text)/2] ^= 1
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change(m.input(3))
	refused("input", m.Run(ctx, db, 3), ErrDamaged, "not what was planned")
	change(m.input(3))
	if err := m.Run(ctx, db, 3); err != nil {
		t.Fatal(err)
	}
	change(m.output(one(1)))
	refused("part", m.Run(ctx, db, 1), ErrDamaged, "run shard 1 again")
	refused("merged part", m.Merge(ctx, "", false), ErrDamaged, "run shard 1 again")
	if _, err := os.Stat(m.Output); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a merged file was left: %v", err)
	}

	if err := os.WriteFile(m.state(one(2)), []byte(read(t, m.state(one(2)))[:20]), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("state", m.Run(ctx, db, 2), ErrDamaged, "remove the state of shard 2")
	_, err = m.Status()
	refused("status", err, ErrDamaged, m.state(one(2)))
	if err := os.Remove(m.state(one(2))); err != nil {
		t.Fatal(err)
	}
	if err := m.Run(ctx, db, 2); err != nil {
		t.Error(err)
	}

	other := *m
	other.Kernel = "abacus"
	os.Remove(m.state(one(0)))
	refused("kernels", other.Run(ctx, db, 0), ErrChanged, "abacus")
	other = *m
	other.Reads = append([]Source{{Kind: "graph", Name: "g", State: "version 99"}}, m.Reads...)
	refused("version", other.Run(ctx, db, 0), ErrChanged, "graph g is not version 99")
	other = *m
	other.Checksum = "another"
	refused("part of another plan", other.Run(ctx, db, 2), ErrDamaged, "of another plan")

	_, err = Make(ctx, db, m.dir, m.Statement, 4)
	refused("planned", err, ErrPlanned, m.dir)
	if err := os.WriteFile(m.path(), []byte(strings.Replace(read(t, m.path()), "cosine", "dot", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(m.dir)
	refused("manifest", err, ErrDamaged, "changed after it was written")
	if err := os.WriteFile(m.path(), []byte(strings.Replace(read(t, m.path()), `"format": 6`, `"format": 5`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = Open(m.dir)
	refused("older folder", err, ErrVersion, "has format 5, expected 6; plan again")
	_, err = Open(t.TempDir())
	refused("no manifest", err, os.ErrNotExist, "manifest.json")
}

// Statements that cannot be divided, and unknown names, give an error before anything is
// written.
func TestMake_Refused(t *testing.T) {
	t.Parallel()
	db, f := open(t)
	for statement, want := range map[string]string{
		"SHOW GRAPHS": "cannot be divided",
		"NEAREST 3 FOR ALL USING e INTO FILE 'x.json'":                                               "ends in .csv or .parquet",
		"NEAREST 3 FOR ALL USING e INTO FILE 'x.csv' WITH (format := 'parquet')":                     "option format",
		"TUNE bare FOR LINKS AS best WITH (trials := 3)":                                             "each trial by the scores of those before it",
		"EVALUATE LINKS IN nowhere":                                                                  `unknown graph "nowhere"`,
		"EVALUATE LINKS IN bare WITH (splits := 0)":                                                  "splits is 0",
		"EVALUATE LINKS IN bare INTO FILE 'x.unknown'":                                               "unknown",
		"EVALUATE PARAMETERS IN bare USING dp_spectral WITH (beta := '9')":                           "beta",
		"EVALUATE LABELS 'community' OF e":                                                           "EVALUATE PARAMETERS",
		"NEAREST 3 FOR ALL USING e INTO FILE 'x.csv.gz'":                                             "ends in .csv",
		"MATERIALIZE PREDICTIONS FROM katz IN g IN BACKGROUND":                                       "IN BACKGROUND",
		"MATERIALIZE PREDICTIONS FROM katz IN nowhere":                                               `unknown graph "nowhere"`,
		"MATERIALIZE PREDICTIONS FROM kats IN g":                                                     "katz",
		"MATERIALIZE PREDICTIONS FROM katz IN g WITH (top := 0)":                                     "top is 0",
		"RECONSTRUCT e AUTO INTO FILE 'x.edges'":                                                     "cannot be divided",
		"RECONSTRUCT e RADIUS 1 INTO GRAPH x":                                                        "cannot be divided",
		"RECONSTRUCT e RADIUS 1 INTO FILE 'x.edges' WITH (count := 3)":                               "option count",
		"EXPORT WALKS OF bare USING deepwalk INTO FILE 'x.txt.gz'":                                   "ends in .txt or .walks or .parquet",
		"EXPORT WALKS OF bare USING deepwalk INTO FILE 'x.txt' WITH (first := 3)":                    "option first",
		"EXPORT WALKS OF bare USING deepwalk(walks := 0) INTO FILE 'x.txt'":                          "walks is 0",
		"EXPORT WALKS OF bear USING deepwalk INTO FILE 'x.txt'":                                      `unknown graph "bear"`,
		"NEAREST 3 FOR ALL USING e":                                                                  "cannot be divided",
		"NEAREST 3 FOR ALL USING ee INTO FILE 'x.csv'":                                               `did you mean "e"`,
		"SCORE FILE '-' IN g WITH jaccard INTO FILE 'x.csv'":                                         "input",
		"SCORE FILE '" + f.pairs + "' IN g WITH jaccard INTO FILE 'x.csv' WITH (top := 3)":           "all shards",
		"SCORE FILE '" + f.pairs + "' IN g WITH jacard INTO FILE 'x.csv'":                            "jaccard",
		"SCORE FILE '" + f.pairs + "' IN g WITH jaccard INTO FILE '" + f.pairs + "'":                 "ends in .csv",
		"SCORE FILE 'gone.txt' IN g WITH jaccard INTO FILE 'x.csv'":                                  "gone.txt",
		"SCORE FILE '" + f.pairs + "' IN g WITH jaccard INTO FILE 'x.csv' WITH (separator := 'dot')": "separator",
	} {
		dir := filepath.Join(t.TempDir(), "plan")
		if _, err := Make(context.Background(), db, dir, statement, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", statement, err)
		}
		if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err == nil {
			t.Errorf("%s: a plan was left", statement)
		}
	}
	for _, n := range []int{0, -1, MaxShards + 1} {
		if _, err := Make(context.Background(), db, t.TempDir(), "NEAREST 3 FOR ALL USING e INTO FILE 'x.csv'", n); !errors.Is(err, ErrNumber) {
			t.Errorf("%d shards: %v", n, err)
		}
	}
}
