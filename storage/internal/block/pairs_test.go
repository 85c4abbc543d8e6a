package block

import (
	"reflect"
	"slices"
	"testing"

	"heavytail/storage/csr"
	"heavytail/storage/internal/sample"
)

// The blocks of a directed graph give it back, and its undirected view; the encoding from any block
// boundary gives the same blocks, and none is too large.
func TestDirectedEncoder_RoundTrip(t *testing.T) {
	plain := sample.Graph(3000, 20_000, 1)
	star := make([]csr.Edge, 20_000)
	for i := range star {
		star[i] = csr.Edge{U: 70_000, V: uint32(60_000 + i)}
	}
	hub, err := csr.FromEdges(100_000, star)
	if err != nil {
		t.Fatal(err)
	}
	both := csr.Rows{Offsets: plain.Offsets, Targets: plain.Targets}
	for name, d := range map[string]*csr.Directed{
		"hub":          sample.Directed(hub, 0, 0),
		"random":       sample.Directed(plain, 0, 0),
		"weights":      sample.Directed(plain, 2, 0),
		"some weights": sample.Directed(plain, 200, 0),
		"timestamps":   sample.Directed(plain, 0, 2),
		"both":         sample.Directed(hub, 3, 4),
		"sparse":       sample.Directed(sample.Graph(100_000, 300, 2), 0, 0),
		"mutual":       csr.NewDirected(both),
		"none":         csr.NewDirected(csr.Rows{Offsets: []int64{0, 0, 0}}),
	} {
		weighted, timed := CountValues(d.Out.Weights, d.Out.Times)
		count := Counts{Directed: true, Edges: uint64(d.Pairs()), Arcs: uint64(d.Arcs()), Weighted: weighted, Timed: timed}
		var run ArcRun
		e, bytes := NewDirectedEncoder(d, 0), 0
		for {
			at := e.At
			key, record := e.Next()
			if key == nil {
				break
			}
			againKey, again := NewDirectedEncoder(d, at).Next()
			if string(againKey) != string(key) || string(again) != string(record) {
				t.Fatalf("%s: the block at %d depends on the one before", name, at)
			}
			if len(key)+len(record) > MaxBlock {
				t.Fatalf("%s: block of %d bytes", name, len(key)+len(record))
			}
			bytes += len(key) + len(record)
			run.Blocks, run.Arcs = append(run.Blocks, Sealed{key, record}), run.Arcs+int(e.At-at)
		}
		run.Below = NewArc(MaxVertices, 0)
		build := func() *Pairs {
			b, err := NewRowBuilder([]ArcRun{run}, count, d.Vertices(), nil)
			if err != nil {
				t.Fatal(name, err)
			}
			for _, sealed := range run.Blocks {
				var block ArcBlock
				if err := block.Decode(sealed.Key, sealed.Record[ChecksumSize:]); err != nil {
					t.Fatal(name, err)
				}
				if err := b.Runs[0].Add(&block); err != nil {
					t.Fatal(name, err)
				}
			}
			p, err := b.FinishPairs()
			if err != nil {
				t.Fatal(name, err)
			}
			return p
		}
		got, view, want := build().Directed(), build().Undirected(), d.Undirected()
		if !sameRows(&got.Out, &d.Out) || !sameRows(&got.In, &d.In) || got.Validate() != nil {
			t.Errorf("%s: another graph came back", name)
		}
		if !reflect.DeepEqual(view.Offsets, want.Offsets) || !slices.Equal(view.Targets, want.Targets) || !slices.Equal(view.Weights, want.Weights) || !slices.Equal(view.Times, want.Times) {
			t.Errorf("%s: another undirected view came back", name)
		}
		undirected := 0
		for e := NewArcEncoder(want, 0); ; {
			key, record := e.Next()
			if key == nil {
				break
			}
			undirected += len(key) + len(record)
		}
		t.Logf("%s: %d bytes for %d edges, %d for the undirected view of %d", name, bytes, d.Arcs(), undirected, want.Edges())
		if bytes*10 > undirected*19+1000 {
			t.Errorf("%s: %d bytes, %d for the undirected view", name, bytes, undirected)
		}
	}
}

func sameRows(a, b *csr.Rows) bool {
	return slices.Equal(a.Offsets, b.Offsets) && slices.Equal(a.Targets, b.Targets) && slices.Equal(a.Weights, b.Weights) && slices.Equal(a.Times, b.Times)
}

// Counts that differ from the content of the blocks are found, each of them.
func TestRowBuilder_Counts(t *testing.T) {
	d := sample.Directed(sample.Graph(30, 100, 1), 2, 2)
	weighted, timed := CountValues(d.Out.Weights, d.Out.Times)
	right := Counts{Directed: true, Edges: uint64(d.Pairs()), Arcs: uint64(d.Arcs()), Weighted: weighted, Timed: timed}
	key, record := NewDirectedEncoder(d, 0).Next()
	for i, change := range []func(c *Counts){
		func(*Counts) {}, func(c *Counts) { c.Directed = false }, func(c *Counts) { c.Edges++ }, func(c *Counts) { c.Arcs-- },
		func(c *Counts) { c.Weighted-- }, func(c *Counts) { c.Weighted = 0 }, func(c *Counts) { c.Timed++ }, func(c *Counts) { c.Timed = 0 },
	} {
		count := right
		change(&count)
		var block ArcBlock
		if err := block.Decode(key, record[ChecksumSize:]); err != nil {
			t.Fatal(err)
		}
		b, err := NewRowBuilder([]ArcRun{{Arcs: len(block.Arcs), Below: NewArc(MaxVertices, 0)}}, count, 30, nil)
		if err == nil {
			err = b.Runs[0].Add(&block)
		}
		if err == nil {
			_, err = b.FinishPairs()
		}
		if (err == nil) != (i == 0) {
			t.Errorf("change %d: %v", i, err)
		}
	}
}

// One edge of two changes without the other.
func TestEdgeState_Ways(t *testing.T) {
	one := EdgeState{ArcValue{Arc: NewArc(1, 2), Weight: 1, Time: csr.NoTime}, true}
	s := EdgeState{ArcValue: ArcValue{Arc: NewArc(1, 2)}}
	for _, step := range []struct {
		back   bool
		weight float32 // 0 deletes
		want   EdgeState
		edges  uint64
	}{
		{true, 3, EdgeState{ArcValue{Arc: NewArc(1, 2), Back: 3, BackTime: csr.NoTime}, true}, 1},
		{false, 1, EdgeState{ArcValue{Arc: NewArc(1, 2), Weight: 1, Back: 3, Time: csr.NoTime, BackTime: csr.NoTime}, true}, 2},
		{true, 0, one, 1},
		{true, 0, one, 1},
		{false, 0, EdgeState{ArcValue: ArcValue{Arc: NewArc(1, 2)}}, 0},
	} {
		way := s.Way(step.back)
		if way.There = step.weight != 0; way.There {
			way.Weight = step.weight
		}
		s.SetWay(step.back, way)
		if s != step.want || s.Edges() != step.edges || s.Weighted() != OneIf(s.Back == 3) {
			t.Fatalf("%+v, want %+v", s, step.want)
		}
	}
}
