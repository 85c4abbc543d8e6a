package links

import (
	"container/heap"
	"context"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"heavytail/query/fault"
	"heavytail/query/internal/engine"
	"heavytail/query/internal/textfile"
	"heavytail/storage/format"
)

// scoreChoice says which of the scored pairs are kept.
type scoreChoice struct {
	some      engine.RowRange // of the pairs of the file that are scored
	top       int             // number of pairs to keep for each source; 0 is all
	threshold *float64        // threshold of the first score; nil keeps all
	higher    bool            // a larger first score is likelier
}

// keeps reports whether a first score reaches the threshold. The score NaN of a pair
// without a score does not.
func (c scoreChoice) keeps(score float64) bool {
	return c.threshold == nil || score == *c.threshold || c.likelier(score, *c.threshold)
}

// likelier reports whether a link of score a is likelier than one of score b.
func (c scoreChoice) likelier(a, b float64) bool {
	if c.higher {
		return a > b
	}
	return a < b
}

// chosen scores the pairs of a file, and calls each with the pairs that are kept: in
// the order of the file, or with top grouped by source.
func (s *loadedScoring) chosen(c *engine.Call, in io.Reader, opts format.EdgeListOptions, choice scoreChoice, further furtherColumns, each func(ScoredPair) error) (int64, error) {
	if choice.top == 0 {
		return s.file(c, in, opts, choice.some, further, func(p ScoredPair) error {
			if !choice.keeps(p.Scores[0]) {
				return nil
			}
			return each(p)
		})
	}
	best := &topPairs{scoreChoice: choice, call: c, sources: map[string]*sourcePairs{}}
	defer best.release()
	total, err := s.file(c, in, opts, choice.some, further, best.add)
	if err == nil {
		err = best.each(each)
	}
	return total, err
}

// file scores the pairs of a file in order, a batch at a time: while the file
// is read, at most one batch is in memory.
func (s *loadedScoring) file(c *engine.Call, in io.Reader, opts format.EdgeListOptions, some engine.RowRange, further furtherColumns, each func(ScoredPair) error) (int64, error) {
	// 4096 pairs keep all workers busy for a millisecond or more, and take less
	// than a megabyte with keys of usual length.
	const batch = 4096
	pairs := make([]Pair, 0, batch)
	var more [][]string // the further values of each pair, where there are such columns
	var total int64
	flush := func() error {
		scored, err := s.all(c, pairs)
		if err != nil {
			return err
		}
		total += int64(len(pairs))
		for i := range more {
			scored[i].Further = more[i]
		}
		pairs, more = pairs[:0], more[:0]
		for _, p := range scored {
			if err := each(p); err != nil {
				return err
			}
		}
		return nil
	}
	err := readPairs(c, c.Ctx, in, opts, some, further, func(source, target []byte, values [][]byte) error {
		// One string for both keys halves the allocations.
		text := string(append(append(make([]byte, 0, len(source)+len(target)), source...), target...))
		pairs = append(pairs, Pair{Source: text[:len(source)], Target: text[len(source):]})
		if len(further.list) > 0 {
			more = append(more, textsOf(values))
		}
		if len(pairs) < batch {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return total, err
}

func textsOf(values [][]byte) []string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return texts
}

// readPairs reads some of the pairs with further columns, and reports progress in pairs. Their total
// number is estimated from the part of the file that has been read.
func readPairs(c *engine.Call, ctx context.Context, in io.Reader, opts format.EdgeListOptions, some engine.RowRange, further furtherColumns, f func(source, target []byte, values [][]byte) error) error {
	var pairs atomic.Int64
	opts.Progress = func(_ string, done, total int64) {
		read, all := pairs.Load(), int64(0)
		if done > 0 && total > 0 {
			all = max(read, int64(float64(read)*float64(total)/float64(done)))
		}
		c.Meter.UpdateUnit("scoring", "pairs", read, all)
	}
	var stats format.ReadStats
	err := some.Read(func(next func() (bool, error)) (err error) {
		stats, err = format.ReadPairRows(ctx, in, opts, further.numbers(), func(source, target []byte, values [][]byte) error {
			pairs.Add(1)
			if in, err := next(); !in {
				return err
			}
			return f(source, target, values)
		})
		return err
	})
	if more := stats.IgnoredColumns - len(further.list); err == nil && further.all && stats.Layout == format.LayoutEdges && more > 0 {
		c.Notice("%s left out", fault.Count(int64(more), "further column"))
	}
	if err == nil {
		textfile.NoteComments(c, stats.LateComments)
	}
	return err
}

// topPairs are the likeliest pairs of each source.
type topPairs struct {
	scoreChoice
	call     *engine.Call
	sources  map[string]*sourcePairs
	order    []*sourcePairs // in the order of their first pairs
	bytes    int64          // approximate memory of the pairs
	reserved int64
	releases []func()
}

// sourcePairs are the likeliest pairs of one source, as a heap with the least likely first.
type sourcePairs struct {
	choice scoreChoice
	pairs  []ScoredPair
	place  []int64 // position of each pair in the file: of equal pairs the first is kept
	seen   int64
}

func (t *topPairs) add(p ScoredPair) error {
	if math.IsNaN(p.Scores[0]) || !t.keeps(p.Scores[0]) {
		return nil
	}
	s := t.sources[p.Source]
	if s == nil {
		s = &sourcePairs{choice: t.scoreChoice}
		t.sources[p.Source], t.order = s, append(t.order, s)
	}
	s.seen++
	if len(s.pairs) == t.top {
		if t.likelier(p.Scores[0], s.pairs[0].Scores[0]) {
			s.pairs[0], s.place[0] = p, s.seen
			heap.Fix(s, 0)
		}
		return nil
	}
	heap.Push(s, placedPair{p, s.seen})
	size := 160 + len(p.Source) + len(p.Target) + 8*len(p.Scores)
	for _, text := range p.Further {
		size += 16 + len(text)
	}
	return t.grow(int64(size))
}

// grow reserves memory for more pairs, some MiB at a time.
func (t *topPairs) grow(bytes int64) error {
	const piece = 8 << 20
	if t.bytes += bytes; t.bytes <= t.reserved {
		return nil
	}
	release, err := t.call.DB.Cache.Reserve(piece, "the likeliest pairs of each source")
	if err == nil {
		t.releases, t.reserved = append(t.releases, release), t.reserved+piece
	}
	return err
}

func (t *topPairs) release() {
	for _, release := range t.releases {
		release()
	}
}

// each calls f with the pairs of each source, the likeliest first.
func (t *topPairs) each(f func(ScoredPair) error) error {
	for _, s := range t.order {
		if err := t.call.Ctx.Err(); err != nil {
			return err
		}
		sorted := make([]ScoredPair, len(s.pairs))
		for i := range slices.Backward(sorted) {
			sorted[i] = heap.Pop(s).(placedPair).pair
		}
		for _, p := range sorted {
			if err := f(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// placedPair is a pair on its way into or out of a heap.
type placedPair struct {
	pair  ScoredPair
	place int64
}

func (s *sourcePairs) Len() int { return len(s.pairs) }

func (s *sourcePairs) Less(i, j int) bool {
	a, b := s.pairs[i].Scores[0], s.pairs[j].Scores[0]
	return s.choice.likelier(b, a) || a == b && s.place[i] > s.place[j]
}

func (s *sourcePairs) Swap(i, j int) {
	s.pairs[i], s.pairs[j] = s.pairs[j], s.pairs[i]
	s.place[i], s.place[j] = s.place[j], s.place[i]
}

func (s *sourcePairs) Push(x any) {
	p := x.(placedPair)
	s.pairs, s.place = append(s.pairs, p.pair), append(s.place, p.place)
}

func (s *sourcePairs) Pop() any {
	last := len(s.pairs) - 1
	p := placedPair{s.pairs[last], s.place[last]}
	s.pairs, s.place = s.pairs[:last], s.place[:last]
	return p
}
