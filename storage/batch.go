package storage

import (
	"context"
	"errors"
	"slices"
	"time"

	"heavytail/storage/internal/tree"
)

// Batch is Update for callers of which many write at once. Calls that wait for the writer are put into one
// transaction, which has one commit and gives each graph one new version for all of them; no call waits for
// others to come. The calls are independent: each sees what those before it in the transaction have changed, and
// if f fails or panics or its context ends, the others are committed without it.
//
// f may be called several times, of which only the last one counts: it must set what it returns from scratch.
func (db *DB) Batch(ctx context.Context, f func(*Tx) error) error {
	ctx = tree.OrBackground(ctx)
	turn, taken := context.WithCancel(ctx)
	defer taken()
	c := &batched{ctx: ctx, f: f, taken: taken, result: make(chan error, 1)}
	db.file.Waiting.Add(c)
	if err := db.together(turn, c); err != errAlone {
		return err
	}
	return db.Update(ctx, f)
}

// together waits for the writer and commits a call and those that wait with it, unless another one does so.
func (db *DB) together(turn context.Context, c *batched) error {
	unlock, err := db.file.LockWriter(turn)
	if err == nil {
		defer unlock()
	}
	switch {
	case !db.file.Waiting.Remove(c):
		return <-c.result // the one that took it had the lock until it was sent, or has it
	case err != nil:
		return err
	}
	if others := db.file.Waiting.Take(maxBatch - 1); len(others) > 0 {
		calls := []*batched{c}
		for _, other := range others {
			other := other.(*batched)
			other.taken()
			calls = append(calls, other)
		}
		return db.commitBatch(calls)
	}
	return transact(c.f, func(g func(*tree.Tx) error) error { return db.file.Update(c.ctx, g) })
}

// A transaction takes on no further call after maxBatch of them, nor after batchTime: it has all changed pages in
// memory, and its first call waits for the last one.
const (
	maxBatch  = 256
	batchTime = 10 * time.Millisecond
)

// errAlone is the result of a call that needs a transaction of its own.
var errAlone = errors.New("not in this batch")

// commitBatch commits calls, of which the first is the caller's, in one transaction or, if they take long, in several
// ones. It passes the others their results and returns that of the first. The caller holds the writer's lock.
func (db *DB) commitBatch(calls []*batched) error {
	// A call that fails is left out and runs alone. After a few of them all run alone, because each costs the
	// others another run.
	own, left, tries := calls[0], calls, 3
	defer func() { // also if a call ends this goroutine (runtime.Goexit, as in the tests of programs)
		for _, c := range left {
			c.result <- errAlone
		}
	}()
	for len(left) > 0 {
		failed, done, err := -1, 0, errAlone
		if tries > 0 {
			failed, done, err = db.runBatch(left)
		}
		switch {
		case failed >= 0:
			tries--
			left[failed].result <- errAlone
			left = slices.Delete(left, failed, failed+1)
			continue
		case done == 0:
			done = len(left)
			err = errAlone
		}
		for _, c := range left[:done] {
			c.result <- err
		}
		left = left[done:]
	}
	return <-own.result
}

// runBatch runs calls in a transaction, until one fails, which then cannot be committed, and otherwise commits the
// first of them: as many as done says, with one result.
func (db *DB) runBatch(calls []*batched) (failed, done int, result error) {
	failed = -1
	begun := time.Now()
	err := db.file.Update(context.WithoutCancel(calls[0].ctx), func(t *tree.Tx) error {
		whole := t.Ctx
		return change(t, func(x *Tx) error {
			for i, c := range calls {
				if i > 0 && time.Since(begun) > batchTime {
					break
				}
				t.Ctx = c.ctx
				if err := c.run(x); err != nil {
					failed = i
					return err
				}
				done++
			}
			t.Ctx = whole
			return nil
		})
	})
	return failed, done, err
}

// batched is a call of Batch.
type batched struct {
	ctx    context.Context
	f      func(*Tx) error
	taken  context.CancelFunc // ends its wait for the writer, as another call commits it
	result chan error         // gets one error if the call was taken, by itself or another one
}

// run runs the call on a transaction. A panic is an error here, and continues when the call runs alone.
func (c *batched) run(x *Tx) (err error) {
	defer func() {
		if recover() != nil {
			err = tree.ErrPanicked
		}
	}()
	if err := c.f(x); err != nil {
		return err
	}
	return errors.Join(x.broken, c.ctx.Err())
}
