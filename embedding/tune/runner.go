package tune

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"heavytail/embedding"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Prices of the survey. Eigenvectors are ordered by their eigenvalues, so the
// first ones are those of a full solve.
const (
	surveyDim   = 64
	surveyWalks = 3
)

// runner computes embeddings for several goroutines. It keeps the last solves: those of the
// running trials and of the best point so far. Of methods without a solve it keeps the last
// embeddings in full, since a point that was judged closely may be judged exactly next.
type runner struct {
	abreast int                // trials at a time
	report  func(about string) // receives how far the embedding of a Placing is

	mu       sync.Mutex
	solves   []*kept[*embedding.Eigenpairs] // the last used first
	matrices []*kept[*vec.Matrix]
}

// solveKey identifies a solve of a graph, at the full price or that of the
// survey.
type solveKey struct {
	graph  *csr.Graph
	branch *branch
	full   bool
	point  point
}

// shared returns the key of what takes the time of an embedding: the solve, the training, or
// for other methods the embedding.
func (k solveKey) shared() solveKey {
	k.point = k.branch.solve(k.point)
	return k
}

// kept is a result, or one that is being computed.
type kept[T any] struct {
	solveKey
	once  sync.Once
	value T
	err   error
	done  bool // guarded by the mutex of the runner
}

// find returns the entry of a key, and puts it first. If there is none it drops the last
// ones beyond most, whose memory a new one takes.
func find[T any](list *[]*kept[T], k solveKey, most int) *kept[T] {
	at := slices.IndexFunc(*list, func(e *kept[T]) bool { return e.solveKey == k && e.err == nil })
	var e *kept[T]
	if at >= 0 {
		e = (*list)[at]
		*list = slices.Delete(*list, at, at+1)
	} else {
		e = &kept[T]{solveKey: k}
		clear((*list)[min(len(*list), most-1):])
		*list = (*list)[:min(len(*list), most-1)]
	}
	*list = slices.Insert(*list, 0, e)
	return e
}

// get returns what was computed for a key, or computes it. Goroutines that ask for the same
// key wait for the first of them.
func get[T any](r *runner, list *[]*kept[T], k solveKey, most int, compute func() (T, error)) (T, error) {
	r.mu.Lock()
	e := find(list, k, most)
	r.mu.Unlock()
	e.once.Do(func() {
		value, err := compute()
		r.mu.Lock()
		defer r.mu.Unlock()
		e.value, e.err, e.done = value, err, true
	})
	return e.value, e.err
}

// has reports whether the solve or the embedding of a key is there.
func (r *runner) has(k solveKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k.branch.method.spectral() {
		return slices.ContainsFunc(r.solves, func(e *kept[*embedding.Eigenpairs]) bool { return e.solveKey == k && e.done })
	}
	return slices.ContainsFunc(r.matrices, func(e *kept[*vec.Matrix]) bool { return e.solveKey == k && e.done })
}

// embed computes the embedding of a point.
func (r *runner) embed(ctx context.Context, k solveKey, workers int) (m *vec.Matrix, err error) {
	switch {
	case k.branch.method.spectral():
		m, err = r.spectral(ctx, k, workers)
	case k.branch.method.Placing != nil:
		m, err = r.keep(k, func() (*vec.Matrix, error) {
			return k.branch.method.Placing.Embed(ctx, k.graph, k.branch.options(k.point), k.full, workers, r.report)
		})
	default:
		m, err = r.walk(ctx, k, workers)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.branch.method.Name, err)
	}
	return m, nil
}

// keep computes an embedding of a method without a solve, or returns the kept one.
func (r *runner) keep(k solveKey, compute func() (*vec.Matrix, error)) (*vec.Matrix, error) {
	return get(r, &r.matrices, k.shared(), 2*r.abreast-1, compute)
}

func (r *runner) spectral(ctx context.Context, k solveKey, workers int) (*vec.Matrix, error) {
	name := k.branch.method.Name
	e, err := r.solve(ctx, k, workers)
	if err != nil {
		return nil, err
	}
	given, _ := k.branch.at(k.point)
	s := given.WithDefaults(name)
	if name == embedding.MethodDPSpectral && given.RowScale == nil {
		delta, _, err := RowScale(ctx, k.graph, e, *s.Scale, workers)
		if err != nil {
			return nil, err
		}
		s.RowScale = &delta
	}
	return e.Rows(*s.Scale, *s.RowScale)
}

// walk trains the rows, without their scales, and scales a copy.
func (r *runner) walk(ctx context.Context, k solveKey, workers int) (*vec.Matrix, error) {
	name := k.branch.method.Name
	_, o := k.branch.at(k.point)
	o = o.WithDefaults(name)
	o.Workers = workers
	m, err := r.keep(k, func() (*vec.Matrix, error) {
		o := o
		o.RowNorm, o.RowScale = new(0.0), new(0.0)
		if !k.full {
			o.Dim, o.Walks = min(o.Dim, surveyDim), min(o.Walks, surveyWalks)
		}
		m, _, err := walker(name)(ctx, k.graph, o)
		return m, err
	})
	if err != nil || !o.ScalesRows() {
		return m, err
	}
	m = &vec.Matrix{Rows: m.Rows, Dim: m.Dim, Data: slices.Clone(m.Data)}
	_, err = o.ScaleRows(ctx, k.graph, m)
	return m, err
}

func walker(name string) func(context.Context, *csr.Graph, embedding.WalkOptions) (*vec.Matrix, embedding.WalkStats, error) {
	switch name {
	case embedding.MethodDPWalker:
		return embedding.DPWalker
	case embedding.MethodNode2Vec:
		return embedding.Node2Vec
	}
	return embedding.DeepWalk
}

func (r *runner) solve(ctx context.Context, k solveKey, workers int) (*embedding.Eigenpairs, error) {
	return get(r, &r.solves, k.shared(), 1+r.abreast, func() (*embedding.Eigenpairs, error) {
		o, _ := k.branch.at(k.point)
		o.Workers = workers
		if full := o.WithDefaults(k.branch.method.Name); !k.full {
			o.Dim, o.Tolerance = min(full.Dim, surveyDim), max(full.Tolerance, surveyTolerance)
		}
		if k.branch.method.Name == embedding.MethodDPSpectral {
			var err error
			if o, _, err = Penalty(ctx, k.graph, o, workers); err != nil {
				return nil, err
			}
		}
		return embedding.SolveSpectral(ctx, k.graph, k.branch.method.Name, o)
	})
}

// Bytes estimates what a search with one or two trials at a time takes beside the graph and
// what the objective keeps: an embedding or solve of an earlier trial; and for each trial the
// computation of one, with its result, or later the result, vectors made of it and what judging
// them takes.
func Bytes(vectors, computing, judging int64, abreast int) int64 {
	return vectors + int64(abreast)*max(computing, 2*vectors+judging)
}
