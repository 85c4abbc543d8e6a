package unitball

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"heavytail/storage/vec"
)

// stateHead is the beginning of a checkpoint. Rows, moments, the best rows, the positions
// of the list of near pairs, the start rows if there is an anchor, and the weights of the
// vertices follow.
type stateHead struct {
	Magic       [8]byte
	Rows, Dim   int64
	Pass, Moves int64
	From, Last  int64   // of the round
	Best        Wrong   // in the best rows
	Step        float64 // of the last pass
	Anchored    bool
	List        listState
}

var stateMagic = [8]byte{'u', 'n', 'i', 't', 'b', 'a', 'l', '5'}

func (r *run) write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 1<<16)
	head := stateHead{stateMagic, int64(r.n), int64(r.k), int64(r.pass), int64(r.moves), int64(r.from), r.last, r.bestWrong, r.step, r.start != nil, r.near.listState}
	if err := vec.WriteNumbers(out, head); err != nil {
		return err
	}
	for _, m := range r.matrices() {
		if err := vec.WriteRows(out, (*m).Panel(0, r.k)); err != nil {
			return err
		}
	}
	if err := vec.WriteNumbers(out, r.weights); err != nil {
		return err
	}
	return out.Flush()
}

func (r *run) matrices() []**vec.Matrix {
	list := []**vec.Matrix{&r.x, &r.mean, &r.square, &r.best, &r.near.at}
	if r.start != nil {
		list = append(list, &r.start)
	}
	return list
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
		head.Last < 0 || head.From < 0 || head.From%int64(r.o.Passes) != 0 || head.From/int64(r.o.Passes) >= int64(r.o.Rounds) || head.Pass < head.From || head.Pass > head.From+int64(r.o.Passes) || head.Moves < 0 || head.Moves > head.Pass || head.Best.Edges != r.g.Edges() || head.Best.Missed < 0 || head.Best.Missed > head.Best.Edges || head.Best.False < 0 || !(head.Step >= 0) ||
		!head.List.valid(head.Pass) || head.List.Part < r.near.least || head.List.Part > 1 {
		return fmt.Errorf("%w: it is not one of this graph and these options", ErrCheckpoint)
	}
	r.pass, r.moves, r.bestWrong, r.step, r.near.listState = int(head.Pass), int(head.Moves), head.Best, head.Step, head.List
	r.from, r.last = int(head.From), head.Last
	if anchored {
		r.start = new(vec.Matrix)
	}
	for _, m := range r.matrices() {
		var err error
		if *m, err = vec.ReadRows(in, r.n, r.k); err != nil {
			return vec.StreamError(err, ErrCheckpoint)
		}
	}
	if err := vec.ReadNumbers(in, ErrCheckpoint, r.weights); err != nil {
		return err
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
	return l.Radius >= 0 && l.Radius <= 4 && l.Skin >= 0 && l.Skin <= mostSkin && l.Looked >= 0 && l.Pass >= 0 && l.Pass <= pass && l.Thin <= mostThin
}
