package algorithms

import (
	"context"
	"sync"

	"heavytail/storage/vec"
)

// worklist moves vertices between groups until none wants to move. It takes the vertices
// of a queue in batches: proposals for a batch are computed in parallel, from the groups as
// they are at its beginning, and then carried out one after another. A vertex with a
// neighbour that has moved in the same batch is looked at again, alone. So the result
// depends on the size of the batches, and not on the workers.
type worklist struct {
	Work
	at        *level
	group     []uint32
	flags     []uint8 // of each vertex
	near      *sync.Pool
	proposals []proposal // for the present batch
	next      []uint32   // the vertices of the next round
	report    func(rounds int64)
}

// The flags of a vertex.
const (
	waiting = 1 << iota // in the queue
	dirty               // a neighbour has moved since the batch began
)

// mover decides which vertices move. propose changes nothing, and runs in parallel.
// settle carries a proposal out if it is still good, and reports whether the vertex moved.
type mover interface {
	propose(near *neighborhood, v uint32, round int) proposal
	settle(v uint32, p proposal) bool
}

// proposal is a group for a vertex, with the weights of the edges to its present group and
// to this one.
type proposal struct {
	to        uint32
	own, best float64
}

func newWorklist(w Work, at *level, group []uint32) *worklist {
	n := len(group)
	l := &worklist{Work: w, at: at, group: group, flags: make([]uint8, n), near: neighborhoods(), report: func(int64) {}}
	l.proposals = make([]proposal, l.batch())
	return l
}

// batch is the number of vertices of a batch: so few that a vertex seldom has a neighbour
// in its own, but as many as occupy the workers for some 50 µs.
func (w *worklist) batch() int {
	const most = 1024
	n, arcs := len(w.group), len(w.at.targets)
	return max(1, min(n, most, n*n/(2*arcs+1)))
}

// run moves the vertices in the order given, and again those whose neighbours have moved,
// for so many rounds at most.
func (w *worklist) run(ctx context.Context, order []uint32, most int, m mover) (rounds int, moved bool, err error) {
	for v := range w.flags {
		w.flags[v] = waiting
	}
	alone := new(neighborhood)
	for queue := order; len(queue) > 0 && rounds < most; rounds++ {
		for lo := 0; lo < len(queue); lo += len(w.proposals) {
			if err := ctx.Err(); err != nil {
				return rounds, moved, err
			}
			batch := queue[lo:min(len(queue), lo+len(w.proposals))]
			w.propose(batch, m, rounds)
			for i, v := range batch {
				p := w.proposals[i]
				if w.flags[v]&dirty != 0 {
					p = m.propose(alone, v, rounds)
				}
				w.flags[v] = 0
				if m.settle(v, p) {
					moved = true
					w.wake(v)
				}
			}
		}
		queue, w.next = w.next, queue[:0]
		w.report(int64(rounds + 1))
	}
	return rounds, moved, nil
}

// propose computes the proposals for a batch.
func (w *worklist) propose(batch []uint32, m mover, round int) {
	const block = 64
	vec.Parallel(len(batch), block, w.Workers, func(_, lo, hi int) {
		near := w.near.Get().(*neighborhood)
		for i := lo; i < hi; i++ {
			w.flags[batch[i]] = waiting
			w.proposals[i] = m.propose(near, batch[i], round)
		}
		w.near.Put(near)
	})
}

// wake puts the neighbours of a vertex that has moved into the queue again, except for those
// in its new group, which have no reason to leave it.
func (w *worklist) wake(v uint32) {
	targets, _ := w.at.row(v)
	for _, u := range targets {
		f := w.flags[u]
		if f == waiting|dirty {
			continue
		}
		if f&waiting == 0 && w.group[u] != w.group[v] {
			f |= waiting
			w.next = append(w.next, u)
		}
		w.flags[u] = f | dirty
	}
}
