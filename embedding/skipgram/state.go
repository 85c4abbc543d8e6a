package skipgram

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"heavytail/storage/vec"
)

// ErrState is wrapped by the errors of a State that cannot be read, or that does not match
// the corpus and options of the training that continues it.
var ErrState = errors.New("invalid state of a training")

// State is a training between two batches, when the copies of vectors are
// merged: all that is needed to continue with the same bytes. The tree and its
// parts follow from the visits; random numbers depend only on the seed and the
// place in the corpus.
type State struct {
	Epoch int // current epoch; Options.Epochs after the end
	Walk  int // next walk of the epoch
	Batch int // batches so far

	Visits []int64 // of each vertex on all walks, once

	// Vectors has the vector of each vertex: the result so far. Nodes has the vector of
	// each inner node of the tree, numbered from the root, and the last row is unused;
	// for negative sampling, the vector of each vertex as a centre. The stride may be
	// larger than the dimension.
	Vectors, Nodes vec.Panel

	Done     int64     // visits trained in the epoch
	Pairs    int64     // steps so far
	Loss     []float64 // of the epochs that have ended
	Sum      float64   // of the loss in the epoch
	Measured int64     // pairs whose loss is in Sum
}

// Matrix returns the vectors as a matrix of their own.
func (s *State) Matrix() *vec.Matrix {
	m := vec.NewMatrix(s.Vectors.Rows, s.Vectors.Cols)
	for v := range m.Rows {
		copy(m.Row(v), s.Vectors.Data[v*s.Vectors.Stride:])
	}
	return m
}

// fits returns why a training cannot continue from a state.
func (s *State) fits(c Corpus, o Options) error {
	rows := func(p vec.Panel) bool {
		return p.Rows == c.Vertices && p.Cols == o.Dim && p.Stride >= p.Cols && len(p.Data) >= (p.Rows-1)*p.Stride+p.Cols
	}
	switch {
	case len(s.Visits) != c.Vertices || !rows(s.Vectors) || !rows(s.Nodes):
		return fmt.Errorf("%w: %d × %d vectors of %d visited vertices, and %d nodes, for %d vertices and %d dimensions", ErrState,
			s.Vectors.Rows, s.Vectors.Cols, len(s.Visits), s.Nodes.Rows, c.Vertices, o.Dim)
	case s.Epoch < 0 || s.Epoch > o.Epochs || s.Walk < 0 || s.Walk > c.Walks || len(s.Loss) != s.Epoch:
		return fmt.Errorf("%w: walk %d of %d in epoch %d of %d", ErrState, s.Walk, c.Walks, s.Epoch, o.Epochs)
	}
	return nil
}

// Checkpoints sets how often the state of a training is saved. The zero value
// saves nothing.
type Checkpoints struct {
	// Save, if not nil, receives the state between two batches, and when the context has
	// ended, from the calling goroutine. The training continues when Save has returned
	// and then changes the state. An error ends the training.
	Save func(*State) error
	// Every is the minimum time between calls; the call when the context ends
	// does not wait for it.
	Every time.Duration
}

// The stored form of a state: numbers of eight bytes, little-endian, in the
// order of stateHead, then the losses, the visits, the vectors and the nodes.
var stateMagic = [8]byte{'s', 'k', 'i', 'p', 'g', 'r', 'm', '1'}

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
	for _, v := range []any{head, s.Loss, s.Visits} {
		if err := binary.Write(w, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	return errors.Join(vec.WriteRows(w, s.Vectors), vec.WriteRows(w, s.Nodes))
}

// ReadState reads what Write wrote of a training with this number of vertices
// and these options, which limit the memory it allocates. Any other content is
// ErrState, and an error of the reader is wrapped.
func ReadState(r io.Reader, vertices int, o Options) (*State, error) {
	o = o.WithDefaults()
	in := bufio.NewReaderSize(r, 1<<16)
	var head stateHead
	if err := read(in, &head); err != nil {
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
	for _, list := range []any{s.Loss, s.Visits} {
		if err := read(in, list); err != nil {
			return nil, err
		}
	}
	for _, p := range []*vec.Panel{&s.Vectors, &s.Nodes} {
		m, err := vec.ReadRows(in, vertices, o.Dim)
		if err != nil {
			return nil, stateError(err)
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

func read(in io.Reader, v any) error {
	err := binary.Read(in, binary.LittleEndian, v)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return stateError(err)
}

// stateError makes ErrState of what is wrong with the bytes of a state.
func stateError(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, vec.ErrNotFinite) {
		return fmt.Errorf("%w: %w", ErrState, err)
	}
	return err
}
