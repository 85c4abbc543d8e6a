package netmf

import (
	"cmp"
	"errors"
	"fmt"

	"heavytail/embedding/internal/base"
)

// Method is the name of [NetMF] as a method of embeddings.
const Method = "netmf"

var (
	// ErrOptions is wrapped by every error of an option that cannot be used; the text
	// names the option, its value and what is allowed.
	ErrOptions = base.ErrOptions
	// ErrEntries is wrapped by every [EntriesError].
	ErrEntries = base.ErrEntries
)

// EntriesError reports that the matrix of a graph has more entries than the option
// entries allows. errors.Is finds ErrEntries.
type EntriesError struct {
	Vertices int   // with edges
	Entries  int64 // estimated from the rows of a sample of the vertices
	Limit    int64 // Options.Entries
}

func (e *EntriesError) Error() string {
	return fmt.Sprintf("%v: about %.2g for %d vertices, and the option entries allows %d; use fastrp or deepwalk, which need no such matrix, or raise entries (8 bytes each)",
		ErrEntries, float64(e.Entries), e.Vertices, e.Limit)
}

// Unwrap returns ErrEntries.
func (e *EntriesError) Unwrap() error { return ErrEntries }

// Limits of options.
const (
	MaxWindow   = 100
	MaxNegative = 1000
	MaxEntries  = 1 << 30
)

// Options are the parameters of [NetMF]. The zero value takes every default.
type Options struct {
	Dim           int    // k, coordinates per vertex, up to 4096; 0 is 200
	Window        int    // T, steps of the walk, up to MaxWindow; 0 is 10
	Negative      int    // b, the number of negative samples that is imitated, up to MaxNegative; 0 is 1
	Entries       int    // most entries of the sparse matrix, up to MaxEntries; 0 is 2²⁸
	Seed          uint64 // of the random start of the solver
	IgnoreWeights bool   // every edge has weight 1
	Workers       int    // goroutines; 0 is GOMAXPROCS; the result does not depend on it
	// Each vector is divided by its length to the power RowNorm, 0 to 1, and by the degree
	// of its vertex, in mean weights, to the power RowScale, 0 to 4; nil is 1 and 0.2, and 0 and 0 give the factors of the matrix.
	RowNorm, RowScale *float64

	// Progress, if not nil, receives the number of finished rows with the stage
	// "multiplying", and of converged eigenpairs with the stages "solving: largest" and
	// "solving: smallest". It is called by one goroutine at a time.
	Progress func(stage string, done, total int64)
}

// WithDefaults returns a copy in which every parameter is set.
//
// The defaults of T and b are based on these measurements with k = 64: the AUC of
// predicting a held-out fifth of the edges by cosine, against random / degree / two-hop
// pairs, and the mean average precision of ten recommendations:
//
//	AUC           T 1                  T 2                  T 5                  T 10                 T 20                 T 10, b 5
//	cora          .770 / .772 / .608   .799 / .799 / .626   .816 / .815 / .722   .829 / .827 / .743   .836 / .834 / .752   .809 / .808 / .747
//	CollegeMsg    .595 / .534 / .374   .671 / .597 / .447   .667 / .609 / .481   .667 / .608 / .487   .671 / .606 / .498   .577 / .535 / .520
//	ca-GrQc       .892 / .899 / .748   .909 / .913 / .750   .914 / .914 / .784   .910 / .915 / .799   .913 / .915 / .801   .909 / .905 / .754
//	ego-facebook  .979 / .979 / .909   .987 / .983 / .924   .988 / .983 / .925   .987 / .981 / .923   .987 / .981 / .918   .958 / .954 / .875
//
//	MAP           T 1     T 2     T 5     T 10    T 20    T 10, b 5
//	cora          .125    .122    .151    .158    .160    .152
//	CollegeMsg    .009    .009    .013    .015    .014    .012
//	ca-GrQc       .283    .326    .368    .376    .375    .369
//	ego-facebook  .240    .217    .235    .238    .234    .203
//
// Walks of 20 steps take twice the time of 10 in the first phase and gain little. More
// negative samples leave fewer entries above 1, and with them less of the graph. With
// T 1 dot products recommend better than cosine on ego-facebook (.356) and CollegeMsg
// (.025), but not on cora (.113) and ca-GrQc (.215).
//
// The lengths of the factors follow the degrees less than distances need: rows of length
// degree^−0.2 reconstruct more (H3 of the best radius, evaluate.ByH3, k = 200) and predict
// hidden edges better by Euclidean distance (AUC), and cost some labels: .695 for .701 of those
// of cora with a tenth known, .834 for .847 with half.
//
//	              factors        ρ 0.2
//	              H3     AUC     H3     AUC
//	cora          .017   .836    .489   .899
//	CollegeMsg    .224   .694    .716   .892
//	ca-GrQc       0      .897    .279   .973
//	ego-facebook  .658   .985    .717   .987
//	PA2000        .322   .615    .825   .693
//
// With 2²⁸ entries the matrix takes 2 GiB, and a product with 16 vectors about two seconds
// of a processor.
func (o Options) WithDefaults() Options {
	o.Dim = cmp.Or(o.Dim, 200) // as the other methods
	o.Window = cmp.Or(o.Window, 10)
	o.Negative = cmp.Or(o.Negative, 1)
	o.Entries = cmp.Or(o.Entries, 1<<28)
	o.RowNorm = cmp.Or(o.RowNorm, new(1.0))
	o.RowScale = cmp.Or(o.RowScale, new(0.2))
	return o
}

// Validate reports every option that cannot be used; each error is ErrOptions.
func (o Options) Validate() error {
	o = o.WithDefaults()
	var errs []error
	within := func(name string, x, most int) {
		if x < 1 || x > most {
			errs = append(errs, fmt.Errorf("%w: %s (%d) must be from 1 to %d", ErrOptions, name, x, most))
		}
	}
	within("dim", o.Dim, base.MaxDim)
	within("window", o.Window, MaxWindow)
	within("negative", o.Negative, MaxNegative)
	within("entries", o.Entries, MaxEntries)
	if !(*o.RowNorm >= 0 && *o.RowNorm <= 1) {
		errs = append(errs, fmt.Errorf("%w: row_norm (%g) must be from 0 to 1", ErrOptions, *o.RowNorm))
	}
	if !(*o.RowScale >= 0 && *o.RowScale <= base.MaxRowScale) {
		errs = append(errs, fmt.Errorf("%w: row_scale (%g) must be from 0 to %d", ErrOptions, *o.RowScale, base.MaxRowScale))
	}
	if o.Workers < 0 {
		errs = append(errs, fmt.Errorf("%w: workers (%d) must not be negative", ErrOptions, o.Workers))
	}
	return errors.Join(errs...)
}

// Stats describe a run.
type Stats struct {
	Weighted    bool      // weights were used
	Entries     int64     // of the sparse matrix, on both sides of the diagonal
	Eigenvalues []float64 // of the coordinates, by descending magnitude; fewer than Dim if the matrix has a lower rank
	Residuals   []float64 // ‖Nt − λt‖ of each, relative to the largest magnitude
	Iterations  int       // restarts of the eigensolver
	Products    int       // of the sparse matrix with one vector
	Converged   bool      // every residual is within the tolerance
	Reason      string    // why the solve ended, in words
	Seconds     float64   // of the whole run
	Notes       []string  // remarks on the result for the user
}
