package unitball

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"heavytail/storage/vec"
)

// stateHead is the beginning of a checkpoint. Rows, moments, the best rows, the positions
// of the list of near pairs, the start rows if there is an anchor, the weights of the
// vertices, and with many vertices the bounds of the list follow: without the moments where no
// move was made, and without what equals the rows.
type stateHead struct {
	Magic       [8]byte
	Rows, Dim   int64
	Pass, Moves int64
	From, Last  int64   // of the round
	Best        Wrong   // in the best rows
	Step        float64 // of the last pass
	Anchored    bool
	Same        [2]bool // the best rows, and the positions of the list, equal the rows
	List        listState
	After       bool    // the rows of the pass were looked at, with this power
	Power       float64 // of violations
}

var stateMagic = [8]byte{'u', 'n', 'i', 't', 'b', 'a', 'l', '7'}

// write writes the state before a pass.
func (r *run) write(w io.Writer) error { return r.writeState(w, false) }

// writeLooked writes the state before the move of a pass. It has fewer rows than that after the move:
// they are often the best, or those of a new list. A run that continues looks at them again.
func (r *run) writeLooked(w io.Writer) error { return r.writeState(w, true) }

func (r *run) writeState(w io.Writer, looked bool) error {
	list, power := r.near.listState, r.rule.power
	if looked {
		list.Looked -= r.near.pairs
	}
	if r.power != nil {
		looked, power = true, *r.power
	}
	out := bufio.NewWriterSize(w, 1<<16)
	same := [2]bool{equal(r.best, r.x), equal(r.near.at, r.x)}
	head := stateHead{stateMagic, int64(r.n), int64(r.k), int64(r.pass), int64(r.moves), int64(r.from), r.last, r.bestWrong, r.step, r.start != nil, same, list, looked, power}
	if err := vec.WriteNumbers(out, head); err != nil {
		return err
	}
	for _, m := range r.matrices(same) {
		if err := vec.WriteRows(out, (*m).Panel(0, r.k)); err != nil {
			return err
		}
	}
	if err := vec.WriteNumbers(out, r.weights); err != nil {
		return err
	}
	if moving := r.near.moving; moving != nil {
		if _, err := out.Write(moving.Bounds()); err != nil {
			return err
		}
	}
	return out.Flush()
}

// matrices are those of a checkpoint.
func (r *run) matrices(same [2]bool) []**vec.Matrix {
	list := []**vec.Matrix{&r.x}
	if r.moves > 0 {
		list = append(list, &r.mean, &r.square)
	}
	if !same[0] {
		list = append(list, &r.best)
	}
	if !same[1] {
		list = append(list, &r.near.at)
	}
	if r.start != nil {
		list = append(list, &r.start)
	}
	return list
}

// equal reports whether two matrices have the same bytes.
func equal(a, b *vec.Matrix) bool {
	for i, x := range a.Data {
		if math.Float32bits(x) != math.Float32bits(b.Data[i]) {
			return false
		}
	}
	return true
}

// read reads what write has written for a run of the same graph and options.
func (r *run) read(from io.Reader) error {
	in := bufio.NewReaderSize(from, 1<<16)
	var head stateHead
	if err := vec.ReadNumbers(in, ErrCheckpoint, &head); err != nil {
		return err
	}
	anchored := *r.o.Anchor > 0
	if head.Magic != stateMagic || head.Rows != int64(r.n) || head.Dim != int64(r.k) || head.Anchored != anchored ||
		head.Last < 0 || head.From < 0 || head.From%int64(r.o.Passes) != 0 || head.From/int64(r.o.Passes) >= int64(r.o.Rounds) || head.Pass < head.From || head.Pass > head.From+int64(r.o.Passes) || head.Moves < 0 || head.Moves > head.Pass || head.Best.Edges != r.g.Edges() || head.Best.Missed < 0 || head.Best.Missed > head.Best.Edges || head.Best.False < 0 || !(head.Step >= 0) || !(head.Power >= leastPower && head.Power <= 1) ||
		!head.List.valid(head.Pass) || head.List.Part < r.near.least || head.List.Part > 1 {
		return fmt.Errorf("%w: it is not one of this graph and these options", ErrCheckpoint)
	}
	r.pass, r.moves, r.bestWrong, r.step, r.near.listState = int(head.Pass), int(head.Moves), head.Best, head.Step, head.List
	r.from, r.last = int(head.From), head.Last
	if head.After {
		r.power = &head.Power
	}
	if anchored {
		r.start = new(vec.Matrix)
	}
	for _, m := range r.matrices(head.Same) {
		var err error
		if *m, err = vec.ReadRows(in, r.n, r.k); err != nil {
			return vec.StreamError(err, ErrCheckpoint)
		}
	}
	for i, m := range []*vec.Matrix{r.best, r.near.at} {
		if head.Same[i] {
			copy(m.Data, r.x.Data)
		}
	}
	if err := vec.ReadNumbers(in, ErrCheckpoint, r.weights); err != nil {
		return err
	}
	if moving := r.near.moving; moving != nil {
		if _, err := io.ReadFull(in, moving.Bounds()); err != nil {
			return vec.StreamError(err, ErrCheckpoint)
		}
	}
	for _, w := range r.weights {
		if !(w >= leastWeight && w <= mostWeight) || math.IsNaN(w) {
			return fmt.Errorf("%w: a weight of %g", ErrCheckpoint, w)
		}
	}
	return nil
}

// valid reports whether a list in a pass can have this state.
func (l listState) valid(pass int64) bool {
	return l.Radius >= 0 && l.Radius <= 4 && l.Skin >= 0 && l.Skin <= mostSkin && l.Looked >= 0 && l.Pass >= 0 && l.Pass <= pass && l.Thin <= mostThin && l.Sampled <= l.Thin && l.Joined >= 0
}
