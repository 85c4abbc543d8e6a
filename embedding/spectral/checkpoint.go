package spectral

import (
	"bufio"
	"bytes"
	"fmt"
	"io"

	"heavytail/embedding/eigen"
	"heavytail/embedding/internal/base"
	"heavytail/storage/vec"
)

// solveLog has what a spectral solve needs to continue after a stop: the large parts that
// have been solved, and the state of the solver of the next part.
type solveLog struct {
	base.Checkpoints
	parts []pairs
	from  *bufio.Reader // the rest of a checkpoint; nil without a checkpoint
	ahead bool          // a state of the solver of the next part is in from
	magic [8]byte
}

// partHead is the beginning of the stored form of a part. The reason why its solve ended,
// the eigenvalues, the relative residuals, the degrees and the vectors follow.
type partHead struct {
	Rows, Pairs         int64
	Restarts, Products  int64
	Converged, Weighted bool
	Reason              int64 // bytes
}

// A log begins with one of these magic numbers. The second is for a solve that has changed
// its normalisation.
var (
	solveMagic    = [8]byte{'s', 'p', 'e', 'c', 't', 'r', 'l', '1'}
	switchedMagic = [8]byte{'s', 'p', 'e', 'c', 't', 'r', 's', '1'}
)

// hasSwitched reports whether a checkpoint is of a solve that has changed its
// normalisation. It peeks at the first bytes of the checkpoint, which can still be read
// afterwards.
func hasSwitched(c *base.Checkpoints) bool {
	if c.From == nil {
		return false
	}
	from := bufio.NewReaderSize(c.From, 1<<16)
	c.From = from
	head, err := from.Peek(len(switchedMagic))
	return err == nil && bytes.Equal(head, switchedMagic[:])
}

type solveHead struct {
	Magic [8]byte
	Parts int64
	Ahead bool
}

// openLog makes the log of a solve and loads the parts from a checkpoint: at most one part
// for each of the given sizes, which are numbers of vertices.
func openLog(c base.Checkpoints, switched bool, sizes []int, dim int) (*solveLog, error) {
	l := &solveLog{Checkpoints: c, magic: solveMagic}
	if switched {
		l.magic = switchedMagic
	}
	if c.From == nil {
		return l, nil
	}
	l.from = bufio.NewReaderSize(c.From, 1<<16)
	var head solveHead
	if err := vec.ReadNumbers(l.from, base.ErrCheckpoint, &head); err != nil {
		return nil, err
	}
	if head.Magic != l.magic || head.Parts < 0 || head.Parts > int64(len(sizes)) {
		return nil, fmt.Errorf("%w: it belongs to another graph", base.ErrCheckpoint)
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
	if err := vec.ReadNumbers(r, base.ErrCheckpoint, &h); err != nil {
		return p, err
	}
	if h.Rows != int64(n) || h.Pairs != int64(min(n, dim)) || h.Reason < 0 || h.Reason > 1<<10 || h.Restarts < 0 || h.Products < 0 {
		return p, fmt.Errorf("%w: it belongs to another graph or dimension", base.ErrCheckpoint)
	}
	reason := make([]byte, h.Reason)
	result := &eigen.Result{
		Values: make([]float64, h.Pairs), Residuals: make([]float64, h.Pairs),
		Restarts: int(h.Restarts), Products: int(h.Products), Converged: h.Converged,
	}
	degrees := make([]float64, n)
	if err := vec.ReadNumbers(r, base.ErrCheckpoint, reason, result.Values, result.Residuals, degrees); err != nil {
		return p, err
	}
	result.Reason = string(reason)
	result.Vectors, err = vec.ReadRows(r, n, int(h.Pairs))
	p = pairs{Result: result, relative: result.Residuals, degrees: degrees, weighted: h.Weighted}
	return p, base.CheckpointError(err, eigen.ErrState)
}

// write writes a part.
func (p pairs) write(w io.Writer) error {
	r := p.Result
	head := partHead{
		Rows: int64(r.Vectors.Rows), Pairs: int64(r.Vectors.Dim), Restarts: int64(r.Restarts), Products: int64(r.Products),
		Converged: r.Converged, Weighted: p.weighted, Reason: int64(len(r.Reason)),
	}
	if err := vec.WriteNumbers(w, head, []byte(r.Reason), r.Values, p.relative, p.degrees); err != nil {
		return err
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

// add appends a solved part to the log. It stores the vectors only if they may have to be
// saved.
func (l *solveLog) add(p pairs) {
	if l.Save != nil {
		l.parts = append(l.parts, p)
	}
}

// solver sets the options of the solver of the next part, so that it continues from a saved
// state and saves its own state.
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
	return base.CheckpointError(err, eigen.ErrState)
}

// save saves the parts, and the state of the solver of the next one, if it has
// begun.
func (l *solveLog) save(next *eigen.State) error {
	return l.Save(func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<16)
		if err := vec.WriteNumbers(out, solveHead{l.magic, int64(len(l.parts)), next != nil}); err != nil {
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
