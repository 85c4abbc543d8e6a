package link

import "heavytail/storage/vec"

// newReporter returns a function that adds up what is done, and passes the sum on as
// vec.Reporter does; its caller holds a lock.
func newReporter(progress func(stage string, done, total int64), stage string, total int64) func(more int64) {
	report := vec.Reporter(progress, stage, total)
	var done int64
	return func(more int64) {
		done += more
		report(done)
	}
}
