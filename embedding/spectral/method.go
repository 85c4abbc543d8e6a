package spectral

import (
	"context"
	"fmt"
	"math"

	"heavytail/embedding/internal/base"
)

// method is one of the spectral methods with its parameters.
type method struct {
	common   float64 // c: the matrix is made from c·(A² − D) + A, from A alone if it is 0
	strength bool    // normalised by row sums, not by degrees
	beta     float64 // degree penalty
	auto     bool    // the normalisation is Auto
}

// twoHops reports whether common neighbours count beside edges.
func (m method) twoHops() bool { return m.common > 0 }

// plain reports whether the matrix is that of Laplacian Eigenmaps.
func (m method) plain() bool { return m.common == 0 && m.beta == 0 }

// unitTop reports whether the largest eigenvalue of a component with an edge is 1, with a
// known eigenvector.
func (m method) unitTop() bool { return m.strength || m.plain() }

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
	case m.plain():
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
	sums, err := m.times(ctx, a, y)
	if err != nil {
		return nil, nil, 0, err
	}
	for v, sum := range sums {
		if a.degrees[v] > 0 {
			s[v] = math.Sqrt(y[v] / sum)
			top[v] = math.Sqrt(y[v] * sum)
		}
	}
	return s, top, 1, nil
}

// times returns C'·x, with C' = c·(A² − diag(A²)) + A.
func (m method) times(ctx context.Context, a *adjacency, x []float64) ([]float64, error) {
	once, err := a.times(ctx, x)
	if err != nil || !m.twoHops() {
		return once, err
	}
	twice, err := a.times(ctx, once)
	if err != nil {
		return nil, err
	}
	for v := range twice {
		twice[v] = m.common*(twice[v]-a.squares[v]*x[v]) + once[v]
	}
	return twice, nil
}

// spectralMethod returns the matrix of a method, for options with defaults.
func spectralMethod(name string, opts Options) (method, error) {
	switch name {
	case MethodLaplacianEigenmaps:
		return method{}, nil
	case MethodDPSpectral:
		return penalised(opts), nil
	}
	return method{}, fmt.Errorf("%w: %q is not a spectral method", base.ErrOptions, name)
}

// penalised returns the matrix of DPSpectral, that of Strength for Auto.
func penalised(opts Options) method {
	return method{common: *opts.Common, strength: opts.Normalization != Degree, beta: *opts.Beta}
}
