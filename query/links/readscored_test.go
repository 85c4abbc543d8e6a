package links_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/internal/querytest"
	"heavytail/storage"
)

// partDB has a scale-free graph with weights, times, attributes, deleted vertices and a vertex
// without edges, and an embedding of it.
func partDB(t *testing.T, path string) *query.DB {
	t.Helper()
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 20000, m := 4, seed := 3) INTO g")
	querytest.MustRun(t, db, "INSERT EDGE ('777', '19999', WEIGHT := 2.5, TIME := 7), ('500', '1200', WEIGHT := 0.1) INTO g")
	querytest.MustRun(t, db, "INSERT VERTEX 'alone', '777' (city := 'Bern', age := 41), '501' (age := 12), '500' (city := 'Basel') INTO g")
	querytest.MustRun(t, db, "DELETE VERTEX '3', '776', '2000' FROM g")
	info, err := querytest.Engine(db).Store.Graph(t.Context(), "g")
	if err != nil {
		t.Fatal(err)
	}
	querytest.PutRows(t, db, info.Vertices, 5)
	return db
}

// partStatements are answered from the rows of some vertices where inFile is true.
var partStatements = []struct {
	text   string
	inFile bool
}{
	{"SHOW NEIGHBORS OF '777' IN g", true},
	{"SHOW NEIGHBORS OF '19999' IN g WHERE degree > 6 OR city = 'Bern' LIMIT 3", true},
	{"SHOW NEIGHBORS OF 'alone' IN g", true},
	{"SHOW NEIGHBORS OF '19999' WITHIN 1 IN g", true},
	{"SHOW NEIGHBORS OF '19999' WITHIN 4 IN g LIMIT 9", false},
	{"PATH FROM '19999' TO '19998' IN g", true},
	{"PATH FROM '777' TO '19999' IN g", true},
	{"PATH FROM '777' TO '777' IN g", true},
	{"PATH FROM 'alone' TO '12' IN g", true},
	{"PATH FROM '19999' TO '19998' IN g BY WEIGHT", false},
	{"SHOW VERTICES IN g WHERE degree < 100 LIMIT 3", true},
	{"SHOW VERTICES IN g COLUMNS age, degree LIMIT 4", true},
	{"SHOW VERTICES IN g WHERE key = '12' LIMIT 1", true},
	{"SHOW VERTICES IN g WHERE age > 20 LIMIT 2", false},
	{"SHOW VERTICES IN g ORDER BY degree LIMIT 2", false},
	{"SHOW EDGES IN g LIMIT 5", true},
	{"SHOW EDGES IN g COLUMNS weight, time, city, degree LIMIT 3", true},
	{"SHOW EDGES IN g COLUMNS weight, time, city LIMIT 9", true},
	{"SHOW EDGES IN g WHERE weight > 2 LIMIT 5", false},
	{"SCORE ('777', '19999'), ('500', '1200'), ('nobody', '7'), ('alone', '19999') IN g WITH jaccard, adamic_adar, resource_allocation, cosine(e)", true},
	{"SCORE ('777', '19999'), ('19999', '19998'), ('19998', '19999') IN g WITH preferential_attachment, l2(e), dot(e), probability(e)", true},
	{"SCORE ('19999', '19998'), ('19998', '19999'), ('19998', '19998') IN g WITH katz, local_path, l3", true},
	{"SCORE ('777', '19999') IN g WITH recent_neighbors", false},
	{"EXPLAIN SCORE ('19999', '19998') IN g WITH l3, l2(e)", true},
	{"EXPLAIN SCORE ('777', '19999') IN g WITH jaccard", true},
	{"NEAREST 4 TO '777' USING e EXACT WHERE degree > 4", true},
	{"WITHIN RADIUS 0.001 OF '777' USING e EXACT WHERE degree > 4 AND NOT linked", true},
}

// Statements about few vertices answer from the file what they answer from the loaded graph.
func TestReadPart_Agrees(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: asks many questions twice")
	}
	t.Parallel()
	db := partDB(t, filepath.Join(t.TempDir(), "part.ht"))
	defer db.Close()
	for _, s := range partStatements {
		querytest.ForgetLoaded(db)
		have := querytest.MustRun(t, db, s.text)
		if querytest.Loaded(db) == s.inFile {
			t.Errorf("%s: loaded is %v", s.text, querytest.Loaded(db))
		}
		querytest.MustRun(t, db, "NEAREST 1 TO '777' USING e WHERE key <> '1'") // loads graph and vectors
		if want := querytest.MustRun(t, db, s.text); !querytest.Loaded(db) || have != want {
			t.Errorf("%s: %s from the file, %s loaded", s.text, have, want)
		}
		if strings.HasPrefix(s.text, "EXPLAIN") {
			continue // which has no profile
		}
		querytest.ForgetLoaded(db)
		profile := querytest.MustRun(t, db, "PROFILE "+s.text)
		if s.inFile && (querytest.Loaded(db) || !strings.Contains(profile, "a part, read from the file") && !strings.Contains(profile, "in the file")) {
			t.Errorf("%s: %s", s.text, profile)
		}
	}
	answers := 0
	for querytest.ForgetLoaded(db); !querytest.Loaded(db) && answers < 1000; answers++ {
		querytest.MustRun(t, db, partStatements[0].text)
	}
	if answers < 5 || answers == 1000 {
		t.Errorf("the graph was loaded after %d answers", answers)
	}
	// A vector of an older version of the graph is not that of the part.
	querytest.MustRun(t, db, "INSERT EDGE ('777', '19998') INTO g")
	querytest.ForgetLoaded(db)
	text := "SCORE ('777', '19999') IN g WITH jaccard, cosine(e)"
	have := querytest.MustRun(t, db, text)
	if want := querytest.MustRun(t, db, text); !querytest.Loaded(db) || have != want {
		t.Errorf("%s: %s, then %s", text, have, want)
	}
}

// With a changed byte anywhere in the file, statements about few vertices give the right answer
// or the error of damage.
func TestReadPart_FlippedBytes(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: flips bytes all over a file")
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "sound.ht")
	db := partDB(t, path)
	texts := []string{"PREDICT 5 LINKS FOR '19999' IN g WITH cosine(e)", "PREDICT 5 LINKS FOR '19999' IN g WITH adamic_adar", "PREDICT 5 LINKS FOR '19999' IN g WITH jaccard", "PREDICT 5 LINKS FOR '19999' IN g WITH preferential_attachment"}
	for _, s := range partStatements {
		if s.inFile {
			texts = append(texts, s.text)
		}
	}
	var want []string
	for _, text := range texts {
		want = append(want, querytest.MustRun(t, db, text))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	refused, answered := 0, 0
	for i := range repeat.Times(10) {
		damaged := slices.Clone(content)
		at := random.IntN(len(damaged))
		damaged[at] ^= 1 << random.IntN(8)
		to := filepath.Join(t.TempDir(), fmt.Sprint(i, ".ht"))
		if err := os.WriteFile(to, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		for j := range 6 {
			k := (6*i + j) % len(texts)
			have, err := runOnce(t, to, texts[k])
			switch {
			case err == nil && have == want[k]:
				answered++
			case errors.Is(err, storage.ErrCorrupt) || errors.Is(err, storage.ErrNotStore):
				refused++
			default:
				t.Errorf("byte %d: %s: %s, %v", at, texts[k], have, err)
			}
		}
	}
	if refused == 0 || answered == 0 {
		t.Errorf("%d errors, %d answers", refused, answered)
	}
}

// runOnce answers a statement from a file as the first one of a process.
func runOnce(t *testing.T, path, text string) (string, error) {
	t.Helper()
	db, err := query.Open(path, &query.Options{ReadOnly: true})
	if err != nil {
		return "", err
	}
	defer db.Close()
	rows, err := db.Query(t.Context(), text, nil)
	if err != nil {
		return "", err
	}
	var out strings.Builder
	for rows.Next() {
		fmt.Fprintln(&out, rows.Row()...)
	}
	return out.String(), rows.Err()
}
