package generate

import (
	"context"
	"fmt"
	"time"

	"heavytail/storage/csr"
)

// work is the state of a long computation: it checks the context and reports
// progress.
type work struct {
	ctx      context.Context
	progress Progress
	total    int64 // units of the whole
	pending  int   // steps since the context was checked
	reported time.Time
}

func newWork(ctx context.Context, progress Progress, total int64) *work {
	return &work{ctx: ctx, progress: progress, total: total, reported: time.Now()}
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

// reportEvery is the time between two reports.
const reportEvery = 50 * time.Millisecond

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
	if w.progress != nil {
		if now := time.Now(); now.Sub(w.reported) >= reportEvery {
			w.reported = now
			w.progress("generating", done, w.total)
		}
	}
	return nil
}

// end reports that all is done.
func (w *work) end() {
	if w.progress != nil {
		w.progress("generating", w.total, w.total)
	}
}
