package querytest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"heavytail/query"
)

// Open opens a new database that is checked and closed when the test ends.
func Open(t testing.TB, opts *query.Options) *query.DB {
	t.Helper()
	db, err := query.Open(filepath.Join(t.TempDir(), "test.ht"), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		MustBeSound(t, db)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// MustBeSound runs Check, as every test that opens a store should at its end.
func MustBeSound(t testing.TB, db *query.DB) {
	t.Helper()
	report, err := db.Maintenance().Check(context.Background())
	if err != nil {
		t.Errorf("check: %v", err)
	}
	for _, f := range report.Faults {
		t.Errorf("check: %s: %s; %s", f.Where, f.What, f.Remedy)
	}
}

// CopyStore copies the file of a closed store.
func CopyStore(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.WriteFile(to, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// JobStatements run long enough to be stopped, by methods of all kinds.
var JobStatements = map[string]string{
	"spectral": "EMBED g USING dp_spectral(dim := 40, seed := 3) AS e",
	"ball":     "EMBED g USING unit_ball(dim := 8, start := 'deepwalk', passes := 10, seed := 3) AS e",
	"walks":    "EMBED g USING deepwalk(dim := 24, walks := 2, length := 12, seed := 3) AS e",
	"arcs":     "EMBED d USING node2vec(dim := 24, walks := 12, length := 12, q := 2, direction := 'in', seed := 3) AS e",
}

// JobImage is the file that jobStore copies, and the rows that each statement computes from
// its graph. Each is made at its first use.
var JobImage struct {
	mu    sync.Mutex
	bytes []byte
	want  map[string][]float32
}

// JobStore returns the path of a store with the graph "g", and "d" with its edges from one end to the other.
func JobStore(t *testing.T) (path string) {
	t.Helper()
	JobImage.mu.Lock()
	defer JobImage.mu.Unlock()
	path = filepath.Join(t.TempDir(), "store")
	if JobImage.bytes == nil {
		db := OpenAt(t, path)
		MustRun(t, db, "GENERATE preferential_attachment(n := 500, m := 3, seed := 1) INTO g")
		edges := filepath.Join(t.TempDir(), "edges.txt")
		MustRun(t, db, fmt.Sprintf("EXPORT GRAPH g INTO FILE '%s'", edges))
		MustRun(t, db, fmt.Sprintf("IMPORT '%s' INTO d WITH (directed := 'true')", edges))
		Close(t, db)
		image, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		JobImage.bytes, JobImage.want = image, map[string][]float32{}
		return path
	}
	if err := os.WriteFile(path, JobImage.bytes, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// OpenAt opens the database at a path; Close closes it.
func OpenAt(t *testing.T, path string) *query.DB {
	t.Helper()
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// Close checks and closes a database.
func Close(t *testing.T, db *query.DB) {
	t.Helper()
	MustBeSound(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
