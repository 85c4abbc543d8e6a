package link

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"heavytail/storage/vec"
)

// This file finds the likeliest links of a whole graph.

// All returns the n likeliest links of the graph, and how many candidates were scored.
// near, if not nil, finds the nearest vertices of all admitted vertices, a block at a time.
// Its results are kept until the end, 8 bytes for each vertex returned. All takes O(Σ d(x)²) over all
// vertices x, plus the time of near and of scores that are not sums over paths. From
// vertices with very many paths it follows only a few: see [Predictor.Many].
func (p *Predictor) All(ctx context.Context, near Near, n int) ([]PredictedLink, int64, error) {
	if n < 1 {
		return nil, 0, ctx.Err()
	}
	if p.s.Heuristic == "preferential_attachment" && p.opts.Top == 0 && p.opts.Sides == nil {
		return p.degreesAll(ctx, n)
	}
	var higher [][]uint32
	if near != nil && p.s.Heuristic == "" {
		var err error
		if higher, err = p.nearPairs(ctx, near); err != nil {
			return nil, 0, err
		}
	}
	if p.opts.Top > 0 {
		return p.mutual(ctx, higher, n)
	}
	if p.g.directed() {
		higher = bothWays(higher)
	}
	var (
		mu     sync.Mutex
		tops   []*top
		free   []*top
		scored int64
		failed error
	)
	vertices := p.g.out.Vertices()
	report := newReporter(p.opts.Progress, "predicting", int64(vertices))
	const block = 16 // of hubs some milliseconds
	vec.Parallel(vertices, block, p.opts.Workers, func(_, lo, hi int) {
		mu.Lock()
		var t *top
		if last := len(free) - 1; last >= 0 {
			t, free = free[last], free[:last]
		} else {
			t = p.top(n)
			tops = append(tops, t)
		}
		mu.Unlock()
		s := p.scratch.Get().(*scratch)
		s.scored = 0
		var err error
		for u := uint32(lo); u < uint32(hi) && err == nil; u++ {
			if !p.admits(u) {
				continue
			}
			var also []uint32
			if higher != nil {
				also = higher[u]
			}
			search := p.search
			if p.Many(u) {
				search = p.searchFew
			}
			from := u + 1
			if p.g.directed() {
				from = 0
			}
			err = search(ctx, s, u, from, also, t)
		}
		mu.Lock()
		defer mu.Unlock()
		scored += s.scored
		p.scratch.Put(s)
		free = append(free, t)
		if err != nil {
			failed = err
		}
		report(int64(hi - lo))
	})
	if failed != nil {
		return nil, 0, fmt.Errorf("predicting: %w", failed)
	}
	all := p.top(n)
	for _, t := range tops {
		for _, l := range t.links {
			all.offer(l)
		}
	}
	return all.sorted(), scored, ctx.Err()
}

// Near returns the vertices that are candidates of each of some vertices in addition to those
// at the ends of paths, such as the nearest by an embedding.
type Near func(us []uint32) ([][]uint32, error)

// NearBlock is the number of vertices whose nearest [Predictor.All] asks for at a time: many,
// because a scan for many queries takes much less time than one scan for each.
const NearBlock = 1024

// nearPairs returns for each vertex the larger vertices that near returns for
// it, or that near returns it for.
func (p *Predictor) nearPairs(ctx context.Context, near Near) ([][]uint32, error) {
	vertices := p.g.out.Vertices()
	lists := make([][]uint32, vertices)
	report := newReporter(p.opts.Progress, "nearest", int64(vertices))
	block := make([]uint32, 0, NearBlock)
	for lo := 0; lo < vertices; lo += NearBlock {
		block = block[:0]
		for u := uint32(lo); u < uint32(min(vertices, lo+NearBlock)); u++ {
			if p.admits(u) {
				block = append(block, u)
			}
		}
		if len(block) > 0 {
			found, err := near(block)
			if err = cmp.Or(ctx.Err(), err); err != nil {
				return nil, fmt.Errorf("the nearest of vertices: %w", err)
			}
			for i, u := range block {
				lists[u] = found[i]
			}
		}
		report(int64(min(vertices-lo, NearBlock)))
	}
	higher := make([][]uint32, vertices)
	for u, list := range lists {
		for _, v := range list {
			low, high := uint32(u), v
			if low > high {
				low, high = high, low
			}
			higher[low] = append(higher[low], high)
		}
	}
	return higher, nil
}

// mutual is All with PredictOptions.Top: the n likeliest links that are among the likeliest of
// both their ends. It searches from every vertex in both directions, which takes twice the
// time and scores most pairs twice, and keeps 16·Top bytes for each vertex. higher is as nearPairs returns it.
func (p *Predictor) mutual(ctx context.Context, higher [][]uint32, n int) ([]PredictedLink, int64, error) {
	vertices := p.g.out.Vertices()
	near := bothWays(higher)
	lists, faults := make([][]PredictedLink, vertices), make([]error, vertices)
	report := vec.Reporter(p.opts.Progress, "predicting", int64(vertices))
	var done, scored atomic.Int64
	const block = 16 // as in All
	vec.Parallel(vertices, block, p.opts.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			if !p.admits(uint32(i)) {
				continue
			}
			var also []uint32
			if near != nil {
				also = near[i]
			}
			var own int64
			if lists[i], own, faults[i] = p.Limited(ctx, uint32(i), also, p.opts.Top); faults[i] != nil {
				return
			}
			scored.Add(own)
		}
		report(done.Add(int64(hi - lo)))
	})
	if ctx.Err() != nil {
		return nil, 0, fmt.Errorf("predicting: %w", ctx.Err())
	}
	if err := errors.Join(faults...); err != nil {
		return nil, 0, err
	}
	all := p.top(n)
	for _, list := range lists {
		for _, l := range list {
			back := func(other PredictedLink) bool { return other.V == l.U }
			if (p.g.directed() || l.U < l.V && slices.ContainsFunc(lists[l.V], back)) && all.wants(l.Score) {
				all.offer(l)
			}
		}
	}
	return all.sorted(), scored.Load(), nil
}

// bothWays converts lists of larger vertices to lists of all near vertices in both
// directions; nil if there are no lists.
func bothWays(higher [][]uint32) [][]uint32 {
	if higher == nil {
		return nil
	}
	both := make([][]uint32, len(higher))
	for u, list := range higher {
		both[u] = append(both[u], list...)
		for _, v := range list {
			both[v] = append(both[v], uint32(u))
		}
	}
	return both
}
