package generate

import (
	"context"
	"time"
)

// work is the state of a long computation: it checks the context and reports
// progress.
type work struct {
	ctx      context.Context
	progress Progress
	total    int64 // units of the whole
	pending  int   // steps since the context was looked at
	reported time.Time
}

func newWork(ctx context.Context, progress Progress, total int64) *work {
	return &work{ctx: ctx, progress: progress, total: total, reported: time.Now()}
}

// checkEvery is how many steps, each a draw or an arc, go by between two looks
// at the context: some milliseconds.
const checkEvery = 1 << 16

// reportEvery is the time between two reports.
const reportEvery = 50 * time.Millisecond

// add counts steps. Done is how many units of the whole are behind; from time
// to time it is reported and the error of the context returned.
func (w *work) add(steps int, done int64) error {
	if w.pending += steps; w.pending < checkEvery {
		return nil
	}
	return w.look(done)
}

// look is apart from add, so that the latter is inlined.
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
