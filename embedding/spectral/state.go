package spectral

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"heavytail/storage/vec"
)

// State is the data that Refresh needs in addition to the vectors of an embedding. It does
// not contain the eigenvectors: a step needs only the space that they span, and the vectors
// span the same space, whatever the scale and rotation of their columns.
type State struct {
	// Places has for each vertex the place of its part, which determines how far its vector
	// was moved; NoPlace if the vertex has no vector. With Joint all places are 0.
	Places []uint32
	// Degrees has the degree of each vertex; its vector was divided by the degree to the
	// power δ. It is nil if δ is 0.
	Degrees []float64
	spacing
}

// NoPlace is the place, in State.Places, of a vertex that has no vector.
const NoPlace = math.MaxUint32

// The form of a State: stateHead, a place of four bytes for each vertex,
// and a degree of eight bytes where degrees are kept, little-endian.
var stateMagic = [8]byte{'s', 'p', 'e', 'c', 't', 'r', 'a', '1'}

type stateHead struct {
	Magic    [8]byte
	Vertices uint64
	Degrees  uint64 // Vertices, or 0
	Step     float64
	Base     uint64
}

// Write writes a state: 4 bytes per vertex, and 8 more where vectors were scaled by
// degrees.
func (s *State) Write(w io.Writer) error {
	head := stateHead{stateMagic, uint64(len(s.Places)), uint64(len(s.Degrees)), s.Step, uint64(s.Base)}
	return vec.WriteNumbers(w, head, s.Places, s.Degrees)
}

// ReadState reads a state that Write wrote, for an embedding with this number of vertices
// and coordinates, which limit the memory that it allocates. The error of invalid content
// is ErrState; an error of the reader is wrapped.
func ReadState(r io.Reader, vertices, dim int) (*State, error) {
	in := bufio.NewReaderSize(r, 1<<16)
	var head stateHead
	if err := vec.ReadNumbers(in, ErrState, &head); err != nil {
		return nil, err
	}
	moved := head.Step != 0
	if head.Magic != stateMagic || head.Vertices != uint64(vertices) || (head.Degrees != 0 && head.Degrees != head.Vertices) ||
		!(head.Step >= 0 && head.Step <= math.MaxFloat32) || head.Base > math.MaxInt32 || (moved && (head.Base < 2 || dim < 1)) {
		return nil, fmt.Errorf("%w: not one of %d vertices and %d coordinates", ErrState, vertices, dim)
	}
	s := &State{Places: make([]uint32, vertices), spacing: spacing{Step: head.Step, Base: int(head.Base)}}
	if err := vec.ReadNumbers(in, ErrState, s.Places); err != nil {
		return nil, err
	}
	room := math.Pow(float64(head.Base), float64(dim))
	for v, place := range s.Places {
		if place == NoPlace || (moved && float64(place) >= room) {
			return nil, fmt.Errorf("%w: vertex %d is in place %d", ErrState, v, place)
		}
	}
	if head.Degrees > 0 {
		s.Degrees = make([]float64, vertices)
		if err := vec.ReadNumbers(in, ErrState, s.Degrees); err != nil {
			return nil, err
		}
		for v, d := range s.Degrees {
			if !(d >= 0 && d <= math.MaxFloat32) {
				return nil, fmt.Errorf("%w: vertex %d has degree %v", ErrState, v, d)
			}
		}
	}
	if _, err := in.ReadByte(); err != io.EOF {
		return nil, fmt.Errorf("%w: bytes after its end", ErrState)
	}
	return s, nil
}

// Align returns the state for renumbered vertices: vertex v gets the state of vertex
// from[v], and no place where from[v] is NoPlace.
func (s *State) Align(from []uint32) *State {
	aligned := &State{Places: make([]uint32, len(from)), spacing: s.spacing}
	if s.Degrees != nil {
		aligned.Degrees = make([]float64, len(from))
	}
	for v, old := range from {
		if aligned.Places[v] = NoPlace; old == NoPlace {
			continue
		}
		aligned.Places[v] = s.Places[old]
		if s.Degrees != nil {
			aligned.Degrees[v] = s.Degrees[old]
		}
	}
	return aligned
}
