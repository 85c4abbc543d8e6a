package shard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/storage"
	"heavytail/storage/format"
)

// predicted lists the statements of the tests.
var predicted = map[string]string{
	"adamic_adar":       "MATERIALIZE PREDICTIONS FROM adamic_adar IN g",
	"paths":             "MATERIALIZE PREDICTIONS FROM katz IN g WITH (top := 7)",
	"longer paths":      "MATERIALIZE PREDICTIONS FROM l3 IN g WITH (top := 3)",
	"degrees":           "MATERIALIZE PREDICTIONS FROM preferential_attachment IN g WITH (top := 5)",
	"vectors":           "MATERIALIZE PREDICTIONS FROM cosine(e) IN g WITH (top := 9, near := 12)",
	"vectors, distance": "MATERIALIZE PREDICTIONS FROM l2(e) IN g",
	"model":             "MATERIALIZE PREDICTIONS FROM model(friends) IN g WITH (top := 4)",
}

// copyFile returns a copy of the fixture after it ran some statements on it.
func copyFile(t *testing.T, statements ...string) string {
	t.Helper()
	f, err := fixture()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "g.ht")
	if err := os.WriteFile(path, []byte(read(t, f.file)), 0o600); err != nil {
		t.Fatal(err)
	}
	do(t, path, func(db *query.DB) {
		for _, s := range statements {
			rows, err := db.Query(context.Background(), s, nil)
			if err == nil {
				err = drain(rows)
			}
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	})
	return path
}

// do calls f with a file that is open for writing.
func do(t *testing.T, path string, f func(*query.DB)) {
	t.Helper()
	db, err := query.Open(path, &query.Options{NoCreate: true, LockTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	f(db)
}

// storedIn returns the records of the links of all predictions, by bucket and key of bbolt, and
// the entries of the predictions without their times, which differ between runs.
func storedIn(t *testing.T, path string) (records map[string]string, entries []catalogue.PredictionSummary) {
	t.Helper()
	do(t, path, func(db *query.DB) {
		faults, err := db.Maintenance().Check(context.Background())
		if err != nil || len(faults.Faults) > 0 {
			t.Fatalf("%+v, %v", faults, err)
		}
		if entries, err = db.Links().Predictions(context.Background()); err != nil {
			t.Fatal(err)
		}
		for i := range entries {
			entries[i].Created, entries[i].Seconds = time.Time{}, 0
		}
	})
	file, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	records = map[string]string{}
	var look func(name string, b *bbolt.Bucket) error
	look = func(name string, b *bbolt.Bucket) error {
		return b.ForEach(func(key, value []byte) error {
			if value == nil {
				return look(fmt.Sprintf("%s/%q", name, key), b.Bucket(key))
			}
			if strings.HasSuffix(name, `/"links"`) {
				records[fmt.Sprintf("%s/%x", name, key)] = string(value)
			}
			return nil
		})
	}
	err = file.View(func(tx *bbolt.Tx) error {
		return tx.ForEach(func(key []byte, b *bbolt.Bucket) error { return look(fmt.Sprintf("%q", key), b) })
	})
	if err != nil || len(records) == 0 {
		t.Fatalf("%d records: %v", len(records), err)
	}
	return records, entries
}

// shards plans a statement on a file, runs every shard, and returns the plan.
func shards(t *testing.T, path, statement string, n int) *Manifest {
	t.Helper()
	db, err := query.Open(path, &query.Options{ReadOnly: true, LockTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	m := plan(t, db, statement, n)
	next := int64(0)
	for _, s := range m.Shards {
		if s.First != next || s.Rows < 0 {
			t.Errorf("shard %+v after vertex %d", s, next)
		}
		next += s.Rows
	}
	for _, i := range rand.New(rand.NewPCG(uint64(n), 1)).Perm(n) {
		if err := m.Run(context.Background(), db, i); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func mergeInto(t *testing.T, m *Manifest, path string) (err error) {
	t.Helper()
	do(t, path, func(db *query.DB) { err = m.MergeInto(context.Background(), db) })
	return err
}

// Any number of shards stores the same records as the statement alone, to the byte, also over
// predictions of an earlier version of the graph, and for a graph with deleted vertices.
func TestMaterialize_SameRecords(t *testing.T) {
	t.Parallel()
	for name, statement := range predicted {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := []string{statement, "DELETE VERTEX '5', '17' FROM g", "INSERT EDGE ('8', '200'), ('new', '3') INTO g"}
			if name == "vectors" {
				before = append(before, "REFRESH e", "CREATE INDEX ON e")
			}
			path := copyFile(t, before...)
			alone := filepath.Join(t.TempDir(), "alone.ht")
			if err := os.WriteFile(alone, []byte(read(t, path)), 0o600); err != nil {
				t.Fatal(err)
			}
			do(t, alone, func(db *query.DB) {
				rows, err := db.Query(context.Background(), statement, nil)
				if err == nil {
					err = drain(rows)
				}
				if err != nil {
					t.Fatal(err)
				}
			})
			old, _ := storedIn(t, path)
			want, wantEntries := storedIn(t, alone)
			if maps.Equal(old, want) {
				t.Error("the records are the same before and after")
			}
			for _, n := range numbers() {
				own := filepath.Join(t.TempDir(), "own.ht")
				if err := os.WriteFile(own, []byte(read(t, path)), 0o600); err != nil {
					t.Fatal(err)
				}
				m := shards(t, own, statement, n)
				if !m.Stored() {
					t.Error("not stored")
				}
				for again := range 2 { // the same parts can be merged twice
					if err := mergeInto(t, m, own); err != nil {
						t.Fatal(err)
					}
					got, entries := storedIn(t, own)
					if !reflect.DeepEqual(entries, wantEntries) {
						t.Errorf("%d shards: %+v, expected %+v", n, entries, wantEntries)
					}
					if wrong := otherRecords(got, want); wrong != "" || again == 0 && !maps.Equal(got, want) {
						t.Errorf("%d shards: %s", n, wrong)
					}
				}
			}
		})
	}
}

// otherRecords describes the first difference between records and the expected ones. It ignores
// the object that contains them and their checksums, which depend on the object and were
// verified: a second merge makes a new object.
func otherRecords(got, want map[string]string) string {
	inside := func(records map[string]string) map[string]string {
		m := map[string]string{}
		for name, record := range records {
			m[name[strings.LastIndex(name, "/"):]] = record[4:]
		}
		return m
	}
	a, b := inside(got), inside(want)
	if len(got) != len(want) || len(a) != len(got) {
		return fmt.Sprintf("%d records, expected %d", len(got), len(want))
	}
	for key, record := range b {
		if a[key] != record {
			return fmt.Sprintf("record %s is %x, expected %x", key, a[key], record)
		}
	}
	return ""
}

// If anything differs from the plan, the error names it and nothing is stored.
func TestMaterialize_Refused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := copyFile(t)
	m := shards(t, path, predicted["adamic_adar"], 5)
	refused := func(what string, err, want error, text string) {
		t.Helper()
		if !errors.Is(err, want) || !strings.Contains(fmt.Sprint(err), text) {
			t.Errorf("%s: %v", what, err)
		}
		do(t, path, func(db *query.DB) {
			if list, err := db.Links().Predictions(ctx); err != nil || len(list) > 0 {
				t.Errorf("%s: %v, %v", what, list, err)
			}
		})
	}
	refused("into a file", m.Merge(ctx, filepath.Join(t.TempDir(), "x"), false), ErrTarget, "MergeInto")

	// Every byte of a part matters.
	part := m.output(one(2))
	whole := []byte(read(t, part))
	for _, at := range []int{0, 30, len(whole) / 2, len(whole) - 1} {
		wrong := bytes.Clone(whole)
		wrong[at] ^= 1
		if err := os.WriteFile(part, wrong, 0o600); err != nil {
			t.Fatal(err)
		}
		refused(fmt.Sprintf("byte %d", at), mergeInto(t, m, path), ErrDamaged, "run shard 2 again")
	}
	if err := os.WriteFile(part, whole[:len(whole)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	refused("cut off", mergeInto(t, m, path), ErrDamaged, "run shard 2 again")
	if err := os.WriteFile(part, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	state := read(t, m.state(one(3)))
	if err := os.Remove(m.state(one(3))); err != nil {
		t.Fatal(err)
	}
	refused("missing", mergeInto(t, m, path), ErrIncomplete, "1 of 5 shards: 3")
	if err := os.WriteFile(m.state(one(3)), []byte(strings.Replace(state, m.Checksum, "other", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	refused("of another plan", mergeInto(t, m, path), ErrDamaged, "of another plan")
	if err := os.WriteFile(m.state(one(3)), []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}

	other := copyFile(t, "INSERT EDGE ('0', 'another') INTO g")
	refused("another version", mergeInto(t, m, other), ErrChanged, "graph g is not version")
	db := readOnly(t, other)
	if err := os.Remove(m.state(one(0))); err != nil {
		t.Fatal(err)
	}
	refused("shard of another version", m.Run(ctx, db, 0), ErrChanged, "graph g is not version")

	db = readOnly(t, path)
	if err := m.Run(ctx, db, 0); err != nil {
		t.Fatal(err)
	}
	if err := m.MergeInto(ctx, db); !errors.Is(err, storage.ErrReadOnly) {
		t.Errorf("open for reading: %v", err)
	}
	db.Close()
	if err := mergeInto(t, m, path); err != nil {
		t.Error(err)
	}
	for name, s := range statements(made{}, filepath.Join(t.TempDir(), "x.csv")) {
		if name == "walks" {
			do(t, path, func(db *query.DB) {
				w := plan(t, db, s, 1)
				if err := errors.Join(w.Run(ctx, db, 0), w.Verify(ctx, db)); err != nil {
					t.Error(err)
				}
				if err := w.MergeInto(ctx, db); !errors.Is(err, ErrTarget) || !strings.Contains(err.Error(), w.Output) {
					t.Errorf("MergeInto of WALKS: %v", err)
				}
			})
		}
	}
}

// After kills of workers at random moments, two of them on the same shards, and of merges, the
// records are those of the statement alone.
func TestMaterialize_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the kills of TestShards_Killed are enough")
	}
	t.Parallel()
	ctx := context.Background()
	statement := "MATERIALIZE PREDICTIONS FROM l3 IN g WITH (top := 40)"
	path, alone := copyFile(t, "MATERIALIZE PREDICTIONS FROM l3 IN g WITH (top := 2)"), copyFile(t, "MATERIALIZE PREDICTIONS FROM l3 IN g WITH (top := 2)", statement)
	want, _ := storedIn(t, alone)
	old, _ := storedIn(t, path)
	db, err := query.Open(path, &query.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	m := plan(t, db, statement, 24)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	start := func(path, first string) *exec.Cmd {
		c := exec.Command(os.Args[0])
		c.Env = append(os.Environ(), fmt.Sprintf("%s=%s\n%s\n%s", shardOf, path, m.dir, first))
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 3))
	var jobs []*exec.Cmd
	for i := range 10 {
		jobs = append(jobs, start(path, fmt.Sprint(i%8)))
	}
	for i, c := range jobs {
		if i%2 == 0 {
			time.Sleep(time.Duration(random.Int64N(int64(20 * time.Millisecond))))
			c.Process.Kill()
		}
		c.Wait() // two on the same shard: the second one may have an error
	}
	for i := range 8 {
		if err := start(path, fmt.Sprint(i)).Wait(); err != nil {
			t.Fatal(err)
		}
	}
	merged := func() string {
		t.Helper()
		at := filepath.Join(t.TempDir(), "g.ht")
		if err := os.WriteFile(at, []byte(read(t, path)), 0o600); err != nil {
			t.Fatal(err)
		}
		return at
	}
	began := time.Now()
	if err := start(merged(), "merge").Wait(); err != nil {
		t.Fatal(err)
	}
	took := time.Since(began)
	killed, merges := 0, repeat.Times(2)
	for range merges {
		at := merged()
		c := start(at, "merge")
		time.Sleep(time.Duration(random.Int64N(int64(took))))
		c.Process.Kill()
		c.Wait()
		records, entries := storedIn(t, at)
		if len(entries) != 1 || otherRecords(records, old) != "" && otherRecords(records, want) != "" {
			t.Fatalf("killed in the merge: the records are neither the old nor the new ones: %+v", entries)
		}
		if otherRecords(records, old) == "" {
			killed++
		}
		if err := mergeInto(t, m, at); err != nil {
			t.Fatal(err)
		}
		if records, _ = storedIn(t, at); otherRecords(records, want) != "" {
			t.Error("merged again after a kill: " + otherRecords(records, want))
		}
	}
	t.Logf("%d of %d merges were killed before the new predictions were stored", killed, merges)
	if err := mergeInto(t, m, path); err != nil {
		t.Fatal(err)
	}
	records, _ := storedIn(t, path)
	if wrong := otherRecords(records, want); wrong != "" {
		t.Error(wrong)
	}
	do(t, path, func(db *query.DB) {
		stats, err := db.Maintenance().Stats(ctx)
		if err != nil || len(stats.Unfinished) > 0 {
			t.Errorf("unfinished %v, %v", stats.Unfinished, err)
		}
	})
}

// Two workers on each shard at the same time write the same parts, or one of them gets an error
// that names the other one.
func TestMaterialize_SameShard(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := copyFile(t)
	statement := predicted["adamic_adar"]
	once := shards(t, path, statement, 6)
	db := readOnly(t, path)
	m := plan(t, db, statement, 6)
	again, err := Open(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range m.Shards {
		faults := make(chan error, 2)
		for _, worker := range []*Manifest{m, again} {
			go func() { faults <- worker.Run(ctx, db, i) }()
		}
		for range 2 {
			if err := <-faults; err != nil && !errors.Is(err, format.ErrPartInUse) {
				t.Errorf("shard %d: %v", i, err)
			}
		}
		if read(t, m.output(one(i))) != read(t, once.output(one(i))) {
			t.Errorf("shard %d: the bytes differ from those of one worker", i)
		}
		if err := m.checkPart(one(i)); err != nil {
			t.Error(err)
		}
	}
}
