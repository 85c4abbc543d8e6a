package propagate

import (
	"cmp"
	"errors"
	"fmt"

	"heavytail/embedding/internal/base"
)

// ErrOptions is wrapped by every error of an option that cannot be used; the text names
// the option, its value and what is allowed.
var ErrOptions = base.ErrOptions

// MaxPower is the largest size of an exponent of the degree, and MaxFactor that of the
// factor of an iteration.
const (
	MaxPower  = 4
	MaxFactor = 1e6
)

// check reports a fault that is not ok.
func check(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("%w: "+format, append([]any{ErrOptions}, args...)...)
}

// within is false for NaN.
func within(x, lo, hi float64) bool { return x >= lo && x <= hi }

// orDefault sets a parameter that is nil to its default.
func orDefault(x **float64, to float64) {
	if *x == nil {
		*x = &to
	}
}

// FastRPOptions are the parameters of [FastRP]. The zero value takes every default.
type FastRPOptions struct {
	Dim  int      // k, coordinates per vertex, up to 4096; 0 is 200
	Beta *float64 // β, the power of the degree in the start, from −4 to 4; nil is −¼
	// Alpha1 to Alpha4 are α₁ to α₄, the factors of the iterations, from −10⁶ to 10⁶ and
	// not all 0; nil is 0, 1, 1 and 0.
	Alpha1, Alpha2, Alpha3, Alpha4 *float64
	RowNorm                        *float64 // ν, the power of its length by which a vector is divided in the end, from 0 to 1; nil is 0
	RowScale                       *float64 // ρ, the power of the degree by which a vector is divided in the end, from 0 to 4; nil is ¼
	Seed                           uint64   // of the random start
	IgnoreWeights                  bool     // every edge has weight 1
	Workers                        int      // goroutines; 0 is GOMAXPROCS; the result does not depend on it

	// Start numbers the random vectors that the vertices begin with; nil is the number of
	// the vertex. Two runs with the same numbers have the same coordinates.
	Start []uint32

	// Progress, if not nil, receives the number of finished products, of all, with the
	// stage "propagating".
	Progress func(stage string, done, total int64)
}

// WithDefaults returns a copy in which every parameter but Start is set.
//
// The defaults are based on these measurements with k = 128: the AUC of predicting a
// held-out fifth of the edges by cosine, against random / degree / two-hop pairs, and the
// Pearson / Spearman correlation of degrees of the best reconstruction at ρ ¼. In the last
// column rows are not normalised:
//
//	links         α 0,1,1,0, β −¼      α 0,0,1,1, β −¼      α 0,1,1,0, β −½      not normalised, β −½
//	cora          .790 / .791 / .758   .806 / .802 / .756   .785 / .783 / .764   .790 / .787 / .762
//	CollegeMsg    .830 / .567 / .694   .824 / .562 / .700   .818 / .567 / .684   .784 / .506 / .599
//	ca-GrQc       .901 / .896 / .833   .906 / .901 / .823   .898 / .894 / .838   .899 / .894 / .837
//	ego-facebook  .990 / .979 / .947   .989 / .978 / .938   .989 / .979 / .948   .989 / .978 / .943
//	blogcatalog   .886 / .669 / .822   .867 / .673 / .795   .882 / .664 / .822   .835 / .612 / .754
//
//	degrees
//	cora          .884 / .685          .839 / .674          .886 / .703
//	CollegeMsg    .807 / .536          .672 / .414          .829 / .566
//	ca-GrQc       .906 / .759          .929 / .761          .900 / .771
//	ego-facebook  .896 / .901          .873 / .881          .900 / .902
//
// An odd and an even power together are better than one of them alone: in a nearly
// bipartite graph an odd power reaches only the opposite side, and an even power only the
// same side. With α 0,1,0,0 the AUCs on CollegeMsg are .692 / .495 / .510. The fourth power
// costs a third more time and improves no graph much. With ρ 0 the correlations of degrees
// are .269 / .409 on cora and .736 / .471 on ca-GrQc. With ρ ½ the order of low degrees is
// lost (.793 / .279 on CollegeMsg).
func (o FastRPOptions) WithDefaults() FastRPOptions {
	o.Dim = cmp.Or(o.Dim, 200) // as the other methods
	orDefault(&o.Beta, -0.25)
	orDefault(&o.Alpha1, 0)
	orDefault(&o.Alpha2, 1)
	orDefault(&o.Alpha3, 1)
	orDefault(&o.Alpha4, 0)
	orDefault(&o.RowNorm, 0)
	orDefault(&o.RowScale, 0.25)
	return o
}

// alphas are the factors of the iterations, after defaults.
func (o FastRPOptions) alphas() []float64 {
	return []float64{*o.Alpha1, *o.Alpha2, *o.Alpha3, *o.Alpha4}
}

// iterations is the number of the last one that counts.
func (o FastRPOptions) iterations() int {
	list := o.alphas()
	for len(list) > 0 && list[len(list)-1] == 0 {
		list = list[:len(list)-1]
	}
	return len(list)
}

// Validate reports every option that cannot be used; each error is ErrOptions.
func (o FastRPOptions) Validate() error {
	o = o.WithDefaults()
	faults := []error{
		check(o.Dim >= 1 && o.Dim <= base.MaxDim, "dim (%d) must be from 1 to %d", o.Dim, base.MaxDim),
		check(within(*o.Beta, -MaxPower, MaxPower), "beta (%g) must be from %d to %d", *o.Beta, -MaxPower, MaxPower),
		check(within(*o.RowNorm, 0, 1), "row_norm (%g) must be from 0 to 1", *o.RowNorm),
		check(within(*o.RowScale, 0, MaxPower), "row_scale (%g) must be from 0 to %d", *o.RowScale, MaxPower),
		check(o.Workers >= 0, "workers (%d) must not be negative", o.Workers),
		check(o.iterations() > 0, "one of alpha1 to alpha4 must not be 0"),
	}
	for i, x := range o.alphas() {
		faults = append(faults, check(within(x, -MaxFactor, MaxFactor), "alpha%d (%g) must be from %g to %g", i+1, x, -MaxFactor, MaxFactor))
	}
	return errors.Join(faults...)
}
