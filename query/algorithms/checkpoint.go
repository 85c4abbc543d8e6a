package algorithms

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"heavytail/storage/checkpoint"
	"heavytail/storage/vec"
)

// saveAtEnd saves if the context has ended, and returns the error of the context.
func saveAtEnd(ctx context.Context, c checkpoint.Checkpoints, write func(w io.Writer) error) error {
	err := ctx.Err()
	if err != nil && c.Save != nil {
		err = errors.Join(err, c.Save(write))
	}
	return err
}

// halt reports whether a search has to stop.
type halt struct{ context.Context }

func (h halt) halted() bool { return h.Err() != nil }

// visitor adds the contribution of a unit of work to a sum per vertex. If the context
// ends, it returns false and leaves the sum unchanged.
type visitor func(unit int, sum []float64) bool

// Slots is the number of sums among which the units of work are divided. It is part of the
// definition of the result, and bounds the workers.
const Slots = 16

// A round is the units that are computed before the sums of all slots are added to the first, so
// that a checkpoint then has one sum. There are up to rounds of them: more would save little more
// often, and adding the sums takes as long as a search where units have few vertices.
const rounds = 16

// accumulation has the sums of all slots. Slot s takes the units s, s + len(sums), and so
// on, so that its sum does not depend on the goroutines and their order.
type accumulation struct {
	n, units int
	sums     [][]float64 // of each slot; nil before its first unit
	next     []int       // unit of each slot
	round    int         // units of a round
	folded   int         // units of the rounds that have ended, which are in the sum of the first slot
	done     atomic.Int64
}

func newAccumulation(n, units, slots int) *accumulation {
	slots = min(slots, max(1, units))
	a := &accumulation{n: n, units: units, sums: make([][]float64, slots), next: make([]int, slots)}
	a.round = slots * max(1, (units+slots*rounds-1)/(slots*rounds))
	for slot := range a.next {
		a.next[slot] = slot
	}
	return a
}

// accumulate calls a visitor for every unit of work, and returns the sums of up to so many slots
// in their order. newVisitor returns a visitor with its own memory. It saves after rounds, and at the
// end, too, if more work follows. It takes 8 bytes per vertex and slot; a checkpoint has 8 bytes per
// vertex, and as many for each slot if the context ended.
func (o DistanceOptions) accumulate(ctx context.Context, n, units, slots int, stage string, more bool, newVisitor func() visitor) ([]float64, error) {
	a := newAccumulation(n, units, slots)
	if o.From != nil {
		if err := a.read(o.From); err != nil {
			return nil, err
		}
	}
	free := sync.Pool{New: func() any { return newVisitor() }}
	report := o.reporter(stage, int64(units))
	for saved := time.Now(); a.folded < units; {
		end := min(units, a.folded+a.round)
		vec.Parallel(len(a.sums), 1, o.Workers, func(slot, _, _ int) {
			for a.next[slot] < end && ctx.Err() == nil {
				if a.visit(slot, &free) {
					report(a.done.Add(1))
				}
			}
		})
		if err := saveAtEnd(ctx, o.Checkpoints, a.write); err != nil {
			return nil, err
		}
		a.fold(end)
		if o.Save != nil && (more || end < units) && time.Since(saved) >= o.Every {
			if err := o.Save(a.write); err != nil {
				return nil, err
			}
			saved = time.Now()
		}
	}
	return a.sums[0], nil
}

// visit computes the next unit of a slot.
func (a *accumulation) visit(slot int, free *sync.Pool) bool {
	if a.sums[slot] == nil {
		a.sums[slot] = make([]float64, a.n)
	}
	v := free.Get().(visitor)
	if !v(a.next[slot], a.sums[slot]) {
		return false // v cannot be used again
	}
	free.Put(v)
	a.next[slot] += len(a.sums)
	return true
}

// fold adds the sums of the other slots to the first at the end of a round.
func (a *accumulation) fold(end int) {
	for _, s := range a.sums[1:] {
		for v, x := range s {
			a.sums[0][v] += x
		}
		clear(s)
	}
	a.folded = end
}

// begun reports whether a slot has a sum that is not in that of the first.
func (a *accumulation) begun(slot int) bool {
	if slot == 0 {
		return a.next[0] > 0
	}
	return a.next[slot] > a.first(slot)
}

// first is the first unit of a slot in the present round.
func (a *accumulation) first(slot int) int {
	step := len(a.next)
	return slot + (max(0, a.folded-slot)+step-1)/step*step
}

var accumulationMagic = [8]byte{'m', 'e', 'a', 's', 'u', 'm', 's', '2'}

// accumulationHead is the beginning of a checkpoint. The next unit of each slot follows,
// and then the sum of the first and those of the others that have begun in this round.
type accumulationHead struct {
	Magic            [8]byte
	N, Units, Folded int64
}

func (a *accumulation) write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	next := make([]int64, len(a.next))
	for i, u := range a.next {
		next[i] = int64(u)
	}
	parts := []any{accumulationHead{accumulationMagic, int64(a.n), int64(a.units), int64(a.folded)}, next}
	for slot, sum := range a.sums {
		if a.begun(slot) {
			parts = append(parts, sum)
		}
	}
	if err := vec.WriteNumbers(out, parts...); err != nil {
		return err
	}
	return out.Flush()
}

// read reads what write has written for the same units.
func (a *accumulation) read(from io.Reader) error {
	in := bufio.NewReaderSize(from, 1<<16)
	var head accumulationHead
	next := make([]int64, len(a.next))
	if err := vec.ReadNumbers(in, checkpoint.Err, &head, next); err != nil {
		return err
	}
	whole := head.Folded == int64(a.units) || head.Folded%int64(a.round) == 0
	if head.Magic != accumulationMagic || head.N != int64(a.n) || head.Units != int64(a.units) || head.Folded < 0 || head.Folded > head.Units || !whole {
		return fmt.Errorf("%w: it is not one of this graph and these options", checkpoint.Err)
	}
	a.folded = int(head.Folded)
	end := min(a.units, a.folded+a.round)
	for slot, u := range next {
		first, step := int64(a.first(slot)), int64(len(next))
		if u < first || u >= int64(end)+step || (u-first)%step != 0 {
			return fmt.Errorf("%w: unit %d of %d", checkpoint.Err, u, a.units)
		}
		a.next[slot] = int(u)
		a.done.Add((u - int64(slot)) / step)
		if !a.begun(slot) {
			continue
		}
		a.sums[slot] = make([]float64, a.n)
		if err := vec.ReadNumbers(in, checkpoint.Err, a.sums[slot]); err != nil {
			return err
		}
		for _, x := range a.sums[slot] {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("%w: a sum of %g", checkpoint.Err, x)
			}
		}
	}
	return nil
}

// DistanceOptions sets how measures of shortest paths work. The zero value works.
type DistanceOptions struct {
	Work
	// Weighted uses the weights as lengths; otherwise every edge has the length 1.
	Weighted bool
	// Normalized divides the values by the largest possible value, so that they are
	// from 0 to 1.
	Normalized bool
	// Sources is the number of vertices from which paths are computed. Values from
	// fewer than all vertices are estimates. 0 means all vertices, if their searches
	// visit at most ExactVisits vertices and edges; otherwise the number of sources whose
	// searches make SampledVisits visits, but at least 50. Harmonic without weights makes
	// 32 times as many visits in both cases.
	Sources int
	Seed    uint64 // seed of the choice of sources
	checkpoint.Checkpoints
}
