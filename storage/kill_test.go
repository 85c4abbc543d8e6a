package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/storage/format"
	"heavytail/storage/vec"
)

// These tests kill processes. They show what a crash of the process leaves, and cannot show
// what a loss of power leaves. bbolt tests that itself.

const (
	killVertices = 3000
	killBatch    = 5000 // about 20 batches
)

// killText is an edge list with weights and times, which killOptions take.
func killText() string {
	random := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for range 12_000 {
		x := random.Float64()
		fmt.Fprintf(&b, "v%d v%d %d %d\n", int(x*x*killVertices), random.IntN(killVertices), 1+random.IntN(3), random.IntN(1e6))
	}
	return b.String()
}

// killValues is the list that killed imports read: killText with a header and attributes of edges, some of which are
// missing.
func killValues() string {
	random := rand.New(rand.NewPCG(5, 6))
	var b strings.Builder
	b.WriteString("source target strength when,score,kind,fine\n")
	for line := range strings.Lines(killText()) {
		b.WriteString(strings.TrimSuffix(line, "\n"))
		fmt.Fprintf(&b, ",%d", random.IntN(1000))
		for i := range 2 {
			b.WriteByte(',')
			if random.IntN(3) > 0 {
				b.WriteString([]string{fmt.Sprint("kind-", random.IntN(50)), fmt.Sprint(random.IntN(2) == 0)}[i])
			}
		}
		b.WriteByte('\n')
	}
	return strings.ReplaceAll(b.String(), " ", ",")
}

func killOptions(directed bool) ImportOptions {
	opts := ImportOptions{Repeated: RepeatedSum, Format: format.Options{EdgeListOptions: format.EdgeListOptions{Weight: "3", Time: "4"}}}
	if directed {
		opts.Format.Directed = format.Directed
	}
	return opts
}

// killEdges are the edges that a killed writer inserts and removes to make a version.
func killEdges(version uint64) (insert, remove []Edge) {
	list := func(seed uint64) []Edge { return randomEdges(rand.New(rand.NewPCG(seed, 5)), 300) }
	return list(version), list(version - 1)[:150]
}

// killed is a graph with the attributes of its edges.
type killed struct {
	*Snapshot
	values []*Column
}

// killedGraph reads a graph.
func killedGraph(t *testing.T, db *DB, graph string) killed {
	t.Helper()
	s, err := db.Snapshot(context.Background(), graph)
	if err != nil {
		t.Fatal(err)
	}
	values, err := db.EdgeColumns(context.Background(), graph, s.Info.Version)
	if err != nil {
		t.Fatal(err)
	}
	return killed{s, values}
}

// expectedSnapshot is the result of an undisturbed import.
func expectedSnapshot(t *testing.T, directed bool) killed {
	t.Helper()
	db := newStore(t, nil)
	if _, err := db.Import(context.Background(), "g", strings.NewReader(killValues()), killOptions(directed)); err != nil {
		t.Fatal(err)
	}
	s := killedGraph(t, db, "g")
	if !s.Info.Weighted || !s.Info.Timed || s.Info.Directed != directed || len(s.values) != 3 || s.values[1].Count() == s.values[1].Len() {
		t.Fatalf("%+v", s.Info)
	}
	return s
}

func sameSnapshot(t *testing.T, got, want killed) {
	t.Helper()
	if !reflect.DeepEqual(got.values, want.values) {
		t.Error("the attributes of edges differ from those of an undisturbed import")
	}
	if got.Info.Arcs != want.Info.Arcs || !slices.Equal(arcsOfGraph(got.Graph), arcsOfGraph(want.Graph)) ||
		!slices.Equal(got.keys.Offsets, want.keys.Offsets) || string(got.keys.Blob) != string(want.keys.Blob) {
		t.Error("the graph differs from that of an undisturbed import")
	}
}

// TestImport_KilledAtEveryBatch kills an import after every few batches, repeatedly on the
// same file, until it completes.
func TestImport_KilledAtEveryBatch(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: kills many processes; TestDB_Update_Killed kills one")
	}
	t.Parallel()
	want := map[bool]killed{false: expectedSnapshot(t, false), true: expectedSnapshot(t, true)}
	for _, c := range []struct {
		step, room int
		directed   bool
	}{{repeat.Every(5), 0, false}, {3, 1, false}, {3, 0, true}} {
		step, want := c.step, want[c.directed]
		path := filepath.Join(t.TempDir(), "killed")
		kills := 0
		for {
			cmd, out := startChild(t, "import", path, step, c.room, map[bool]int{true: 1}[c.directed])
			resumed := ""
			for out.Scan() {
				resumed = out.Text()
			}
			finished := waitKilled(t, cmd)
			db := openStore(t, path, nil)
			report := checkStore(t, db)
			s, err := db.Snapshot(context.Background(), "g")
			if finished {
				if err != nil {
					t.Fatal(err)
				}
				sameSnapshot(t, killedGraph(t, db, "g"), want)
				if resumed != "done true" || s.Info.Version != 1 || len(report.Notes) != 0 {
					t.Errorf("after %d kills: child says %q, version %d, notes %q", kills, resumed, s.Info.Version, report.Notes)
				}
			} else if !errors.Is(err, ErrNotFound) || len(report.Notes) != 1 {
				t.Fatalf("after kill %d: half an import is visible: %v; notes %q", kills, err, report.Notes)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if finished {
				break
			}
			kills++
		}
		if kills < 2 {
			t.Errorf("step %d: %d kills; the import has too few batches for this test", step, kills)
		}
	}
}

// TestImport_KilledAtRandomMoments kills imports after random times.
func TestImport_KilledAtRandomMoments(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the kills of TestImport_KilledAtEveryBatch are enough")
	}
	t.Parallel()
	want := expectedSnapshot(t, false)
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	path := filepath.Join(t.TempDir(), "killed")
	for round := range repeat.Times(3) {
		cmd, out := startChild(t, "import", path, -1, round%2, 0)
		timer := randomMoment(cmd, time.Duration(random.IntN(120))*time.Millisecond)
		for out.Scan() {
		}
		waitKilled(t, cmd)
		timer.Stop()
		db := openStore(t, path, nil)
		checkStore(t, db)
		_, err := db.Snapshot(context.Background(), "g")
		switch {
		case err == nil:
			sameSnapshot(t, killedGraph(t, db, "g"), want)
			if err := db.DropGraph(context.Background(), "g", false); err != nil {
				t.Fatal(err)
			}
		case !errors.Is(err, ErrNotFound):
			t.Fatalf("round %d: %v", round, err)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 1 {
			t.Errorf("round %d left %v, %v", round, left, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDB_Update_Killed kills a writer of small transactions before commits and at random
// moments: every version that it reported is stored, and nothing of a later one, in both
// graphs of the transaction.
func TestDB_Update_Killed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "killed")
	db := openStore(t, path, nil)
	for _, name := range []string{"g", "h"} {
		if _, err := db.CreateGraph(ctx, name); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	want := newEdgeModel()
	for round := range 8 {
		if testing.Short() && round%2 == 0 {
			continue // two kills after a commit, and two at any moment
		}
		commits, wait := round, never
		if round >= 4 {
			commits, wait = -1, time.Duration(random.IntN(150))*time.Millisecond
		}
		cmd, out := startChild(t, "update", path, commits)
		timer := randomMoment(cmd, wait)
		acknowledged := want.version
		for out.Scan() {
			if _, err := fmt.Sscanf(out.Text(), "version %d", &acknowledged); err != nil {
				t.Fatalf("child says %q", out.Text())
			}
		}
		waitKilled(t, cmd)
		timer.Stop()
		db := openStore(t, path, nil)
		info, err := db.Graph(ctx, "g")
		if err != nil || info.Version < acknowledged || info.Version > acknowledged+1 {
			t.Fatalf("round %d: %+v after version %d was acknowledged; %v", round, info, acknowledged, err)
		}
		for want.version < info.Version {
			insert, remove := killEdges(want.version + 1)
			want.insert(insert)
			want.delete(remove)
			want.commit()
		}
		want.compare(t, db)
		sameSnapshot(t, killedGraph(t, db, "h"), killedGraph(t, db, "g"))
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if want.version < 4 {
		t.Errorf("only %d versions; the test killed too early", want.version)
	}
}

// killedCommits returns the commits, of the first n, before which a test kills a process, with
// -1 for kills at any moment; the last commit is always among them.
func killedCommits(random *rand.Rand, n int) (commits []int) {
	for i := 0; i < n-1; i += repeat.Step(random, 3) {
		commits = append(commits, i)
	}
	commits = append(commits, n-1)
	for range repeat.Times(1) {
		commits = append(commits, -1)
	}
	return commits
}

// constantRows is a matrix that shows its generation in every value.
func constantRows(rows int, x float32) *vec.Matrix {
	m := vec.NewMatrix(rows, 256)
	for i := range m.Data {
		m.Data[i] = x
	}
	return m
}

// TestPutEmbedding_Killed kills the replacement of an embedding before commits and at random
// moments: the old generation or the new one is stored completely.
func TestPutEmbedding_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: the kills of TestDB_Update_Killed are enough")
	}
	t.Parallel()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "killed")
	db := openStore(t, path, nil)
	putRing(t, db, "g", killVertices)
	if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1}, constantRows(killVertices, 1)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	last := uint64(1)
	for round, commits := range killedCommits(random, 8) {
		wait := never
		if commits < 0 {
			wait = time.Duration(random.IntN(150)) * time.Millisecond
		}
		cmd, out := startChild(t, "put", path, commits)
		timer := randomMoment(cmd, wait)
		acknowledged := last
		for out.Scan() {
			if _, err := fmt.Sscanf(out.Text(), "generation %d", &acknowledged); err != nil {
				t.Fatalf("child says %q", out.Text())
			}
		}
		waitKilled(t, cmd)
		timer.Stop()
		db := openStore(t, path, nil)
		report := checkStore(t, db)
		if len(report.Notes) != 0 {
			t.Errorf("round %d: opening left %q", round, report.Notes)
		}
		info, m, err := db.Embedding(ctx, "e")
		if err != nil {
			t.Fatal(err)
		}
		if info.Generation < acknowledged || info.Generation > acknowledged+1 {
			t.Fatalf("round %d: generation %d after %d was acknowledged", round, info.Generation, acknowledged)
		}
		for i, x := range m.Data {
			if x != float32(info.Generation) {
				t.Fatalf("round %d: value %d is %v in generation %d", round, i, x, info.Generation)
			}
		}
		last = info.Generation
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if last < 2 {
		t.Error("no generation got through; the test killed too early")
	}
}

// childRewrite compacts a store, or writes it to another file, which it replaces or which
// must not exist, and kills itself at its n-th kill point.
func childRewrite(path, what string, n int) {
	ctx := context.Background()
	db, err := Open(path, nil)
	fail(err)
	points := 0
	db.file.AtStep = func(string) {
		if points == n {
			killSelf()
		}
		points++
	}
	switch what {
	case "compact":
		_, err = db.Compact(ctx, nil)
	case "recover":
		_, err = db.Recover(ctx, path+".backup", RecoverOptions{Overwrite: true, Progress: func(string, int64, int64) { db.step("progress") }})
	default:
		_, err = db.Backup(ctx, path+".backup", what == "backup", nil)
	}
	fail(err)
	fmt.Println("done")
	fail(db.Close())
}

// TestDB_Rewrite_Killed kills compactions, backups and recoveries at many points: the store
// does not change, a copy is complete or absent, and nothing of the killed ones is left after
// the next.
func TestDB_Rewrite_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: kills processes at many moments")
	}
	t.Parallel()
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	for _, what := range []string{"compact", "backup", "new backup", "recover"} {
		dir := t.TempDir()
		path := filepath.Join(dir, "store[1]*")
		db := maintained(t, path)
		want := answers(db)
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		for point := 0; ; point += repeat.Step(random, 3) {
			if what == "new backup" {
				_ = os.Remove(path + ".backup")
			}
			cmd, out := startChild(t, "rewrite", path, what, point)
			for out.Scan() {
			}
			finished := waitKilled(t, cmd)
			db := openStore(t, path, nil)
			sameAnswers(t, db, want)
			if left, err := os.ReadDir(dir); what == "compact" && (err != nil || len(left) != 1) {
				t.Errorf("opening after a killed compaction left %v, %v", left, err)
			}
			if report := checkStore(t, db); len(report.Notes) != 1 {
				t.Errorf("%s, point %d: %q", what, point, report.Notes)
			}
			if copied, err := Open(path+".backup", &Options{ReadOnly: true}); err == nil {
				sameAnswers(t, copied, want)
				if err := copied.Close(); err != nil {
					t.Error(err)
				}
			} else if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s, point %d: %v", what, point, err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if finished {
				if point < 4 {
					t.Errorf("only %d points", point)
				}
				break
			}
		}
		files := 2
		if what == "compact" {
			files = 1
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != files {
			t.Errorf("a %s after killed ones left %v, %v", what, left, err)
		}
	}
}
