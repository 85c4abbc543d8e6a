package unitball

import (
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// run is the state of an optimisation.
type run struct {
	g    *csr.Graph
	o    Options
	n, k int

	x, start     *vec.Matrix // rows, and those of the beginning where there is an anchor
	mean, square *vec.Matrix // moments of the gradients
	gradients    *vec.Matrix
	weights      []float64 // of vertices
	pass, moves  int       // that were made; moves are since the moments were zero
	step         float64   // length of the longest move of the last pass

	best      *vec.Matrix // the best rows so far
	bestWrong Wrong       // in them

	near *nearList
	f    *forces
}

// schedule returns the margin and the step of the present pass.
func (r *run) schedule() (margin, step float64) {
	left := 2 * (1 - float64(r.pass)/float64(r.o.Passes))
	part := min(1, left)
	return r.o.Margin * part, r.o.Step * part
}
