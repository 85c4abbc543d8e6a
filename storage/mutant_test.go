package storage

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"heavytail/.ci/repeat"
	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/tree"
	"heavytail/storage/vec"
)

// mutantBase makes a store with every kind of record, and returns its bytes.
func mutantBase(t *testing.T) string {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "base")
	db := openStore(t, path, nil)
	putRing(t, db, "ring", 3000)
	if _, err := db.Import(ctx, "g", strings.NewReader(killValues()), killOptions(false)); err != nil {
		t.Fatal(err)
	}
	importText(t, db, "g", "v1 new\nv2 newer\n")
	if err := db.Update(ctx, func(x *Tx) error {
		_, err := x.InsertEdges("g", []Edge{{Source: "v5", Target: "v6", Weight: 9}, {Source: "v5", Target: "v7", Time: 3, Timed: true}})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.CreateGraph(ctx, "empty"); err != nil {
		t.Fatal(err)
	}
	for range 3 { // the last commit removes the first generation, and keeps the second
		info := EmbeddingInfo{Name: "e", Graph: "ring", GraphVersion: 1, Method: "constant", Eigenvalues: []float64{1, 0.5}, Options: []Setting{{"dim", "256"}}}
		if _, err := db.PutEmbeddingState(ctx, info, mutantRows(), func(w io.Writer) error {
			_, err := w.Write(blobBytes(3*tree.BlobBlock + 100))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	mutantRich(t, db)
	of, err := db.EmbeddingInfo(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	putIndex(t, db, of, "l2", 2*tree.BlobBlock+100)
	putModel(t, db, of, "m", tree.BlobBlock+100)
	putPredictions(t, db, "ring", "jaccard", 3)
	inFile(db)
	for id := range uint64(2) {
		job := JobInfo{ID: id + 1, Kind: "EMBED", Statement: "EMBED ring", State: JobCancelled, Options: []Setting{{"dim", "256"}}}
		if err := db.PutJobCheckpoint(ctx, job, func(w io.Writer) error {
			_, err := w.Write(blobBytes(5*tree.BlobBlock + 100))
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	// No page may be left that was once a part of the tree: nobody could know
	// that it is there again in its old place.
	if _, err := db.Compact(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// mutantRich makes the directed graph "rich", in version 3: with attributes of all types,
// weights, timestamps, attributes of edges and empty slots, and an embedding.
func mutantRich(t *testing.T, db *DB) {
	t.Helper()
	random := rand.New(rand.NewPCG(6, 6))
	update(t, db, func(x *Tx) error {
		if _, err := x.CreateDirected("rich"); err != nil {
			return err
		}
		var vertices []Vertex
		for i := range 2000 {
			v := Vertex{Key: fmt.Sprint("v", i)}
			for _, a := range modelAttributes {
				v.Values = append(v.Values, NamedValue{Name: a.Name, Value: anyValue(random, a.Type)})
			}
			vertices = append(vertices, v)
		}
		_, err := x.InsertVertices("rich", vertices)
		return err
	})
	update(t, db, func(x *Tx) error {
		edges := randomEdges(random, 3000)
		for i := range edges {
			edges[i].Source, edges[i].Target = fmt.Sprint("v", random.IntN(2000)), fmt.Sprint("v", random.IntN(2000))
			for _, a := range modelAttributes[i%len(modelAttributes):] {
				edges[i].Values = append(edges[i].Values, NamedValue{Name: a.Name, Value: anyValue(random, a.Type)})
			}
		}
		_, err := x.InsertEdges("rich", edges)
		return err
	})
	update(t, db, func(x *Tx) error {
		var keys []string
		for i := range 400 {
			keys = append(keys, fmt.Sprint("v", i*i%2000))
		}
		_, err := x.DeleteVertices("rich", keys)
		return err
	})
	s, err := db.Snapshot(context.Background(), "rich")
	if err != nil {
		t.Fatal(err)
	}
	info := EmbeddingInfo{Name: "f", Graph: "rich", GraphVersion: s.Info.Version}
	if _, err := db.PutEmbedding(context.Background(), info, constantRows(s.Info.Vertices, 2)); err != nil {
		t.Fatal(err)
	}
}

// mutantRows takes two chunks, of which bbolt makes one page of two elements.
func mutantRows() *vec.Matrix {
	m := vec.NewMatrix(3000, 100)
	for i := range m.Data {
		m.Data[i] = float32(i) / 7
	}
	return m
}

// mutate damages a copy of a file in a way that the seed chooses.
func mutate(file []byte, seed int) (mutant []byte, what string) {
	random := rand.New(rand.NewPCG(uint64(seed), 11))
	b := slices.Clone(file)
	page := os.Getpagesize()
	pages := len(b) / page
	switch seed % 6 {
	case 0:
		at, bit := random.IntN(len(b)), random.IntN(8)
		b[at] ^= 1 << bit
		return b, fmt.Sprintf("bit %d of byte %d", bit, at)
	case 1, 2: // head and elements of a page, where one bit does most harm
		at, bit := random.IntN(pages)*page+random.IntN(16+64), random.IntN(8)
		b[at] ^= 1 << bit
		return b, fmt.Sprintf("bit %d of byte %d (page head)", bit, at)
	case 3:
		size := random.IntN(len(b))
		return b[:size], fmt.Sprintf("cut to %d bytes", size)
	case 4:
		p := random.IntN(pages)
		clear(b[p*page : (p+1)*page])
		return b, fmt.Sprintf("page %d zeroed", p)
	}
	to, from := random.IntN(pages), random.IntN(pages)
	copy(b[to*page:(to+1)*page], b[from*page:(from+1)*page])
	if random.IntN(2) == 0 {
		// The page says that it is the other one: only the tree shows that.
		block.Native.PutUint64(b[to*page:], uint64(to))
	}
	return b, fmt.Sprintf("page %d replaced by page %d", to, from)
}

// answers asks a store everything and returns one line per object: a digest of
// the answer, or the error.
func answers(db *DB) map[string]any {
	ctx := context.Background()
	out := make(map[string]any)
	record := func(name string, err error, answer ...any) {
		switch {
		case errors.Is(err, ErrNotFound):
			answer = []any{"not found"}
		case err != nil:
			out[name] = err
			return
		}
		h := crc32.New(block.Castagnoli)
		for _, part := range answer {
			switch part.(type) {
			case []byte, []int64, []uint32, []uint64, []float32, []float64:
				if err := binary.Write(h, binary.LittleEndian, part); err != nil {
					panic(err)
				}
			default:
				// Not by what Write refuses: an empty slice of structs it takes or
				// refuses by what it was given before.
				fmt.Fprintf(h, "%+v", part)
			}
		}
		out[name] = h.Sum32()
	}
	graphs, err := db.Graphs(ctx)
	// tryMutant writes this one, and a damaged entry of another object can prevent that it is dropped.
	graphs = slices.DeleteFunc(graphs, func(g GraphInfo) bool { return g.Name == "another" })
	record("graphs", err, graphs)
	for _, name := range []string{"ring", "g", "empty", "rich"} {
		s, err := db.Snapshot(ctx, name)
		if err == nil {
			record("snapshot "+name, nil, s.Info, s.Graph.Offsets, s.Graph.Targets, s.Graph.Weights, s.Graph.Times, s.keys.Offsets, s.keys.Blob, s.slots.Empty)
		} else {
			record("snapshot "+name, err)
		}
		d, info, err := db.Directed(ctx, name)
		if errors.Is(err, ErrInvalid) {
			d, err = new(csr.Directed), nil
		}
		if err == nil {
			record("directed "+name, nil, info.Arcs, d.Out.Offsets, d.Out.Targets, d.Out.Weights, d.Out.Times, d.In.Targets, d.In.Weights, d.In.Times)
		} else {
			record("directed "+name, err)
		}
		set, err := db.Changes(ctx, name, 1)
		record("changes "+name, err, set)
		key := cmp.Or(map[string]string{"ring": "5", "rich": "v20"}[name], "v5")
		id, err := db.VertexID(ctx, name, key)
		record("number of a vertex of "+name, err, id)
		vertex, err := db.Vertex(ctx, name, key)
		record("vertex of "+name, err, vertex)
		neighbours, err := db.Neighbors(ctx, name, key)
		record("neighbours in "+name, err, neighbours)
		keys, err := db.Keys(ctx, name, "v1", 100)
		record("keys of "+name, err, keys)
	}
	jobs, err := db.Jobs(ctx)
	record("jobs", err, jobs)
	for _, id := range []uint64{1, 2} {
		var data []byte
		r, err := db.JobCheckpoint(ctx, id)
		if err == nil {
			data, err = io.ReadAll(r)
		}
		record(fmt.Sprintf("checkpoint of job %d", id), err, data)
	}
	indexes, err := db.Indexes(ctx, "")
	record("indexes", err, indexes)
	of, err := db.EmbeddingInfo(ctx, "e")
	for name, open := range map[string]func() (io.Reader, error){
		"index": func() (r io.Reader, err error) { _, r, err = db.Index(ctx, of, "l2"); return r, err },
		"state": func() (io.Reader, error) { return db.EmbeddingState(ctx, of) },
	} {
		var data []byte
		r, err := io.Reader(nil), err
		if err == nil {
			r, err = open()
		}
		if err == nil {
			data, err = io.ReadAll(r)
		}
		record(name, err, data)
	}
	models, err := db.Models(ctx)
	record("models", err, models)
	var learned []byte
	model, r, err := db.Model(ctx, "m")
	if err == nil {
		learned, err = io.ReadAll(r)
	}
	record("model", err, model, learned)
	predictions, err := db.Predictions(ctx)
	record("predictions", err, predictions)
	for _, key := range []string{"5", "44"} {
		predicted, err := db.Predicted(ctx, "ring", "jaccard", key, 3)
		record("predicted of "+key, err, predicted)
	}
	generations, err := db.Generations(ctx, "e")
	record("generations", err, generations)
	rich, err := db.Graph(ctx, "rich")
	var columns []*Column
	if err == nil {
		columns, err = db.Columns(ctx, "rich", rich.Version)
	}
	var parts []any
	for _, c := range columns {
		parts = append(parts, c.Attribute)
		for v := range uint32(c.Len()) {
			parts = append(parts, c.At(v).Type(), c.At(v).String())
		}
	}
	record("columns", err, parts...)
	if err == nil {
		columns, err = db.EdgeColumns(ctx, "rich", rich.Version)
	}
	parts = nil
	for _, c := range columns {
		parts = append(parts, c.Attribute)
		for e := range uint32(c.Len()) {
			parts = append(parts, c.At(e).Type(), c.At(e).String())
		}
	}
	record("columns of edges", err, parts...)
	embeddings, err := db.Embeddings(ctx)
	record("embeddings", err, embeddings)
	for name, answer := range map[string]string{"e": "embedding", "e@2": "embedding of before", "f": "embedding of rich"} {
		info, m, err := db.Embedding(ctx, name)
		if err == nil {
			record(answer, nil, info, m.Data)
		} else {
			record(answer, err)
		}
	}
	return out
}

// typed reports whether an error is one that a damaged file may give.
func typed(err error) bool {
	for _, kind := range []error{ErrCorrupt, ErrNotStore, ErrVersion} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// compareAnswers returns what is neither the same nor a typed error, and
// whether there was an error.
func compareAnswers(got, want map[string]any) (wrong string, damaged bool) {
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch answer := got[name].(type) {
		case error:
			damaged = true
			if !typed(answer) {
				return fmt.Sprintf("%s: %v", name, answer), true
			}
		default:
			if answer != want[name] {
				return name + " differs", damaged
			}
		}
	}
	return "", damaged
}

// childMutants opens mutants one after the other and says what became of each.
func childMutants(base, scratch string, from, to int) {
	file, err := os.ReadFile(base)
	fail(err)
	db, err := Open(base, &Options{ReadOnly: true})
	fail(err)
	want := answers(db)
	fail(db.Close())
	for seed := from; seed < to; seed++ {
		mutant, what := mutate(file, seed)
		fail(os.WriteFile(scratch, mutant, 0o600))
		fmt.Printf("%d start %s\n", seed, what)
		fmt.Printf("%d %s\n", seed, tryMutant(scratch, want, seed/6%2 == 0))
	}
}

// tryMutant opens a mutant and asks it everything; for writing, it also writes
// and asks again.
func tryMutant(path string, want map[string]any, readOnly bool) string {
	ctx := context.Background()
	db, err := Open(path, &Options{ReadOnly: readOnly})
	if err != nil {
		if typed(err) && strings.Contains(err.Error(), strconv.Quote(path)) {
			return "refused"
		}
		return "WRONG open: " + err.Error()
	}
	defer db.Close()
	wrong, damaged := compareAnswers(answers(db), want)
	if wrong != "" {
		return "WRONG " + wrong
	}
	report, err := db.Check(ctx, nil)
	switch {
	case err != nil && !typed(err):
		return "WRONG check: " + err.Error()
	case err == nil && damaged && report.OK():
		return "WRONG check found nothing"
	}
	if !readOnly {
		_, err := db.Import(ctx, "another", strings.NewReader("a b\nb c\n"), ImportOptions{})
		if err == nil {
			err = db.DropGraph(ctx, "another", false)
		}
		if err != nil && !typed(err) {
			return "WRONG write: " + err.Error()
		}
		if wrong, _ := compareAnswers(answers(db), want); wrong != "" {
			return "WRONG after a write: " + wrong
		}
	}
	if damaged {
		return "error"
	}
	return "identical"
}

// hangs is the time after which a child that is silent counts as hanging. It is long
// because other tests and programs may take the processors.
const hangs = 5 * time.Minute

// TestOpen_Mutants damages a file in many ways. Every answer must be the same
// as before or a typed error; the process must neither die nor hang.
func TestOpen_Mutants(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages a file in thousands of ways")
	}
	t.Parallel()
	count := repeat.Times(24) // of each kind the same number
	base := mutantBase(t)
	scratch := filepath.Join(t.TempDir(), "mutant")
	outcomes := make(map[string]int)
	for from := 0; from < count; {
		cmd, out := startChild(t, "mutants", base, scratch, from, count)
		timer := randomMoment(cmd, hangs)
		last := ""
		for out.Scan() {
			timer.Reset(hangs)
			last = out.Text()
			seed, outcome, _ := strings.Cut(last, " ")
			if strings.HasPrefix(outcome, "start") {
				continue
			}
			n, err := strconv.Atoi(seed)
			if err != nil {
				t.Fatalf("child says %q", last)
			}
			from = n + 1
			kind, _, _ := strings.Cut(outcome, " ")
			outcomes[kind]++
			if kind == "WRONG" {
				t.Errorf("mutant %s: %s", seed, outcome)
			}
		}
		err := cmd.Wait()
		timer.Stop()
		if err != nil {
			t.Errorf("process died or hung at %q: %v", last, err)
			from++
		}
	}
	t.Logf("%d mutants: %v", count, outcomes)
}
