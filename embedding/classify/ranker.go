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

// Ranker orders classes by how likely a row is of each. It has one model for
// each class, which separates its rows from all others. It never changes and is safe
// for concurrent use.
type Ranker struct {
	models []*Model // nil where the training rows do not differ
	fixed  []float64
}

// OneVsRest trains a logistic regression for each of so many classes, with the
// rows of that class against the rest; see [Logistic]. labels are the classes of
// each row, numbers below classes, in any order and number.
//
// A class that no training row has comes after all others, and one that every
// row has before them. Classes are trained side by side, and the same rows give
// the same models at any number of workers. Errors are those of Logistic but
// ErrClasses, and ErrShape for a class out of range.
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
		return nil, fmt.Errorf("%w", ctx.Err())
	}
	for _, err := range faults { // the first class's, whoever was first
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

// perClass distributes workers where there are more of them than classes.
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

// Score returns the logarithm of the odds that a row is of a class, −∞ or +∞
// where no training row or every one was.
func (r *Ranker) Score(class int, x []float32) float64 {
	if m := r.models[class]; m != nil {
		return m.Score(x)
	}
	return r.fixed[class]
}

// Top returns the k likeliest classes of a row, the likeliest first and of
// equally likely ones the smaller; all of them where there are no more than k.
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
