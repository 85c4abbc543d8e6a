package vec

import (
	"sync"
	"time"
)

// Reporter returns a function that passes the number of units done to progress, with their
// stage and total: at most 20 times a second and always the last, when it is total. It may
// be called from any goroutine; progress receives ascending numbers, from one goroutine at
// a time. Without progress it does nothing.
func Reporter(progress func(stage string, done, total int64), stage string, total int64) func(done int64) {
	if progress == nil {
		return func(int64) {}
	}
	const pause = 50 * time.Millisecond
	var mu sync.Mutex
	var reported time.Time
	last := int64(-1)
	return func(done int64) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if done <= last || done < total && now.Sub(reported) < pause {
			return
		}
		reported, last = now, done
		progress(stage, done, total)
	}
}
