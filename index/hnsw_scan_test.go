package index

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/index/internal/indextest"
	"heavytail/storage/vec"
)

// A search by bytes finds the nearest of a block of vertices among the first of an order, by the distances of
// their bytes, which are about those of the vectors.
func TestByteSearch_Nearest(t *testing.T) {
	const k, rows = 20, 500
	random := rand.New(rand.NewPCG(1, 8))
	for name, m := range map[string]*vec.Matrix{"uniform": indextest.Uniform(rows, 17, 1), "one column": indextest.Uniform(rows, 1, 2), "zeros": vec.NewMatrix(rows, 5)} {
		for _, metric := range Metrics() {
			exact, err := NewExact(m, metric)
			if err != nil {
				t.Fatal(err)
			}
			h := emptyHNSW(exact, HNSWOptions{})
			order := make([]uint32, rows-3)
			for i, v := range random.Perm(rows)[:len(order)] {
				order[i] = uint32(v)
			}
			spare := h.spare(1)
			o := newByteOrder(h, order, spare, 2)
			rounded := make([][]float64, len(order)) // the vectors that the bytes stand for
			for i := range order {
				rounded[i] = make([]float64, len(o.centre))
				o.row(rounded[i], order[i])
				off := 0.0
				for l, x := range rounded[i] {
					word := o.panel(i / vec.TileCols)[l/4*vec.TileCols+i%vec.TileCols]
					rounded[i][l] = float64(int8(word>>(8*(l%4)))) * float64(o.step[i])
					off = max(off, math.Abs(x-rounded[i][l]))
				}
				if off > 0.501*float64(o.step[i]) {
					t.Fatalf("%s, %v: place %d is off by %v in steps of %v", name, metric, i, off, o.step[i])
				}
			}
			var s byteSearch
			for _, c := range [][3]int{{0, 1, 1}, {0, byteBlock, len(order)}, {byteBlock, 2 * byteBlock, 401}, {2 * byteBlock, len(order), len(order)}} {
				turn := vec.NewTurn(1)
				s.nearest(context.Background(), &turn, o, c[0], c[1], c[2], k)
				for i := c[0]; i < c[1]; i++ {
					distance := func(j int) (sum float64) {
						for l, x := range rounded[i] {
							sum += (x - rounded[j][l]) * (x - rounded[j][l])
						}
						return sum
					}
					var want []float64
					for j := range c[2] {
						if j != i {
							want = append(want, distance(j))
						}
					}
					slices.Sort(want)
					want = want[:min(k, len(want))]
					var got []float64
					for _, near := range s.best[i-c[0]] {
						if int(near.vertex()) == i || int(near.vertex()) >= c[2] {
							t.Fatalf("%s, %v: place %d has place %d of %d", name, metric, i, near.vertex(), c[2])
						}
						got = append(got, distance(int(near.vertex())))
					}
					slices.Sort(got)
					if !slices.EqualFunc(got, want, func(a, b float64) bool { return math.Abs(a-b) <= 1e-5 }) {
						t.Fatalf("%s, %v: place %d has neighbours at %v, expected %v", name, metric, i, got, want)
					}
				}
			}
		}
	}
}

// Vectors that bytes separate are linked by a scan. Where clusters are so far apart that bytes do not separate vectors
// of the same cluster, searches link those that are not above level 0.
func TestBuilder_scan(t *testing.T) {
	if !vec.FastBytes() {
		t.Skip("products of bytes are slow on this processor")
	}
	const rows = 3000
	for name, c := range map[string]struct {
		m   *vec.Matrix
		all bool
	}{
		"normal":    {indextest.Clustered(rows, 24, 1, 0, 2), true},
		"clustered": {indextest.Clustered(rows, 32, 30, 3, 3), true},
		"far apart": {indextest.Clustered(rows, 16, 3, 30_000, 4), false},
	} {
		exact, err := NewExact(c.m, L2)
		if err != nil {
			t.Fatal(err)
		}
		opts, err := HNSWOptions{}.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		h := emptyHNSW(exact, opts)
		h.grow(rows)
		vertices := make([]uint32, rows)
		above := 0
		for v := range vertices {
			vertices[v] = uint32(v)
			above += min(1, levelOf(0, uint32(v), opts.M))
		}
		b := newBuilder(h, opts, rows)
		linked, err := b.scan(context.Background(), b.ordered(vertices))
		if err != nil || linked != rows && c.all || linked != above && !c.all {
			t.Errorf("%s: a scan linked %d of %d vertices, %d of them above level 0: %v", name, linked, rows, above, err)
		}
	}
}

// As long as trails do not call the search for a vertex stale, it finds what it found.
func TestTrails_Stale(t *testing.T) {
	ctx := context.Background()
	for _, metric := range Metrics() {
		m := indextest.Clustered(1500, 16, 12, 2, 1)
		h := mustHNSW(t, m, metric, HNSWOptions{M: 4, EfConstruction: 20})
		s, trails := newSearcher(h), newTrails(h.Len())
		find := func(v uint32) (found []candidate, ok bool) {
			s.way = nil
			_, ok = s.finds(ctx, v)
			return slices.Clone(s.best.heap), ok
		}
		trails.round = 1
		before := make([][]candidate, h.Len())
		for v := range uint32(h.Len()) {
			before[v], _ = find(v)
			trails.ways[v], trails.searched[v] = s.way, trails.round
		}
		random := rand.New(rand.NewPCG(2, 9))
		var bridges []edge
		for range 100 {
			bridges = append(bridges, edge{random.Uint32N(1500), random.Uint32N(1500)})
		}
		h.bridges = append(h.bridges, bridges...)
		h.mark(h.Len())
		trails.add(bridges)
		trails.sort()
		stale, other := 0, 0
		for v := range uint32(h.Len()) {
			s.score.set(h.exact, m.Row(int(v)))
			isStale := trails.stale(v, &s.score)
			after, _ := find(v)
			if same := slices.Equal(after, before[v]); !same && !isStale {
				t.Fatalf("%v: the search for vertex %d found %v, and now %v", metric, v, before[v], after)
			} else if !same {
				other++
			}
			if isStale {
				stale++
			}
		}
		if other == 0 || stale > h.Len()*9/10 {
			t.Errorf("%v: %d searches are stale, and %d found other vertices", metric, stale, other)
		}
	}
}
