package vec

import (
	"runtime"
	"time"
)

// turnTime is how long a goroutine computes before it offers the processor to
// others. The offer takes a few tenths of a microsecond if no other waits.
const turnTime = 100 * time.Microsecond

// Turn regularly offers the processor to other goroutines. The scheduler
// interrupts a goroutine that computes without a pause only after ten
// milliseconds, which is long for a goroutine that could answer in a tenth of
// a millisecond. A Turn belongs to one goroutine.
type Turn struct {
	began  time.Time
	shares bool
}

// NewTurn begins a turn of one of workers goroutines that compute at the same
// time. It offers the processor only if they use all processors: otherwise one
// is free for others.
func NewTurn(workers int) Turn {
	return Turn{began: time.Now(), shares: workers >= runtime.GOMAXPROCS(0)}
}

// Pass offers the processor to others if the turn has taken long enough.
func (t *Turn) Pass() {
	if t.shares && time.Since(t.began) >= turnTime {
		runtime.Gosched()
		t.began = time.Now()
	}
}
