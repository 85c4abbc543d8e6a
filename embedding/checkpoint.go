package embedding

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"heavytail/embedding/eigen"
	"heavytail/embedding/skipgram"
	"heavytail/storage/vec"
)

// ErrCheckpoint is wrapped by the errors of a checkpoint that cannot be read, or
// is not one of the same computation.
var ErrCheckpoint = errors.New("embedding: checkpoint cannot be used")

// Checkpoints let a computation be stopped and go on later, with the same bytes
// in the end. The zero value saves nothing and begins at the beginning.
type Checkpoints struct {
	// Save, where not nil, is called now and then, and when the context has ended,
	// with a function that writes what it takes to go on. The computation waits
	// for it; an error ends it. What is small is over so soon that it saves
	// nothing.
	Save func(write func(w io.Writer) error) error
	// Every is the least time from one call to the next; the call at the end of
	// the context does not wait for it.
	Every time.Duration
	// From, where not nil, is what Save has written in a computation of the same
	// method with the same options on the same graph.
	From io.Reader
}

// training are the checkpoints of skip-gram.
func (c Checkpoints) training(o *skipgram.Options, vertices int) error {
	if c.Save != nil {
		o.Checkpoints = skipgram.Checkpoints{Every: c.Every, Save: func(s *skipgram.State) error { return c.Save(s.Write) }}
	}
	if c.From == nil {
		return nil
	}
	state, err := skipgram.ReadState(c.From, vertices, *o)
	o.From = state
	return checkpointError(err)
}

// checkpointError makes ErrCheckpoint of an error of reading one.
func checkpointError(err error) error {
	if errors.Is(err, skipgram.ErrState) || errors.Is(err, eigen.ErrState) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, vec.ErrNotFinite) {
		return fmt.Errorf("%w: %w", ErrCheckpoint, err)
	}
	return err
}

// solveLog is what a spectral solve needs to go on: the parts that were solved,
// of those that are solved by themselves, and the solver of the next one.
type solveLog struct {
	Checkpoints
	parts []pairs
	from  *bufio.Reader // of the rest of a checkpoint; nil where there is none
	ahead bool          // a state of the solver of the next part is in from
}

// partHead is the beginning of a part as it is written. Why its solve ended, the
// values, the relative residuals, the degrees and the vectors follow.
type partHead struct {
	Rows, Pairs         int64
	Restarts, Products  int64
	Converged, Weighted bool
	Reason              int64 // bytes
}

var solveMagic = [8]byte{'s', 'p', 'e', 'c', 't', 'r', 'l', '1'}

type solveHead struct {
	Magic [8]byte
	Parts int64
	Ahead bool
}

// openLog makes the log of a solve, with the parts that a checkpoint has: at most
// one for each of the given numbers of vertices.
func openLog(c Checkpoints, sizes []int, dim int) (*solveLog, error) {
	l := &solveLog{Checkpoints: c}
	if c.From == nil {
		return l, nil
	}
	l.from = bufio.NewReaderSize(c.From, 1<<16)
	var head solveHead
	if err := readPart(l.from, &head); err != nil {
		return nil, err
	}
	if head.Magic != solveMagic || head.Parts < 0 || head.Parts > int64(len(sizes)) {
		return nil, fmt.Errorf("%w: it is not one of this graph", ErrCheckpoint)
	}
	l.ahead = head.Ahead
	for i := range int(head.Parts) {
		p, err := readSolved(l.from, sizes[i], dim)
		if err != nil {
			return nil, err
		}
		l.parts = append(l.parts, p)
	}
	return l, nil
}

// readSolved reads a part of n vertices.
func readSolved(r io.Reader, n, dim int) (p pairs, err error) {
	var h partHead
	if err := readPart(r, &h); err != nil {
		return p, err
	}
	if h.Rows != int64(n) || h.Pairs != int64(min(n, dim)) || h.Reason < 0 || h.Reason > 1<<10 || h.Restarts < 0 || h.Products < 0 {
		return p, fmt.Errorf("%w: it is not one of this graph and dimension", ErrCheckpoint)
	}
	reason := make([]byte, h.Reason)
	result := &eigen.Result{
		Values: make([]float64, h.Pairs), Residuals: make([]float64, h.Pairs),
		Restarts: int(h.Restarts), Products: int(h.Products), Converged: h.Converged,
	}
	degrees := make([]float64, n)
	for _, v := range []any{reason, result.Values, result.Residuals, degrees} {
		if err := readPart(r, v); err != nil {
			return p, err
		}
	}
	result.Reason = string(reason)
	result.Vectors, err = vec.ReadRows(r, n, int(h.Pairs))
	p = pairs{Result: result, relative: result.Residuals, degrees: degrees, weighted: h.Weighted}
	return p, checkpointError(err)
}

func readPart(r io.Reader, v any) error {
	err := binary.Read(r, binary.LittleEndian, v)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return checkpointError(err)
}

// write writes a part.
func (p pairs) write(w io.Writer) error {
	r := p.Result
	head := partHead{
		Rows: int64(r.Vectors.Rows), Pairs: int64(r.Vectors.Dim), Restarts: int64(r.Restarts), Products: int64(r.Products),
		Converged: r.Converged, Weighted: p.weighted, Reason: int64(len(r.Reason)),
	}
	for _, v := range []any{head, []byte(r.Reason), r.Values, p.relative, p.degrees} {
		if err := binary.Write(w, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	return vec.WriteRows(w, r.Vectors.Panel(0, r.Vectors.Dim))
}

// take returns the pairs of part number i, if it was solved.
func (l *solveLog) take(i int) (pairs, bool) {
	if i >= len(l.parts) {
		return pairs{}, false
	}
	return l.parts[i], true
}

// add remembers a part that was solved, which comes after those before it. It
// keeps the vectors only where they may have to be saved.
func (l *solveLog) add(p pairs) {
	if l.Save != nil {
		l.parts = append(l.parts, p)
	}
}

// solver lets the solver of the next part go on and save its state.
func (l *solveLog) solver(o *eigen.Options, n int) error {
	if l.Save != nil {
		o.Checkpoints = eigen.Checkpoints{Every: l.Every, Save: func(s *eigen.State) error { return l.save(s) }}
	}
	if !l.ahead {
		return nil
	}
	l.ahead = false
	state, err := eigen.ReadState(l.from, n, o.K)
	o.From = state
	return checkpointError(err)
}

// save saves the parts, and the state of the solver of the next one, if it has
// begun.
func (l *solveLog) save(next *eigen.State) error {
	return l.Save(func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<16)
		if err := binary.Write(out, binary.LittleEndian, solveHead{solveMagic, int64(len(l.parts)), next != nil}); err != nil {
			return err
		}
		for _, p := range l.parts {
			if err := p.write(out); err != nil {
				return err
			}
		}
		if next != nil {
			if err := next.Write(out); err != nil {
				return err
			}
		}
		return out.Flush()
	})
}
