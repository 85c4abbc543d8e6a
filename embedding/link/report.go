package link

import "time"

// newReporter returns a function that adds up what is done; its caller holds a lock. It
// passes the sum to progress, if not nil, at most 20 times a second and at the end.
func newReporter(progress func(stage string, done, total int64), stage string, total int64) func(more int64) {
	if progress == nil {
		return func(int64) {}
	}
	const pause = 50 * time.Millisecond
	var reported time.Time
	var done int64
	return func(more int64) {
		done += more
		if now := time.Now(); done == total || now.Sub(reported) >= pause {
			reported = now
			progress(stage, done, total)
		}
	}
}
