package link

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// arcsGraph draws a directed graph with hubs in both directions and with pairs that have edges in both; with
// mutual all have, and the two have one time.
func arcsGraph(t *rapid.T, mutual bool) *csr.Directed {
	n := rapid.IntRange(1, 40).Draw(t, "n")
	random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	has := map[csr.Edge]int64{}
	for range rapid.IntRange(0, 5*n).Draw(t, "edges") {
		x, y := random.Float64(), random.Float64()
		e := csr.Edge{U: uint32(x * x * x * float64(n)), V: uint32(y * y * float64(n))}
		if e.U == e.V {
			continue
		}
		time := int64(random.IntN(5)) * 1000
		if random.IntN(8) == 0 {
			time = csr.NoTime
		}
		has[e] = time
		if back := (csr.Edge{U: e.V, V: e.U}); mutual {
			has[back] = time
		} else if random.IntN(3) == 0 {
			has[back] = 700
		}
	}
	has[csr.Edge{}] = 1 // so that an edge has a time
	rows := csr.Rows{Offsets: make([]int64, n+1), Times: []int64{}}
	for u := range uint32(n) {
		for v := range uint32(n) {
			if time, found := has[csr.Edge{U: u, V: v}]; found && u != v {
				rows.Targets, rows.Times = append(rows.Targets, v), append(rows.Times, time)
			}
		}
		rows.Offsets[u+1] = int64(len(rows.Targets))
	}
	if !Timed((*csr.Graph)(&rows)) {
		rows.Times[0] = 5
		if mutual {
			u := uint32(0)
			for rows.Offsets[u+1] == 0 {
				u++
			}
			v := rows.Targets[0]
			at, _ := slices.BinarySearch(rows.Targets[rows.Offsets[v]:rows.Offsets[v+1]], u)
			rows.Times[int(rows.Offsets[v])+at] = 5
		}
	}
	return csr.NewDirected(rows)
}

// alongByDefinition are the scores of all scorers of graphs, from the definitions in along.go and a matrix.
func alongByDefinition(d *csr.Directed) map[string]func(u, v int) float64 {
	n := d.Vertices()
	time, has, out, in := make([][]int64, n), make([][]bool, n), make([]float64, n), make([]float64, n)
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for u := range n {
		time[u], has[u] = make([]int64, n), make([]bool, n)
	}
	for u := range n {
		for i, v := range d.Out.Neighbors(uint32(u)) {
			t := d.Out.Times[d.Out.Offsets[u]+int64(i)]
			has[u][v], time[u][v] = true, t
			out[u]++
			in[v]++
			if t != csr.NoTime {
				first, last = min(first, t), max(last, t)
			}
		}
	}
	over := func(f func(u, v, w int) float64) func(u, v int) float64 {
		return func(u, v int) (sum float64) {
			for w := range n {
				if u != v && has[u][w] && has[w][v] {
					sum += f(u, v, w)
				}
			}
			return sum
		}
	}
	common := over(func(int, int, int) float64 { return 1 })
	per := func(f func(c, du, dv float64) float64) func(u, v int) float64 {
		return func(u, v int) float64 {
			if c := common(u, v); c > 0 {
				return f(c, out[u], in[v])
			}
			return 0
		}
	}
	triples := func(weight func(x, y int) float64) func(u, v int) float64 {
		return func(u, v int) (sum float64) {
			for x := range n {
				for y := range n {
					if u != v && x != u && x != v && y != u && y != v && has[u][x] && has[x][y] && has[y][v] {
						sum += weight(x, y)
					}
				}
			}
			return sum
		}
	}
	paths := triples(func(int, int) float64 { return 1 })
	return map[string]func(u, v int) float64{
		"common_neighbors": common,
		"jaccard":          per(func(c, du, dv float64) float64 { return c / (du + dv - c) }),
		"sorensen":         per(func(c, du, dv float64) float64 { return 2 * c / (du + dv) }),
		"lhn":              per(func(c, du, dv float64) float64 { return c / (du * dv) }),
		"hub_promoted":     per(func(c, du, dv float64) float64 { return c / min(du, dv) }),
		"hub_depressed":    per(func(c, du, dv float64) float64 { return c / max(du, dv) }),
		"adamic_adar":      over(func(_, _, w int) float64 { return 1 / math.Log(max(2, out[w])) }),
		"resource_allocation": over(func(_, _, w int) float64 {
			return 1 / out[w]
		}),
		recentNeighbors: over(func(u, v, w int) float64 {
			age := 0.0
			if last > first {
				age = float64(last-max(time[u][w], time[w][v], first)) / (RecentHalfLife * float64(last-first))
			}
			return math.Exp2(-age) / math.Pow(out[w], 0.75)
		}),
		"preferential_attachment": func(u, v int) float64 {
			if u == v {
				return 0
			}
			return out[u] * in[v]
		},
		"katz":       func(u, v int) float64 { return KatzBeta*KatzBeta*common(u, v) + math.Pow(KatzBeta, 3)*paths(u, v) },
		"local_path": func(u, v int) float64 { return common(u, v) + LocalPathEpsilon*paths(u, v) },
		"l3":         triples(func(x, y int) float64 { return 1 / math.Sqrt(out[x]*in[y]) }),
	}
}

// TestNewAlong_Definition compares all scorers of graphs with their definitions, with the same in batches
// and without memory for marks, and the common neighbours.
func TestNewAlong_Definition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := arcsGraph(t, false)
		n := d.Vertices()
		want := alongByDefinition(d)
		unmarked := newCommon(along(d))
		unmarked.scratch.New = func() any { return &marks{} }
		for _, known := range Scorers() {
			if known.NeedsEmbedding {
				continue
			}
			if len(d.Out.Targets) == 0 && NeedsTimes(known.Name) {
				continue
			}
			score, batch, err := NewBatchAlong(known.Name, d, nil)
			if err != nil {
				t.Fatal(err)
			}
			other := score
			switch {
			case known.Name == "l3":
				l := newL3(along(d))
				l.common = unmarked
				other = l.score
			case pathWeights(known.Name) != nil:
				other = paths{unmarked, pathWeights(known.Name)}.score
			case summedBy(known.Name) != nil:
				other = unmarked.scorer(summedBy(known.Name))
			}
			var pairs []csr.Edge
			for u := range uint32(n) {
				for v := range uint32(n) {
					pairs = append(pairs, csr.Edge{U: u, V: v})
				}
			}
			scores := make([]float64, len(pairs))
			batch(pairs, scores)
			for i, e := range pairs {
				got, right := score(e.U, e.V), want[known.Name](int(e.U), int(e.V))
				if math.Abs(got-right) > 1e-8*max(1, right) || got != other(e.U, e.V) || got != scores[i] {
					t.Fatalf("%s(%d, %d) = %v, without marks %v, in a batch %v; expected %v", known.Name, e.U, e.V, got, other(e.U, e.V), scores[i], right)
				}
				if c := CommonAlong(d, e.U, e.V); float64(len(c)) != want["common_neighbors"](int(e.U), int(e.V)) {
					t.Fatalf("common neighbours of %v: %v", e, c)
				}
			}
		}
	})
}

// TestNewAlong_Mutual expects the scores of the undirected view where every edge has its way back.
func TestNewAlong_Mutual(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := arcsGraph(t, true)
		view := d.Undirected()
		if len(view.Targets) == 0 {
			return
		}
		for _, known := range Scorers() {
			if known.NeedsEmbedding {
				continue
			}
			score, err := NewAlong(known.Name, d, nil)
			if err != nil {
				t.Fatal(err)
			}
			want, err := New(known.Name, view, nil)
			if err != nil {
				t.Fatal(err)
			}
			for u := range uint32(d.Vertices()) {
				for v := range uint32(d.Vertices()) {
					if got, right := score(u, v), want(u, v); got != right {
						t.Fatalf("%s(%d, %d) = %v, expected %v", known.Name, u, v, got, right)
					}
				}
			}
		}
	})
}

// TestNewPredictorAlong_BruteForce compares every scorer with all ordered pairs without an edge: of the whole
// graph, with a limit for each source, and of each vertex.
func TestNewPredictorAlong_BruteForce(t *testing.T) {
	back := false
	rapid.Check(t, func(t *rapid.T) {
		d := arcsGraph(t, false)
		n := d.Vertices()
		_, m, near := coarseVectors(t, n)
		isNear := func(u, v uint32) bool { return slices.Contains(near[u], v) || slices.Contains(near[v], u) }
		admit := func(v uint32) bool { return v%5 != 3 }
		most := rapid.IntRange(1, n*n).Draw(t, "most")
		top := rapid.IntRange(1, 3).Draw(t, "top")
		for _, known := range Scorers() {
			if len(d.Out.Targets) == 0 && NeedsTimes(known.Name) {
				continue
			}
			score, err := NewAlong(known.Name, d, m)
			if err != nil {
				t.Fatal(err)
			}
			s := NewScoring(known.Name, score)
			candidate := func(u, v uint32, near bool) bool {
				switch {
				case known.Name == "preferential_attachment" || known.Name == "l3":
					return score(u, v) > 0
				case known.NeedsEmbedding && near:
					return true
				}
				return len(CommonAlong(d, u, v)) > 0
			}
			list := func(admits func(u, v uint32) bool, near func(u, v uint32) bool) (all []PredictedLink) {
				for u := range uint32(n) {
					for v := range uint32(n) {
						if _, has := slices.BinarySearch(d.Out.Neighbors(u), v); u != v && !has && admits(u, v) && candidate(u, v, near(u, v)) {
							all = append(all, PredictedLink{u, v, score(u, v)})
						}
					}
				}
				slices.SortFunc(all, (&listOrder{s.HigherIsLikelier}).compare)
				return all
			}
			both := func(u, v uint32) bool { return admit(u) && admit(v) }
			want := list(both, isNear)
			back = back || slices.ContainsFunc(want, func(l PredictedLink) bool { return slices.Contains(d.In.Neighbors(l.U), l.V) })
			var limited []PredictedLink
			of := map[uint32]int{}
			for _, l := range want {
				if of[l.U]++; of[l.U] <= top {
					limited = append(limited, l)
				}
			}
			for _, workers := range []int{1, 3} {
				got, _, err := NewPredictorAlong(d, s, PredictOptions{Admit: admit, Workers: workers}).All(t.Context(), nearOf(near), most)
				if err != nil || !slices.Equal(got, want[:min(most, len(want))]) {
					t.Fatalf("%s, %d workers: %v, %v, expected %v", known.Name, workers, got, err, want)
				}
				got, _, err = NewPredictorAlong(d, s, PredictOptions{Admit: admit, Workers: workers, Top: top}).All(t.Context(), nearOf(near), most)
				if err != nil || !slices.Equal(got, limited[:min(most, len(limited))]) {
					t.Fatalf("%s, the %d of each: %v, %v, expected %v", known.Name, top, got, err, limited)
				}
			}
			p := NewPredictorAlong(d, s, PredictOptions{Admit: admit})
			for u := range uint32(n) {
				own := list(func(a, b uint32) bool { return a == u && admit(b) }, func(_, v uint32) bool { return slices.Contains(near[u], v) })
				got, _, err := p.For(t.Context(), u, near[u], most)
				if err != nil || !slices.Equal(got, own[:min(most, len(own))]) {
					t.Fatalf("%s of %d: %v, %v, expected %v", known.Name, u, got, err, own)
				}
			}
		}
	})
	if !back {
		t.Error("no way back of an edge was predicted")
	}
}

// listOrder is the order of links.
type listOrder struct{ higher bool }

func (o *listOrder) compare(a, b PredictedLink) int {
	byScore := cmp.Compare(a.Score, b.Score)
	if o.higher {
		byScore = -byScore
	}
	return cmp.Or(byScore, cmp.Compare(a.U, b.U), cmp.Compare(a.V, b.V))
}

// TestNewPredictorAlong_Few expects vertices with too many paths to have exact scores of some candidates.
func TestNewPredictorAlong_Few(t *testing.T) {
	const n = 3000
	rows := csr.Rows{Offsets: make([]int64, n+1)}
	for u := range uint32(n) { // all lead to 0, and 0 to all
		if u == 0 {
			for v := range uint32(n - 1) {
				rows.Targets = append(rows.Targets, v+1)
			}
		} else {
			rows.Targets = append(rows.Targets, 0)
		}
		rows.Offsets[u+1] = int64(len(rows.Targets))
	}
	d := csr.NewDirected(rows)
	score, err := NewAlong("adamic_adar", d, vec.NewMatrix(0, 1))
	if err != nil {
		t.Fatal(err)
	}
	p := NewPredictorAlong(d, NewScoring("adamic_adar", score), PredictOptions{})
	p.budget, p.few = 1, 64
	if !p.Many(7) || p.CountMany() != n {
		t.Fatalf("%v, %d", p.Many(7), p.CountMany())
	}
	got, _, err := p.Limited(t.Context(), 7, nil, 100)
	if err != nil || len(got) != 63 || got[0] != (PredictedLink{7, 1, 1 / math.Log(n-1)}) {
		t.Errorf("%d links, %v, %v", len(got), got, err)
	}
}
