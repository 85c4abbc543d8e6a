package gather

import (
	"context"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
)

// edgeSource returns occurrences in ascending order of their edges.
type edgeSource struct {
	// next returns the next occurrences, valid until the following call, and none at the end.
	next  func() ([]occurrence, error)
	chunk []occurrence // the unread rest of the last result of next
	base  bool         // these are the edges of a graph, and not of the input
}

// chunkEdges is the number of edges per call of next: a few pages of memory, and enough to make the
// cost of a call negligible.
const chunkEdges = 1 << 10

// once returns the function next of a source whose occurrences are all in memory.
func once(list []occurrence) func() ([]occurrence, error) {
	return func() (chunk []occurrence, err error) {
		chunk, list = list, nil
		return chunk, nil
	}
}

// graphSource returns the edges of a graph with weights or times, or all arcs of a directed one.
func graphSource(g *csr.Graph, how Repeated, directed bool) edgeSource {
	u, chunk := uint32(0), []occurrence(nil)
	at := int64(0)
	return edgeSource{next: func() ([]occurrence, error) {
		chunk = chunk[:0]
		for ; int64(u) < int64(g.Vertices()); u++ {
			for ; at < g.Offsets[u+1]; at++ {
				if len(chunk) == chunkEdges {
					return chunk, nil
				}
				if v := g.Targets[at]; v > u || directed {
					weight := how.written(valueAt(g.Weights, at, 1))
					chunk = append(chunk, occurrence{uint64(u)<<32 | uint64(v), weight, valueAt(g.Times, at, csr.NoTime)})
				}
			}
		}
		return chunk, nil
	}}
}

// foldSources merges sources and calls yield for every edge with the fold of its occurrences, in
// the order of the sources. The fold is valid during the call.
func foldSources(ctx context.Context, how Repeated, sources []edgeSource, yield func(edge uint64, f *edgeFold) error) error {
	rest := make([]*edgeSource, 0, len(sources))
	for i := range sources {
		s := &sources[i]
		var err error
		if s.chunk, err = s.next(); err != nil {
			return err
		}
		if len(s.chunk) > 0 {
			rest = append(rest, s)
		}
	}
	f := newFold(how)
	current, some := uint64(0), false
	for count := 0; len(rest) > 0; count++ {
		if count%block.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := 0
		for i := 1; i < len(rest); i++ {
			if rest[i].chunk[0].edge < rest[first].chunk[0].edge {
				first = i
			}
		}
		s := rest[first]
		o := s.chunk[0]
		if some && o.edge != current {
			if err := yield(current, f); err != nil {
				return err
			}
			f.reset()
		}
		current, some = o.edge, true
		f.add(o.weight, o.time)
		if o.weight != 0 {
			f.base = s.base
		}
		if s.chunk = s.chunk[1:]; len(s.chunk) == 0 {
			var err error
			if s.chunk, err = s.next(); err != nil {
				return err
			}
			if len(s.chunk) == 0 {
				rest = append(rest[:first], rest[first+1:]...)
			}
		}
	}
	if some {
		return yield(current, f)
	}
	return nil
}

// foldSorted appends the edges of a sorted list to out, each with its occurrences folded.
func foldSorted(ctx context.Context, how Repeated, list, out []occurrence) ([]occurrence, error) {
	f := newFold(how)
	for i := 0; i < len(list); {
		e := list[i].edge
		if next := i + 1; next == len(list) || list[next].edge != e {
			out = append(out, list[i])
			i = next
			continue
		}
		f.reset()
		for ; i < len(list) && list[i].edge == e; i++ {
			if i%block.CheckEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			f.add(list[i].weight, list[i].time)
		}
		err := f.each(e, func(o occurrence) error {
			out = append(out, o)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}
