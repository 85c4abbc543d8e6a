package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"heavytail/embedding/link"
	"heavytail/index"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// RankOptions sets how recommendations are measured. The zero value works.
type RankOptions struct {
	// Scorers, Features and Models are as in LinkOptions.
	Scorers  []string
	Features []string
	Models   []Trained

	K        int    // links recommended to each vertex; 0 means DefaultRankAt
	Vertices int    // sampled at most; 0 means DefaultRankVertices
	Near     int    // nearest vertices that are candidates, by what reads vectors; 0 means DefaultRankNear or K, whichever is more, and a negative number none
	Seed     uint64 // of the sample
	Keep     bool   // keep the lists in Ranking.Lists
	Workers  int    // goroutines, 0 means GOMAXPROCS; no result depends on it

	// Progress, if not nil, receives the number of finished vertices, over all
	// scorers, with the stage "recommending".
	Progress func(stage string, done, total int64)
}

// Defaults of RankOptions. With this many vertices an interval of recall@10
// extends about 0.03 to each side.
const (
	DefaultRankAt       = 10
	DefaultRankVertices = 1000
	DefaultRankNear     = 50
)

// Validate reports all faults of the options at once.
func (o RankOptions) Validate() error {
	var faults []error
	for _, n := range []struct {
		name  string
		value int
	}{{"k", o.K}, {"vertices", o.Vertices}} {
		if n.value < 0 {
			faults = append(faults, fmt.Errorf("%s (%d) must not be negative: %w", n.name, n.value, ErrOption))
		}
	}
	return errors.Join(append(faults, LinkOptions{Features: o.Features}.Validate())...)
}

func (o RankOptions) withDefaults(s *LinkSplit, embedded bool) RankOptions {
	of := LinkOptions{Scorers: o.Scorers, Features: o.Features}.withDefaults(s, embedded)
	o.Scorers, o.Features = of.Scorers, of.Features
	o.K = cmp.Or(o.K, DefaultRankAt)
	o.Vertices = cmp.Or(o.Vertices, DefaultRankVertices)
	o.Near = cmp.Or(o.Near, max(DefaultRankNear, o.K))
	return o
}

// RankMeasures are those of one list of at most k recommendations for a vertex with h
// held-out edges, all from 0 to 1. Ranks begin with 1; r links of the list were held out.
//
// Sources: average precision and reciprocal rank as in Manning, Raghavan and Schütze,
// "Introduction to Information Retrieval", 2008, chapter 8, cut off at k; discounted
// cumulative gain: Järvelin and Kekäläinen, "Cumulated Gain-based Evaluation of IR
// Techniques", 2002, with gains of 0 and 1.
type RankMeasures struct {
	Recall    float64 // r/h
	Precision float64 // r/k, of shorter lists too
	// AveragePrecision is the sum of the precisions at the ranks of held-out links over
	// min(h, k); its mean over vertices is MAP.
	AveragePrecision float64
	// NDCG is the sum of 1/log₂(1 + rank) over held-out links, divided by that of a list
	// that begins with min(h, k) of them.
	NDCG           float64
	ReciprocalRank float64 // 1/rank of the first held-out link, 0 without one
	Hit            float64 // 1 where any was held out
}

// Ranking has the results of one scorer that recommends links to a sample of
// vertices.
type Ranking struct {
	Scorer  string         // as in LinkScore
	Learned bool           // a logistic regression on the feature, or a model
	Of      []RankMeasures // each vertex of the sample, in its order
	// Coverage is the fraction of all vertices that are in any list. It is at most
	// k times the sample, over the vertices of the graph.
	Coverage float64
	// Popular is the fraction of the recommendations that lead to the top percentile of
	// the degrees in what is left of the graph, ties included; NaN without any.
	Popular float64
	// Lists, with RankOptions.Keep, are the recommendations for each vertex of the sample,
	// the best first.
	Lists [][]link.PredictedLink
}

// RankSample is the vertices that links are recommended to.
type RankSample struct {
	Vertices []uint32 // ascending
	All      int      // vertices with a held-out edge, of which these are drawn
	// Popular is the fraction of the held-out edges of the sample that lead to the top
	// percentile of the degrees: what [Ranking].Popular is to be compared with.
	Popular       float64
	PopularDegree int // degree in what is left of the graph from which a vertex is in the top percentile
}

// Rank measures the recommendations of each scorer for vertices with held-out
// edges: a uniform sample of them, determined by the seed. As in PREDICT, the
// candidates are the vertices two edges away in s.Graph and, for scorers that
// read vectors, the nearest vertices, and for preferential attachment all
// vertices; with s.Sides they are on the other side, and the ends of paths of three edges
// instead of two. Of equal scores the vertex of lower number comes first. Held-out
// edges to other vertices count as missed. Edges that were removed from the
// graph for training are candidates and count as wrong, for all scorers alike. Of a directed graph
// vertices are sources, and links their edges to others: see [link.NewPredictorAlong].
//
// Row v of m is the vector of vertex v, as for Score. Learned scorers are trained
// on the training pairs of s. Time: that of [link.Predictor.For] for each vertex and
// scorer, and a scan of the vectors for each vertex and metric. Memory: 12 bytes for each
// vertex of the graph and worker, 48 for each vertex of the sample and scorer. Errors
// are those of Score.
func (s *LinkSplit) Rank(ctx context.Context, m *vec.Matrix, opts RankOptions) ([]Ranking, RankSample, error) {
	if err := opts.Validate(); err != nil {
		return nil, RankSample{}, err
	}
	opts = opts.withDefaults(s, m != nil)
	r, err := newRanker(s, m, opts)
	if err != nil {
		return nil, RankSample{}, err
	}
	var list []Ranking
	of := LinkOptions{Scorers: opts.Scorers, Features: opts.Features, Models: opts.Models, Workers: opts.Workers}
	err = s.eachScorer(ctx, m, of, func(t Trained, learned bool) error {
		ranking, err := r.rank(ctx, Ranking{Scorer: t.Name, Learned: learned}, t)
		list = append(list, ranking)
		return err
	})
	if err != nil {
		return nil, RankSample{}, err
	}
	return list, r.sample, nil
}

type ranker struct {
	s      *LinkSplit
	m      *vec.Matrix
	opts   RankOptions
	sample RankSample
	held   *csr.Graph // of the held-out edges; of a directed graph by source
	near   map[index.Metric][][]uint32
	report func(done int64)
	done   atomic.Int64
}

func newRanker(s *LinkSplit, m *vec.Matrix, opts RankOptions) (*ranker, error) {
	r := &ranker{s: s, m: m, opts: opts, near: map[index.Metric][][]uint32{}}
	r.sample.PopularDegree = topDegree(s.Graph)
	var err error
	if r.held, err = s.Held(); err != nil {
		return nil, err
	}
	for v := range uint32(s.Graph.Vertices()) {
		if r.held.Degree(v) > 0 {
			r.sample.Vertices = append(r.sample.Vertices, v)
		}
	}
	r.sample.All = len(r.sample.Vertices)
	random := splitRandom(opts.Seed, "sample")
	for i := range min(opts.Vertices, r.sample.All) {
		j := i + random.IntN(r.sample.All-i)
		r.sample.Vertices[i], r.sample.Vertices[j] = r.sample.Vertices[j], r.sample.Vertices[i]
	}
	r.sample.Vertices = slices.Clip(r.sample.Vertices[:min(opts.Vertices, r.sample.All)])
	slices.Sort(r.sample.Vertices)
	popular, all := 0, 0
	for _, v := range r.sample.Vertices {
		for _, w := range r.held.Neighbors(v) {
			all++
			if s.Graph.Degree(w) >= r.sample.PopularDegree {
				popular++
			}
		}
	}
	r.sample.Popular = float64(popular) / float64(all)
	r.report = vec.Reporter(opts.Progress, "recommending", int64(len(r.sample.Vertices)*(len(opts.Scorers)+len(opts.Features)+len(opts.Models))))
	return r, nil
}

// topDegree returns the smallest degree among the hundredth of the vertices
// with the highest degrees, at least one vertex.
func topDegree(g *csr.Graph) int {
	degrees := make([]int, g.Vertices())
	for v := range degrees {
		degrees[v] = g.Degree(uint32(v))
	}
	slices.SortFunc(degrees, func(a, b int) int { return cmp.Compare(b, a) })
	return degrees[(len(degrees)+99)/100-1]
}

// rank measures one scorer.
func (r *ranker) rank(ctx context.Context, of Ranking, t Trained) (Ranking, error) {
	scoring := t.Links
	near, err := r.nearest(ctx, of, t)
	if err != nil {
		return of, err
	}
	predictor := r.s.predictor(scoring)
	lists := make([][]link.PredictedLink, len(r.sample.Vertices))
	err = r.each(ctx, func(i int, v uint32) error {
		var also []uint32
		if near != nil {
			also = near[i]
		}
		list, _, err := predictor.For(ctx, v, also, r.opts.K)
		lists[i] = list
		r.report(r.done.Add(1))
		return err
	})
	if err != nil {
		return of, err
	}
	seen, all, popular := map[uint32]bool{}, 0, 0
	for i, v := range r.sample.Vertices {
		of.Of = append(of.Of, MeasureList(lists[i], r.held.Neighbors(v), r.opts.K))
		for _, l := range lists[i] {
			seen[l.V] = true
			all++
			if r.s.Graph.Degree(l.V) >= r.sample.PopularDegree {
				popular++
			}
		}
	}
	of.Coverage = float64(len(seen)) / float64(r.s.Graph.Vertices())
	of.Popular = float64(popular) / float64(all)
	if r.opts.Keep {
		of.Lists = lists
	}
	return of, nil
}

// each calls f for every vertex of the sample, in no order.
func (r *ranker) each(ctx context.Context, f func(i int, v uint32) error) error {
	errs := make([]error, len(r.sample.Vertices))
	vec.Parallel(len(errs), 1, r.opts.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if errs[i] = ctx.Err(); errs[i] == nil {
				errs[i] = f(i, r.sample.Vertices[i])
			}
		}
	})
	return cmp.Or(ctx.Err(), errors.Join(errs...))
}

// nearest returns the vertices nearest to each of the sample, by the metric
// that fits a scorer, or nil if the scorer reads no vectors.
func (r *ranker) nearest(ctx context.Context, of Ranking, t Trained) ([][]uint32, error) {
	m := r.m
	if t.Near != nil {
		m = t.Near
	}
	if m == nil || t.Links.Heuristic != "" || r.opts.Near < 0 {
		return nil, nil
	}
	metric := index.Cosine
	if !of.Learned {
		metric = NearestBy(of.Scorer)
	}
	if lists, found := r.near[metric]; found && m == r.m {
		return lists, nil
	}
	exact, err := index.NewExact(m, metric)
	if err != nil {
		return nil, err
	}
	rows := r.s.rows()
	hits, err := exact.Batches().Nearest(ctx, r.sample.Vertices, r.opts.Near, r.opts.Workers, func(v, w uint32) bool {
		return w != v && r.s.Sides.Across(v, w) && !rows.HasEdge(v, w)
	})
	lists := index.VertexLists(hits)
	if m == r.m {
		r.near[metric] = lists
	}
	return lists, err
}

// NearestBy is the metric whose nearest vertices get the highest scores of a
// scorer of vectors.
func NearestBy(scorer string) index.Metric {
	switch scorer {
	case "l2", "probability":
		return index.L2
	case "dot":
		return index.Dot
	}
	return index.Cosine
}

// MeasureList measures a list of at most k recommendations, the first one likeliest; held are the
// held-out neighbours, ascending, at least one.
func MeasureList(list []link.PredictedLink, held []uint32, k int) RankMeasures {
	var m RankMeasures
	found, gain := 0, 0.0
	for i, l := range list {
		if _, is := slices.BinarySearch(held, l.V); !is {
			continue
		}
		rank := float64(i + 1)
		if found++; found == 1 {
			m.ReciprocalRank, m.Hit = 1/rank, 1
		}
		m.AveragePrecision += float64(found) / rank
		gain += 1 / math.Log2(1+rank)
	}
	most, ideal := min(len(held), k), 0.0
	for i := range most {
		ideal += 1 / math.Log2(2+float64(i))
	}
	m.Recall, m.Precision = float64(found)/float64(len(held)), float64(found)/float64(k)
	m.AveragePrecision /= float64(most)
	m.NDCG = gain / ideal
	return m
}
