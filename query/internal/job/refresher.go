package job

import (
	"context"
	"errors"
	"sync"
	"time"

	"heavytail/storage"
)

// Refresher starts the automatic refreshes of a database that are due. Its
// goroutine runs from the moment at which the first embedding has an automatic
// refresh until the runner is stopped.
type Refresher struct {
	Now  func() time.Time
	Seen chan struct{} // receives a value after each look, if tests made it

	runner  *Runner
	refresh func(ctx context.Context, embedding string) error
	begin   sync.Once
	wake    chan struct{}
	tried   map[string]attempt // by embedding; belongs to the goroutine
}

// attempt is the last refresh of an embedding that was started.
type attempt struct {
	version uint64 // version of the graph
	at      time.Time
}

// NewRefresher returns a refresher that starts each refresh by calling refresh, which
// queues a job and returns.
func NewRefresher(runner *Runner, refresh func(ctx context.Context, embedding string) error) *Refresher {
	return &Refresher{Now: time.Now, runner: runner, refresh: refresh, wake: make(chan struct{}, 1), tried: map[string]attempt{}}
}

// Look makes the goroutine, if it runs, look for refreshes that are due.
func (r *Refresher) Look() {
	select {
	case r.wake <- struct{}{}:
	default: // it is going to look anyway
	}
}

// Open starts the goroutine if an embedding of the file has an automatic refresh.
func (r *Refresher) Open() error {
	infos, err := r.runner.store.Embeddings(context.Background())
	if err != nil {
		return err
	}
	for _, info := range infos {
		if info.Auto != (storage.AutoRefresh{}) {
			r.Start()
			r.Look()
		}
	}
	return nil
}

// Start starts the goroutine unless it runs. The caller ensures that Runner.Wait
// has not been called yet.
func (r *Refresher) Start() {
	r.begin.Do(func() { r.runner.running.Go(r.always) })
}

// always starts the refreshes that are due, after every write and at the
// times that embeddings set, until the runner is stopped.
func (r *Refresher) always() {
	ctx := r.runner.context
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
		case <-timer.C:
		}
		timer.Reset(r.due(ctx))
		if r.Seen != nil {
			select {
			case r.Seen <- struct{}{}:
			case <-ctx.Done():
			}
		}
	}
}

// due starts the refreshes that are due, and returns the time until the next
// look.
func (r *Refresher) due(ctx context.Context) time.Duration {
	store, next := r.runner.store, time.Hour
	defer store.Hold()() // so that no other process begins the same refresh meanwhile
	infos, err := store.Embeddings(ctx)
	if err != nil {
		return time.Minute
	}
	for _, info := range infos {
		if info.Auto == (storage.AutoRefresh{}) {
			continue
		}
		changes, err := store.Changes(ctx, info.Graph, info.GraphVersion)
		if err != nil {
			continue
		}
		last := r.tried[info.Name]
		if !changes.EdgesChanged || last.version == changes.To && last.at.After(info.Created) {
			continue
		}
		if last.at.Before(info.Created) {
			last.at = info.Created
		}
		wait := last.at.Add(info.Auto.Every).Sub(r.Now())
		byTime := info.Auto.Every > 0 && wait <= 0
		byChanges := info.Auto.Changes > 0 && (changes.All || len(changes.Touched)+changes.Deleted >= info.Auto.Changes)
		if byTime || byChanges {
			// The changes may have come after someone altered or refreshed it.
			now, err := store.EmbeddingInfo(ctx, info.Name)
			if err != nil {
				continue
			}
			if now.Auto != info.Auto || now.GraphVersion != info.GraphVersion {
				r.Look()
				continue
			}
			r.tried[info.Name] = attempt{changes.To, r.Now()}
			err = r.refresh(ctx, info.Name)
			if errors.Is(err, storage.ErrConflict) {
				delete(r.tried, info.Name) // another job writes the embedding; the refresher looks again when that job ends
			}
		} else if info.Auto.Every > 0 {
			next = min(next, max(wait, time.Millisecond))
		}
	}
	return next
}
