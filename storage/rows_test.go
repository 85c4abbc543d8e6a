package storage

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	bolt "go.etcd.io/bbolt"

	"heavytail/storage/internal/block"
	"heavytail/storage/vec"
)

// numbered is a matrix whose values say where they are.
func numbered(rows, dim int) *vec.Matrix {
	m := vec.NewMatrix(rows, dim)
	for i := range m.Data {
		m.Data[i] = float32(i%8191) + 1
	}
	return m
}

// scanned gathers the rows that a scan gives out.
func scanned(v *RowView, workers int) (*vec.Matrix, error) {
	m := vec.NewMatrix(v.Info.Vertices, v.Info.Dim)
	seen := make([]bool, v.Info.Vertices)
	var mu sync.Mutex
	err := v.Scan(workers, func(worker int, first uint32, rows []float32) {
		mu.Lock()
		defer mu.Unlock()
		if worker < 0 || worker >= workers {
			panic("worker out of range")
		}
		copy(m.Data[int(first)*m.Dim:], rows)
		for i := range len(rows) / m.Dim {
			if seen[int(first)+i] {
				panic("a row came twice")
			}
			seen[int(first)+i] = true
		}
	})
	if err == nil && slices.Contains(seen, false) {
		err = errors.New("a row did not come")
	}
	return m, err
}

// A scan of the file gives out the rows that Embedding copies, whether they are
// known to be sound or not, and in a file that is being written or read only.
func TestRowView_Scan(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	var text strings.Builder
	const n = 5000
	for v := range n {
		fmt.Fprintf(&text, "v%d v%d\n", v, (v+1)%n)
	}
	importText(t, db, "g", text.String())
	for _, dim := range []int{0, 1, 3, 200} {
		m := numbered(n, dim)
		if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: fmt.Sprint("e", dim), Graph: "g", GraphVersion: 1}, m); err != nil {
			t.Fatal(err)
		}
	}
	for _, readOnly := range []bool{false, true} {
		if readOnly {
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			db = openStore(t, db.Path(), &Options{ReadOnly: true})
		}
		for _, dim := range []int{0, 1, 3, 200} {
			want := numbered(n, dim)
			for _, workers := range []int{1, 3, 1} {
				err := db.ViewRows(ctx, fmt.Sprint("e", dim), func(v *RowView) error {
					id, err := v.Vertex("v4321")
					if err != nil {
						return err
					}
					row, err := v.Row(id)
					if err != nil {
						return err
					}
					if !slices.Equal(row, want.Row(int(id))) {
						t.Errorf("dim %d: row %d is %v", dim, id, row)
					}
					keys, err := v.Keys([]uint32{id, 7, id})
					if err != nil || !slices.Equal(keys, []string{"v4321", "v7", "v4321"}) {
						t.Errorf("keys %v, %v", keys, err)
					}
					if dim == 0 {
						return nil
					}
					m, err := scanned(v, workers)
					if err == nil && !slices.Equal(m.Data, want.Data) {
						t.Errorf("dim %d, %d workers: other rows", dim, workers)
					}
					return err
				})
				if err != nil {
					t.Fatalf("dim %d, %d workers: %v", dim, workers, err)
				}
			}
		}
		err := db.ViewRows(ctx, "e3", func(v *RowView) error {
			if _, err := v.Row(n); !errors.Is(err, ErrInvalid) {
				t.Errorf("row %d: %v", n, err)
			}
			if _, err := v.Keys([]uint32{n}); !errors.Is(err, ErrInvalid) {
				t.Errorf("key %d: %v", n, err)
			}
			_, err := v.Vertex("nobody")
			return err
		})
		if !errors.Is(err, ErrNotFound) {
			t.Errorf("nobody: %v", err)
		}
	}
	if err := db.ViewRows(ctx, "nothing", func(*RowView) error { return nil }); !errors.Is(err, ErrNotFound) {
		t.Errorf("nothing: %v", err)
	}
}

// Vertices that were deleted leave numbers that rows and keys agree on.
func TestRowView_Deleted(t *testing.T) {
	ctx := context.Background()
	db := newStore(t, nil)
	importText(t, db, "g", "a b\nb c\nc d\nd e\n")
	if err := db.Update(ctx, func(x *Tx) error {
		_, err := x.DeleteVertices("g", []string{"b"})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 2}, numbered(4, 2)); err != nil {
		t.Fatal(err)
	}
	err := db.ViewRows(ctx, "e", func(v *RowView) error {
		for i, key := range []string{"a", "c", "d", "e"} {
			id, err := v.Vertex(key)
			if err != nil || id != uint32(i) {
				t.Errorf("%s: %d, %v", key, id, err)
			}
		}
		keys, err := v.Keys([]uint32{3, 0, 1})
		if !slices.Equal(keys, []string{"e", "a", "c"}) {
			t.Errorf("keys %v", keys)
		}
		for vertex, want := range [][]uint32{{}, {2}, {1, 3}, {2}} { // a was linked to b alone
			if have, err := v.Neighbors(uint32(vertex)); err != nil || !slices.Equal(have, want) {
				t.Errorf("neighbours of vertex %d: %v instead of %v, %v", vertex, have, want, err)
			}
		}
		if _, err := v.Neighbors(4); !errors.Is(err, ErrInvalid) {
			t.Errorf("vertex 4 of 4: %v", err)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Damaged rows are an error of the first scan, and never an answer.
func TestRowView_Damaged(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages rows in many places")
	}
	ctx := context.Background()
	for name, damage := range map[string]func(payload []byte) []byte{
		"number of rows": func(p []byte) []byte { p[0]++; return p },
		"not finite":     func(p []byte) []byte { p[4], p[5], p[6], p[7] = 0, 0, 0x80, 0x7f; return p },
		"cut":            func(p []byte) []byte { return p[:len(p)-8] },
		"odd length":     func(p []byte) []byte { return p[:len(p)-1] },
		"empty":          func(p []byte) []byte { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			path := storeOfRows(t)
			withRoot(t, path, func(root *bolt.Bucket) error {
				b, seed := objectBucket(t, root, "embeddings", "e", block.RowsName)
				reseal(t, b, seed, damage)
				return nil
			})
			mustBeCorrupt(t, path)
		})
	}
	t.Run("value", func(t *testing.T) {
		path := storeOfRows(t)
		withRoot(t, path, func(root *bolt.Bucket) error {
			b, _ := objectBucket(t, root, "embeddings", "e", block.RowsName)
			key, value := b.Cursor().Last()
			value = slices.Clone(value)
			value[len(value)-3] ^= 1
			return b.Put(slices.Clone(key), value)
		})
		mustBeCorrupt(t, path)
	})
	t.Run("edge", func(t *testing.T) {
		path := storeOfRows(t)
		withRoot(t, path, func(root *bolt.Bucket) error {
			b, _ := objectBucket(t, root, "graphs", "g", block.ArcsName)
			key, value := b.Cursor().First()
			value = slices.Clone(value)
			value[len(value)/2] ^= 1
			return b.Put(slices.Clone(key), value)
		})
		db, err := Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		err = db.ViewRows(ctx, "e", func(v *RowView) error {
			_, err := v.Neighbors(0)
			return err
		})
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("neighbours: %v", err)
		}
	})
	// A context that has ended is not damage.
	db := openStore(t, storeOfRows(t), nil)
	cancelled, cancel := context.WithCancel(ctx)
	err := db.ViewRows(cancelled, "e", func(v *RowView) error {
		cancel()
		return v.Scan(2, func(int, uint32, []float32) {})
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// storeOfRows returns the path of a store with an embedding of several chunks.
func storeOfRows(t *testing.T) string {
	db := newStore(t, nil)
	var text strings.Builder
	for v := range 3000 {
		fmt.Fprintf(&text, "%d %d\n", v, (v+1)%3000)
	}
	importText(t, db, "g", text.String())
	if _, err := db.PutEmbedding(context.Background(), EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1}, numbered(3000, 256)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return db.Path()
}

// mustBeCorrupt scans twice, so that a fault is not taken for verified.
func mustBeCorrupt(t *testing.T, path string) {
	t.Helper()
	db, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for range 2 {
		err := db.ViewRows(context.Background(), "e", func(v *RowView) error {
			return v.Scan(2, func(_ int, _ uint32, rows []float32) {
				for _, x := range rows {
					if math.IsInf(float64(x), 0) {
						t.Error("an infinity was given out")
					}
				}
			})
		})
		if !errors.Is(err, ErrCorrupt) {
			t.Errorf("scan: %v", err)
		}
	}
}

// A file that is cut while it is scanned gives an error, not a fault, in every
// goroutine.
func TestRowView_Cut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be cut on Windows")
	}
	for _, workers := range []int{1, 3} {
		db, err := Open(storeOfRows(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		for sound := range 2 { // the rows are known to be sound the second time
			err = db.ViewRows(context.Background(), "e", func(v *RowView) error {
				if sound == 1 {
					if err := os.Truncate(db.Path(), 0); err != nil {
						t.Fatal(err)
					}
				}
				return v.Scan(workers, func(_ int, _ uint32, rows []float32) {
					sum := float32(0)
					for _, x := range rows {
						sum += x
					}
					if sum == 0 {
						t.Error("rows of zeros")
					}
				})
			})
			if sound == 1 != errors.Is(err, ErrCorrupt) {
				t.Errorf("%d workers: %v", workers, err)
			}
		}
		_ = db.Close()
	}
}

// Scans continue during writes that make the file grow, replace the embedding, and
// compact the file.
func TestRowView_Beside(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: reads beside a writer for a while")
	}
	ctx := context.Background()
	db := openStore(t, storeOfRows(t), nil)
	want := numbered(3000, 256)
	changes := []func() error{
		func() error {
			other := numbered(3000, 256)
			slices.Reverse(other.Data)
			_, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1}, other)
			return err
		},
		func() error {
			_, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "large", Graph: "g", GraphVersion: 1}, numbered(3000, 1000))
			return err
		},
		func() error {
			_, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1}, want)
			return err
		},
		func() error {
			_, err := db.Compact(ctx, nil)
			return err
		},
	}
	for i, change := range changes {
		err := db.ViewRows(ctx, "e", func(v *RowView) error {
			first, err := scanned(v, 2)
			if err != nil {
				return err
			}
			done := make(chan error)
			go func() { done <- change() }()
			if err := <-done; err != nil {
				return err
			}
			again, err := scanned(v, 2)
			if err == nil && !slices.Equal(first.Data, again.Data) {
				t.Errorf("change %d: other rows in one transaction", i)
			}
			return err
		})
		if err != nil {
			t.Fatalf("change %d: %v", i, err)
		}
		_, whole, err := db.Embedding(ctx, "e")
		if err != nil {
			t.Fatal(err)
		}
		err = db.ViewRows(ctx, "e", func(v *RowView) error {
			m, err := scanned(v, 2)
			if err == nil && !slices.Equal(m.Data, whole.Data) {
				t.Errorf("after change %d: other rows than Embedding has", i)
			}
			return err
		})
		if err != nil {
			t.Fatalf("after change %d: %v", i, err)
		}
	}
}

// BenchmarkRowView_Scan reads rows in the map, the first time with their checksums, and
// for comparison copies them out.
func BenchmarkRowView_Scan(b *testing.B) {
	ctx := context.Background()
	const n, dim = 60_000, 200
	path := filepath.Join(b.TempDir(), "rows")
	db := openStore(b, path, nil)
	putRing(b, db, "g", n)
	if _, err := db.PutEmbedding(ctx, EmbeddingInfo{Name: "e", Graph: "g", GraphVersion: 1}, numbered(n, dim)); err != nil {
		b.Fatal(err)
	}
	x, keys := make([]float32, dim), make([]float32, n)
	scan := func(b *testing.B) {
		err := db.ViewRows(ctx, "e", func(v *RowView) error {
			return v.Scan(1, func(_ int, first uint32, rows []float32) {
				vec.ScanDots(keys[first:int(first)+len(rows)/dim], x, rows)
			})
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	for _, first := range []bool{true, false} {
		b.Run(fmt.Sprintf("n=%d/dim=%d/first=%v", n, dim, first), func(b *testing.B) {
			for b.Loop() {
				if first {
					db.file.Current.Rows.Objects = nil
				}
				scan(b)
			}
			b.ReportMetric(4*n*dim*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
		})
	}
	b.Run(fmt.Sprintf("n=%d/dim=%d/copied", n, dim), func(b *testing.B) {
		for b.Loop() {
			if _, m, err := db.Embedding(ctx, "e"); err != nil || m.Data[1] != 2 {
				b.Fatal(err)
			}
		}
		b.ReportMetric(4*n*dim*float64(b.N)/b.Elapsed().Seconds()/1e9, "GB/s")
	})
}
