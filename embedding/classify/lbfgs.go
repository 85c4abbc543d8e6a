package classify

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// function is a smooth convex function. A call returns its value at w and overwrites grad
// with its gradient there.
type function func(w, grad []float64) (value float64)

// minimum is the point at which a minimisation has ended.
type minimum struct {
	w          []float64
	value      float64
	iterations int
	converged  bool // every element of the gradient is below the tolerance
}

// remembered is the number of steps that shape the next one.
const remembered = 20

// minimise starts at the origin and follows L-BFGS (Liu and Nocedal, "On the limited memory
// BFGS method for large scale optimization", 1989) with halved steps. If ctx ends, or no step
// decreases the function, which happens when the slope is smaller than the rounding errors, it
// returns the best point that it has reached.
func minimise(ctx context.Context, f function, dim int, tolerance float64, iterations int) minimum {
	// A value and its gradient take one pass over the rows, and the method asks for them in turn.
	at, grad, value := make([]float64, dim), make([]float64, dim), 0.0
	value = f(at, grad)
	visit := func(w []float64) {
		if !slices.Equal(w, at) {
			copy(at, w)
			value = f(at, grad)
		}
	}
	found, _ := optimize.Minimize(optimize.Problem{
		Func: func(w []float64) float64 { visit(w); return value },
		Grad: func(to, w []float64) { visit(w); copy(to, grad) },
		Status: func() (optimize.Status, error) {
			if ctx.Err() != nil {
				return optimize.RuntimeLimit, nil
			}
			return optimize.NotTerminated, nil
		},
	}, make([]float64, dim), &optimize.Settings{
		GradientThreshold: tolerance,
		MajorIterations:   iterations + 1, // the origin is one
		Converger:         optimize.NeverTerminate{},
	}, &optimize.LBFGS{Store: remembered, GradStopThreshold: math.NaN(), Linesearcher: &optimize.Backtracking{ContractionFactor: 0.5, MinimumStepSize: 1e-12}})
	return minimum{found.X, found.F, found.MajorIterations - 1, found.Status == optimize.GradientThreshold}
}
