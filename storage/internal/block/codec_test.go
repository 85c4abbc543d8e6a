package block

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
	"heavytail/storage/internal/sample"
	"strconv"
	"sync"
	"sync/atomic"
)

// keySetOf is a set of keys in their order.
func keySetOf(list [][]byte) KeySet {
	keys := NewKeySet(len(list))
	for _, key := range list {
		keys.Add(key)
	}
	return keys
}

// arcValues lists the arcs of a graph.
func arcValues(g *csr.Graph) []ArcValue {
	var list []ArcValue
	for u := range uint32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			a := ArcValue{Arc: NewArc(u, v), Weight: 1, Time: csr.NoTime}
			if g.Weights != nil {
				a.Weight = g.WeightsOf(u)[i]
			}
			if g.Times != nil {
				a.Time = g.Times[g.Offsets[u]+int64(i)]
			}
			list = append(list, a)
		}
	}
	return list
}

// Blocks contain all arcs, none is too large, and encoding from any block boundary gives
// the same blocks.
func TestArcBlock_RoundTrip(t *testing.T) {
	star := make([]csr.Edge, 20_000)
	for i := range star {
		star[i] = csr.Edge{U: 70_000, V: uint32(60_000 + i)}
	}
	hub, err := csr.FromEdges(100_000, star)
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]*csr.Graph{
		"hub":          hub,
		"random":       sample.Graph(3000, 20_000, 1),
		"weights":      sample.WithValues(sample.Graph(3000, 20_000, 1), 2, 0),
		"some weights": sample.WithValues(sample.Graph(3000, 20_000, 1), 200, 0),
		"timestamps":   sample.WithValues(sample.Graph(3000, 20_000, 1), 0, 2),
		"both":         sample.WithValues(hub, 3, 4),
		"sparse":       sample.Graph(100_000, 300, 2),
		"edge":         {Offsets: []int64{0, 0, 1, 2, 2}, Targets: []uint32{2, 1}},
		"none":         {Offsets: []int64{0, 0, 0}},
	} {
		var got []ArcValue
		want := arcValues(g)
		e := NewArcEncoder(g, 0)
		blocks := 0
		for {
			at := e.At
			key, record := e.Next()
			if key == nil {
				break
			}
			againKey, again := NewArcEncoder(g, at).Next()
			if string(againKey) != string(key) || string(again) != string(record) {
				t.Fatalf("%s: the block at %d depends on the one before", name, at)
			}
			if len(key)+len(record) > MaxBlock {
				t.Fatalf("%s: block of %d bytes", name, len(key)+len(record))
			}
			var block ArcBlock
			if err := block.Decode(key, record[ChecksumSize:]); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if block.Arcs[0] != ArcOfKey(key) {
				t.Fatalf("%s: first arc %v under key %x", name, block.Arcs[0], key)
			}
			for i := range block.Arcs {
				got = append(got, block.At(i))
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
	keys := keySetOf(sample.Keys(5000))
	back := NewKeySet(0)
	for from := 0; from < keys.Len(); {
		key, record, count := NextKeyBlock(&keys, uint32(from))
		if len(key)+len(record) > MaxBlock || count == 0 {
			t.Fatalf("block of %d bytes and %d keys", len(key)+len(record), count)
		}
		if err := DecodeKeys(&back, key, record[ChecksumSize:]); err != nil {
			t.Fatal(err)
		}
		from += count
	}
	if string(back.Blob) != string(keys.Blob) || !slices.Equal(back.Offsets, keys.Offsets) {
		t.Error("keys differ")
	}
	order, err := keys.ByKey(ctx)
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for from := 0; from < len(order); {
		key, record, count := NextIDBlock(&keys, order, from)
		if len(key)+len(record) > MaxBlock {
			t.Fatalf("block of %d bytes", len(key)+len(record))
		}
		err := DecodeIDs(key, record[ChecksumSize:], func(k []byte, id uint32) error {
			if id != order[at] || string(k) != string(keys.At(id)) {
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
	if at != keys.Len() || !slices.IsSortedFunc(order, func(a, b uint32) int { return strings.Compare(string(keys.At(a)), string(keys.At(b))) }) {
		t.Errorf("%d entries, or out of order", at)
	}
}

// A search for some keys or slots of a block finds the same as decoding all of it.
func TestKeyBlock_Find(t *testing.T) {
	keys := keySetOf(sample.Keys(3000))
	order, err := keys.ByKey(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(6, 6))
	for from := 0; from < keys.Len(); {
		key, record, count := NextKeyBlock(&keys, uint32(from))
		var slots []uint32
		var want []string
		for slot := uint32(from); slot < uint32(from+count); slot++ {
			if random.IntN(3) == 0 {
				slots, want = append(slots, slot), append(want, string(keys.At(slot)))
			}
		}
		got, err := FindKeys(nil, key, record[ChecksumSize:], append(slots, uint32(from+count)))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("keys of slots %v: %q, expected %q, %v", slots, got, want, err)
		}
		from += count
	}
	for from := 0; from < len(order); {
		key, record, count := NextIDBlock(&keys, order, from)
		var wanted [][]byte
		var numbers []int
		want := make(map[int]uint32)
		for at := from; at < from+count; at++ {
			switch random.IntN(4) {
			case 0:
				want[len(wanted)] = order[at]
				wanted = append(wanted, keys.At(order[at]))
			case 1: // there is none
				wanted = append(wanted, append(bytes.Clone(keys.At(order[at])), 1))
			}
		}
		for i := range wanted {
			numbers = append(numbers, i)
		}
		got := make(map[int]uint32)
		err := FindIDs(key, record[ChecksumSize:], wanted, numbers, func(i int, slot uint32) error {
			got[i] = slot
			return nil
		})
		if err != nil || !maps.Equal(got, want) {
			t.Fatalf("slots %v, expected %v, %v", got, want, err)
		}
		for i, k := range wanted {
			slot, expected := want[i]
			if at, found, err := FindID(key, record[ChecksumSize:], k); err != nil || found != expected || found && at != slot {
				t.Fatalf("key %q: slot %d, %v, %v; expected %d, %v", k, at, found, err, slot, expected)
			}
		}
		from += count
	}
}

// The order of keys is right also beyond the length of one run of the merge sort.
func TestKeySet_ByKey(t *testing.T) {
	const n = 100_000
	keys := NewKeySet(n)
	for i := range n {
		keys.Add(fmt.Appendf(nil, "common prefix %d", uint32(i)*2654435761))
	}
	order, err := keys.ByKey(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i < n; i++ {
		if string(keys.At(order[i-1])) >= string(keys.At(order[i])) {
			t.Fatalf("entry %d is out of order", i)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := keys.ByKey(cancelled); err != context.Canceled {
		t.Error(err)
	}
}

// The table finds every key, whatever its length, and nothing else.
func TestKeyTable_Find(t *testing.T) {
	names := NewInterner()
	want := make(map[string]uint32)
	for i := range 20_000 {
		key := strings.Repeat("k", i%13) + strings.Repeat("0", i%3) + fmt.Sprint(i/2)
		id, err := names.Intern([]byte(key))
		if err != nil {
			t.Fatal(err)
		}
		if known, found := want[key]; found && known != id || !found && int(id) != len(want) {
			t.Fatalf("%q has number %d", key, id)
		}
		want[key] = id
	}
	built, err := TableOf(context.Background(), &names.Keys)
	if err != nil {
		t.Fatal(err)
	}
	for key, id := range want {
		if got, err := names.Intern([]byte(key)); got != id || err != nil || names.Keys.Len() != len(want) {
			t.Fatalf("%q: %d, %v, want %d", key, got, err, id)
		}
		if got, found := built.Find(&names.Keys, []byte(key)); !found || got != id {
			t.Fatalf("%q: %d, %t, want %d", key, got, found, id)
		}
	}
	for _, table := range []*KeyTable{&names.table, &built} {
		for _, key := range []string{"", "1\x00", "x", "kkkkkkkkkkkkkkkkkkk", "\x00", strings.Repeat("9", 8), strings.Repeat("9", 30)} {
			if got, found := table.Find(&names.Keys, []byte(key)); found {
				t.Errorf("%q is number %d", key, got)
			}
		}
	}
	empty, err := TableOf(context.Background(), new(KeySet))
	if err != nil {
		t.Fatal(err)
	}
	if _, found := empty.Find(new(KeySet), []byte("a long key of a vertex")); found {
		t.Error("an empty table finds something")
	}
}

// While keys are interned, other goroutines find the numbers of those that were there before, never
// another number, and none for a key that never comes.
func TestInterner_Lookup(t *testing.T) {
	names := NewInterner()
	keys := func(i int) [3]string {
		return [3]string{strconv.Itoa(i), fmt.Sprintf("k%d", i), fmt.Sprintf("a long key %d", i)}
	}
	var known atomic.Pointer[Lookup]
	known.Store(names.Lookup())
	var all sync.WaitGroup
	for reader := range 2 {
		all.Go(func() {
			for done := 0; done < 30_000; {
				now := known.Load()
				done = now.names.Keys.Len()
				var list []string
				var want []uint32
				for i := reader; i < 10_000; i += 97 {
					for j, key := range keys(i) {
						list, want = append(list, key, key+"x"), append(want, uint32(3*i+j), NoVertex)
					}
				}
				numbers := make([]uint32, len(list))
				now.FindAll(numbers, func(i int) []byte { return []byte(list[i]) })
				for i, got := range numbers {
					one := now.Find([]byte(list[i]))
					if must := int(want[i]) < done; got != want[i] && (must || got != NoVertex) || one != want[i] && (must || one != NoVertex) {
						t.Errorf("%q of %d: %d and %d, want %d", list[i], done, got, one, want[i])
					}
				}
			}
		})
	}
	for i := range 10_000 {
		for _, key := range keys(i) {
			if _, err := names.Intern([]byte(key)); err != nil {
				t.Fatal(err)
			}
		}
		if i%500 == 499 {
			known.Store(names.Lookup())
		}
	}
	all.Wait()
}

// Values are read back with the same bits, whatever their number; a value that is not
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

// The fast ways through short numbers agree with the general one, also on forms that are too
// long and on bytes that end too early.
func TestUvarint(t *testing.T) {
	values := []byte{0x00, 0x01, 0x7f, 0x80, 0x81, 0xff}
	var b [4]byte
	for i := range len(values) * len(values) * len(values) * len(values) {
		for at := range b {
			b[at] = values[i%len(values)]
			i /= len(values)
		}
		for size := range len(b) + 1 {
			want, read := binary.Uvarint(b[:size])
			if read < 0 || (read > 1 && b[read-1] == 0) {
				want, read = 0, 0
			}
			if v, n := uvarint(b[:size]); v != want || n != read {
				t.Fatalf("uvarint(%x) = %d, %d, want %d, %d", b[:size], v, n, want, read)
			}
		}
	}
}

// Runs that are added in any order give the graph of one run, and arcs beyond the limits of
// their run are found.
func TestRowBuilder_Runs(t *testing.T) {
	arcs := []Arc{NewArc(1, 3), NewArc(3, 1), NewArc(3, 4), NewArc(3, 6), NewArc(4, 3), NewArc(6, 3)}
	build := func(below Arc, cuts ...int) (*csr.Graph, error) {
		runs := make([]ArcRun, len(cuts)-1)
		for i := range runs {
			runs[i] = ArcRun{Arcs: cuts[i+1] - cuts[i], From: arcs[cuts[i]], Below: below}
			if i > 0 && below == NewArc(9, 9) {
				runs[i-1].Below = runs[i].From
			}
		}
		b, err := NewRowBuilder(runs, Counts{Edges: 3}, 8, nil)
		if err != nil {
			return nil, err
		}
		for i := len(runs) - 1; i >= 0; i-- {
			for _, a := range arcs[cuts[i]:cuts[i+1]] {
				if err := b.Runs[i].Add(&ArcBlock{Arcs: []Arc{a}}); err != nil {
					return nil, err
				}
			}
		}
		return b.Finish()
	}
	whole, err := build(NewArc(9, 9), 0, 6)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{0, 0, 1, 1, 4, 5, 5, 6, 6}; !slices.Equal(whole.Offsets, want) {
		t.Fatalf("offsets %v, want %v", whole.Offsets, want)
	}
	for _, cuts := range [][]int{{0, 1, 6}, {0, 2, 4, 6}, {0, 1, 2, 3, 4, 5, 6}} {
		g, err := build(NewArc(9, 9), cuts...)
		if err != nil || !slices.Equal(g.Offsets, whole.Offsets) || !slices.Equal(g.Targets, whole.Targets) {
			t.Errorf("cut at %v: %v, %+v, want %+v", cuts, err, g, whole)
		}
	}
	if _, err := build(NewArc(3, 5), 0, 6); err == nil {
		t.Error("an arc beyond the limit of its run was added")
	}
	if _, err := build(NewArc(9, 9), 0, 5); err == nil {
		t.Error("a graph with fewer arcs than expected was built")
	}
}
