package embedding

import (
	"errors"
	"fmt"
	"math"
)

// Limits of the options.
const (
	maxBeta  = 8 // beyond it degrees of a real graph span more than float32
	maxPower = 4
	maxDim   = 4096
)

// WithDefaults returns a copy in which every parameter is set, for one of the
// method names.
//
// Measured with k = 200 by Pearson's correlation of degrees at the best radius,
// over ego-facebook, ca-GrQc (354 components) and a preferential-attachment
// graph of 2,000 vertices:
//
//	dp_spectral          β    γ  δ    facebook  GrQc   PA2000
//	strength             1.5  ¼  0    0.868     0.786  0.907    the default
//	strength             1.5  ¼  ¼    0.875     0.807  0.883
//	strength             2    0  0    0.869     0.785  0.884
//	strength             1    ½  ¼    0.877     0.774  0.906
//	degree               0.5  ¼  0    0.879     0.436  0.930    the default β of degree
//	degree               ¼    ½  ¼    0.889     0.489
//	laplacian_eigenmaps       ¼  ½    0.745     0.663  0.931    the default
//	laplacian_eigenmaps       0  ½    0.750     0.673  0.932    textbook
//	laplacian_eigenmaps       0  0    0.531                     the paper
//
// No choice is best everywhere. Strength is the default because under degree
// the largest eigenvectors of a graph with small dense communities, as those of
// co-authors, sit on the few densest of them and all other vertices collapse to
// the origin. The scale ¼ costs little, and a component with no more than k
// vertices, whose eigenvectors are a full orthonormal basis, gets distances that
// say something only with a scale.
func (o SpectralOptions) WithDefaults(method string) SpectralOptions {
	if o.Dim == 0 {
		o.Dim = 200 // what the paper and its figures use
	}
	if o.Beta == nil {
		o.Beta = new(1.5)
		if o.Normalization == Degree {
			o.Beta = new(0.5)
		}
	}
	if o.Scale == nil {
		o.Scale = new(0.25)
	}
	if o.RowScale == nil {
		o.RowScale = new(0.0)
		if method == MethodLaplacianEigenmaps {
			o.RowScale = new(0.5)
		}
	}
	if o.Tolerance == 0 {
		// The reconstruction figures do not change below 1e-3; eigenvalues are
		// then right to some 1e-6.
		o.Tolerance = 1e-4
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 100 // real graphs take 1 to 12
	}
	return o
}

// Validate reports every option that cannot be used; each error is ErrOptions.
func (o SpectralOptions) Validate() error {
	o = o.WithDefaults(MethodDPSpectral)
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...))
		}
	}
	within := func(x, lo, hi float64) bool { return x >= lo && x <= hi } // false for NaN
	check(o.Dim >= 1 && o.Dim <= maxDim, "dim (%d) must be from 1 to %d", o.Dim, maxDim)
	check(within(*o.Beta, 0, maxBeta), "beta (%g) must be from 0 to %d", *o.Beta, maxBeta)
	check(within(*o.Scale, 0, maxPower), "scale (%g) must be from 0 to %d", *o.Scale, maxPower)
	check(within(*o.RowScale, 0, maxPower), "row_scale (%g) must be from 0 to %d", *o.RowScale, maxPower)
	check(within(o.Tolerance, math.SmallestNonzeroFloat64, 0.1), "tolerance (%g) must be above 0 and at most 0.1", o.Tolerance)
	check(o.MaxIterations >= 0, "max_iterations (%d) must not be negative", o.MaxIterations)
	check(o.Workers >= 0, "workers (%d) must not be negative", o.Workers)
	check(o.Normalization <= Degree, "normalization (%d) must be strength or degree", o.Normalization)
	check(o.Components <= Joint, "components (%d) must be apart or joint", o.Components)
	return errors.Join(errs...)
}
