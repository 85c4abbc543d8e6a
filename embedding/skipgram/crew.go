package skipgram

import (
	"runtime"
	"sync"
	"sync/atomic"

	"heavytail/storage/vec"
)

// crew runs the blocks of a round side by side. A round takes some ten microseconds,
// about what it takes to wake a goroutine, so that the goroutines of a crew stay awake
// between rounds and look for the next one.
type crew struct {
	size int // goroutines, the caller's among them
	work func(part int)
	// turn counts the rounds that were begun, and left the goroutines that have not
	// ended the last one: what is written before turn is read after it, and back.
	turn    atomic.Uint32
	left    atomic.Int32
	own     vec.Turn // of the caller's goroutine
	stopped bool
	done    sync.WaitGroup
}

// newCrew starts a crew of a number of goroutines for a number of parts.
func newCrew(workers, parts int) *crew {
	c := &crew{size: max(1, min(workers, parts, runtime.GOMAXPROCS(0)))}
	c.own = vec.NewTurn(c.size)
	for member := 1; member < c.size; member++ {
		c.done.Go(func() { c.follow(member, parts) })
	}
	return c
}

// run calls work for each part, in parallel, and returns when all are done.
func (c *crew) run(parts int, work func(part int)) {
	c.work = work
	c.left.Store(int32(c.size - 1))
	c.turn.Add(1)
	for part := 0; part < parts; part += c.size {
		work(part)
	}
	await(func() bool { return c.left.Load() == 0 })
	c.own.Pass()
}

// follow does what falls to a member in each round.
func (c *crew) follow(member, parts int) {
	own := vec.NewTurn(c.size)
	for turn := uint32(0); ; turn++ {
		await(func() bool { return c.turn.Load() != turn })
		if c.stopped {
			return
		}
		for part := member; part < parts; part += c.size {
			c.work(part)
		}
		c.left.Add(-1)
		own.Pass()
	}
}

// stop ends the goroutines. It must not be called during a round.
func (c *crew) stop() {
	c.stopped = true
	c.turn.Add(1)
	c.done.Wait()
}

// await returns when something has happened, and lets others run meanwhile.
func await(happened func() bool) {
	for spins := 1; !happened(); spins++ {
		if spins%256 == 0 {
			runtime.Gosched()
		}
	}
}
