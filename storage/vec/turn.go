package vec

import (
	"runtime"
	"time"
)

// turnTime is how long a goroutine computes before others get its processor, if they
// wait for one. Letting them takes some tenth of a microsecond where nobody waits.
const turnTime = 100 * time.Microsecond

// Turn lets other goroutines have a processor now and then. The scheduler takes it
// from one that computes without a pause only after ten milliseconds, which is long
// for those who have an answer to give in a tenth of one. A Turn belongs to one
// goroutine.
type Turn struct {
	began  time.Time
	shares bool
}

// NewTurn begins a turn of one of so many goroutines that compute at a time. It
// shares the processor only if they take up all that there are: otherwise whoever
// waits has one.
func NewTurn(workers int) Turn {
	return Turn{began: time.Now(), shares: workers >= runtime.GOMAXPROCS(0)}
}

// Pass lets others have the processor if the turn has taken long enough.
func (t *Turn) Pass() {
	if t.shares && time.Since(t.began) >= turnTime {
		runtime.Gosched()
		t.began = time.Now()
	}
}
