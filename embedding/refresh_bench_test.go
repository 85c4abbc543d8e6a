package embedding_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/skipgram"
	"heavytail/storage/csr"
	"heavytail/storage/realgraph"
	"heavytail/storage/vec"
)

// stream is a graph that changes in steps.
type stream struct {
	first   *csr.Graph
	held    []csr.Edge // in no step
	graphs  []*csr.Graph
	from    [][]uint32 // of each step, the old number of every vertex
	touched [][]uint32
}

// churn takes a twentieth of the edges out, to be told from other pairs in the
// end, and in each step exchanges a share of the others: half of it is deleted and
// as much inserted, mostly between vertices two steps from each other.
func churn(g *csr.Graph, share float64, steps int) *stream {
	r := rand.New(rand.NewPCG(1, 2))
	s := &stream{}
	n := g.Vertices()
	var edges []csr.Edge
	for v := range uint32(n) {
		for _, u := range g.Neighbors(v) {
			switch {
			case u < v:
			case r.IntN(20) == 0:
				s.held = append(s.held, csr.Edge{U: v, V: u})
			default:
				edges = append(edges, csr.Edge{U: v, V: u})
			}
		}
	}
	now, err := csr.FromEdges(n, edges)
	if err != nil {
		panic(err)
	}
	s.first = now
	same := make([]uint32, n)
	for v := range same {
		same[v] = uint32(v)
	}
	count := max(1, int(share/2*float64(len(edges))))
	for range steps {
		var touched []uint32
		for range count {
			i, j := r.IntN(len(edges)), r.IntN(len(edges))
			touched = append(touched, edges[i].U, edges[i].V)
			edges[i] = edges[len(edges)-1]
			edges = edges[:len(edges)-1]
			e := edges[j%len(edges)]
			row := now.Neighbors(e.V)
			if u := row[r.IntN(len(row))]; u != e.U {
				touched = append(touched, u, e.U)
				edges = append(edges, csr.Edge{U: e.U, V: u})
			}
		}
		if now, err = csr.FromEdges(n, edges); err != nil {
			panic(err)
		}
		slices.Sort(touched)
		s.graphs, s.from, s.touched = append(s.graphs, now), append(s.from, same), append(s.touched, slices.Compact(touched))
	}
	return s
}

// replay has the first 80 % of the edges of a list in the order of time, and then
// the rest in steps.
func replay(b *testing.B, steps int) *stream {
	file, err := os.Open(realgraph.Path(b, "sx-mathoverflow.txt.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		b.Fatal(err)
	}
	type timed struct {
		u, v uint32
		at   int64
	}
	var list []timed
	for lines := bufio.NewScanner(text); lines.Scan(); {
		var t timed
		if _, err := fmt.Sscan(lines.Text(), &t.u, &t.v, &t.at); err == nil && t.u != t.v {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(x, y timed) int { return int(min(max(x.at-y.at, -1), 1)) })
	numbers, seen := map[uint32]uint32{}, map[[2]uint32]bool{}
	var edges []csr.Edge
	upTo := []int{} // vertices after each edge
	for _, t := range list {
		for _, v := range []uint32{t.u, t.v} {
			if _, ok := numbers[v]; !ok {
				numbers[v] = uint32(len(numbers))
			}
		}
		u, v := numbers[t.u], numbers[t.v]
		if pair := [2]uint32{min(u, v), max(u, v)}; !seen[pair] {
			seen[pair] = true
			edges, upTo = append(edges, csr.Edge{U: u, V: v}), append(upTo, len(numbers))
		}
	}
	at := len(edges) * 4 / 5
	s := &stream{}
	graph := func(at int) *csr.Graph {
		g, err := csr.FromEdges(upTo[at-1], edges[:at])
		if err != nil {
			b.Fatal(err)
		}
		return g
	}
	s.first = graph(at)
	for step := range steps {
		to := len(edges)*4/5 + (len(edges)-len(edges)*4/5)*(step+1)/steps
		var touched []uint32
		for _, e := range edges[at:to] {
			touched = append(touched, e.U, e.V)
		}
		from := make([]uint32, upTo[to-1])
		for v := range from {
			if from[v] = uint32(v); v >= upTo[at-1] {
				from[v] = skipgram.Added
				touched = append(touched, uint32(v))
			}
		}
		slices.Sort(touched)
		s.graphs, s.from, s.touched = append(s.graphs, graph(to)), append(s.from, from), append(s.touched, slices.Compact(touched))
		at = to
	}
	return s
}

// run computes an embedding in full on the first graph, refreshes it along the
// stream, and returns the last rows, those of a full run on the last graph, and
// the seconds of the mean refresh and of the full run at the beginning.
func (s *stream) run(b *testing.B, method string) (refreshed, full *vec.Matrix, each, once float64, fulls int) {
	ctx := context.Background()
	last := s.graphs[len(s.graphs)-1]
	var spent time.Duration
	if method == embedding.MethodDPSpectral || method == embedding.MethodLaplacianEigenmaps {
		o := embedding.SpectralOptions{Workers: 1}
		rows, state, stats, err := embedding.Spectral(ctx, s.first, method, o)
		if err != nil {
			b.Fatal(err)
		}
		for i, g := range s.graphs {
			began := time.Now()
			rows, state = align(s.from[i], rows, state)
			var refresh embedding.RefreshStats
			rows, state, _, refresh, err = embedding.RefreshSpectral(ctx, g, method, o, rows, state, s.touched[i], 0)
			if err != nil {
				b.Fatal(err)
			}
			spent += time.Since(began)
			fulls += refresh.Solved
		}
		want, _, _, err := embedding.Spectral(ctx, last, method, o)
		if err != nil {
			b.Fatal(err)
		}
		return rows, want, spent.Seconds() / float64(len(s.graphs)), stats.Seconds, fulls
	}
	o := embedding.WalkOptions{Workers: 1}
	model, stats, err := embedding.TrainWalks(ctx, s.first, method, o)
	if err != nil {
		b.Fatal(err)
	}
	for i, g := range s.graphs {
		began := time.Now()
		var refresh embedding.RefreshStats
		model, _, refresh, err = embedding.RefreshWalks(ctx, g, method, o, model, s.from[i], s.touched[i], i)
		if err != nil {
			b.Fatal(err)
		}
		spent += time.Since(began)
		if refresh.Full {
			fulls++
		}
	}
	want, _, err := embedding.TrainWalks(ctx, last, method, o)
	if err != nil {
		b.Fatal(err)
	}
	return model.Vectors, want.Vectors, spent.Seconds() / float64(len(s.graphs)), stats.Seconds, fulls
}

// quality is Pearson's correlation of the degrees of the best reconstruction, and
// how well distances tell the edges that were held out, or else all edges, from
// other pairs.
func (s *stream) quality(b testing.TB, m *vec.Matrix) (pearson, auc float64) {
	ctx := context.Background()
	g := s.graphs[len(s.graphs)-1]
	if len(s.held) > 0 {
		held, err := csr.FromEdges(g.Vertices(), s.held)
		if err != nil {
			b.Fatal(err)
		}
		if auc, err = evaluate.EdgeAUC(ctx, held, m, 10000, 1); err != nil {
			b.Fatal(err)
		}
	} else {
		var err error
		if auc, err = evaluate.EdgeAUC(ctx, g, m, 10000, 1); err != nil {
			b.Fatal(err)
		}
	}
	best, points, err := evaluate.ReconstructSweep(ctx, g, m, evaluate.ReconstructOptions{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	return points[best].Pearson, auc
}

// BenchmarkRefresh has the cost of a refresh, as a share of a full run, and what
// the embedding is worth after many of them in a row beside a full run.
func BenchmarkRefresh(b *testing.B) {
	for _, graph := range []string{"ego-facebook", "ego-twitter", "dblp-2010", "sx-mathoverflow"} {
		if testing.Short() && graph != "ego-facebook" {
			continue
		}
		for _, share := range []float64{0.001, 0.01} {
			for _, method := range []string{embedding.MethodDPSpectral, embedding.MethodLaplacianEigenmaps, embedding.MethodDPWalker, embedding.MethodDeepWalk} {
				b.Run(fmt.Sprintf("graph=%s/changed=%g/method=%s", graph, share, method), func(b *testing.B) {
					steps := 50
					var s *stream
					if graph == "sx-mathoverflow" {
						steps = int(0.2 / 0.8 / share)
						s = replay(b, steps)
					} else {
						s = churn(realgraph.Load(b, graph), share, steps)
					}
					for b.Loop() {
						refreshed, full, each, once, fulls := s.run(b, method)
						p, auc := s.quality(b, refreshed)
						fullP, fullAUC := s.quality(b, full)
						b.ReportMetric(once/each, "full/refresh")
						b.ReportMetric(float64(fulls), "solved")
						b.ReportMetric(p, "pearson")
						b.ReportMetric(fullP, "full-pearson")
						b.ReportMetric(auc, "auc")
						b.ReportMetric(fullAUC, "full-auc")
					}
				})
			}
		}
	}
}
