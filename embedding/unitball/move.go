package unitball

import (
	"math"

	"heavytail/storage/vec"
)

// Decay rates of Adam. The usual 0.999 of the second moment, or 0.99, remembers the
// long gradients of the first passes, and makes all steps short for hundreds of
// passes: with 0.99 and a step of 0.09 ego-facebook has 5,389 wrong pairs after 200
// passes of 64 dimensions, with 0.9 none after 159.
const (
	firstDecay  = 0.9
	secondDecay = 0.9
	tiny        = 1e-8
)

const leastWeight, mostWeight = 0.2, 200

// move moves every vertex against its gradient, by at most about step.
func (r *run) move(step float64) {
	anchor := r.anchor()
	vec.Parallel(r.n, block, r.o.Workers, func(_, lo, hi int) {
		for v := lo; v < hi; v++ {
			r.gradient(v, anchor)
		}
	})
	r.moves++
	first, second := adamFactors(step, r.k, r.moves)
	longest := make([]float32, len(r.f.found))
	vec.Parallel(r.n, block, r.o.Workers, func(b, lo, hi int) {
		for v := lo; v < hi; v++ {
			moved := adam(r.x.Row(v), r.gradients.Row(v), r.mean.Row(v), r.square.Row(v), first, second)
			longest[b] = max(longest[b], moved)
		}
	})
	most := float32(0)
	for _, l := range longest {
		most = max(most, l)
	}
	r.step = math.Sqrt(float64(most))
	r.balance()
}

func (r *run) gradient(v int, anchor float64) {
	g := r.gradients.Row(v)
	clear(g)
	sum := float32(0)
	for _, f := range r.f.list[r.f.start[v]:r.f.start[v+1]] {
		vec.Axpy(-f.by, r.x.Row(int(f.other)), g)
		sum += f.by
	}
	if r.start != nil {
		pull := float32(2 * anchor)
		vec.Axpy(-pull, r.start.Row(v), g)
		sum += pull
	}
	vec.Axpy(sum, r.x.Row(v), g)
}

// adamFactors returns the factors of the moments in a move, which correct for
// moments that are zero before the first move; the factor of the mean includes the
// step of a coordinate.
func adamFactors(step float64, dim, moves int) (first, second float32) {
	first = float32(step / math.Sqrt(float64(dim)) / (1 - math.Pow(firstDecay, float64(moves))))
	return first, float32(1 / (1 - math.Pow(secondDecay, float64(moves))))
}

// adam moves x against its gradient g, with its moments m and s, and returns the square
// of the length of the move.
func adam(x, g, m, s []float32, first, second float32) float32 {
	g, m, s = g[:len(x)], m[:len(x)], s[:len(x)]
	length := float32(0)
	for i := range x {
		m[i] = firstDecay*m[i] + (1-firstDecay)*g[i]
		s[i] = secondDecay*s[i] + (1-secondDecay)*g[i]*g[i]
		d := first * m[i] / (float32(math.Sqrt(float64(second*s[i]))) + tiny)
		x[i] -= d
		length += d * d
	}
	return length
}

// balance increases the weights of vertices that have more missed edges than false
// pairs, and decreases the weights of the others.
func (r *run) balance() {
	for v, missed := range r.f.missed {
		if wrong := missed + r.f.over[v]; wrong > 0 {
			by := math.Exp(*r.o.Balance * (missed - r.f.over[v]) / wrong)
			r.weights[v] = min(mostWeight, max(leastWeight, r.weights[v]*by))
		}
	}
}
