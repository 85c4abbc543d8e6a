package classify

import (
	"context"
	"math"

	"heavytail/storage/vec"
)

// function is a smooth convex function. A call returns its value at w and overwrites grad
// with its gradient there.
type function func(w, grad []float64) (value float64)

// minimum is the point at which a minimisation has ended.
type minimum struct {
	w          []float64
	value      float64
	iterations int
	converged  bool // no element of the gradient is above the tolerance
}

// descent is a minimisation by L-BFGS (Liu and Nocedal, "On the limited memory BFGS method
// for large scale optimization", 1989): a quasi-Newton method that remembers the last steps
// and how they changed the gradient. gonum's optimize.LBFGS with the same memory ends at
// the same minimum, within the tolerance, after the same number of evaluations. gonum's
// version is not used, because its package depends on golang.org/x/tools through
// stat/distmv, and because its different rounding would change the bytes of every model.
type descent struct {
	f       function
	w, grad []float64
	value   float64

	steps, changes [][]float64 // differences of w and of grad, the latest last
	curvature      []float64   // products of the two

	next, nextGrad []float64 // the point that the line search tries, and its gradient
}

// remembered is the number of steps that shape the next one.
const remembered = 20

// minimise starts at the origin. If ctx ends, it returns the point that it has reached.
func minimise(ctx context.Context, f function, dim int, tolerance float64, iterations int) minimum {
	d := &descent{
		f: f, w: make([]float64, dim), grad: make([]float64, dim),
		next: make([]float64, dim), nextGrad: make([]float64, dim),
	}
	d.value = f(d.w, d.grad)
	done := 0
	for done < iterations && ctx.Err() == nil && largest(d.grad) > tolerance && d.step() {
		done++
	}
	return minimum{d.w, d.value, done, largest(d.grad) <= tolerance}
}

// step takes one step. It returns false if no step decreases the function, which happens
// when the slope is smaller than the rounding errors.
func (d *descent) step() bool {
	direction := d.direction()
	slope := vec.Dot64(direction, d.grad)
	if !(slope < 0) {
		return false
	}
	// A quasi-Newton step has about the right length. For the first step there are no
	// earlier steps to estimate the length from.
	length := 1.0
	if len(d.steps) == 0 {
		length = 1 / math.Sqrt(-slope)
	}
	const shorter, enough, tries = 0.5, 1e-4, 40
	for range tries {
		copy(d.next, d.w)
		vec.Axpy64(length, direction, d.next)
		value := d.f(d.next, d.nextGrad)
		if value <= d.value+enough*length*slope {
			d.accept(value)
			return true
		}
		length *= shorter
	}
	return false
}

// direction applies the remembered approximation of the inverse Hessian to the gradient,
// and negates the result, so that it points downwards.
func (d *descent) direction() []float64 {
	q := make([]float64, len(d.grad))
	vec.Axpy64(-1, d.grad, q)
	share := make([]float64, len(d.steps))
	for i := len(d.steps) - 1; i >= 0; i-- {
		share[i] = vec.Dot64(d.steps[i], q) / d.curvature[i]
		vec.Axpy64(-share[i], d.changes[i], q)
	}
	if last := len(d.steps) - 1; last >= 0 {
		scale := d.curvature[last] / vec.Dot64(d.changes[last], d.changes[last])
		for j := range q {
			q[j] *= scale
		}
	}
	for i, s := range d.steps {
		vec.Axpy64(share[i]-vec.Dot64(d.changes[i], q)/d.curvature[i], s, q)
	}
	return q
}

// accept moves to the point that the line search has found.
func (d *descent) accept(value float64) {
	step, change := make([]float64, len(d.w)), make([]float64, len(d.w))
	for j := range step {
		step[j], change[j] = d.next[j]-d.w[j], d.nextGrad[j]-d.grad[j]
	}
	// For a convex function the curvature is positive, except for rounding.
	if curvature := vec.Dot64(step, change); curvature > 0 {
		if len(d.steps) == remembered {
			d.steps, d.changes, d.curvature = d.steps[1:], d.changes[1:], d.curvature[1:]
		}
		d.steps, d.changes, d.curvature = append(d.steps, step), append(d.changes, change), append(d.curvature, curvature)
	}
	d.w, d.next = d.next, d.w
	d.grad, d.nextGrad = d.nextGrad, d.grad
	d.value = value
}

// largest returns the largest magnitude of an element.
func largest(x []float64) float64 {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	return most
}
