package eigen

import (
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"heavytail/storage/vec"
)

// ErrState is wrapped by the errors of a State that cannot be read, or not be
// continued by the solve that it is given to.
var ErrState = errors.New("invalid state of a solve")

// State is a solve between two blocks of its basis, once it has begun to iterate:
// all that it takes to continue with the same bytes.
type State struct {
	n, k     int
	at       position
	random   rand.PCG
	spectrum []state   // estimate
	h        []float64 // cols × cols
	last     []float64
	basis    vec.Panel // n × cols
}

// Checkpoints say how often the state of a solve is saved. The zero value saves
// nothing, and a solve by a dense matrix, of some thousand vertices at most, never
// does.
type Checkpoints struct {
	// Save, where not nil, is given the state between two blocks, and when the
	// context has ended, unless it ended in one of the short steps that change the
	// whole basis. It is called from the goroutine of Solve, which continues when it
	// has returned; what the state refers to is the solver's. An error ends the
	// solve.
	Save func(*State) error
	// Every is the least time from one call to the next; the call at the end of
	// the context does not wait for it.
	Every time.Duration
}

// position is the part of a solver that changes from block to block and is small.
type position struct {
	cols int // columns of the basis that are set; the last block of them is not yet multiplied
	full int // columns with which the projected matrix is solved next
	kept int // leading columns that were eigenvectors before the filter was set
	// locked leading columns were Ritz vectors far within the tolerance at the last restart. They are
	// eigenvectors of the projected matrix, which is solved without them.
	locked int
	fresh  bool    // the last block follows a restart: it couples to the whole basis
	due    bool    // the basis was restarted to be measured
	final  bool    // by the last restart: that which is allowed, or pays
	best   float64 // largest residual of the last measurement

	filter      filter
	margin      float64 // how many times k eigenvalues the filter is to let pass
	products    int
	restarts    int
	done        int // pairs that had converged when the basis was last full
	filterSince int // restarts when the filter was set
}

var stateMagic = [8]byte{'e', 'i', 'g', 'e', 'n', 'p', 'r', '3'}

// stateHead is the beginning of a state; the spectrum, h, last and the rows of
// the basis follow, all little-endian.
type stateHead struct {
	Magic                           [8]byte
	N, K, Cols, Full, Kept, Locked  int64
	Fresh, Due, Final               bool
	Best                            float64
	Degree                          int64
	Center, Half, Margin            float64
	Products, Restarts, Done, Since int64
	Random                          [20]byte
	Spectrum                        int64
}

// Write writes a state: 4·n·m bytes and a little more, with m up to 1.5·k + 96.
func (s *State) Write(w io.Writer) error {
	random, err := s.random.MarshalBinary()
	if err != nil {
		return err
	}
	p := s.at
	head := stateHead{
		Magic: stateMagic, N: int64(s.n), K: int64(s.k), Cols: int64(p.cols), Full: int64(p.full), Kept: int64(p.kept), Locked: int64(p.locked), Fresh: p.fresh, Due: p.due, Final: p.final, Best: p.best,
		Degree: int64(p.filter.degree), Center: p.filter.center, Half: p.filter.half, Margin: p.margin,
		Products: int64(p.products), Restarts: int64(p.restarts), Done: int64(p.done), Since: int64(p.filterSince),
		Random: [20]byte(random), Spectrum: int64(len(s.spectrum)),
	}
	var spectrum []float64
	for _, node := range s.spectrum {
		spectrum = append(spectrum, node.value, node.count)
	}
	if err := vec.WriteNumbers(w, head, spectrum, s.h, s.last); err != nil {
		return err
	}
	return vec.WriteRows(w, s.basis)
}

// ReadState reads what Write has written of a solve for k pairs of a matrix of
// order n, which bound what it allocates. Anything else is ErrState, and an error
// of the reader is wrapped. It reads no byte beyond the state.
func ReadState(r io.Reader, n, k int) (*State, error) {
	var head stateHead
	if err := vec.ReadNumbers(r, ErrState, &head); err != nil {
		return nil, err
	}
	full := int64(basisColumns(k))
	most := full + Width
	if head.Magic != stateMagic || head.N != int64(n) || head.K != int64(k) || head.Cols < Width || head.Cols > most ||
		head.Full < int64(keepColumns(k)+Width) || head.Full > full || head.Kept < 0 || head.Kept >= int64(k) || head.Kept > head.Cols-Width ||
		head.Locked < 0 || head.Locked > min(int64(k), head.Cols-Width) ||
		head.Spectrum < 0 || head.Spectrum > most || head.Degree < 1 || head.Degree > maxDegree ||
		head.Restarts < 0 || head.Since < 0 || head.Done < 0 || head.Done >= int64(k) {
		return nil, fmt.Errorf("%w: not one of %d pairs of a matrix of order %d", ErrState, k, n)
	}
	s := &State{n: n, k: k, at: position{
		cols: int(head.Cols), full: int(head.Full), kept: int(head.Kept), locked: int(head.Locked), fresh: head.Fresh, due: head.Due, final: head.Final, best: head.Best,
		filter: filter{degree: int(head.Degree), center: head.Center, half: head.Half}, margin: head.Margin,
		products: int(head.Products), restarts: int(head.Restarts), done: int(head.Done), filterSince: int(head.Since),
	}}
	if err := s.random.UnmarshalBinary(head.Random[:]); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrState, err)
	}
	spectrum := make([]float64, 2*head.Spectrum)
	s.h, s.last = make([]float64, head.Cols*head.Cols), make([]float64, Width*Width)
	for _, list := range [][]float64{spectrum, s.h, s.last} {
		if err := vec.ReadNumbers(r, ErrState, list); err != nil {
			return nil, err
		}
		for _, x := range list {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return nil, fmt.Errorf("%w: %v", ErrState, x)
			}
		}
	}
	for i := 0; i < len(spectrum); i += 2 {
		s.spectrum = append(s.spectrum, state{spectrum[i], spectrum[i+1]})
	}
	basis, err := vec.ReadRows(r, n, int(head.Cols))
	if err != nil {
		return nil, vec.StreamError(err, ErrState)
	}
	s.basis = basis.Panel(0, int(head.Cols))
	return s, nil
}
