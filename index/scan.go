package index

import (
	"fmt"
	"math"
	"slices"

	"heavytail/index/internal/screen"
)

// scanRun is how many vectors of a scan are scored at a time, before their
// keys are compared with the largest key among the best: few enough for the
// keys to stay in the cache of a core.
const scanRun = 256

// Scan is one exact search whose vectors arrive in runs, in any order and from
// several goroutines, as a store yields them from its file. [Exact] uses a
// Scan to search its matrix.
type Scan struct {
	metric  Metric
	dim     int
	score   scorer
	k       int     // number of results; 0 means all within limit
	limit   float64 // largest key of a result
	filter  func(uint32) bool
	workers []scanner
}

// scanner holds the results and the workspace of one goroutine.
type scanner struct {
	best    top // used if k is not 0
	found   []candidate
	keys    [scanRun]float32
	inverse [scanRun]float64
	near    []int32
	_       [64]byte // padding, so that two scanners share no cache line
}

// NewScan begins a search for the k nearest admissible vectors of a dimension, by
// up to opts.Workers goroutines (0 is one). Errors are those of [Exact.Search].
func NewScan(metric Metric, dim int, query []float32, k int, opts SearchOptions) (*Scan, error) {
	if k < 1 {
		return nil, fmt.Errorf("k = %d: %w", k, ErrK)
	}
	return newScan(metric, dim, query, k, math.Inf(1), opts)
}

// NewScanWithin begins a search for all admissible vectors within a radius, by
// the rule of [Exact.Within].
func NewScanWithin(metric Metric, dim int, query []float32, radius float64, opts SearchOptions) (*Scan, error) {
	if err := metric.checkRadius(radius); err != nil {
		return nil, err
	}
	return newScan(metric, dim, query, 0, metric.limit(radius), opts)
}

func newScan(metric Metric, dim int, query []float32, k int, limit float64, opts SearchOptions) (*Scan, error) {
	if metric > Dot {
		return nil, fmt.Errorf("metric %d: %w", metric, ErrMetric)
	}
	if err := opts.check(); err != nil {
		return nil, err
	}
	if err := checkQuery(query, dim); err != nil {
		return nil, err
	}
	s := &Scan{metric: metric, dim: dim, k: k, limit: limit, filter: opts.Filter, workers: make([]scanner, max(1, opts.Workers))}
	s.score.aim(metric, query)
	return s, nil
}

// Add searches the vectors of the vertices from first on. Each vertex is
// passed once, in one call. Calls with the same worker, a number from 0 to the
// number of workers less one, must not overlap; rows may be reused after the
// call. The dimension must not be 0.
func (s *Scan) Add(worker int, first uint32, rows []float32) {
	s.add(worker, first, rows, nil)
}

// add is Add with the inverse norms of the vectors, or nil if they are not
// known.
func (s *Scan) add(worker int, first uint32, rows []float32, inverse []float64) {
	w := &s.workers[worker]
	for n := len(rows) / s.dim; n > 0; n = len(rows) / s.dim {
		n = min(n, scanRun)
		run, known := rows[:n*s.dim], inverse
		keys := w.keys[:n]
		s.score.raw(keys, run)
		switch {
		case s.metric != Cosine:
		case inverse == nil:
			known = w.inverse[:n]
			for i := range known {
				known[i] = inverseNorm(run[i*s.dim:][:s.dim])
			}
		default:
			known, inverse = inverse[:n], inverse[n:]
		}
		w.near = s.score.near(w.near[:0], keys, known, w.bound(s))
		for _, i := range w.near {
			norm := 0.0
			if s.metric == Cosine {
				norm = known[i]
			}
			key := s.score.keyOf(keys[i], run[int(i)*s.dim:][:s.dim], norm)
			w.offer(s, candidateOf(key, first+uint32(i)))
		}
		first, rows = first+uint32(n), rows[n*s.dim:]
	}
}

// addEmpty is Add for n vectors of dimension 0, which are all equal.
func (s *Scan) addEmpty(worker int, first uint32, n int) {
	for i := range n {
		s.workers[worker].offer(s, candidateOf(s.score.keyOf(0, nil, 0), first+uint32(i)))
	}
}

// bound returns a key that no further result exceeds.
func (w *scanner) bound(s *Scan) float32 {
	switch {
	case s.k == 0:
		return screen.RoundUp(s.limit)
	case len(w.best.heap) == s.k:
		return w.best.heap[0].key()
	}
	return float32(math.Inf(1))
}

// offer keeps c if it is a result as far as this worker knows.
func (w *scanner) offer(s *Scan, c candidate) {
	switch {
	case s.k == 0:
		if float64(c.key()) <= s.limit && (s.filter == nil || s.filter(c.vertex())) {
			w.found = append(w.found, c)
		}
	case len(w.best.heap) == s.k && c >= w.best.heap[0]:
	case s.filter == nil || s.filter(c.vertex()):
		w.best.offer(c, s.k)
	}
}

// Hits returns the results among the vectors added, nearest first, ties by
// vertex.
func (s *Scan) Hits() []Hit {
	// The order of candidates is total, so the k best of all are the k best of
	// the workers' bests, whichever vectors each worker happened to search.
	var all []candidate
	for i := range s.workers {
		all = append(append(all, s.workers[i].best.heap...), s.workers[i].found...)
	}
	if s.k == 0 {
		return s.metric.hits(all, len(all))
	}
	return s.metric.hits(all, s.k)
}

// checkRadius refuses a radius that is invalid under the metric.
func (m Metric) checkRadius(radius float64) error {
	if math.IsNaN(radius) || math.IsInf(radius, 0) || (m == L2 && radius < 0) {
		return fmt.Errorf("radius %v: %w", radius, ErrRadius)
	}
	return nil
}

// limit returns the largest key within a radius.
func (m Metric) limit(radius float64) float64 {
	if m == L2 {
		return radius * radius
	}
	return -radius
}

// hits sorts the candidates and returns the first k of them as hits.
func (m Metric) hits(all []candidate, k int) []Hit {
	slices.Sort(all)
	hits := make([]Hit, min(k, len(all)))
	for i := range hits {
		hits[i] = Hit{Vertex: all[i].vertex(), Distance: m.distance(all[i].key())}
	}
	return hits
}

// distance converts the key of a candidate to the distance or similarity of a
// Hit.
func (m Metric) distance(key float32) float32 {
	if m == L2 {
		return float32(math.Sqrt(float64(key)))
	}
	return 0 - key // not -key: a similarity of zero has no sign
}
