package eigen

import (
	"math"

	"heavytail/storage/vec"
)

// strips holds eigenvectors of order n, as rows, in strips of 16 columns, one after the other. While
// QL finds the rotations of the rows, they are recorded; the strips are then rotated one by one.
type strips struct {
	n, rows, workers int
	z                []float64 // strips of rows × 16
	used             []int     // rows of a strip that are not zero: so many leading ones at most

	// Rotations that are not yet applied. Later this is the memory of reflections.
	room, turns []float64
	sweeps      []sweep
}

// sweep is a list of rotations: the first of the row top and the one before it, and so on.
type sweep struct{ top, count int }

const side = vec.StripCols

func roundUp(n, multiple int) int { return (n + multiple - 1) / multiple * multiple }

// spaceOf returns how many numbers [symmetric] needs for order n beside the matrix.
func spaceOf(n int) int {
	blocks := roundUp(n, side) / side
	return blocks*side*roundUp(n, vec.Tile64Rows) + blocks*(blocks+2)*side*side
}

// newStrips returns the eigenvectors of a diagonal matrix.
func newStrips(space []float64, n, workers int) *strips {
	count := roundUp(n, side) / side
	s := &strips{n: n, rows: roundUp(n, vec.Tile64Rows), workers: workers, used: make([]int, count)}
	size := count * side * s.rows
	s.z, s.room = space[:size], space[size:]
	clear(s.z)
	for i := range n {
		s.strip(i / side)[i*side+i%side] = 1
	}
	for p := range s.used {
		s.used[p] = min((p+1)*side, n)
	}
	return s
}

func (s *strips) strip(p int) []float64 { return s.z[p*side*s.rows:][:side*s.rows] }

// sweep returns the place for the cosines and sines of further rotations.
func (s *strips) sweep(top, count int) (turns []float64) {
	if len(s.turns)+2*count > len(s.room) {
		s.rotate()
	}
	s.sweeps = append(s.sweeps, sweep{top, count})
	s.turns = s.room[:len(s.turns)+2*count]
	return s.turns[len(s.turns)-2*count:]
}

// rotate applies the rotations.
func (s *strips) rotate() {
	vec.Parallel(len(s.used), 1, s.workers, func(p, _, _ int) {
		strip, turns, used := s.strip(p), s.turns, s.used[p]
		for _, sweep := range s.sweeps {
			// Rotations of rows of zeros are left out.
			if skip := max(sweep.top-used, 0); skip < sweep.count {
				vec.RotateRows64(strip, sweep.top-skip, turns[2*skip:2*sweep.count])
				used = max(used, sweep.top-skip+1)
			}
			turns = turns[2*sweep.count:]
		}
		s.used[p] = used
	})
	s.turns, s.sweeps = nil, s.sweeps[:0]
}

// finish applies the last rotations, and then swaps each row with the given one, in turn.
func (s *strips) finish(swaps []int) {
	s.rotate()
	vec.Parallel(len(s.used), 1, s.workers, func(p, _, _ int) {
		strip := s.strip(p)
		for i, j := range swaps {
			x, y := (*[side]float64)(strip[i*side:]), (*[side]float64)(strip[j*side:])
			*x, *y = *y, *x
		}
	})
}

// reflections is the product H of 16 reflections I − vvᵀ, as row vectors see it: z·H = z + z·V·T·Vᵀ, with
// T of 16 × 16 and the columns of V short enough for a number of strips. All are sequences of
// squares of 16 × 16.
type reflections struct{ v, t, transposed []float64 }

// reflectBack turns the first rows, eigenvectors of the tridiagonal matrix that tridiagonalize has
// left, into those of the matrix it came from, and writes them to a.
func (s *strips) reflectBack(a, norms []float64, count int) {
	const square = side * side
	blocks := make([]reflections, len(s.used))
	room := s.room
	for r := range blocks {
		size := (r + 1) * square
		blocks[r] = reflections{v: room[:size], transposed: room[size : 2*size], t: room[2*size:][:square]}
		room = room[2*size+square:]
	}
	vec.Parallel(len(blocks), 1, s.workers, func(r, _, _ int) { blocks[r].set(a, norms, s.n, r*side) })
	vec.Parallel(count, vec.Tile64Rows, s.workers, func(_, lo, hi int) {
		var along, turned [vec.Tile64Rows * side]float64 // z·V and z·V·T
		for r, block := range blocks {
			clear(along[:])
			clear(turned[:])
			for p := range r + 1 {
				vec.Tile64(along[:], side, s.strip(p)[lo*side:], side, block.v[p*square:])
			}
			vec.Tile64(turned[:], side, along[:], side, block.t)
			for p := range r + 1 {
				vec.Tile64(s.strip(p)[lo*side:], side, turned[:], side, block.transposed[p*square:])
			}
		}
		for i := lo; i < hi; i++ {
			for p := range blocks {
				copy(a[i*s.n+p*side:(i+1)*s.n], s.strip(p)[i*side:(i+1)*side])
			}
		}
	})
}

// set makes the block that of the reflections of the rows of a from first on.
func (b *reflections) set(a, norms []float64, n, first int) {
	clear(b.v)
	clear(b.transposed)
	clear(b.t)
	var factors [side]float64
	row := func(j int) []float64 { return a[(first+j)*n:][:first+j] }
	for j := range min(side, n-first) {
		if norms[first+j] == 0 {
			continue
		}
		factors[j] = 1 / math.Sqrt(norms[first+j])
		for l, x := range row(j) {
			x *= factors[j]
			b.v[l*side+j] = x
			b.transposed[l/side*side*side+j*side+l%side] = x
		}
		// (I − vvᵀ)(I + VTᵀVᵀ) = I + VTᵀVᵀ − v(vᵀ + vᵀVTᵀVᵀ)
		b.t[j*side+j] = -1
		for i := range j {
			if factors[i] != 0 {
				along := factors[j] * factors[i] * vec.Dot64(row(j)[:first+i], row(i))
				for k := range i + 1 {
					b.t[k*side+j] -= along * b.t[k*side+i]
				}
			}
		}
	}
}
