package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage"
)

// Call is the part of one call of a method of DB that does not depend on the
// statement: the versions of graphs and embeddings that it has loaded, and the
// receivers of its progress and notices. It belongs to one goroutine; only the
// meter may be used from several.
type Call struct {
	store *storage.DB
	cache *Cache
	files *Files

	Ctx       context.Context
	Statement string
	Meter     *meter
	Watch     *plan.Stopwatch
	Notices   []rows.Notice
	OnNotice  func(rows.Notice) // receives each notice at once; may be nil
	Graphs    map[string]*Graph // by name: a call sees one version of a graph
	Spaces    map[string]*Space // by name of the embedding
	Releases  []func()          // unpin what the call has pinned in the cache
}

// New begins a call without a receiver of progress.
func New(ctx context.Context, store *storage.DB, cache *Cache, files *Files, statement string) *Call {
	return &Call{
		store: store, cache: cache, files: files, Ctx: ctx, Statement: statement,
		Meter:  NewMeter(statement, nil, time.Now),
		Watch:  plan.NewStopwatch(time.Now),
		Graphs: map[string]*Graph{},
		Spaces: map[string]*Space{},
	}
}

// Release unpins what the call has pinned in the cache.
func (c *Call) Release() {
	for _, release := range slices.Backward(c.Releases) { // objects that share memory with others are released before those
		release()
	}
	c.Releases = nil
}

// Notice records a remark about the answer.
func (c *Call) Notice(format string, args ...any) { c.note(rows.Notice{}, format, args...) }

// Early is Notice for the effects of work that the statement is about to do.
func (c *Call) Early(format string, args ...any) { c.note(rows.Notice{Early: true}, format, args...) }

// Advise is Notice for a suggestion of a further statement.
func (c *Call) Advise(format string, args ...any) { c.note(rows.Notice{Advice: true}, format, args...) }

func (c *Call) note(n rows.Notice, format string, args ...any) {
	n.Statement, n.Text = c.Statement, fmt.Sprintf(format, args...)
	if slices.Contains(c.Notices, n) { // a statement may cause the same notice several times
		return
	}
	c.Notices = append(c.Notices, n)
	if c.OnNotice != nil {
		c.OnNotice(n)
	}
}

// Rest handles the error of a list that lacks only damaged entries
// (storage.PartialError): it gives a notice of what is missing and returns nil. one
// names an entry of the list, such as "a model", and remedy is the remedy. Other
// errors are returned unchanged.
func (c *Call) Rest(err error, one, remedy string) error {
	var partial *storage.PartialError
	if !errors.As(err, &partial) {
		return err
	}
	c.Notice("%s is not listed; %s: %v", one, remedy, err)
	return nil
}

// Await runs f, which cannot be interrupted, and returns early when the context
// of the call ends. f then continues until it ends, so it must not write
// anything that is read afterwards.
func (c *Call) Await(f func()) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
		return c.Ctx.Err()
	case <-c.Ctx.Done():
		return c.Ctx.Err()
	}
}
