package storage

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// starStore has a star of n vertices about "hub", and a path.
func starStore(t testing.TB, n int) *DB {
	t.Helper()
	edges := make([]csr.Edge, 0, n+1)
	for v := 1; v <= n; v++ {
		edges = append(edges, csr.Edge{U: 0, V: uint32(v)})
	}
	edges = append(edges, csr.Edge{U: uint32(n) + 1, V: uint32(n) + 2})
	g, err := csr.FromEdges(n+4, edges)
	if err != nil {
		t.Fatal(err)
	}
	db := newStore(t, nil)
	keys := func(v uint32) string {
		switch int(v) - n {
		case -n:
			return "hub"
		case 1, 2, 3:
			return fmt.Sprint("end ", int(v)-n)
		}
		return fmt.Sprint(v)
	}
	if _, err := db.PutGraph(context.Background(), "g", PutGraphRequest{Graph: g, Keys: keys}); err != nil {
		t.Fatal(err)
	}
	return db
}

// changedPages returns how many pages of the file a write changes.
func changedPages(t *testing.T, db *DB, write func(x *Tx) error) int {
	t.Helper()
	before, err := os.ReadFile(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(context.Background(), write); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	page, changed := os.Getpagesize(), 0
	for at := 0; at+page <= len(after); at += page {
		if at+page > len(before) {
			if len(bytes.Trim(after[at:at+page], "\x00")) > 0 {
				changed++
			}
		} else if !bytes.Equal(before[at:at+page], after[at:at+page]) {
			changed++
		}
	}
	return changed
}

// Writing an edge of a hub changes as few pages as an edge of a small vertex: a few blocks
// and the pages above them, whatever the degree.
func TestTx_Edges_CostOfHub(t *testing.T) {
	n := repeat.Times(200_000)
	db := starStore(t, n)
	pages := map[string]int{}
	for _, c := range []struct {
		name  string
		write func(x *Tx) (WriteStats, error)
	}{
		{"insert at the hub", func(x *Tx) (WriteStats, error) {
			return x.InsertEdges("g", []Edge{{Source: "hub", Target: "end 1"}})
		}},
		{"insert at an end", func(x *Tx) (WriteStats, error) {
			return x.InsertEdges("g", []Edge{{Source: "end 3", Target: "end 1"}})
		}},
		{"weight at the hub", func(x *Tx) (WriteStats, error) {
			return x.UpdateEdges("g", []Edge{{Source: "hub", Target: fmt.Sprint(n / 2), Weight: 2, Time: 5, Timed: true}})
		}},
		{"delete at the hub", func(x *Tx) (WriteStats, error) {
			return x.DeleteEdges("g", []Edge{{Source: "hub", Target: fmt.Sprint(n / 3)}})
		}},
	} {
		pages[c.name] = changedPages(t, db, func(x *Tx) error {
			stats, err := c.write(x)
			if stats.Inserted+stats.Updated+stats.Deleted != 1 {
				t.Errorf("%s: %+v", c.name, stats)
			}
			return err
		})
	}
	t.Logf("pages written in a graph with a hub of %d neighbours: %v", n, pages)
	for name, count := range pages {
		if count > 24 || count > pages["insert at an end"]+8 {
			t.Errorf("%s writes %d pages, one at a small vertex %d", name, count, pages["insert at an end"])
		}
	}
}

// BenchmarkTx_InsertEdges measures single edges, each with its own commit, and a batch.
func BenchmarkTx_InsertEdges(b *testing.B) {
	const n = 1_000_000
	ctx := context.Background()
	for _, at := range []string{"hub", "end 1"} {
		b.Run("single/at="+at, func(b *testing.B) {
			db := starStore(b, n)
			other := []Edge{{Source: at, Target: "end 3"}}
			b.ResetTimer()
			for i := 0; b.Loop(); i++ {
				if err := db.Update(ctx, func(x *Tx) (err error) {
					if i%2 == 0 {
						_, err = x.InsertEdges("g", other)
					} else {
						_, err = x.DeleteEdges("g", other)
					}
					return err
				}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("batch=100000", func(b *testing.B) {
		random := rand.New(rand.NewPCG(1, 1))
		edges := make([]Edge, 100_000)
		for i := range edges {
			x := random.Float64()
			edges[i] = Edge{Source: fmt.Sprint(int(x * x * n)), Target: fmt.Sprint(random.IntN(n)), Weight: 2}
		}
		db := starStore(b, n)
		b.ResetTimer()
		for b.Loop() {
			for _, write := range []func(x *Tx) (WriteStats, error){
				func(x *Tx) (WriteStats, error) { return x.InsertEdges("g", edges) },
				func(x *Tx) (WriteStats, error) { return x.DeleteEdges("g", edges) },
			} {
				if err := db.Update(ctx, func(x *Tx) error { _, err := write(x); return err }); err != nil {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(float64(2*len(edges)*b.N)/b.Elapsed().Seconds(), "edges/s")
	})
}

// Single arcs and batches of them keep every block within its limits and not too empty.
func TestArcList_Blocks(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: makes a star of many blocks")
	}
	ctx := context.Background()
	db := newStore(t, nil)
	random := rand.New(rand.NewPCG(5, 5))
	if _, err := db.CreateGraph(ctx, "g"); err != nil {
		t.Fatal(err)
	}
	blocks := func() (sizes []int) {
		err := db.file.View(ctx, func(x *tree.Tx) error {
			r, err := graphs.Find(x, "g")
			if err != nil {
				return err
			}
			p, err := x.Part(r.Object, block.ArcsName)
			if err != nil {
				return err
			}
			return x.Scan(p, func(key, payload []byte) error {
				sizes = append(sizes, len(key)+block.ChecksumSize+len(payload))
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		return sizes
	}
	var all []Edge
	for range 40 {
		edges := randomEdges(random, 500)
		all = append(all, edges...)
		if err := db.Update(ctx, func(x *Tx) error { _, err := x.InsertEdges("g", edges); return err }); err != nil {
			t.Fatal(err)
		}
	}
	sizes := blocks()
	if m := slices.Max(sizes); m > block.MaxBlock {
		t.Errorf("a block of %d bytes", m)
	}
	total := 0
	for _, size := range sizes {
		total += size
	}
	if mean := total / len(sizes); mean < block.MaxBlock/2 {
		t.Errorf("%d blocks of %d bytes on average", len(sizes), mean)
	}
	// Nine of ten edges are deleted, in small transactions: the rest must not be in as many
	// blocks.
	slices.SortFunc(all, func(a, b Edge) int { return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target)) })
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for part := range slices.Chunk(all[:len(all)/10*9], 700) {
		if err := db.Update(ctx, func(x *Tx) error { _, err := x.DeleteEdges("g", part); return err }); err != nil {
			t.Fatal(err)
		}
	}
	left := blocks()
	if len(left) > len(sizes)/3 {
		t.Errorf("%d blocks became %d", len(sizes), len(left))
	}
	t.Logf("%d blocks of %d bytes on average; after deleting %d", len(sizes), total/len(sizes), len(left))
}

// floor is right next to pages that the transaction has emptied.
func TestPart_Floor(t *testing.T) {
	const n = 200
	ctx := context.Background()
	db := newStore(t, nil)
	unlock, err := db.file.LockWriter(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	random := rand.New(rand.NewPCG(8, 8))
	key := func(i int) []byte { return block.Key32(uint32(10 * i)) }
	var object uint64
	err = db.file.Update(ctx, func(x *tree.Tx) (err error) {
		if object, err = x.NewObject(tree.GraphParts[:]...); err != nil {
			return err
		}
		p, err := x.Part(object, block.ArcsName)
		for i := range n {
			err = errors.Join(err, p.Put(key(i), make([]byte, 1500)))
		}
		return errors.Join(err, x.Discard(object)) // so that Check finds an owner
	})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		errStop := errors.New("stop")
		err := db.file.Update(ctx, func(x *tree.Tx) error {
			p, err := x.Part(object, block.ArcsName)
			if err != nil {
				return err
			}
			there := [n]bool{}
			for i := range there {
				there[i] = true
			}
			for range 1 + random.IntN(3) {
				from := random.IntN(n)
				for i := from; i < min(n, from+random.IntN(n)); i++ {
					there[i] = false
					if err := p.Delete(key(i)); err != nil {
						return err
					}
				}
			}
			for i := range 10 * n {
				var want []byte
				for j := i / 10; j >= 0 && want == nil; j-- {
					if there[j] {
						want = key(j)
					}
				}
				if got, _ := p.Floor(block.Key32(uint32(i))); !bytes.Equal(got, want) {
					t.Errorf("below %d there is %x, want %x", i, got, want)
				}
			}
			return errStop
		})
		if !errors.Is(err, errStop) {
			t.Fatal(err)
		}
	}
}
