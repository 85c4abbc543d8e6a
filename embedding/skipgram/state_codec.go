package skipgram

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"heavytail/storage/vec"
)

// The stored form of a state: numbers of eight bytes, little-endian, in the
// order of stateHead, then the losses, the visits, the vectors and the nodes.
var stateMagic = [8]byte{'s', 'k', 'i', 'p', 'g', 'r', 'm', '2'}

type stateHead struct {
	Magic                           [8]byte
	Vertices, Dim                   int64
	Epoch, Walk, Batch, Done, Pairs int64
	Sum                             float64
	Measured                        int64
}

// Write writes a state: 8·n·dim bytes and a little more.
func (s *State) Write(w io.Writer) error {
	head := stateHead{stateMagic, int64(s.Vectors.Rows), int64(s.Vectors.Cols), int64(s.Epoch), int64(s.Walk), int64(s.Batch), s.Done, s.Pairs, s.Sum, s.Measured}
	if err := vec.WriteNumbers(w, head, s.Loss, s.Visits); err != nil {
		return err
	}
	return errors.Join(vec.WriteRows(w, s.Vectors), vec.WriteRows(w, s.Nodes))
}

// ReadState reads a state that Write wrote, of a training with this number of vertices and
// these options, which limit the memory that ReadState allocates. Invalid content is
// ErrState, and an error of the reader is wrapped.
func ReadState(r io.Reader, vertices int, o Options) (*State, error) {
	o = o.WithDefaults()
	in := bufio.NewReaderSize(r, 1<<16)
	var head stateHead
	if err := vec.ReadNumbers(in, ErrState, &head); err != nil {
		return nil, err
	}
	if head.Magic != stateMagic || head.Vertices != int64(vertices) || head.Dim != int64(o.Dim) || head.Epoch < 0 || head.Epoch > int64(o.Epochs) {
		return nil, fmt.Errorf("%w: not one of %d vertices, %d dimensions and %d epochs", ErrState, vertices, o.Dim, o.Epochs)
	}
	s := &State{
		Epoch: int(head.Epoch), Walk: int(head.Walk), Batch: int(head.Batch), Visits: make([]int64, vertices),
		Done: head.Done, Pairs: head.Pairs, Sum: head.Sum, Measured: head.Measured,
	}
	if s.Epoch > 0 {
		s.Loss = make([]float64, s.Epoch)
	}
	if err := vec.ReadNumbers(in, ErrState, s.Loss, s.Visits); err != nil {
		return nil, err
	}
	for _, p := range []*vec.Panel{&s.Vectors, &s.Nodes} {
		m, err := vec.ReadRows(in, vertices, o.Dim)
		if err != nil {
			return nil, vec.StreamError(err, ErrState)
		}
		*p = m.Panel(0, o.Dim)
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return nil, fmt.Errorf("%w: bytes after its end", ErrState)
	}
	for _, n := range s.Visits {
		if n < 0 {
			return nil, fmt.Errorf("%w: %d visits", ErrState, n)
		}
	}
	return s, nil
}
