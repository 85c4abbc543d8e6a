package shard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"heavytail/query"
)

// textPlan divides the scores of a plain text, whose consecutive shards run as one statement. It
// also returns the output of the statement alone.
func textPlan(t *testing.T, db *query.DB, n int) (m *Manifest, want string) {
	t.Helper()
	dir := t.TempDir()
	pairs, alone, into := filepath.Join(dir, "pairs"), filepath.Join(dir, "alone.csv"), filepath.Join(dir, "into.csv")
	if err := os.WriteFile(pairs, []byte(strings.Repeat("1,2\n3,4\n7,nobody\n", 50)), 0o600); err != nil {
		t.Fatal(err)
	}
	const statement = "SCORE FILE '%s' IN g WITH jaccard INTO FILE '%s'"
	rows, err := db.Query(context.Background(), fmt.Sprintf(statement, pairs, alone), nil)
	if err == nil {
		err = drain(rows)
	}
	if err != nil {
		t.Fatal(err)
	}
	return plan(t, db, fmt.Sprintf(statement, pairs, into), n), read(t, alone)
}

// Parts of several shards, also overlapping ones, are used as far as they fit together, and the
// next run computes the missing shards.
func TestManifest_RunAll(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, _ := open(t)
	m, want := textPlan(t, db, 8)
	run := func(first, last int, groups []group) {
		t.Helper()
		if err := m.RunAll(ctx, db, first, last); err != nil {
			t.Fatal(err)
		}
		if got, err := m.groups(); err != nil || !reflect.DeepEqual(got, groups) {
			t.Errorf("after %d to %d: %v, %v, expected %v", first, last, got, err, groups)
		}
	}
	run(2, 5, []group{{2, 5}})
	if err := os.Rename(m.state(group{2, 5}), m.path()+".hidden"); err != nil {
		t.Fatal(err)
	}
	run(0, 3, []group{{0, 3}}) // by another process at the same time
	if err := os.Rename(m.path()+".hidden", m.state(group{2, 5})); err != nil {
		t.Fatal(err)
	}
	run(7, 7, []group{{0, 3}, {7, 7}})
	if err := m.Merge(ctx, "", false); !errors.Is(err, ErrIncomplete) || !strings.Contains(err.Error(), "3 of 8 shards: 4-6") {
		t.Errorf("merge: %v", err)
	}
	if states, err := m.Status(); err != nil || !states[3].Done || states[4].Done || states[6].Done || !states[7].Done || states[1].Bytes != 0 {
		t.Errorf("%+v, %v", states, err)
	}
	run(0, 7, []group{{0, 3}, {4, 6}, {7, 7}})
	if err := m.Merge(ctx, "", false); err != nil || read(t, m.Output) != want {
		t.Errorf("merged: %v, %q", err, read(t, m.Output))
	}
	for _, wrong := range []group{{-1, 3}, {3, 2}, {0, 8}} {
		if err := m.RunAll(ctx, db, wrong.first, wrong.last); !errors.Is(err, ErrNumber) {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

// A merged file that is a hard link to the only part can be replaced. A changed part is not
// merged, and a changed text is not read.
func TestManifest_OnePart(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, _ := open(t)
	m, want := textPlan(t, db, 8)
	change := func(path string) {
		t.Helper()
		text := []byte(read(t, path))
		text[len(text)/2] ^= 1
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change(m.text())
	if err := m.RunAll(ctx, db, 0, 7); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), m.text()) {
		t.Errorf("a changed text: %v", err)
	}
	change(m.text())
	if err := m.RunAll(ctx, db, 0, 7); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := m.Merge(ctx, "", i > 0); err != nil || read(t, m.Output) != want {
			t.Errorf("merged: %v", err)
		}
	}
	all := group{0, 7}
	change(m.output(all))
	if err := m.Merge(ctx, "", true); !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "run shards 0-7 again") {
		t.Errorf("merge of a changed part: %v", err)
	}
	if err := m.Run(ctx, db, 3); !errors.Is(err, ErrDamaged) {
		t.Errorf("run after a part changed: %v", err)
	}
	if err := os.Remove(m.state(all)); err != nil {
		t.Fatal(err)
	}
	if err := m.RunAll(ctx, db, 0, 7); err != nil {
		t.Fatal(err)
	}
	if err := m.Merge(ctx, "", true); err != nil || read(t, m.Output) != want {
		t.Errorf("merged: %v", err)
	}
}

func TestGroupOf(t *testing.T) {
	t.Parallel()
	for _, g := range []group{{0, 0}, {7, 7}, {0, 63}, {99998, 99999}} {
		if got, ok := groupOf(g.name()); !ok || got != g {
			t.Errorf("%s: %v, %v", g.name(), got, ok)
		}
	}
	for _, name := range []string{"", "x", "7", "00007-", "00007-00007", "00007.csv.part", "-0001"} {
		if g, ok := groupOf(name); ok {
			t.Errorf("%q: %v", name, g)
		}
	}
}
