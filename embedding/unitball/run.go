package unitball

import (
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

type run struct {
	g     *csr.Graph
	order []uint32 // vertex v of g is order[v] of the graph; nil where they are the same
	o     Options
	n, k  int

	x, start     *vec.Matrix // rows, and the start rows if there is an anchor
	mean, square *vec.Matrix // moments of the gradients
	gradients    *vec.Matrix
	weights      []float64 // of vertices
	pass, moves  int       // passes that were made; moves since the moments were zero
	from         int       // pass in which the round began
	last         int64     // wrong pairs of the best rows when the round began
	step         float64   // length of the longest move of the last pass
	rule         rule      // of this pass
	power        *float64  // of this pass, if its rows were looked at before a checkpoint

	best      *vec.Matrix // the best rows so far
	bestWrong Wrong       // wrong pairs of the best rows

	near *nearList
	f    *forces
}

// constant is the fraction of the passes in which the margin and the step are constant.
const constant = 0.3

// Rounds after the first have this part of the margin and of the step. With a half, or with
// the whole of them, fewer wrong pairs go: see the package documentation.
const laterRounds = 0.25

// schedule returns the margin and the step of the present pass.
func (r *run) schedule() (margin, step float64) {
	left := min(1, (1-r.done())/(1-constant))
	if r.from > 0 {
		left *= laterRounds
	}
	return r.o.Margin * left, r.o.Step * left
}

// free is the fraction of the falling margin that is left when the anchor is 0.
const free = 0.15

// anchor returns the anchor of the present pass. It falls faster than the margin, so that
// in the last tenth of the passes the few pairs that are still wrong are free to move. If it
// fell as the margin does, or not at all, some pairs of every graph stayed wrong.
func (r *run) anchor() float64 {
	if r.from > 0 {
		return 0
	}
	margin, _ := r.schedule()
	left := max(0, margin/r.o.Margin-free) / (1 - free)
	return *r.o.Anchor * left * left
}

// done returns which fraction of the passes of the round was made.
func (r *run) done() float64 { return float64(r.pass-r.from) / float64(r.o.Passes) }

// A round follows while the last one left at most mostLeft of its wrong pairs, and the first
// one at most mostWrong of the edges.
const mostLeft, mostWrong = 0.75, 0.25

// again reports whether another round follows.
func (r *run) again() bool {
	wrong := float64(r.bestWrong.Pairs())
	if r.from == 0 {
		return r.o.Rounds > 1 && wrong <= mostWrong*float64(r.g.Edges())
	}
	return r.from/r.o.Passes+1 < r.o.Rounds && wrong <= mostLeft*float64(r.last)
}

// next begins a round with the best rows.
func (r *run) next() {
	r.from, r.last, r.moves, r.power = r.pass, r.bestWrong.Pairs(), 0, nil
	copy(r.x.Data, r.best.Data)
	clear(r.mean.Data)
	clear(r.square.Data)
	r.near.Pass = min(r.near.Pass, int64(r.pass)-1) // a list of this pass was of the last rows
}

// The power of violations is 1 in the first passes, which is the gradient of a squared
// hinge; it then falls to 0 and on to leastPower. Squares distribute unavoidable
// violations over many pairs that are slightly wrong. With lower powers a few pairs are
// very wrong, and more of the others are right.
const (
	squareUntil, linearAt = 0.2, 0.5 // fractions of the passes
	leastPower            = -0.5
)

// The numbers of wrong pairs per edge, divided by the remaining fraction of the
// passes: up to fewWrong violations are squared, which finds an exact placement if
// there is one; from manyWrong on they have the power of the pass.
const fewWrong, manyWrong = 0.25, 1

// violationPower returns the power of violations in the present pass.
func (r *run) violationPower() float64 {
	if r.power != nil {
		return *r.power
	}
	power := 1.0
	switch done := r.done(); {
	case done > linearAt:
		power = leastPower * (done - linearAt) / (1 - linearAt)
	case done > squareUntil:
		power = (linearAt - done) / (linearAt - squareUntil)
	}
	wrong := float64(r.bestWrong.Pairs()) / float64(max(1, r.g.Edges()))
	left := 1 - r.done()
	part := (wrong - fewWrong*left) / ((manyWrong-fewWrong)*left + 1e-9)
	part = min(1, max(0, part))
	return 1 - part*(1-power)
}
