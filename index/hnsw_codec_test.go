package index

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/index/internal/indextest"
	"heavytail/storage/vec"
)

// stored returns the stream of an index.
func stored(t testing.TB, h *HNSW) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := h.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("%d bytes of %d: %v", b.Len(), n, err)
	}
	return b.Bytes()
}

func TestReadHNSW_RoundTrip(t *testing.T) {
	ctx := context.Background()
	sets := indextest.Matrices()
	for name, m := range hnswSets(120) {
		sets["hnsw "+name] = m
	}
	for name, m := range sets {
		for _, metric := range Metrics() {
			h := mustHNSW(t, m, metric, HNSWOptions{M: 3, EfConstruction: 9, Ef: 20, Seed: 7})
			if m.Rows > 10 {
				var err error
				if h, err = h.Apply(ctx, m, Changes{Deleted: []uint32{0, 3}}, HNSWOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			b := stored(t, h)
			got, err := ReadHNSW(bytes.NewReader(b), m)
			if err != nil {
				t.Fatalf("%s, %v: %v", name, metric, err)
			}
			if got.Metric() != metric || got.Live() != h.Live() || got.opts.Seed != 7 || !bytes.Equal(stored(t, got), b) {
				t.Fatalf("%s, %v: the index that was read is different", name, metric)
			}
			for i := range min(3, m.Rows) {
				want, err := h.Search(ctx, m.Row(i), 5, SearchOptions{GraphOnly: true})
				hits, err2 := got.Search(ctx, m.Row(i), 5, SearchOptions{GraphOnly: true})
				if err != nil || err2 != nil || !slices.Equal(hits, want) {
					t.Fatalf("%s, %v: %v, before %v (%v, %v)", name, metric, hits, want, err, err2)
				}
			}
		}
	}
}

// Every cut, every flipped bit, and the links of different vectors are detected.
func TestReadHNSW_Damage(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages an index in many places")
	}
	m := indextest.Gridded(60, 3, 1)
	b := stored(t, mustHNSW(t, m, L2, HNSWOptions{M: 2}))
	for n := 0; n < len(b); n += repeat.Every(5) {
		if _, err := ReadHNSW(bytes.NewReader(b[:n]), m); !errors.Is(err, ErrFormat) {
			t.Fatalf("%d of %d bytes: %v", n, len(b), err)
		}
	}
	for bit := 0; bit < 8*len(b); bit += repeat.Every(13) {
		flipped := slices.Clone(b)
		flipped[bit/8] ^= 1 << (bit % 8)
		if _, err := ReadHNSW(bytes.NewReader(flipped), m); !errors.Is(err, ErrFormat) && !errors.Is(err, ErrMismatch) {
			t.Fatalf("bit %d: %v", bit, err)
		}
	}
	if _, err := ReadHNSW(bytes.NewReader(append(slices.Clone(b), 0)), m); !errors.Is(err, ErrFormat) {
		t.Errorf("an additional byte: %v", err)
	}
	other := &vec.Matrix{Rows: m.Rows, Dim: m.Dim, Data: slices.Clone(m.Data)}
	other.Data[100]++
	for _, m := range []*vec.Matrix{other, indextest.Gridded(59, 3, 1), indextest.Gridded(60, 4, 1)} {
		if _, err := ReadHNSW(bytes.NewReader(b), m); !errors.Is(err, ErrMismatch) {
			t.Errorf("different vectors: %v", err)
		}
	}
}

// A head that promises more lists than an index ever has would make a reader allocate a kilobyte
// for each byte of the stream.
func TestReadHNSW_ManyLevels(t *testing.T) {
	m := indextest.Gridded(60, 3, 1)
	b := stored(t, mustHNSW(t, m, L2, HNSWOptions{M: 3}))
	head, err := decodeHead(b[:headSize])
	if err != nil {
		t.Fatal(err)
	}
	head.lists = 2*head.vertices + maxUpperBeyond + 1
	copy(b, head.encode())
	if _, err = ReadHNSW(bytes.NewReader(b), m); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "above level 0") {
		t.Error(err)
	}
}

// mend corrects the checksums of a changed stream, also those of its pages if the stream has the
// length in its header.
func mend(b []byte) {
	if len(b) < headSize {
		return
	}
	if head, err := decodeHead(b[:headSize]); err == nil && head.size() == int64(len(b)) {
		var sums pageSums
		sums.add(b[:head.pagesAt()])
		sums.end()
		for i, sum := range sums.sums {
			binary.LittleEndian.PutUint32(b[head.pagesAt()+4*int64(i):], sum)
		}
	}
	binary.LittleEndian.PutUint32(b[len(b)-4:], crc32.Checksum(b[:len(b)-4], castagnoli))
}

// FuzzReadHNSW changes bytes and mends the checksums: an index that is accepted can be searched,
// and answers contain each vertex at most once.
func FuzzReadHNSW(f *testing.F) {
	m := indextest.Gridded(60, 3, 1)
	for _, metric := range Metrics() {
		for _, width := range []int{2, 5} {
			f.Add(stored(f, mustHNSW(f, m, metric, HNSWOptions{M: width, EfConstruction: 6})))
		}
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		b = slices.Clone(b)
		mend(b)
		h, err := ReadHNSW(bytes.NewReader(b), m)
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrMismatch) {
				t.Fatal(err)
			}
			return
		}
		for _, ef := range []int{1, 40} {
			a, err := h.Find(context.Background(), m.Row(3), 40, SearchOptions{Ef: ef, GraphOnly: true})
			if err != nil || len(a.Hits) > h.Live() {
				t.Fatalf("%d hits of %d, %v", len(a.Hits), h.Live(), err)
			}
			seen := map[uint32]bool{}
			for _, hit := range a.Hits {
				if seen[hit.Vertex] {
					t.Fatalf("vertex %d twice", hit.Vertex)
				}
				seen[hit.Vertex] = true
			}
		}
	})
}
