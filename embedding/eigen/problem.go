package eigen

import (
	"context"
	"errors"
	"math"

	"heavytail/storage/vec"
)

// ErrNotFinite is returned when a product with the operator is not finite.
var ErrNotFinite = errors.New("a product with the matrix is not finite")

// Operator is a symmetric matrix N of order Size, given by its products.
type Operator interface {
	Size() int
	// Apply sets y to alpha·N·x + beta·x + gamma·y for blocks of Width columns,
	// row-major with Width elements a row. With gamma 0 the old y is not read.
	// x and y do not overlap. The result must not depend on workers.
	Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error
}

// Projector is an Operator with known eigenvectors that the solver excludes.
type Projector interface {
	Operator
	// Project removes the known eigenvectors from every column of a block.
	Project(x []float32)
	// Known returns the number of known eigenvectors.
	Known() int
}

// Releaser is an Operator with memory that it does not need after the last product.
type Releaser interface {
	Operator
	// Release gives up that memory. Further products take some again.
	Release()
}

// Options of Solve. The zero value of a field takes its default.
type Options struct {
	K         int     // eigenpairs wanted; at most Size less the known ones
	Tolerance float64 // largest residual, relative to Norm; 0 means 1e-4
	Norm      float64 // scale of relative residuals; 0 means the largest eigenvalue found
	Restarts  int     // largest number of restarts; 0 means 100

	// Lead is the number of columns before the eigenvectors in Result.Vectors, zeros to be filled
	// with vectors that the caller knows.
	Lead int

	// Gathers is the number of rows of x that a product with a block reads: the
	// cost of a product. It decides the degree of the filter, not the result.
	Gathers int64

	// Directions, if above 0, is for Refine: the number of directions of the residual that may be
	// longer than half of the tolerance. With more of them Refine amplifies a start with many rows
	// first. One with few rows it gives up, with ReasonFar and no pairs, also if a sample of the
	// start lets expect more.
	Directions int
	// Doubtful has Refine judge from a sample of a start with many rows, too, whether to give it up.
	Doubtful bool

	Seed    uint64
	Workers int // 0 means GOMAXPROCS

	// Progress, if not nil, receives the number of converged pairs, after every block of
	// the basis.
	Progress func(converged int)

	Checkpoints Checkpoints
	// From, if not nil, is the state of a solve of the same operator with the same
	// options, which continues from there and ends with the same bytes as without a
	// stop.
	From *State
}

// norm returns the scale of relative residuals, given the largest eigenvalue.
func (o Options) norm(largest float64) float64 {
	if o.Norm != 0 {
		return o.Norm
	}
	return math.Abs(largest)
}

func (o Options) withDefaults() Options {
	if o.Tolerance == 0 {
		o.Tolerance = 1e-4
	}
	if o.Restarts == 0 {
		o.Restarts = 100
	}
	return o
}

// Result of Solve.
type Result struct {
	Values    []float64   // eigenvalues, descending
	Residuals []float64   // ‖Nt − λt‖ of each returned vector, absolute
	Vectors   *vec.Matrix // Size × (Lead + K): eigenvectors in columns, of unit norm
	Restarts  int         // how often the basis was full
	Products  int         // products of N with one vector
	Degree    int         // degree of the filter; 1 means no filter, 0 a dense solve
	Converged bool        // every residual is within the tolerance
	Reason    string      // why the solve ended
}

// Reasons why a solve ended.
const (
	ReasonConverged = "all residuals are within the tolerance"
	ReasonRestarts  = "the limit of restarts was reached"
	ReasonStalled   = "the solve ended early, because hardly any eigenpair converged"
	ReasonPrecision = "the residuals are as small as single precision allows"
	ReasonFar       = "the vectors given are too far from eigenvectors for a step"
	ReasonStep      = "one step from the vectors given does not reach the tolerance"
)
