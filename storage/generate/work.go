package generate

import (
	"context"
	"fmt"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// work is the state of a long computation: it checks the context and reports
// progress.
type work struct {
	ctx      context.Context
	progress Progress
	total    int64            // units of the whole
	report   func(done int64) // units
	pending  int              // steps since the context was checked
}

func newWork(ctx context.Context, progress Progress, total int64) *work {
	w := &work{ctx: ctx, progress: progress}
	w.expect(total)
	return w
}

// expect sets the units of the whole, before any is reported.
func (w *work) expect(total int64) {
	w.total, w.report = total, vec.Reporter(w.progress, "generating", total)
}

// grown validates a model and makes its graph by grow, in so many units of work. An error of grow
// gets the name of the model.
func grown(ctx context.Context, progress Progress, name string, m Model, units int64, grow func(w *work) (*csr.Graph, error)) (*csr.Graph, error) {
	if err := m.Validate(); err != nil {
		return nil, err
	}
	g, err := grow(newWork(ctx, progress, units))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return g, nil
}

// checkEvery is the number of steps (draws or arcs) between two checks of the context: some
// milliseconds.
const checkEvery = 1 << 16

// add counts steps. done is the number of units done. From time to time add reports it and checks
// the context, whose error it returns.
func (w *work) add(steps int, done int64) error {
	if w.pending += steps; w.pending < checkEvery {
		return nil
	}
	return w.look(done)
}

// look is separate so that add is inlined.
func (w *work) look(done int64) error {
	w.pending = 0
	if err := w.ctx.Err(); err != nil {
		return err
	}
	w.report(done)
	return nil
}

// end reports that all is done.
func (w *work) end() { w.report(w.total) }
