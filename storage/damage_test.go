package storage

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/page"
	"heavytail/storage/vec"
)

// history is a small store with all kinds of content: its file before each of its commits
// and, last, at the end.
type history struct {
	images  [][]byte
	answers []map[string]any // of the images
}

// made is the history that all tests share; the first test makes it.
var made struct {
	mu sync.Mutex
	h  *history
}

// oneHistory returns the shared history, which must not be changed.
func oneHistory(t *testing.T) *history {
	t.Helper()
	made.mu.Lock()
	defer made.mu.Unlock()
	if made.h == nil {
		made.h = newHistory(t)
	}
	return made.h
}

// newHistory fills a store and keeps what its file was before each commit.
func newHistory(t *testing.T) *history {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "base")
	db := openStore(t, path, &Options{BatchBytes: 20_000})
	h := &history{}
	keep := func() {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		h.images = append(h.images, b)
	}
	db.file.BeforeCommit = func() error { keep(); return nil }
	const n = 700
	var edges []csr.Edge
	for v := range uint32(n) {
		for step := range uint32(4) {
			edges = append(edges, csr.Edge{U: v, V: (v + 1 + step*step) % n})
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutGraph(ctx, "ring", PutGraphRequest{Graph: g, Source: "ring"}); err != nil {
		t.Fatal(err)
	}
	importText(t, db, "g", "v5 v6\nv6 v7\nv1 v5\n")
	importText(t, db, "g", "v1 new\nv2 newer\n")
	if _, err := db.CreateGraph(ctx, "empty"); err != nil {
		t.Fatal(err)
	}
	historyRich(t, db)
	for range 3 {
		info := EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1, Method: "constant", Eigenvalues: []float64{1, 0.5}, Options: []Setting{{"dim", "8"}}}
		m := vec.NewMatrix(n, 8)
		for i := range m.Data {
			m.Data[i] = float32(i) / 7
		}
		if _, err := db.PutEmbeddingState(ctx, info, m, func(w io.Writer) error {
			_, err := w.Write(blobBytes(300))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	of, err := db.EmbeddingInfo(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	putIndex(t, db, of, "l2", 5000)
	putModel(t, db, of, "m", 3000)
	putPredictions(t, db, "ring", "jaccard", 3)
	putPredictions(t, db, "ring", "jaccard", 2)
	inFile(db)
	for id := range uint64(3) {
		checkpointOf(t, db, JobInfo{ID: id + 1, Kind: "EMBED", Statement: "EMBED ring", State: JobCancelled}, 9000)
	}
	for i := range 3 { // pages that the last commits overwrite
		update(t, db, func(x *Tx) error {
			_, err := x.InsertEdges("ring", []Edge{{Source: fmt.Sprint(i), Target: fmt.Sprint(i + 100)}})
			return err
		})
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	keep()
	for _, image := range h.images {
		got, _ := h.ask(t, path, image)
		if err, damaged := got["open"].(error); damaged {
			t.Fatal(err)
		}
		h.answers = append(h.answers, got)
	}
	return h
}

// historyRich makes a directed graph with attributes, weights, timestamps and empty slots, in
// several commits.
func historyRich(t *testing.T, db *DB) {
	t.Helper()
	random := rand.New(rand.NewPCG(6, 6))
	update(t, db, func(x *Tx) error {
		_, err := x.CreateDirected("rich")
		return err
	})
	for part := range 3 {
		update(t, db, func(x *Tx) error {
			var vertices []Vertex
			for i := range 60 {
				v := Vertex{Key: fmt.Sprint("v", 60*part+i)}
				for _, a := range modelAttributes {
					v.Values = append(v.Values, NamedValue{Name: a.Name, Value: anyValue(random, a.Type)})
				}
				vertices = append(vertices, v)
			}
			if _, err := x.InsertVertices("rich", vertices); err != nil {
				return err
			}
			edges := randomEdges(random, 200)
			for i := range edges {
				edges[i].Source, edges[i].Target = fmt.Sprint("v", random.IntN(60*part+60)), fmt.Sprint("v", random.IntN(60*part+60))
				for _, a := range modelAttributes[i%len(modelAttributes):] {
					edges[i].Values = append(edges[i].Values, NamedValue{Name: a.Name, Value: anyValue(random, a.Type)})
				}
			}
			_, err := x.InsertEdges("rich", edges)
			return err
		})
	}
	update(t, db, func(x *Tx) error {
		_, err := x.DeleteVertices("rich", []string{"v3", "v4", "v77", "v150"})
		return err
	})
	s, err := db.Snapshot(context.Background(), "rich")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutEmbedding(context.Background(), EmbeddingInfo{Name: "f", Graph: "rich", GraphVersion: s.Info.Version}, constantRows(s.Info.Vertices, 2)); err != nil {
		t.Fatal(err)
	}
}

// ask opens a file with the given content and reads everything; if opening fails, the error
// is under "open". The second result is the notices of the store.
func (h *history) ask(t *testing.T, path string, content []byte) (map[string]any, []string) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := Open(path, &Options{ReadOnly: true})
	if err != nil {
		return map[string]any{"open": err}, nil
	}
	defer db.Close()
	return answers(db), db.Notices()
}

// judge reports wrong answers of a damaged file: every answer must be as in the image, or
// an error of the right type.
func (h *history) judge(got, want map[string]any) string {
	if err, refused := got["open"].(error); refused {
		if !typed(err) {
			return "open: " + err.Error()
		}
		return ""
	}
	wrong, _ := compareAnswers(got, want)
	return wrong
}

// reached lists the pages that the tree of a file reaches, including overflow pages.
func reached(t *testing.T, file []byte) []uint64 {
	t.Helper()
	m, _, err := page.ReadMeta(bytes.NewReader(file), func() (int64, error) { return int64(len(file)), nil })
	if err != nil {
		t.Fatal(err)
	}
	w := page.NewWalker(context.Background(), page.File{R: bytes.NewReader(file), Meta: m})
	if err := w.Walk(); err != nil || len(w.Faults) > 0 {
		t.Fatal(err, w.Faults)
	}
	var ids []uint64
	for id := uint64(2); id < m.HighWater; id++ {
		if w.Reached(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// TestDamage_PageHeaders flips every bit of the header and of the table of elements of
// every page, one at a time; usually only a sample of them.
func TestDamage_PageHeaders(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages a file in thousands of ways")
	}
	t.Parallel()
	h := oneHistory(t)
	file, want := slices.Clone(h.images[len(h.images)-1]), h.answers[len(h.answers)-1]
	path := filepath.Join(t.TempDir(), "damaged")
	size := os.Getpagesize()
	random := rand.New(rand.NewPCG(1, 4))
	tried, refused := 0, 0
	pages := reached(t, file)
	branches := 0
	for _, id := range pages {
		at := int(id) * size
		if block.Native.Uint64(file[at:]) != id {
			continue // the overflow of another one
		}
		flags := block.Native.Uint16(file[at+8:])
		if flags == page.BranchFlag {
			branches++
		}
		head := page.HeadSize + page.ElementSize*int(block.Native.Uint16(file[at+10:]))
		for bit := range 8 * head {
			if random.IntN(repeat.Every(2400)) > 0 {
				continue
			}
			file[at+bit/8] ^= 1 << (bit % 8)
			got, _ := h.ask(t, path, file)
			if wrong := h.judge(got, want); wrong != "" {
				t.Errorf("page %d of type %d, bit %d of byte %d: %s", id, flags, bit%8, bit/8, wrong)
			}
			if got["open"] != nil {
				refused++
			}
			file[at+bit/8] ^= 1 << (bit % 8)
			tried++
		}
	}
	if branches < 2 {
		t.Errorf("%d branch pages; make the store larger", branches)
	}
	t.Logf("%d pages, %d of them branches; %d bits, %d files refused", len(pages), branches, tried, refused)
}

// TestDamage_StalePage replaces a page by its content at an earlier commit, as if the disk
// had lost a write.
func TestDamage_StalePage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages a file in thousands of ways")
	}
	t.Parallel()
	h := oneHistory(t)
	last := len(h.images) - 1
	file, want := slices.Clone(h.images[last]), h.answers[last]
	path := filepath.Join(t.TempDir(), "damaged")
	size := os.Getpagesize()
	random := rand.New(rand.NewPCG(2, 4))
	tried, refused, identical := 0, 0, 0
	for _, id := range reached(t, file) {
		at := int(id) * size
		now := slices.Clone(file[at : at+size])
		seen := [][]byte{now}
		for i := last - 1; i >= 0; i-- {
			if len(h.images[i]) < at+size {
				continue
			}
			stale := h.images[i][at : at+size]
			if slices.ContainsFunc(seen, func(b []byte) bool { return bytes.Equal(b, stale) }) {
				continue
			}
			seen = append(seen, stale)
			if random.IntN(repeat.Every(60)) > 0 {
				continue
			}
			copy(file[at:], stale)
			got, _ := h.ask(t, path, file)
			if wrong := h.judge(got, want); wrong != "" {
				t.Errorf("page %d as before commit %d: %s", id, i, wrong)
			}
			switch _, damaged := compareAnswers(got, want); {
			case got["open"] != nil:
				refused++
			case !damaged:
				identical++
			}
			if _, damaged := compareAnswers(got, want); damaged || got["open"] != nil {
				inRecord := block.Native.Uint64(now) != id // the content of a large record, which its checksum protects
				h.refuses(t, path, fmt.Sprintf("page %d as before commit %d", id, i), inRecord)
			}
			tried++
		}
		copy(file[at:], now)
	}
	t.Logf("%d stale pages: %d files refused, %d with the same answers", tried, refused, identical)
}

// refuses expects that a damaged file is neither copied nor written to, so that nothing
// makes a loss final, and that a recovery reports what it did not find. Damage inside a
// record does not prevent writes of other records: the record stays as it is.
func (h *history) refuses(t *testing.T, path, what string, inRecord bool) {
	t.Helper()
	ctx := context.Background()
	if db, err := Open(path, nil); err == nil {
		_, backup := db.Backup(ctx, path+".backup", true, nil)
		_, compaction := db.Compact(ctx, nil)
		_, write := db.CreateGraph(ctx, "another")
		for name, err := range map[string]error{"backup": backup, "compaction": compaction, "write": write} {
			if !typed(err) && !(inRecord && name == "write") {
				t.Errorf("%s: a %s is made: %v", what, name, err)
			}
		}
		if report, err := db.Check(ctx, nil); err != nil || report.OK() {
			t.Errorf("%s: check finds nothing: %v", what, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	} else if !typed(err) {
		t.Errorf("%s: %v", what, err)
	}
	report, err := Recover(ctx, path, path+".recovered", RecoverOptions{Overwrite: true})
	if (err != nil && !typed(err)) || (err == nil && len(report.Lost) == 0) {
		t.Errorf("%s: recovery says that nothing is lost: %v", what, err)
	}
}

// checkBlames reports whether Check finds a fault at a place.
func (h *history) checkBlames(t *testing.T, path, where string) bool {
	t.Helper()
	db, err := Open(path, &Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	report, err := db.Check(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(report.Faults, func(f Fault) bool { return f.Where == where && f.Remedy != "" })
}

// If a meta page was never written, the whole state before it remains: Check finds the
// later one.
func TestDamage_LostMetaPage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages a file in many places")
	}
	t.Parallel()
	h := oneHistory(t)
	last := len(h.images) - 1
	file := slices.Clone(h.images[last])
	size := os.Getpagesize()
	copy(file[:2*size], h.images[last-1]) // the one that the last commit did not write is the same
	path := filepath.Join(t.TempDir(), "damaged")
	got, _ := h.ask(t, path, file)
	if wrong := h.judge(got, h.answers[last-1]); wrong != "" {
		t.Fatal(wrong)
	}
	db := openStore(t, path, &Options{ReadOnly: true})
	report, err := db.Check(context.Background(), nil)
	if err != nil || !report.OK() || len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "parts of a later state") {
		t.Errorf("%+v, %v", report, err)
	}
}

// TestDamage_MetaPages flips every bit of both meta pages: the answers are the same, or
// those of the previous commit; then a notice of the store says that this is possible.
func TestDamage_MetaPages(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages files in many places")
	}
	t.Parallel()
	h := oneHistory(t)
	last := len(h.images) - 1
	file := slices.Clone(h.images[last])
	path := filepath.Join(t.TempDir(), "damaged")
	undone := 0
	for bit := range 2 * 8 * 80 {
		if bit%repeat.Every(35) > 0 {
			continue
		}
		at := bit/(8*80)*os.Getpagesize() + bit%(8*80)/8
		file[at] ^= 1 << (bit % 8)
		got, notices := h.ask(t, path, file)
		file[at] ^= 1 << (bit % 8)
		if !h.checkBlames(t, path, "meta pages") {
			t.Errorf("bit %d of byte %d: check says nothing", bit%8, at)
		}
		if h.judge(got, h.answers[last]) == "" {
			continue
		}
		undone++
		if wrong := h.judge(got, h.answers[last-1]); wrong != "" {
			t.Errorf("bit %d of byte %d: %s", bit%8, at, wrong)
		}
		if len(notices) != 1 || !strings.Contains(notices[0], "the last commit is undone") {
			t.Errorf("bit %d of byte %d undid the last commit, and the notices are %q", bit%8, at, notices)
		}
	}
	if undone == 0 {
		t.Error("no damage undid a commit")
	}
	t.Logf("%d bits undid the last commit", undone)
}

// TestPowerLoss cuts the power in every commit of a history: before the flush, any subset
// of its pages may be on the disk; the meta page is written after it, complete or torn. The
// resulting state is that before the commit or that after it.
func TestPowerLoss(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: loses power at each write")
	}
	t.Parallel()
	h := oneHistory(t)
	path := filepath.Join(t.TempDir(), "cut")
	size := os.Getpagesize()
	random := rand.New(rand.NewPCG(3, 4))
	tried := 0
	for i := range len(h.images) - 1 {
		if i%repeat.Every(15) > 0 {
			continue
		}
		before, after := h.images[i], h.images[i+1]
		var data []int // pages that the commit writes
		meta := -1
		for id := 0; (id+1)*size <= len(after); id++ {
			lo, hi := id*size, (id+1)*size
			if hi <= len(before) && bytes.Equal(before[lo:hi], after[lo:hi]) {
				continue
			}
			if id < 2 {
				meta = id
				continue
			}
			data = append(data, id)
		}
		if meta < 0 {
			t.Fatalf("commit %d writes no meta page", i)
		}
		try := func(what string, image []byte, states ...int) {
			tried++
			got, _ := h.ask(t, path, image)
			for _, state := range states {
				if got["open"] == nil && h.judge(got, h.answers[state]) == "" {
					if _, damaged := compareAnswers(got, h.answers[state]); !damaged {
						return
					}
				}
			}
			_, damaged := compareAnswers(got, h.answers[states[0]])
			t.Errorf("commit %d, %s: %v, %s, %t", i, what, got["open"], h.judge(got, h.answers[states[0]]), damaged)
		}
		// Every prefix in the order of the writes, and any subsets.
		var subsets [][]int
		for n := range len(data) + 1 {
			if n%repeat.Every(8) == 0 {
				subsets = append(subsets, data[:n])
			}
		}
		for range repeat.Times(2) {
			var some []int
			for _, id := range data {
				if random.IntN(2) == 0 {
					some = append(some, id)
				}
			}
			subsets = append(subsets, some)
		}
		grown := make([]byte, len(after))
		for _, subset := range subsets {
			clear(grown)
			copy(grown, before)
			for _, id := range subset {
				torn := size
				if random.IntN(4) == 0 {
					torn = 512 * random.IntN(size/512)
				}
				copy(grown[id*size:id*size+torn], after[id*size:])
			}
			try(fmt.Sprintf("%d of %d pages", len(subset), len(data)), grown, i)
		}
		for torn := 0; torn <= 80; torn += 4 * repeat.Every(4) {
			copy(grown, after)
			copy(grown[meta*size:(meta+1)*size], before[meta*size:])
			copy(grown[meta*size:meta*size+torn], after[meta*size:])
			try(fmt.Sprintf("%d bytes of the meta page", torn), grown, i, i+1)
		}
	}
	t.Logf("%d commits, %d states", len(h.images)-1, tried)
}
