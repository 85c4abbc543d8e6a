package skipgram

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/embedding/walk"
	"heavytail/storage/csr"
	"heavytail/storage/generate"
	"heavytail/storage/vec"
)

// walks is the corpus of a graph.
func walks(t testing.TB, g *csr.Graph, o walk.Options) Corpus {
	t.Helper()
	w, err := walk.New(context.Background(), g, o, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := g.Vertices()
	return Corpus{Vertices: n, Walks: n * o.WithDefaults().Walks, Append: func(dst []uint32, i int) []uint32 {
		return w.Append(dst, uint32(i%n), i/n)
	}}
}

// communities is a graph of two dense halves with a few edges between them, and
// one vertex without edges.
func communities(t testing.TB, half int) *csr.Graph {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	var edges []csr.Edge
	for u := range uint32(2 * half) {
		for v := range u {
			p := 0.02
			if (int(u) < half) == (int(v) < half) {
				p = 0.4
			}
			if rng.Float64() < p {
				edges = append(edges, csr.Edge{U: u, V: v})
			}
		}
	}
	g, err := csr.FromEdges(2*half+1, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func train(t testing.TB, c Corpus, o Options) (*vec.Matrix, Stats) {
	t.Helper()
	m, stats, err := Train(context.Background(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	return m, stats
}

// oracle trains by the formulas of doc.go, one pair after another, in float64. It trains a
// number of walks at a time: each part starts from the same rows and trains its part of
// the walks. It returns the rows of the vertices.
func oracle(c Corpus, o Options, walks int) [][]float64 {
	t := newTrainer(c, o.WithDefaults())
	_ = t.begin(context.Background())
	rows := func(from []float32) [][]float64 {
		rows := make([][]float64, c.Vertices)
		for v := range rows {
			for _, x := range from[v*t.stride:][:o.Dim] {
				rows[v] = append(rows[v], float64(x))
			}
		}
		return rows
	}
	in, out, tree := rows(t.in), rows(t.out), newTree(t.at.Visits)
	seen := int64(0)
	for from := 0; from < c.Walks; from += walks {
		t.fill(t.now, from, walks)
		b := t.now
		alpha := o.Alpha * max(1-float64(seen)/float64(t.total), 1e-4)
		overlap := 0.0
		if t.Partitions > 1 {
			const places = 24
			x := func(i int) []float64 { return in[b.walks[i*len(b.walks)/places]] }
			products, squares := 0.0, 0.0
			for i := range places {
				squares += product(x(i), x(i)) / places
				for j := range places {
					if j != i {
						products += math.Pow(product(x(i), x(j)), 2) / (places * (places - 1))
					}
				}
			}
			overlap = products / squares
		}
		movedIn, movedOut := cloned(in), cloned(out)
		usersIn, usersOut := make([]float64, c.Vertices), make([]float64, c.Vertices)
		at := 0
		for p := range t.Partitions {
			xs, ys, usesIn, usesOut := cloned(in), cloned(out), make([]bool, c.Vertices), make([]bool, c.Vertices)
			last := (p + 1) * (b.end - b.first) / t.Partitions
			if rest := (p + 1) * (b.end - b.first) % t.Partitions; rest > 0 {
				last++
			}
			for ; at < len(b.walks) && int(b.windows[at].walk) < last; at++ {
				path := tree.path(b.walks[at])
				for i := b.windows[at].lo; i < b.windows[at].hi; i++ {
					if int(i) == at {
						continue
					}
					oraclePair(xs[b.walks[i]], ys, path, alpha)
					usesIn[b.walks[i]] = true
					for _, step := range path {
						usesOut[step>>1] = true
					}
				}
			}
			oracleAdd(movedIn, usersIn, in, xs, usesIn)
			oracleAdd(movedOut, usersOut, out, ys, usesOut)
		}
		visited, passing, steps := make([]float64, c.Vertices), make([]float64, c.Vertices), 0.0
		for v, visits := range t.at.Visits {
			visited[v] = float64(visits) / float64(t.total)
			for _, step := range tree.path(uint32(v)) {
				passing[step>>1] += float64(visits) / float64(t.total)
				steps += float64(visits) / float64(t.total)
			}
		}
		rate := mergeRate * alpha * overlap * float64(len(b.walks)*(t.Window+1))
		oracleFractions(movedIn, usersIn, in, visited, rate*steps)
		oracleFractions(movedOut, usersOut, out, passing, rate)
		in, out = movedIn, movedOut
		seen += int64(len(b.walks))
	}
	return in
}

// oracleAdd adds the changes of a part to the rows that it started from.
func oracleAdd(moved [][]float64, users []float64, before, after [][]float64, uses []bool) {
	for v := range moved {
		for j := range moved[v] {
			moved[v][j] += after[v][j] - before[v][j]
		}
		if uses[v] {
			users[v]++
		}
	}
}

// oracleFractions leaves a fraction of the changes.
func oracleFractions(moved [][]float64, users []float64, before [][]float64, share []float64, rate float64) {
	for v := range moved {
		q, fraction := 1/(1+rate*share[v]/max(users[v], 1)), 0.0
		for k := range int(users[v]) {
			fraction += math.Pow(q, float64(k)) / users[v]
		}
		for j, x := range before[v] {
			moved[v][j] = x + fraction*(moved[v][j]-x)
		}
	}
}

func product(x, y []float64) float64 {
	sum := 0.0
	for j := range x {
		sum += x[j] * y[j]
	}
	return sum
}

func cloned(rows [][]float64) [][]float64 {
	copies := make([][]float64, len(rows))
	for i, row := range rows {
		copies[i] = slices.Clone(row)
	}
	return copies
}

func oraclePair(x []float64, out [][]float64, path []uint32, alpha float64) {
	e := make([]float64, len(x))
	for _, step := range path {
		y := out[step>>1]
		p, g := product(x, y), 0.0
		if math.Abs(p) < maxProduct {
			g = alpha * (1 - float64(step&1) - 1/(1+math.Exp(-p)))
		}
		for j := range x {
			e[j] += g * y[j]
			y[j] += g * x[j]
		}
	}
	for j := range x {
		x[j] += e[j]
	}
}

func TestTrain_Oracle(t *testing.T) {
	small := walks(t, communities(t, 20), walk.Options{Walks: 6, Length: 20})
	large := walks(t, communities(t, 3*partVertices/2), walk.Options{Walks: 1, Length: 12})
	for parts, c := range []Corpus{1: small, 2: large, 3: large} {
		if parts == 0 || parts == 3 && testing.Short() {
			continue
		}
		o := Options{Dim: 21, Window: 4, Partitions: parts, Alpha: 0.2, Seed: 5}
		tr := newTrainer(c, o.WithDefaults())
		_ = tr.begin(context.Background())
		if tr.Partitions != parts || parts > 1 && tr.batchWalks() >= c.Walks/2 {
			t.Fatalf("%d parts, batches of %d walks", tr.Partitions, tr.batchWalks())
		}
		got, _ := train(t, c, o)
		for v, want := range oracle(c, o, tr.batchWalks()) {
			for j, x := range want {
				if d := math.Abs(x - float64(got.Row(v)[j])); d > 1e-4 {
					t.Fatalf("%d parts, vertex %d, column %d: %v, want %v", parts, v, j, got.Row(v)[j], x)
				}
			}
		}
	}
}

// TestTrain_SameBytes trains with any number of workers, on any number of processors.
func TestTrain_SameBytes(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	c := walks(t, communities(t, 3*partVertices/2), walk.Options{Walks: 1, Length: 8})
	for _, o := range []Options{{}, {Negative: 5}, {Partitions: 3, Epochs: 2}} {
		o.Dim, o.Seed = 16, 9
		o.Workers = 1
		want, stats := train(t, c, o)
		others := []struct{ workers, processors int }{{2, 1}, {3, 2}, {0, 4}, {2, 2}, {4, 4}, {8, 2}}
		if testing.Short() {
			others = others[1:2]
		}
		for _, other := range others {
			runtime.GOMAXPROCS(other.processors)
			o.Workers = other.workers
			got, s := train(t, c, o)
			if !slices.Equal(got.Data, want.Data) || s.Pairs != stats.Pairs || !slices.Equal(s.Loss, stats.Loss) {
				t.Errorf("%+v: another result with %d workers on %d processors", o, other.workers, other.processors)
			}
		}
		o.Seed++
		if got, _ := train(t, c, o); slices.Equal(got.Data, want.Data) {
			t.Error("another seed gives the same")
		}
	}
}

// TestTrain_Parts compares vectors that several parts have trained with those of one part,
// on a graph with hubs: parts exchange what they learned only after a batch. Every number
// of parts trains the same pairs.
func TestTrain_Parts(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains six models; TestTrain_Oracle has parts")
	}
	g, err := generate.PreferentialAttachment{N: 4 * partVertices, M: 4, Seed: 2}.Generate(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []walk.Options{{Walks: 1, Length: 20}, {Kind: walk.Penalized, Beta: 2.5, Walks: 1, Length: 20}} {
		c := walks(t, g, o)
		one, alone := train(t, c, Options{Dim: 32, Partitions: 1, Seed: 4})
		for _, parts := range []int{2, 4} {
			m, stats := train(t, c, Options{Dim: 32, Partitions: parts, Seed: 4})
			off, all := 0.0, 0.0
			for i, x := range one.Data {
				d := float64(m.Data[i] - x)
				off += d * d
				all += float64(x) * float64(x)
			}
			off = math.Sqrt(off / all)
			t.Logf("%d parts: off by %.3f of the length, loss %.3f, %.3f of one part", parts, off, stats.Loss[0], alone.Loss[0])
			if stats.Pairs != alone.Pairs || !(off > 0 && off < 0.5) || math.Abs(stats.Loss[0]/alone.Loss[0]-1) > 0.01 {
				t.Errorf("%d parts: %d pairs of %d, off by %.3f of the length, loss %.3f, %.3f of one part", parts, stats.Pairs, alone.Pairs, off, stats.Loss[0], alone.Loss[0])
			}
		}
	}
}

// TestTrain_Communities expects vertices of one half to be nearer to each other than to the
// other half, with all kinds of training.
func TestTrain_Communities(t *testing.T) {
	// The small graph has one part, whatever number is asked for.
	testCommunities(t, 50, walk.Options{}, []Options{{}, {Partitions: 1}, {Negative: 5}})
	large := []Options{{Partitions: 4}, {Negative: 3}, {Partitions: 1}, {Partitions: 2}}
	if testing.Short() {
		t.Skip("-short: the large graph, whose partitions TestTrain_Parts has too")
	}
	testCommunities(t, 2*partVertices, walk.Options{Walks: 2}, large)
}

func testCommunities(t *testing.T, half int, w walk.Options, options []Options) {
	g := communities(t, half)
	c := walks(t, g, w)
	for _, o := range options {
		t.Run(fmt.Sprintf("half=%d/partitions=%d/negative=%d", half, o.Partitions, o.Negative), func(t *testing.T) {
			o.Dim, o.Epochs, o.Alpha = 16, 2, 0.05
			m, stats := train(t, c, o)
			// Without training every answer is random.
			untrained := math.Ln2 * float64(o.Negative+1)
			if o.Negative == 0 {
				untrained = math.Ln2 * math.Log2(float64(2*half))
			}
			for _, loss := range stats.Loss {
				if !(loss > 0 && loss < untrained-0.15) {
					t.Errorf("losses %v, %v without training", stats.Loss, untrained)
				}
			}
			// The sum of the cosines to a half is the product with the sum of its unit vectors.
			directions := vec.NewMatrix(2*half, m.Dim)
			sums := vec.NewMatrix(2, m.Dim)
			for v := range 2 * half {
				vec.Axpy(float32(1/math.Sqrt(float64(vec.Dot(m.Row(v), m.Row(v))))), m.Row(v), directions.Row(v))
				vec.Axpy(1, directions.Row(v), sums.Row(v/half))
			}
			wrong := 0
			for v := range 2 * half {
				own := vec.Dot(sums.Row(v/half), directions.Row(v)) - 1 // similarity of the vertex to itself
				if own < vec.Dot(sums.Row(1-v/half), directions.Row(v)) {
					wrong++
				}
			}
			if wrong > 0 {
				t.Errorf("%d of %d vertices are nearer to the other half", wrong, 2*half)
			}
			for _, x := range m.Row(2 * half) {
				if math.Abs(float64(x)) > 0.5/16 {
					t.Errorf("a vertex that is alone was moved to %v", m.Row(2*half))
				}
			}
		})
	}
}

// TestTrain_Corners trains without vertices, with one vertex, and with fewer vertices than
// parts.
func TestTrain_Corners(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3} {
		for _, negative := range []int{0, 2} {
			c := Corpus{Vertices: n, Walks: 5 * n, Append: func(dst []uint32, i int) []uint32 {
				return append(dst, uint32(i%n), uint32((i+1)%n), uint32(i%n))
			}}
			m, stats := train(t, c, Options{Dim: 4, Negative: negative})
			if m.Rows != n || m.Dim != 4 || n > 0 && stats.Visits != int64(15*n) {
				t.Errorf("%d vertices: %d rows, %+v", n, m.Rows, stats)
			}
			for _, x := range m.Data {
				if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
					t.Fatalf("%d vertices: %v", n, m.Data)
				}
			}
		}
	}
}

func TestTrain_Cancelled(t *testing.T) {
	c := walks(t, communities(t, 60), walk.Options{})
	ctx, cancel := context.WithCancel(context.Background())
	batches := 0
	_, _, err := Train(ctx, c, Options{Dim: 8, Progress: func(done, total int64) {
		if batches++; batches == 2 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || batches != 2 {
		t.Errorf("error %v after %d batches", err, batches)
	}
}

func TestOptions_Validate(t *testing.T) {
	for _, o := range []Options{{Dim: -1}, {Window: 1 << 20}, {Epochs: -1}, {Negative: 1000}, {Partitions: 65}, {Alpha: math.NaN()}, {Alpha: 2}} {
		if err := o.Validate(); !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestTree_Huffman compares the tree with the definition: no path is a prefix of another,
// and the weighted length of all paths is minimal, which is the sum of the inner nodes'
// weights.
func TestTree_Huffman(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for n := 1; n < 60; n++ {
		visits := make([]int64, n)
		for v := range visits {
			visits[v] = rng.Int64N(20)
		}
		tree := newTree(visits)
		seen := map[string]bool{}
		cost, least := int64(0), int64(0)
		weight := make([]int64, max(n-1, 1))
		for v := range uint32(n) {
			turns := ""
			for i, step := range tree.path(v) {
				turns += fmt.Sprint(step & 1)
				weight[step>>1] += visits[v]
				if i == 0 && step>>1 != 0 {
					t.Fatalf("%d leaves: a path begins at node %d", n, step>>1)
				}
			}
			if seen[turns] {
				t.Fatalf("%d leaves: two have the path %s", n, turns)
			}
			seen[turns] = true
			cost += visits[v] * int64(len(turns))
		}
		if !slices.IsSortedFunc(weight, func(a, b int64) int { return int(b - a) }) {
			t.Errorf("%d leaves: weights of nodes are %v", n, weight)
		}
		for rest := slices.Clone(visits); len(rest) > 1; {
			slices.Sort(rest)
			sum := rest[0] + rest[1]
			least += sum
			rest = append(rest[2:], sum)
		}
		if cost != least {
			t.Errorf("%d leaves: all paths together weigh %d, at least %d is possible", n, cost, least)
		}
	}
}

func TestNoise_Frequencies(t *testing.T) {
	visits := []int64{16, 0, 1, 81, 5}
	n := newNegativeSampler(visits, []uint8{0, 0, 0, 0, 1}, 0)
	var random rand.PCG
	counts := map[uint32]float64{}
	const draws = 36_000
	for range draws {
		counts[n.draw(&random)]++
	}
	// 16, 1 and 81 to the power of ¾ are 8, 1 and 27.
	for v, want := range map[uint32]float64{0: 8000, 2: 1000, 3: 27000} {
		if math.Abs(counts[v]-want) > 5*math.Sqrt(want) {
			t.Errorf("vertex %d was drawn %v times of %d, expected %v", v, counts[v], draws, want)
		}
	}
	if len(counts) != 3 {
		t.Errorf("drawn: %v", counts)
	}
}

// TestNoise_Draw compares draws with a search of the whole table, for vertices of
// the same weight and of very different ones.
func TestNoise_Draw(t *testing.T) {
	for n := 1; n < 70; n++ {
		visits := make([]int64, n)
		for v := range visits {
			visits[v] = 1 + int64(v*n)<<(v%30)
		}
		noise := newNegativeSampler(visits, make([]uint8, n), 0)
		var random, same rand.PCG
		for range 500 {
			r := same.Uint64()
			want := slices.IndexFunc(noise.upTo[:n-1], func(upTo uint64) bool { return r < upTo })
			if want < 0 {
				want = n - 1
			}
			if v := noise.draw(&random); int(v) != want {
				t.Fatalf("%d vertices: %#x draws %d, want %d", n, r, v, want)
			}
		}
	}
}

// BenchmarkTrain reports the vertices of walks trained per second on one or two processors.
// The loss shows whether the result is right.
func BenchmarkTrain(b *testing.B) {
	g := realgraph.Load(b, "ego-facebook")
	for _, kind := range []walk.Kind{walk.Uniform, walk.Penalized} {
		c := walks(b, g, walk.Options{Kind: kind, Beta: 1.5})
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("graph=ego-facebook/penalized=%v/workers=%d", kind == walk.Penalized, workers), func(b *testing.B) {
				for b.Loop() {
					_, s := train(b, c, Options{Workers: workers})
					if !(s.Loss[0] > 3 && s.Loss[0] < 6) {
						b.Fatalf("loss %v", s.Loss)
					}
					b.ReportMetric(s.VisitsPerSecond/1e3, "kvisits/s")
					b.ReportMetric(s.Loss[0], "loss")
				}
			})
		}
	}
}
