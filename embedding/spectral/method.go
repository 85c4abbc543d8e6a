package spectral

import (
	"context"
	"fmt"
	"math"

	"heavytail/embedding/internal/base"
)

// method is one of the spectral methods with its parameters.
type method struct {
	twoHops  bool    // the matrix is made from A² − D + A, not from A
	strength bool    // normalised by row sums, not by degrees
	beta     float64 // degree penalty
	auto     bool    // the normalisation is Auto
}

// unitTop reports whether the largest eigenvalue of a component with an edge is 1, with a
// known eigenvector.
func (m method) unitTop() bool { return !m.twoHops || m.strength }

// scaling returns the diagonal s of the method's matrix, 0 at isolated vertices, and the
// factor by which its eigenvalues have to be multiplied. If the eigenvalue 1 is known, top
// is its eigenvector, of any length.
func (m method) scaling(ctx context.Context, a *adjacency) (s, top []float64, factor float64, err error) {
	n := a.vertices()
	s = make([]float64, n)
	top = make([]float64, n)
	smallest := math.Inf(1)
	for _, d := range a.degrees {
		if d > 0 {
			smallest = min(smallest, d)
		}
	}
	power := func(v int, exponent float64) float64 {
		if d := a.degrees[v]; d > 0 {
			return math.Pow(d/smallest, exponent)
		}
		return 0
	}
	switch {
	case !m.twoHops:
		for v, d := range a.degrees {
			if d > 0 {
				s[v] = 1 / math.Sqrt(d)
				top[v] = math.Sqrt(d)
			}
		}
		return s, top, 1, nil
	case !m.strength:
		for v := range s {
			s[v] = power(v, -m.beta-0.5)
		}
		if math.IsInf(smallest, 1) {
			return s, nil, 1, nil
		}
		return s, nil, math.Pow(smallest, -2*m.beta-1), nil
	}
	// S_v = y_v (C'y)_v with y = d^-β, so that s_v = y_v / √S_v = √(y_v / (C'y)_v),
	// and S^½ is the top eigenvector.
	y := make([]float64, n)
	for v := range y {
		y[v] = power(v, -m.beta)
	}
	once, twice, err := a.timesTwice(ctx, y)
	if err != nil {
		return nil, nil, 0, err
	}
	for v := range s {
		if a.degrees[v] > 0 {
			common := twice[v] - a.squares[v]*y[v] + once[v]
			s[v] = math.Sqrt(y[v] / common)
			top[v] = math.Sqrt(y[v] * common)
		}
	}
	return s, top, 1, nil
}

// spectralMethod returns the matrix of a method, for options with defaults.
func spectralMethod(name string, opts Options) (method, error) {
	switch name {
	case MethodLaplacianEigenmaps:
		return method{}, nil
	case MethodDPSpectral:
		return method{twoHops: true, strength: opts.Normalization != Degree, beta: *opts.Beta}, nil
	}
	return method{}, fmt.Errorf("%w: %q is not a spectral method", base.ErrOptions, name)
}
