package gather

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
)

const (
	// A buffer always grows up to this many edges: below, saving memory is not worth the time.
	firstPileFull = 1 << 20
	// One edge in this many is in the sample that estimates the repeats in a full buffer.
	sampledBits  = 8
	sampledShare = 1 << sampledBits
	// The smallest buffer in edges, whatever the limit is.
	leastPileFull = 64
	// The buffer has at least this many bytes if it may have them, whatever else grows.
	leastRoom = 1 << 20
)

// edgeBuffer collects the edges of an import in bounded memory. If most edges of a full buffer are
// different, the buffer grows, up to the limit. Otherwise it is sorted and repeats are folded; if
// that frees too little space at the limit, the content is written to a file as one sorted run.
// Repeats are folded in the order of the input whatever the limit is: each run precedes the next
// one in the input, and the buffer follows all runs.
type edgeBuffer struct {
	how      Repeated
	directed bool                     // edges are by source and target, and not by the smaller and the larger end
	room     int64                    // limit of the buffer in bytes, including the space for sorting
	temp     func() (tempFile, error) // creates an empty file

	// The buffer: edges without values until the first edge with a weight or a time. The very first
	// edge, which may turn out to be a header, stays at the front.
	plain      []uint64
	valued     []occurrence
	withValues bool
	held       int // while the first edge is kept at the front, 1, or 2 if it has both directions
	full       int // number of edges at which the buffer grows or is sorted

	sparePlain  []uint64 // space for sorting, reused
	spareValued []occurrence

	runs []*edgeRun // in the order of the input
}

func newEdgeBuffer(how Repeated, room int64, temp func() (tempFile, error)) *edgeBuffer {
	p := &edgeBuffer{how: how, room: room, temp: temp, withValues: how.adds()}
	p.full = min(firstPileFull, p.most(p.withValues))
	return p
}

// most is the largest number of edges of a buffer.
func (p *edgeBuffer) most(withValues bool) int {
	each := int64(plainBytes)
	if withValues {
		each = valuedBytes
	}
	return int(max(leastPileFull, min(p.room/2/each, math.MaxInt32)))
}

func (p *edgeBuffer) len() int { return len(p.plain) + len(p.valued) }

// bytes is the memory that the buffer takes.
func (p *edgeBuffer) bytes() int64 {
	return plainBytes*int64(cap(p.plain)+cap(p.sparePlain)) + valuedBytes*int64(cap(p.valued)+cap(p.spareValued))
}

// limitRoom lowers the limit of the buffer to rest bytes, but not below leastRoom. A larger buffer
// goes to a file.
func (p *edgeBuffer) limitRoom(ctx context.Context, rest int64) error {
	p.room = min(p.room, max(rest, leastRoom))
	if p.bytes() > p.room {
		if err := p.spill(ctx); err != nil {
			return err
		}
		p.plain, p.valued = slices.Clip(slices.Clone(p.plain)), slices.Clip(slices.Clone(p.valued))
		p.sparePlain, p.spareValued = nil, nil
	}
	p.full = min(p.full, p.most(p.withValues))
	return nil
}

// add adds an edge between different vertices without a weight and a time.
func (p *edgeBuffer) add(ctx context.Context, e uint64) error {
	if p.withValues {
		return p.addValued(ctx, occurrence{e, 0, csr.NoTime})
	}
	return p.putPlain(ctx, e)
}

func (p *edgeBuffer) putPlain(ctx context.Context, e uint64) error {
	if len(p.plain) >= p.full {
		if err := p.makeRoom(ctx); err != nil {
			return err
		}
	}
	if n := len(p.plain); n == cap(p.plain) {
		p.plain = append(room[uint64](min(p.full, max(2*n, leastPileFull))), p.plain...)
	}
	p.plain = append(p.plain, e)
	return nil
}

// join is the number of an edge.
func (p *edgeBuffer) join(u, v uint32) uint64 {
	if p.directed {
		return uint64(u)<<32 | uint64(v)
	}
	return uint64(min(u, v))<<32 | uint64(max(u, v))
}

// addValued adds an edge with a weight (0 for none) or a time.
func (p *edgeBuffer) addValued(ctx context.Context, o occurrence) error {
	if !p.withValues {
		if err := p.startValues(ctx); err != nil {
			return err
		}
	}
	o.weight = p.how.counted(o.weight)
	return p.put(ctx, o)
}

// put appends an occurrence to the buffer of occurrences, after making room if the buffer is full.
func (p *edgeBuffer) put(ctx context.Context, o occurrence) error {
	if len(p.valued) >= p.full {
		if err := p.makeRoom(ctx); err != nil {
			return err
		}
	}
	if n := len(p.valued); n == cap(p.valued) { // append might allocate more than full
		p.valued = append(room[occurrence](min(p.full, max(2*n, leastPileFull))), p.valued...)
	}
	p.valued = append(p.valued, o)
	return nil
}

// startValues converts the buffer to one of occurrences.
func (p *edgeBuffer) startValues(ctx context.Context) error {
	most := p.most(true)
	if len(p.plain) > most {
		if err := p.spill(ctx); err != nil {
			return err
		}
	}
	p.withValues, p.full = true, min(p.full, most)
	p.valued = make([]occurrence, len(p.plain))
	for i, e := range p.plain {
		p.valued[i] = occurrence{e, 0, csr.NoTime}
	}
	p.plain, p.sparePlain = nil, nil
	return nil
}

// makeRoom lets the full buffer grow if more than half of its edges are different. Otherwise it
// sorts and folds them; if that frees too little space, it writes the buffer to a run. A buffer
// that only grows is sorted once, at the end.
func (p *edgeBuffer) makeRoom(ctx context.Context) error {
	most := p.most(p.withValues)
	if p.full < most {
		if different, err := p.mostlyDifferent(ctx); err != nil {
			return err
		} else if different {
			p.grow(most)
			return nil
		}
	}
	if err := p.compact(ctx); err != nil {
		return err
	}
	switch {
	case p.len() <= p.full/2:
		return nil
	case p.full < most:
		p.grow(most)
		return nil
	}
	return p.empty(ctx)
}

// mostlyDifferent reports whether more than half of the edges in the full buffer are different,
// estimated from a sample, which contains either all occurrences of an edge or none. From
// firstPileFull edges on, the error is a few percent. Input made to deceive the sample costs memory
// up to the limit.
func (p *edgeBuffer) mostlyDifferent(ctx context.Context) (bool, error) {
	most := p.full / 2 / sampledShare
	seen := make(map[uint64]struct{}, most+1)
	for i := range p.len() {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		var e uint64
		if p.withValues {
			e = p.valued[i].edge
		} else {
			e = p.plain[i]
		}
		if sampled(e) {
			if seen[e] = struct{}{}; len(seen) > most {
				return true, nil
			}
		}
	}
	return false, nil
}

// sampled selects one in sampledShare edges by a hash, always the same ones.
func sampled(e uint64) bool {
	high, low := bits.Mul64(e, 0x9e3779b97f4a7c15)
	return (high^low)>>(64-sampledBits) == 0
}

// grow doubles the buffer, up to most.
func (p *edgeBuffer) grow(most int) {
	p.full = min(2*p.full, most)
	p.spareValued, p.sparePlain = nil, nil
	if p.withValues {
		p.valued = append(room[occurrence](p.full), p.valued...)
	} else {
		p.plain = append(room[uint64](p.full), p.plain...)
	}
}

// compact sorts the buffer and folds repeated edges, except for the edge that is kept at the front.
func (p *edgeBuffer) compact(ctx context.Context) error {
	if p.withValues {
		return p.compactValued(ctx)
	}
	list, spare, err := radixSort(ctx, p.plain[p.held:], p.sparePlain)
	if err != nil {
		return err
	}
	list = slices.Compact(list)
	// The sorted edges may now be in the space for sorting: the edge at the front, if any, moves
	// with them.
	if p.held > 0 && len(list) > 0 && &list[0] != &p.plain[p.held] {
		copy(p.plain[p.held:], list)
		list, spare = p.plain[p.held:p.held+len(list)], list
	}
	if p.held > 0 {
		p.plain = p.plain[:p.held+len(list)]
	} else {
		p.plain = list
	}
	p.sparePlain = spare
	return nil
}

func (p *edgeBuffer) compactValued(ctx context.Context) error {
	list, spare, err := sortOccurrences(ctx, p.valued[p.held:], p.spareValued)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return nil
	}
	out, err := foldSorted(ctx, p.how, list, spare[:0])
	if err != nil {
		return err
	}
	if &list[0] != &p.valued[p.held] {
		spare = list
	}
	p.valued = append(p.valued[:p.held], out...) // onto itself if the buffer did not move
	p.spareValued = spare
	return nil
}

// spill sorts the buffer and moves its edges to a run.
func (p *edgeBuffer) spill(ctx context.Context) error {
	if err := p.compact(ctx); err != nil {
		return err
	}
	return p.empty(ctx)
}

// empty moves the sorted edges of the buffer to a run; the edge at the front stays.
func (p *edgeBuffer) empty(ctx context.Context) error {
	if p.len() == p.held {
		return nil
	}
	run, err := p.writeRun(ctx, p.held, p.len(), 0)
	if err != nil {
		return err
	}
	p.runs = append(p.runs, run)
	if p.withValues {
		p.valued = p.valued[:p.held]
	} else {
		p.plain = p.plain[:p.held]
	}
	return p.mergeLevels(ctx)
}

// writeRun writes a part of the buffer as a run.
func (p *edgeBuffer) writeRun(ctx context.Context, from, to, level int) (*edgeRun, error) {
	w, err := newRunWriter(p.temp, p.withValues, level)
	if err != nil {
		return nil, err
	}
	for i := from; i < to; i++ {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return nil, w.abandon(ctx.Err())
		}
		if p.withValues {
			err = w.add(p.valued[i])
		} else {
			err = w.add(occurrence{p.plain[i], 0, csr.NoTime})
		}
		if err != nil {
			return nil, w.abandon(err)
		}
	}
	return w.finish()
}

// mostRuns is the number of runs of a level that are merged into one run of the next. Each edge is
// written once per level, and at most this many files of a level are open.
const mostRuns = 16

// mergeLevels merges the runs of every level that has mostRuns of them.
func (p *edgeBuffer) mergeLevels(ctx context.Context) error {
	for len(p.runs) >= mostRuns {
		last := p.runs[len(p.runs)-mostRuns:]
		level := last[mostRuns-1].level
		if last[0].level != level {
			return nil
		}
		merged, err := p.merge(ctx, last, level+1)
		if err != nil {
			return err
		}
		p.runs = append(p.runs[:len(p.runs)-mostRuns], merged)
	}
	return nil
}

// merge combines several runs into one, and closes them.
func (p *edgeBuffer) merge(ctx context.Context, runs []*edgeRun, level int) (*edgeRun, error) {
	valued := false
	sources := make([]edgeSource, len(runs))
	for i, r := range runs {
		valued = valued || r.valued
		sources[i] = r.source()
	}
	w, err := newRunWriter(p.temp, valued, level)
	if err != nil {
		return nil, err
	}
	err = foldSources(ctx, p.how, sources, func(e uint64, f *edgeFold) error { return f.each(e, w.add) })
	if err != nil {
		return nil, w.abandon(err)
	}
	for _, r := range runs {
		r.close()
	}
	return w.finish()
}

// dropFirst removes the first edge.
func (p *edgeBuffer) dropFirst() {
	if p.withValues {
		p.valued = p.valued[p.held:]
	} else {
		p.plain = p.plain[p.held:]
	}
	p.held = 0
}

// settle ends the collecting. If number is not nil, it renumbers the vertices. Afterwards all edges
// are folded, in the buffer or in one run.
func (p *edgeBuffer) settle(ctx context.Context, number []uint32) error {
	if len(p.runs) == 0 {
		p.held = 0
		if err := p.renumber(ctx, number); err != nil {
			return err
		}
		if err := p.compact(ctx); err != nil {
			return err
		}
		p.sparePlain, p.spareValued = nil, nil
		return nil
	}
	if err := p.toFile(ctx); err != nil {
		return err
	}
	if number == nil {
		return nil
	}
	// New numbers change the order: everything is sorted again.
	other := newEdgeBuffer(p.how, p.room, p.temp)
	other.directed, other.withValues = p.directed, p.withValues
	other.full = min(other.full, other.most(p.withValues))
	defer other.close()
	source := p.runs[0].source()
	for {
		chunk, err := source.next()
		if err != nil {
			return err
		}
		if len(chunk) == 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, o := range chunk {
			o.edge = p.join(number[o.edge>>32], number[uint32(o.edge)])
			if p.withValues {
				err = other.put(ctx, o)
			} else {
				err = other.putPlain(ctx, o.edge)
			}
			if err != nil {
				return err
			}
		}
	}
	*p, *other = *other, *p
	return p.settle(ctx, nil)
}

// renumber renumbers the vertices of the edges in the buffer.
func (p *edgeBuffer) renumber(ctx context.Context, number []uint32) error {
	if number == nil {
		return nil
	}
	for i, e := range p.plain {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p.plain[i] = p.join(number[e>>32], number[uint32(e)])
	}
	for i := range p.valued {
		if i%block.CheckEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		e := &p.valued[i].edge
		*e = p.join(number[*e>>32], number[uint32(*e)])
	}
	return nil
}

// toFile moves all edges to one run and frees the buffer.
func (p *edgeBuffer) toFile(ctx context.Context) error {
	if p.held > 0 {
		first, err := p.writeRun(ctx, 0, p.held, 0)
		if err != nil {
			return err
		}
		p.runs = slices.Insert(p.runs, 0, first)
		p.dropFirst()
	}
	if err := p.spill(ctx); err != nil {
		return err
	}
	p.free()
	if len(p.runs) > 1 {
		run, err := p.merge(ctx, p.runs, 0)
		if err != nil {
			return err
		}
		p.runs = []*edgeRun{run}
	}
	return nil
}

func (p *edgeBuffer) sources() []edgeSource {
	switch {
	case len(p.runs) > 0:
		return []edgeSource{p.runs[0].source()}
	case p.withValues:
		return []edgeSource{{next: once(p.valued)}}
	}
	rest, chunk := p.plain, []occurrence(nil)
	return []edgeSource{{next: func() ([]occurrence, error) {
		chunk = chunk[:0]
		for _, e := range rest[:min(len(rest), chunkEdges)] {
			chunk = append(chunk, occurrence{e, 0, csr.NoTime})
		}
		rest = rest[len(chunk):]
		return chunk, nil
	}}}
}

// free frees the memory of the buffer.
func (p *edgeBuffer) free() {
	p.plain, p.valued, p.sparePlain, p.spareValued = nil, nil, nil, nil
}

// close removes the runs.
func (p *edgeBuffer) close() {
	for _, r := range p.runs {
		r.close()
	}
	p.runs = nil
}
