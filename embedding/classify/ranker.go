package classify

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	"heavytail/storage/vec"
)

// Ranker orders classes by how likely a row is of each. It has one model for each class,
// which separates the rows of the class from all other rows. It never changes and is safe
// for concurrent use.
type Ranker struct {
	models []*Model // nil if the class has no training row or every one
	fixed  []float64
}

// OneVsRest trains one logistic regression for each class, which separates the rows of the
// class from the other rows; see [Logistic]. labels[i] lists the classes of row i: any
// number of them, in any order, each below the parameter classes.
//
// The ranker puts a class that no training row has after all others, and a class that every
// training row has before them. Classes are trained in parallel; the same rows give the
// same models at any number of workers. Errors are those of Logistic except ErrClasses, and
// ErrShape for a class out of range.
func OneVsRest(ctx context.Context, x *vec.Matrix, labels [][]uint32, classes int, opts Options) (*Ranker, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	rows, err := rowsOf(x, labels, classes)
	if err != nil {
		return nil, err
	}
	r := &Ranker{models: make([]*Model, classes), fixed: make([]float64, classes)}
	faults := make([]error, classes)
	each := opts
	each.Workers = perClass(opts.Workers, classes)
	var mu sync.Mutex
	done := int64(0)
	vec.Parallel(classes, 1, opts.Workers, func(c, _, _ int) {
		if ctx.Err() == nil {
			faults[c] = r.train(ctx, c, x, rows[c], each)
		}
		if opts.Progress != nil {
			mu.Lock()
			defer mu.Unlock()
			done++
			opts.Progress(done, int64(classes))
		}
	})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, err := range faults { // the error of the lowest class, whichever failed first
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// rowsOf lists the rows of each class, ascending.
func rowsOf(x *vec.Matrix, labels [][]uint32, classes int) ([][]uint32, error) {
	if x.Rows != len(labels) {
		return nil, fmt.Errorf("%d rows, labels of %d: %w", x.Rows, len(labels), ErrShape)
	}
	rows := make([][]uint32, classes)
	for i, own := range labels {
		for _, c := range own {
			if int64(c) >= int64(classes) {
				return nil, fmt.Errorf("class %d of row %d, of %d classes: %w", c, i, classes, ErrShape)
			}
			rows[c] = append(rows[c], uint32(i))
		}
	}
	return rows, nil
}

// perClass returns the number of workers for each class, at least one. It is above one if
// there are at least twice as many workers as classes.
func perClass(workers, classes int) int {
	if workers == 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return max(1, workers/max(1, classes))
}

// train finds the model of one class.
func (r *Ranker) train(ctx context.Context, class int, x *vec.Matrix, rows []uint32, opts Options) (err error) {
	positive := make([]bool, x.Rows)
	for _, i := range rows {
		positive[i] = true
	}
	switch {
	case len(rows) == 0:
		r.fixed[class] = math.Inf(-1)
	case !slices.Contains(positive, false):
		r.fixed[class] = math.Inf(1)
	default:
		r.models[class], err = Logistic(ctx, x, positive, opts)
	}
	return err
}

// Score returns the logarithm of the odds that a row belongs to a class. It is −∞ if no
// training row belongs to the class, and +∞ if all do.
func (r *Ranker) Score(class int, x []float32) float64 {
	if m := r.models[class]; m != nil {
		return m.Score(x)
	}
	return r.fixed[class]
}

// Top returns the k likeliest classes of a row, the likeliest first; equally likely classes
// are in ascending order. It returns all classes if there are at most k.
func (r *Ranker) Top(k int, x []float32) []uint32 {
	scores := make([]float64, len(r.models))
	order := make([]uint32, len(r.models))
	for c := range r.models {
		scores[c], order[c] = r.Score(c, x), uint32(c)
	}
	slices.SortStableFunc(order, func(a, b uint32) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return order[:min(k, len(order))]
}
