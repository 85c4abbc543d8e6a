package storage

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"heavytail/storage/csr"
)

// randomGraph is a graph of n vertices with heavy-tailed degrees.
func randomGraph(n, m int, seed uint64) *csr.Graph {
	random := rand.New(rand.NewPCG(seed, 1))
	edges := make([]csr.Edge, m)
	for i := range edges {
		x := random.Float64()
		edges[i] = csr.Edge{U: uint32(x * x * x * float64(n)), V: uint32(random.IntN(n))}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		panic(err)
	}
	return g
}

// randomKeys are n distinct keys of all lengths.
func randomKeys(n int) keySet {
	random := rand.New(rand.NewPCG(9, 9))
	keys := newKeySet(n)
	for i := range n {
		switch i % 4 {
		case 0:
			keys.add(fmt.Appendf(nil, "%d", i))
		case 1:
			keys.add(fmt.Appendf(nil, "prefix/%0*d", 1+random.IntN(30), i))
		case 2:
			keys.add([]byte(strings.Repeat("ø", 1+random.IntN(500)) + fmt.Sprint(i)))
		default:
			keys.add(fmt.Appendf(nil, "%d€", i))
		}
	}
	return keys
}

// withValues gives one in so many edges of a copy of g a weight and a timestamp;
// 0 gives none.
func withValues(g *csr.Graph, weighted, timed int) *csr.Graph {
	random := rand.New(rand.NewPCG(3, 3))
	out := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets}
	if weighted > 0 {
		out.Weights = make([]float32, len(g.Targets))
	}
	if timed > 0 {
		out.Times = make([]int64, len(g.Targets))
	}
	next := make([]int64, g.Vertices()) // of the arcs back, which come in the same order
	for u := range uint32(g.Vertices()) {
		for at := g.Offsets[u]; at < g.Offsets[u+1]; at++ {
			v := g.Targets[at]
			back := g.Offsets[v] + next[v]
			next[v]++
			weight, time := float32(1), int64(csr.NoTime)
			if weighted > 0 && random.IntN(weighted) == 0 {
				weight = random.Float32() + 0.5
			}
			if timed > 0 && random.IntN(timed) == 0 {
				time = []int64{1_700_000_000 + random.Int64N(1e7), math.MaxInt64, math.MinInt64 + 1, 0, random.Int64()}[random.IntN(5)]
			}
			if out.Weights != nil && u < v {
				out.Weights[at], out.Weights[back] = weight, weight
			}
			if out.Times != nil && u < v {
				out.Times[at], out.Times[back] = time, time
			}
		}
	}
	return out
}

// arcValues lists the arcs of a graph.
func arcValues(g *csr.Graph) []arcValue {
	var list []arcValue
	for u := range uint32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			a := arcValue{newArc(u, v), 1, csr.NoTime}
			if g.Weights != nil {
				a.weight = g.WeightsOf(u)[i]
			}
			if g.Times != nil {
				a.time = g.Times[g.Offsets[u]+int64(i)]
			}
			list = append(list, a)
		}
	}
	return list
}

// Blocks hold all arcs, none is too large, and starting at any block boundary
// makes the same blocks.
func TestArcBlock_RoundTrip(t *testing.T) {
	star := make([]csr.Edge, 100_000)
	for i := range star {
		star[i] = csr.Edge{U: 70_000, V: uint32(i)}
	}
	hub, err := csr.FromEdges(100_000, star)
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]*csr.Graph{
		"hub":          hub,
		"random":       randomGraph(3000, 20_000, 1),
		"weights":      withValues(randomGraph(3000, 20_000, 1), 2, 0),
		"some weights": withValues(randomGraph(3000, 20_000, 1), 200, 0),
		"timestamps":   withValues(randomGraph(3000, 20_000, 1), 0, 2),
		"both":         withValues(hub, 3, 4),
		"sparse":       randomGraph(100_000, 300, 2),
		"edge":         {Offsets: []int64{0, 0, 1, 2, 2}, Targets: []uint32{2, 1}},
		"none":         {Offsets: []int64{0, 0, 0}},
	} {
		var got []arcValue
		want := arcValues(g)
		e := newArcEncoder(g, 0)
		blocks := 0
		for {
			at := e.at
			key, record := e.next()
			if key == nil {
				break
			}
			againKey, again := newArcEncoder(g, at).next()
			if string(againKey) != string(key) || string(again) != string(record) {
				t.Fatalf("%s: the block at %d depends on the one before", name, at)
			}
			if len(key)+len(record) > maxBlock {
				t.Fatalf("%s: block of %d bytes", name, len(key)+len(record))
			}
			var block arcBlock
			if err := block.decode(key, record[sumSize:]); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if block.arcs[0] != arcOfKey(key) {
				t.Fatalf("%s: first arc %v under key %x", name, block.arcs[0], key)
			}
			for i := range block.arcs {
				got = append(got, block.at(i))
			}
			blocks++
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %d arcs came back as %d others", name, len(want), len(got))
		}
		t.Logf("%s: %d arcs in %d blocks", name, len(want), blocks)
	}
}

func TestKeyBlock_RoundTrip(t *testing.T) {
	ctx := context.Background()
	keys := randomKeys(5000)
	back := newKeySet(0)
	for from := 0; from < keys.len(); {
		key, record, count := nextKeyBlock(&keys, uint32(from))
		if len(key)+len(record) > maxBlock || count == 0 {
			t.Fatalf("block of %d bytes and %d keys", len(key)+len(record), count)
		}
		if err := decodeKeys(&back, key, record[sumSize:]); err != nil {
			t.Fatal(err)
		}
		from += count
	}
	if string(back.blob) != string(keys.blob) || !slices.Equal(back.offsets, keys.offsets) {
		t.Error("keys differ")
	}
	order, err := keys.byKey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for from := 0; from < len(order); {
		key, record, count := nextIDBlock(&keys, order, from)
		if len(key)+len(record) > maxBlock {
			t.Fatalf("block of %d bytes", len(key)+len(record))
		}
		err := decodeIDs(key, record[sumSize:], func(k []byte, id uint32) error {
			if id != order[at] || string(k) != string(keys.at(id)) {
				return fmt.Errorf("entry %d: vertex %d, key %q", at, id, k)
			}
			at++
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		from += count
	}
	if at != keys.len() || !slices.IsSortedFunc(order, func(a, b uint32) int { return strings.Compare(string(keys.at(a)), string(keys.at(b))) }) {
		t.Errorf("%d entries, or out of order", at)
	}
}

// A search for some keys or slots of a block finds what decoding all of it does.
func TestKeyBlock_Find(t *testing.T) {
	keys := randomKeys(3000)
	order, err := keys.byKey(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(6, 6))
	for from := 0; from < keys.len(); {
		key, record, count := nextKeyBlock(&keys, uint32(from))
		var slots []uint32
		var want []string
		for slot := uint32(from); slot < uint32(from+count); slot++ {
			if random.IntN(3) == 0 {
				slots, want = append(slots, slot), append(want, string(keys.at(slot)))
			}
		}
		got, err := findKeys(nil, key, record[sumSize:], append(slots, uint32(from+count)))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("keys of slots %v: %q, expected %q, %v", slots, got, want, err)
		}
		from += count
	}
	for from := 0; from < len(order); {
		key, record, count := nextIDBlock(&keys, order, from)
		var wanted [][]byte
		var numbers []int
		want := make(map[int]uint32)
		for at := from; at < from+count; at++ {
			switch random.IntN(4) {
			case 0:
				want[len(wanted)] = order[at]
				wanted = append(wanted, keys.at(order[at]))
			case 1: // there is none
				wanted = append(wanted, append(bytes.Clone(keys.at(order[at])), 1))
			}
		}
		for i := range wanted {
			numbers = append(numbers, i)
		}
		got := make(map[int]uint32)
		err := findIDs(key, record[sumSize:], wanted, numbers, func(i int, slot uint32) error {
			got[i] = slot
			return nil
		})
		if err != nil || !maps.Equal(got, want) {
			t.Fatalf("slots %v, expected %v, %v", got, want, err)
		}
		from += count
	}
}

// The order by key is right beyond the length of one run of the merge sort.
func TestKeySet_ByKey(t *testing.T) {
	const n = 100_000
	keys := newKeySet(n)
	for i := range n {
		keys.add(fmt.Appendf(nil, "common prefix %d", uint32(i)*2654435761))
	}
	order, err := keys.byKey(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < n; i++ {
		if string(keys.at(order[i-1])) >= string(keys.at(order[i])) {
			t.Fatalf("entry %d is out of order", i)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := keys.byKey(cancelled); err != context.Canceled {
		t.Error(err)
	}
}

// The table finds every key, whatever its length, and nothing else.
func TestKeyTable_Find(t *testing.T) {
	names := newInterner()
	want := make(map[string]uint32)
	for i := range 20_000 {
		key := strings.Repeat("k", i%13) + strings.Repeat("0", i%3) + fmt.Sprint(i/2)
		id, err := names.intern([]byte(key))
		if err != nil {
			t.Fatal(err)
		}
		if known, found := want[key]; found && known != id || !found && int(id) != len(want) {
			t.Fatalf("%q has number %d", key, id)
		}
		want[key] = id
	}
	built, err := tableOf(context.Background(), &names.keys)
	if err != nil {
		t.Fatal(err)
	}
	for _, table := range []*keyTable{&names.table, &built} {
		for key, id := range want {
			if got, found := table.find(&names.keys, []byte(key)); !found || got != id {
				t.Fatalf("%q: %d, %t, want %d", key, got, found, id)
			}
		}
		for _, key := range []string{"", "1\x00", "x", "kkkkkkkkkkkkkkkkkkk", "\x00", strings.Repeat("9", 8), strings.Repeat("9", 30)} {
			if got, found := table.find(&names.keys, []byte(key)); found {
				t.Errorf("%q is number %d", key, got)
			}
		}
	}
	empty, err := tableOf(context.Background(), new(keySet))
	if err != nil {
		t.Fatal(err)
	}
	if _, found := empty.find(new(keySet), []byte("a long key of a vertex")); found {
		t.Error("an empty table finds something")
	}
}

func TestRadixSort(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for _, width := range []int{0, 1, 11, 12, 22, 32} {
		list := make([]uint64, 10_000)
		for i := range list {
			list[i] = uint64(random.Uint32()>>(32-width))<<32 | uint64(random.Uint32()>>(32-width))
		}
		want := slices.Sorted(slices.Values(list))
		got, err := radixSort(context.Background(), list, width)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("width %d: not sorted, %v", width, err)
		}
	}
}

// buildGraph agrees with the plain construction of package csr.
func TestBuildGraph(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	const n = 500
	var (
		edges []uint64
		plain []csr.Edge
	)
	loops := int64(0)
	for range 5000 {
		u, v := uint32(random.IntN(n)), uint32(random.IntN(n))
		if u == v {
			loops++
		}
		edges = append(edges, uint64(u)<<32|uint64(v))
		plain = append(plain, csr.Edge{U: u, V: v})
	}
	base := randomGraph(n-100, 1000, 3)
	for u := range uint32(n - 100) {
		for _, v := range base.Neighbors(u) {
			plain = append(plain, csr.Edge{U: u, V: v})
		}
	}
	want, err := csr.FromEdges(n, plain)
	if err != nil {
		t.Fatal(err)
	}
	got, selfLoops, err := buildGraph(context.Background(), n, edges, base)
	if err != nil {
		t.Fatal(err)
	}
	if selfLoops != loops || !slices.Equal(got.Offsets, want.Offsets) || !slices.Equal(got.Targets, want.Targets) {
		t.Errorf("%d loops, want %d, or rows differ", selfLoops, loops)
	}
}

// Values come back with the same bits, whatever their number, and one that is not
// finite is found in every place.
func TestDecodeFloats(t *testing.T) {
	bits := []uint32{0, 1 << 31, 1, 0x7f7f_ffff, 0xff7f_ffff, 0x0080_0000, 0x3f80_0000, 0x8000_0001}
	for n := range 40 {
		body := make([]byte, 0, 4*n)
		for i := range n {
			body = binary.LittleEndian.AppendUint32(body, bits[i%len(bits)])
		}
		values := make([]float32, n)
		if !decodeFloats(values, body) {
			t.Fatalf("%d finite values: some is not", n)
		}
		for i, v := range values {
			if math.Float32bits(v) != bits[i%len(bits)] {
				t.Fatalf("value %d of %d is %x, expected %x", i, n, math.Float32bits(v), bits[i%len(bits)])
			}
		}
		for i := range n {
			for _, wrong := range []uint32{0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffff_ffff, 0x7f80_0001} {
				damaged := bytes.Clone(body)
				binary.LittleEndian.PutUint32(damaged[4*i:], wrong)
				if decodeFloats(values, damaged) {
					t.Fatalf("value %d of %d is %x, and was taken as finite", i, n, wrong)
				}
			}
		}
	}
}
