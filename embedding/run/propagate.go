package run

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/embedding/propagate"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

func fastRP() algorithm {
	type options = propagate.FastRPOptions
	summary := "sparse random projection of powers of the transition matrix, the fastest method"
	return method(propagate.MethodFastRP, summary, FastRPSchema(), options.Validate, options.WithDefaults, func(o options) prepared {
		return prepared{
			run: func(ctx context.Context, g *csr.Graph, req Request) (outcome, error) {
				o := o
				o.Workers, o.Progress = req.Workers, req.Progress
				rows, stats, err := propagate.FastRP(ctx, g, o)
				if err != nil {
					return outcome{}, err
				}
				starts := newStarts(g.Vertices())
				return outcome{rows, propagateRecord(g, o.Seed, stats), starts.write}, nil
			},
			renew: func(ctx context.Context, g *csr.Graph, workers int, r renewing) (outcome, embedding.RefreshStats, error) {
				o := o
				o.Workers, o.Progress = workers, r.progress
				return renewFastRP(ctx, g, o, r)
			},
			bytes: func(g *csr.Graph) int64 { return propagate.FastRPBytes(g, o) },
			seconds: func(ctx context.Context, g *csr.Graph, req Request) (float64, error) {
				o := o
				o.Workers = req.Workers
				return propagate.FastRPSeconds(ctx, g, o)
			},
		}
	})
}

func propagateRecord(g *csr.Graph, seed uint64, stats propagate.Stats) storage.EmbeddingInfo {
	return storage.EmbeddingInfo{Seed: seed, Iterations: stats.Products, Seconds: stats.Seconds, Stats: weighted(g, stats.Weighted)}
}

// starts are the numbers of the random start vectors of the vertices. A renewal gives
// the remaining vertices the same vectors, and new vertices new ones.
type starts struct {
	of   []uint32 // number of each vertex
	next uint32   // the next unused number
}

func newStarts(n int) starts {
	s := starts{of: make([]uint32, n), next: uint32(n)}
	for v := range s.of {
		s.of[v] = uint32(v)
	}
	return s
}

// align returns the starts of the vertices of a graph that has changed: from has the row
// of each, or storage.NoRow.
func (s starts) align(from []uint32) starts {
	list := starts{of: make([]uint32, len(from)), next: s.next}
	for v, row := range from {
		if row == storage.NoRow {
			list.of[v] = list.next
			list.next++
		} else {
			list.of[v] = s.of[row]
		}
	}
	return list
}

// startsHead is the beginning of the state; the starts follow.
type startsHead struct {
	Magic [8]byte
	Next  uint32
	Count uint32
}

var startsMagic = [8]byte{'s', 't', 'a', 'r', 't', 's', '0', '1'}

func (s starts) write(w io.Writer) error {
	return vec.WriteNumbers(w, startsHead{startsMagic, s.next, uint32(len(s.of))}, s.of)
}

// readStarts reads the state of n vertices; invalid bytes give embedding.ErrState.
func readStarts(r io.Reader, n int) (s starts, err error) {
	var head startsHead
	in := bufio.NewReader(r)
	if err := binary.Read(in, binary.LittleEndian, &head); err != nil || head.Magic != startsMagic || int(head.Count) != n {
		return s, fmt.Errorf("%w: it has no starts of %d vertices", embedding.ErrState, n)
	}
	s = starts{of: make([]uint32, n), next: head.Next}
	if err := vec.ReadNumbers(in, embedding.ErrState, s.of); err != nil {
		return s, err
	}
	for _, start := range s.of {
		if start >= s.next {
			return s, fmt.Errorf("%w: start %d is not below %d", embedding.ErrState, start, s.next)
		}
	}
	return s, nil
}

func renewFastRP(ctx context.Context, g *csr.Graph, o propagate.FastRPOptions, r renewing) (outcome, embedding.RefreshStats, error) {
	before, err := readStarts(r.state, r.info.Vertices)
	if err == nil && int64(before.next)+int64(len(r.from)) > math.MaxUint32 {
		err = fmt.Errorf("%w: its numbers are used up", embedding.ErrState)
	}
	if err != nil {
		return outcome{}, embedding.RefreshStats{}, err
	}
	starts := before.align(r.from)
	o.Start = starts.of
	rows, stats, refresh, err := propagate.RefreshFastRP(ctx, g, o, r.before)
	if err != nil {
		return outcome{}, refresh, err
	}
	refresh.Touched = len(r.touched)
	return outcome{rows, propagateRecord(g, o.Seed, stats), starts.write}, refresh, nil
}

func proNE() algorithm {
	type options = propagate.ProNEOptions
	summary := "factorisation of a sparse matrix, propagated through a band of the spectrum"
	return method(propagate.MethodProNE, summary, ProNESchema(), options.Validate, options.WithDefaults, func(o options) prepared {
		return prepared{
			run: func(ctx context.Context, g *csr.Graph, req Request) (outcome, error) {
				o := o
				o.Workers, o.Progress = req.Workers, req.Progress
				rows, stats, err := propagate.ProNE(ctx, g, o)
				if err != nil {
					return outcome{}, err
				}
				info := propagateRecord(g, o.Seed, stats)
				return outcome{vectors: rows, info: info}, nil
			},
			bytes: func(g *csr.Graph) int64 { return propagate.ProNEBytes(g, o) },
			seconds: func(ctx context.Context, g *csr.Graph, req Request) (float64, error) {
				o := o
				o.Workers = req.Workers
				return propagate.ProNESeconds(ctx, g, o)
			},
		}
	})
}

// ProNESchema returns the options of prone.
func ProNESchema() option.Schema[propagate.ProNEOptions] {
	type options = propagate.ProNEOptions
	return option.Schema[options]{
		dim("", func(o *options) *int { return &o.Dim }),
		count("order", "terms of the Chebyshev series", 2, 64, func(o *options) *int { return &o.Order }),
		float("mu", "eigenvalue of the Laplacian that the propagation keeps most", "a number from -2 to 4", func(o *options) **float64 { return &o.Mu }),
		positive("theta", "how strongly other eigenvalues are damped", "a number above 0 and at most 16", func(o *options) *float64 { return &o.Theta }),
		rowNorm(func(o *options) **float64 { return &o.RowNorm }),
		rowScale(func(o *options) **float64 { return &o.RowScale }),
		weights(func(o *options) *bool { return &o.IgnoreWeights }),
		seed("seed of the factorisation", func(o *options) *uint64 { return &o.Seed }),
	}
}

// FastRPSchema returns the options of fastrp.
func FastRPSchema() option.Schema[propagate.FastRPOptions] {
	type options = propagate.FastRPOptions
	power := fmt.Sprintf("a number from %d to %d", -propagate.MaxPower, propagate.MaxPower)
	alpha := func(i int, at func(*options) **float64) option.Field[options] {
		return float(fmt.Sprintf("alpha%d", i), fmt.Sprintf("factor of the vectors after %d steps", i),
			"a number from -1e6 to 1e6, and one of the four not 0", at)
	}
	return option.Schema[options]{
		dim("", func(o *options) *int { return &o.Dim }),
		float("beta", "power of the degree by which the random vectors are multiplied; below 0 hubs count less", power,
			func(o *options) **float64 { return &o.Beta }),
		alpha(1, func(o *options) **float64 { return &o.Alpha1 }),
		alpha(2, func(o *options) **float64 { return &o.Alpha2 }),
		alpha(3, func(o *options) **float64 { return &o.Alpha3 }),
		alpha(4, func(o *options) **float64 { return &o.Alpha4 }),
		rowNorm(func(o *options) **float64 { return &o.RowNorm }),
		rowScale(func(o *options) **float64 { return &o.RowScale }),
		weights(func(o *options) *bool { return &o.IgnoreWeights }),
		seed("seed of the random vectors", func(o *options) *uint64 { return &o.Seed }),
	}
}
