package spectral

import (
	"errors"
	"fmt"
	"math"

	"heavytail/embedding/internal/base"
)

// maxPower is the largest Scale and RowScale.
const maxPower = 4

// WithDefaults returns a copy in which every parameter is set, for one of the
// method names.
//
// The best reconstruction of DPSpectral, Pearson / Spearman of the degrees at the best
// radius for their mean, with k = 200:
//
//	            strength, β 1.5, γ ¼                      degree, β ½, γ ¼
//	              δ 0           δ ¼           δ ½           δ 0           δ ½
//	cora          .343 / .495   .404 / .565   .430 / .625   .313 / .462   .407 / .612
//	CollegeMsg    .654 / .630   .671 / .648   .652 / .683   .659 / .632   .706 / .613
//	ca-GrQc       .682 / .532   .703 / .662   .755 / .676   .407 / .496
//	ego-facebook  .867 / .775   .854 / .848   .843 / .841   .876 / .848   .844 / .851
//	blogcatalog   .611 / .582   .575 / .601   .571 / .574   .601 / .588   .574 / .577
//	PA2000        .851 / .794   .832 / .727   .787 / .736   .892 / .842   .818 / .741
//	dblp          .357 / .491                 .549 / .602
//
// A row scale of ½ is the default, as it is the textbook's of LaplacianEigenmaps: by the
// worst of these graphs, compared with the best choice for each, it loses least. It costs
// most on preferential attachment, whose best is degree without a row scale. Cosines do
// not depend on it; the AUC of hidden edges by distance falls by .02 on cora and ca-GrQc
// and rises by .015 on CollegeMsg. Changing γ to 0 or ½ at the same δ changes little.
//
// No choice is best for every graph. Strength is the default because under degree
// the largest eigenvectors of a graph with small dense communities, as those of
// co-authors, sit on the few densest of them and all other vertices collapse to
// the origin. The scale ¼ costs little, and a component with no more than k
// vertices, whose eigenvectors are a full orthonormal basis, gets distances that
// are informative only with a scale.
func (o Options) WithDefaults(method string) Options {
	if o.Dim == 0 {
		o.Dim = 200 // what the paper and its figures use
	}
	if o.Beta == nil {
		o.Beta, o.freeBeta = new(1.5), o.Normalization == Auto
		if o.Normalization == Degree {
			o.Beta = new(0.5)
		}
	}
	if o.Scale == nil {
		o.Scale = new(0.25)
	}
	if o.RowScale == nil {
		o.RowScale = new(0.5)
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
func (o Options) Validate() error {
	o = o.WithDefaults(MethodDPSpectral)
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf("%w: "+format, append([]any{base.ErrOptions}, args...)...))
		}
	}
	within := func(x, lo, hi float64) bool { return x >= lo && x <= hi } // false for NaN
	check(o.Dim >= 1 && o.Dim <= base.MaxDim, "dim (%d) must be from 1 to %d", o.Dim, base.MaxDim)
	check(within(*o.Beta, 0, base.MaxBeta), "beta (%g) must be from 0 to %d", *o.Beta, base.MaxBeta)
	check(within(*o.Scale, 0, maxPower), "scale (%g) must be from 0 to %d", *o.Scale, maxPower)
	check(within(*o.RowScale, 0, maxPower), "row_scale (%g) must be from 0 to %d", *o.RowScale, maxPower)
	check(within(o.Tolerance, math.SmallestNonzeroFloat64, 0.1), "tolerance (%g) must be above 0 and at most 0.1", o.Tolerance)
	check(o.MaxIterations >= 0, "max_iterations (%d) must not be negative", o.MaxIterations)
	check(o.Workers >= 0, "workers (%d) must not be negative", o.Workers)
	check(o.Normalization <= Degree, "normalization (%d) must be auto, strength or degree", o.Normalization)
	check(o.Components <= Joint, "components (%d) must be apart or joint", o.Components)
	return errors.Join(errs...)
}
