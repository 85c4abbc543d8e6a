package storage

import (
	"time"
)

// reporter passes progress on, at most about 20 times per second.
type reporter struct {
	call func(stage string, done, total int64)
	last time.Time
}

func newReporter(f func(stage string, done, total int64)) *reporter { return &reporter{call: f} }

func (r *reporter) report(stage string, done, total int64) {
	if r.call == nil || time.Since(r.last) < 50*time.Millisecond {
		return
	}
	r.finish(stage, done, total)
}

// finish reports whatever the time since the last report: the end of a stage is always
// reported.
func (r *reporter) finish(stage string, done, total int64) {
	if r.call != nil {
		r.last = time.Now()
		r.call(stage, done, total)
	}
}
