package link

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/csr"
)

// withTimes gives the edges of a graph times with many ties, sometimes all equal. Some edges
// have no time, but never all.
func withTimes(g *csr.Graph, random *rand.Rand) *csr.Graph {
	distinct, first := 1+random.IntN(6), random.Int64N(1<<40)-1<<39
	unit := int64(1) << random.IntN(40)
	times := map[csr.Edge]int64{}
	timed := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Times: make([]int64, len(g.Targets))}
	for u := range uint32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			e := csr.Edge{U: min(u, v), V: max(u, v)}
			t, known := times[e]
			if !known {
				t = first + int64(random.IntN(distinct))*unit
				if len(times) > 0 && random.IntN(8) == 0 {
					t = csr.NoTime
				}
				times[e] = t
			}
			timed.Times[g.Offsets[u]+int64(i)] = t
		}
	}
	return timed
}

// recentByDefinition sums the formula over all vertices, with the times of edges from a map.
// Times are relative to the first one, so that they are exact in floating point.
func recentByDefinition(g *csr.Graph, halfLife float64) func(u, v uint32) float64 {
	times, known := map[csr.Edge]int64{}, []int64{}
	for u := range uint32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			t := g.Times[g.Offsets[u]+int64(i)]
			times[csr.Edge{U: u, V: v}] = t
			if t != csr.NoTime {
				known = append(known, t)
			}
		}
	}
	return func(u, v uint32) float64 {
		if u == v {
			return 0
		}
		sum := 0.0
		for w := range uint32(g.Vertices()) {
			a, linkedU := times[csr.Edge{U: u, V: w}]
			b, linkedV := times[csr.Edge{U: w, V: v}]
			if !linkedU || !linkedV {
				continue
			}
			earliest, latest := slices.Min(known), slices.Max(known)
			later := max(a, b, earliest) // an edge without a time counts as the earliest
			weight := 1.0
			if latest > earliest {
				weight = math.Pow(2, -float64(latest-later)/(halfLife*float64(latest-earliest)))
			}
			sum += weight / math.Pow(float64(g.Degree(w)), 0.75)
		}
		return sum
	}
}

// TestRecentNeighbors_Definition compares scores with the definition, on graphs with hubs, so
// that both algorithms to intersect lists are used, and with and without memory for marks.
func TestRecentNeighbors_Definition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 80).Draw(t, "n")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		edges := []csr.Edge{{U: 0, V: 1}}
		for range rapid.IntRange(0, 3*n).Draw(t, "edges") {
			edges = append(edges, csr.Edge{U: uint32(random.IntN(n)), V: uint32(random.IntN(n))})
		}
		for v := range n {
			if random.Float64() < 0.9 {
				edges = append(edges, csr.Edge{U: 0, V: uint32(v)})
			}
		}
		plain, err := csr.FromEdges(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		g := withTimes(plain, random)
		if err := g.Validate(); err != nil {
			t.Fatal(err)
		}
		score, err := New(recentNeighbors, g, nil)
		if err != nil {
			t.Fatal(err)
		}
		unmarked, err := newRecent(undirected(g))
		if err != nil {
			t.Fatal(err)
		}
		unmarked.scratch.New = func() any { return &marks{} }
		want := recentByDefinition(g, RecentHalfLife)
		for u := range uint32(n) {
			for v := range uint32(n) {
				got, right := score(u, v), want(u, v)
				if math.Abs(got-right) > 1e-12*right || got != score(v, u) || got != unmarked.score(u, v) {
					t.Fatalf("%d and %d score %v, %v in the other order, %v without marks; expected %v", u, v, got, score(v, u), unmarked.score(u, v), right)
				}
			}
		}
		if u, v := uint32(random.IntN(n)), uint32(random.IntN(n)); RecentNeighbors(g, u, v) != score(u, v) {
			t.Fatalf("%d and %d score %v, expected %v", u, v, RecentNeighbors(g, u, v), score(u, v))
		}
	})
}

// The score depends neither on the unit nor on the origin of time, up to rounding, and with
// equal times all paths count in full.
func TestRecentNeighbors_Units(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := hubGraph(t)
		moved := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Times: slices.Clone(g.Times)}
		equal := &csr.Graph{Offsets: g.Offsets, Targets: g.Targets, Times: make([]int64, len(g.Targets))}
		for i, at := range moved.Times {
			if at != csr.NoTime {
				moved.Times[i] = 1000*at - 1<<60
			}
		}
		for u := range uint32(g.Vertices()) {
			for v := range u {
				if a, b := RecentNeighbors(g, u, v), RecentNeighbors(moved, u, v); math.Abs(a-b) > 1e-12*a {
					t.Fatalf("%d and %d score %v, and %v with the times in another unit", u, v, a, b)
				}
				full := 0.0
				for _, w := range Common(g, u, v) {
					full += 1 / penalty(g.Degree(w))
				}
				if got := RecentNeighbors(equal, u, v); got != full {
					t.Fatalf("%d and %d score %v with equal times, expected %v", u, v, got, full)
				}
			}
		}
	})
}

// The difference of two times may exceed the range of int64.
func TestRecentNeighbors_LongestSpan(t *testing.T) {
	g := withTimes(kite(t), rand.New(rand.NewPCG(1, 1)))
	for i := range g.Times {
		g.Times[i] = math.MaxInt64
	}
	old := csr.Edge{U: 0, V: 2}
	for u := range uint32(g.Vertices()) {
		for i, v := range g.Neighbors(u) {
			if (csr.Edge{U: min(u, v), V: max(u, v)}) == old || max(u, v) == 4 {
				g.Times[g.Offsets[u]+int64(i)] = csr.NoTime + 1
			}
		}
	}
	// The path over 2 has the latest edge, to 1. The path from 0 to 4 has only early edges.
	if got := RecentNeighbors(g, 0, 1); math.Abs(got-(math.Pow(3, -0.75)+math.Pow(2, -0.75))) > 1e-15 {
		t.Errorf("0 and 1 score %v", got)
	}
	if got, want := RecentNeighbors(g, 0, 4), math.Exp2(-1/RecentHalfLife)/math.Pow(3, 0.75); math.Abs(got-want) > 1e-15 {
		t.Errorf("0 and 4 score %v, expected %v", got, want)
	}
}

// A graph without times is an error, unless it has no edges.
func TestRecentNeighbors_NoTimes(t *testing.T) {
	plain := kite(t)
	none := &csr.Graph{Offsets: plain.Offsets, Targets: plain.Targets, Times: slices.Repeat([]int64{csr.NoTime}, len(plain.Targets))}
	for _, g := range []*csr.Graph{plain, none} {
		if _, err := New(recentNeighbors, g, nil); !errors.Is(err, ErrNeedsTimes) || Timed(g) || !NeedsTimes(recentNeighbors) {
			t.Errorf("%v; timed: %v", err, Timed(g))
		}
		if got := RecentNeighbors(g, 0, 1); got != 0 {
			t.Errorf("the score is %v", got)
		}
	}
	empty := &csr.Graph{Offsets: make([]int64, 4)}
	score, err := New(recentNeighbors, empty, nil)
	if err != nil || score(0, 1) != 0 || !Timed(empty) {
		t.Errorf("without edges: %v", err)
	}
}
