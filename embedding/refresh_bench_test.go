package embedding_test

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/.ci/repeat"
	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/skipgram"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// stream is a graph that changes in steps.
type stream struct {
	dim, walks int // of the embedding; 0 is the default

	first   *csr.Graph
	held    []csr.Edge // edges that are in no step
	graphs  []*csr.Graph
	from    [][]uint32 // of each step, the old number of every vertex
	touched [][]uint32
}

// churn holds out a twentieth of the edges for the comparison at the end, and in each step
// exchanges a fraction of the rest: it deletes half of that number and inserts as many,
// mostly between vertices two steps apart.
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

// replay starts with the first 80 % of the edges of sx-mathoverflow in the order of time,
// and adds the given fraction in each step, up to 99 % of all. The last edges, if between
// vertices that exist by then, are held out for the comparison with other pairs.
func replay(b *testing.B, share float64) *stream {
	edges, upTo := timed(b)
	s := &stream{}
	graph := func(at int) *csr.Graph {
		g, err := csr.FromEdges(upTo[at-1], edges[:at])
		if err != nil {
			b.Fatal(err)
		}
		return g
	}
	at, last := len(edges)*4/5, len(edges)*99/100
	s.first = graph(at)
	each := max(1, int(share*float64(at)))
	for at < last {
		to := min(at+each, last)
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
	for _, e := range edges[at:] {
		if n := uint32(upTo[at-1]); e.U < n && e.V < n {
			s.held = append(s.held, e)
		}
	}
	return s
}

// timed returns the edges of sx-mathoverflow in the order of time, each once, with vertices
// numbered in the order of their first edge, and the number of vertices after each edge.
func timed(b *testing.B) (edges []csr.Edge, upTo []int) {
	file, err := os.Open(realgraph.Path(b, "sx-mathoverflow.txt.gz"))
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	text, err := gzip.NewReader(file)
	if err != nil {
		b.Fatal(err)
	}
	type line struct {
		u, v uint32
		at   int64
	}
	var list []line
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		var t line
		if _, err := fmt.Sscan(lines.Text(), &t.u, &t.v, &t.at); err == nil && t.u != t.v {
			list = append(list, t)
		}
	}
	if err := lines.Err(); err != nil {
		b.Fatal(err)
	}
	slices.SortStableFunc(list, func(x, y line) int { return cmp.Compare(x.at, y.at) })
	numbers, seen := map[uint32]uint32{}, map[[2]uint32]bool{}
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
	return edges, upTo
}

// costs is the processor time of a chain of refreshes, in seconds.
type costs struct {
	full, refreshes float64 // one full run at the beginning, and all refreshes
	fulls           int     // refreshes, or parts of refreshes, that were computed in full
}

// run computes an embedding in full on the first graph, refreshes it at each step of the
// stream, and returns its last rows and those of a full run on the last graph.
func (s *stream) run(b *testing.B, method string) (refreshed, full *vec.Matrix, c costs) {
	ctx := context.Background()
	last := s.graphs[len(s.graphs)-1]
	began := processorSeconds()
	if method == embedding.MethodDPSpectral || method == embedding.MethodLaplacianEigenmaps {
		o := embedding.SpectralOptions{Dim: s.dim, Workers: 1}
		rows, state, _, err := embedding.Spectral(ctx, s.first, method, o)
		if err != nil {
			b.Fatal(err)
		}
		c.full = processorSeconds() - began
		began = processorSeconds()
		for i, g := range s.graphs {
			rows, state = align(s.from[i], rows, state)
			var refresh embedding.RefreshStats
			rows, state, _, refresh, err = embedding.RefreshSpectral(ctx, g, method, o, rows, state, s.touched[i], 0)
			if err != nil {
				b.Fatal(err)
			}
			c.fulls += refresh.Solved
		}
		c.refreshes = processorSeconds() - began
		want, _, _, err := embedding.Spectral(ctx, last, method, o)
		if err != nil {
			b.Fatal(err)
		}
		return rows, want, c
	}
	o := embedding.WalkOptions{Dim: s.dim, Walks: s.walks, Workers: 1}
	model, _, err := embedding.TrainWalks(ctx, s.first, method, o)
	if err != nil {
		b.Fatal(err)
	}
	c.full = processorSeconds() - began
	began = processorSeconds()
	for i, g := range s.graphs {
		var refresh embedding.RefreshStats
		model, _, refresh, err = embedding.RefreshWalks(ctx, g, method, o, model, s.from[i], s.touched[i], i)
		if err != nil {
			b.Fatal(err)
		}
		if refresh.Full {
			c.fulls++
		}
	}
	c.refreshes = processorSeconds() - began
	want, _, err := embedding.TrainWalks(ctx, last, method, o)
	if err != nil {
		b.Fatal(err)
	}
	return model.Vectors, want.Vectors, c
}

// quality is Pearson's correlation of the degrees of the best reconstruction, and how well
// distances separate the held-out edges from other pairs.
func (s *stream) quality(b testing.TB, m *vec.Matrix) (pearson, auc float64) {
	ctx := context.Background()
	g := s.graphs[len(s.graphs)-1]
	held, err := csr.FromEdges(g.Vertices(), s.held)
	if err != nil {
		b.Fatal(err)
	}
	if auc, err = evaluate.EdgeAUC(ctx, held, m, 10000, 1); err != nil {
		b.Fatal(err)
	}
	best, points, err := evaluate.ReconstructSweep(ctx, g, m, evaluate.ReconstructOptions{Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	return points[best].Pearson, auc
}

// compare runs a method along the stream. It reports the mean cost of a refresh as a
// fraction of a full run, and the quality of the last embedding next to that of a full run.
// An embedding that is clearly worse than that of the full run is an error: other seeds
// change Pearson's correlation by .016 and the AUC by .002.
func (s *stream) compare(b *testing.B, method string) {
	refreshed, full, c := s.run(b, method)
	if refreshed.Rows != full.Rows {
		b.Fatalf("%d rows of %d vertices", refreshed.Rows, full.Rows)
	}
	p, auc := s.quality(b, refreshed)
	fullP, fullAUC := s.quality(b, full)
	if !(p > fullP-0.05 && auc > fullAUC-0.02) {
		b.Errorf("Pearson %.3f and AUC %.3f, and %.3f and %.3f of a full run", p, auc, fullP, fullAUC)
	}
	b.ReportMetric(c.full*float64(len(s.graphs))/c.refreshes, "full/refresh")
	b.ReportMetric(c.full, "full-s")
	b.ReportMetric(c.refreshes, "refreshes-s")
	b.ReportMetric(float64(len(s.graphs)), "refreshes")
	b.ReportMetric(float64(c.fulls), "solved")
	b.ReportMetric(p, "pearson")
	b.ReportMetric(fullP, "full-pearson")
	b.ReportMetric(auc, "auc")
	b.ReportMetric(fullAUC, "full-auc")
}

// quick reports whether benchmarks skip what takes minutes: with -short, unless
// tests of minutes run.
func quick() bool { return testing.Short() && !repeat.Long() }

// BenchmarkRefresh exchanges edges of graphs 50 times in a row. On ego-twitter and
// dblp-2010 each vertex has one walk, in refreshes and in full runs.
func BenchmarkRefresh(b *testing.B) {
	for _, graph := range []string{"ego-facebook", "ego-twitter", "dblp-2010"} {
		if testing.Short() && graph != "ego-facebook" {
			continue
		}
		for _, share := range []float64{0.001, 0.01} {
			for _, method := range []string{embedding.MethodDPSpectral, embedding.MethodDPWalker, embedding.MethodLaplacianEigenmaps, embedding.MethodDeepWalk} {
				if quick() && (share < 0.01 || method == embedding.MethodLaplacianEigenmaps || method == embedding.MethodDeepWalk) {
					continue // one of each kind
				}
				b.Run(fmt.Sprintf("graph=%s/changed=%g/method=%s", graph, share, method), func(b *testing.B) {
					s := churn(realgraph.Load(b, graph), share, 50)
					if graph != "ego-facebook" {
						s.walks = 1
					}
					for b.Loop() {
						s.compare(b, method)
					}
				})
			}
		}
	}
}

// BenchmarkRefreshStep compares the mean refresh with full runs on the same graphs, with
// 0.1 % to 100 % of the edges exchanged in each of four steps. It is an error if the
// vectors after the last refresh predict the held-out edges clearly worse than those of a
// full run.
func BenchmarkRefreshStep(b *testing.B) {
	for _, graph := range []string{"ego-facebook", "ca-GrQc", "CollegeMsg", "sx-mathoverflow", "dblp", "soc-Epinions1"} {
		for _, share := range []float64{0.001, 0.01, 0.02, 0.2, 0.5, 1} {
			if quick() && (graph != "CollegeMsg" || share != 0.02) {
				continue
			}
			b.Run(fmt.Sprintf("graph=%s/changed=%g", graph, share), func(b *testing.B) {
				s := churn(realgraph.Load(b, graph), share, 4)
				for b.Loop() {
					if auc, full := s.steps(b); auc < full-0.02 {
						b.Errorf("AUC %.3f, and %.3f of a full run", auc, full)
					}
				}
			})
		}
	}
}

// steps refreshes dp_spectral along the stream, with a full run at each step on the same graph:
// before the refresh and after it by turns, and with the garbage collected before each, since the
// second of two runs finds memory and caches warm. It returns the AUC of the held-out edges against
// other pairs, by the last refreshed vectors and by those of the last full run.
func (s *stream) steps(b *testing.B) (refreshedAUC, fullAUC float64) {
	ctx := context.Background()
	o := embedding.SpectralOptions{Workers: 1}
	rows, state, _, err := embedding.Spectral(ctx, s.first, embedding.MethodDPSpectral, o)
	if err != nil {
		b.Fatal(err)
	}
	var want *vec.Matrix
	refreshes, full, stepped := 0.0, 0.0, 0
	timed := func(sum *float64, run func() error) {
		runtime.GC()
		began := processorSeconds()
		if err := run(); err != nil {
			b.Fatal(err)
		}
		*sum += processorSeconds() - began
	}
	for i, g := range s.graphs {
		fullRun := func() (err error) {
			want, _, _, err = embedding.Spectral(ctx, g, embedding.MethodDPSpectral, o)
			return err
		}
		if i%2 == 0 {
			timed(&full, fullRun)
		}
		timed(&refreshes, func() error {
			var refresh embedding.RefreshStats
			rows, state, _, refresh, err = embedding.RefreshSpectral(ctx, g, embedding.MethodDPSpectral, o, rows, state, s.touched[i], 0)
			if !refresh.Mostly() {
				stepped++
			}
			return err
		})
		if i%2 == 1 {
			timed(&full, fullRun)
		}
	}
	held, err := csr.FromEdges(rows.Rows, s.held)
	if err != nil {
		b.Fatal(err)
	}
	var auc [2]float64
	for i, m := range []*vec.Matrix{rows, want} {
		if auc[i], err = evaluate.EdgeAUC(ctx, held, m, 10000, 1); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(full/refreshes, "full/refresh")
	b.ReportMetric(float64(stepped)/float64(len(s.graphs)), "not-solved")
	b.ReportMetric(auc[0], "auc")
	b.ReportMetric(auc[1], "full-auc")
	return auc[0], auc[1]
}

// BenchmarkReplay adds the edges of sx-mathoverflow in the order of time after the first 80
// %, refreshes after every given fraction of them, and separates the last 1 % from other
// pairs. With 64 coordinates and four walks from each vertex a method takes about a minute
// at 1 %, most of it for the two reconstructions.
func BenchmarkReplay(b *testing.B) {
	for _, share := range []float64{0.01, 0.001} {
		if quick() || testing.Short() && share < 0.01 {
			continue
		}
		for _, method := range []string{embedding.MethodDPWalker, embedding.MethodDeepWalk, embedding.MethodDPSpectral} {
			b.Run(fmt.Sprintf("changed=%g/method=%s", share, method), func(b *testing.B) {
				s := replay(b, share)
				s.dim, s.walks = 64, 4
				for b.Loop() {
					s.compare(b, method)
				}
			})
		}
	}
}
