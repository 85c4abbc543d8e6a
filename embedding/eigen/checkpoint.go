package eigen

import (
	"context"
	"fmt"
	"time"
)

// mark records the state between two blocks. It copies the position and the random numbers
// because these are the first parts of the state that the following computation changes.
func (s *solver) mark() { s.marked, s.markedRandom = s.position, *s.source }

// checkpoint returns the error of the context, or saves the state when a save is due.
func (s *solver) checkpoint(ctx context.Context) error {
	s.mark()
	c := s.opts.Checkpoints
	if err := ctx.Err(); err != nil || c.Save == nil || time.Since(s.saved) < c.Every {
		return err
	}
	return s.save()
}

// save saves the state that the last call of mark recorded.
func (s *solver) save() error {
	cols, stride := s.marked.cols, s.basis.Dim
	h := make([]float64, 0, cols*cols)
	for i := range cols {
		h = append(h, s.h[i*stride:][:cols]...)
	}
	err := s.opts.Checkpoints.Save(&State{
		n: s.n, k: s.k, at: s.marked, random: s.markedRandom, spectrum: s.states, h: h, last: s.last, basis: s.basis.Panel(0, cols),
	})
	s.saved = time.Now()
	return err
}

// restore sets the solver to a saved state.
func (s *solver) restore(from *State) error {
	if from.n != s.n || from.k != s.k || from.at.cols < Width || from.at.cols > s.m+Width {
		return fmt.Errorf("%w: %d columns for %d pairs of a matrix of order %d, and not %d pairs of order %d", ErrState, from.at.cols, from.k, from.n, s.k, s.n)
	}
	s.position, *s.source, s.states = from.at, from.random, from.spectrum
	copy(s.last, from.last)
	cols := from.at.cols
	for i := range cols {
		copy(s.h[i*s.basis.Dim:], from.h[i*cols:(i+1)*cols])
	}
	copyBlock(s.basis.Panel(0, cols), from.basis, s.opts.Workers)
	return nil
}
