package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"heavytail/storage"
)

// This file has embeddings refreshed by themselves while the database is open.

// AutoRefresh has an embedding refreshed in the background while the database is
// open for writing, and returns it as it is then. Changes are vertices that are new,
// gone or have other edges than those in the embedding; the zero value turns it off.
// The setting stays with the embedding, also when it is computed again. What was
// tried on a version of the graph and failed is tried again when it has another.
func (db *DB) AutoRefresh(ctx context.Context, embedding string, auto storage.AutoRefresh) (storage.EmbeddingInfo, error) {
	c, err := db.begin(ctx, "ALTER EMBEDDING")
	if err != nil {
		return storage.EmbeddingInfo{}, err
	}
	defer c.end()
	info, err := c.autoRefresh(embedding, auto)
	return info, c.wrap(err)
}

// resolveAutoRefresh checks a request.
func (c *call) resolveAutoRefresh(embedding string, auto storage.AutoRefresh) (storage.EmbeddingInfo, error) {
	if err := c.writable(); err != nil {
		return storage.EmbeddingInfo{}, err
	}
	if auto.Changes < 0 || int64(auto.Changes) > math.MaxInt32 || auto.Every < 0 {
		return storage.EmbeddingInfo{}, mistake(partAuto, "%d changes or %v is no time for a refresh", auto.Changes, auto.Every)
	}
	info, err := c.embeddingInfo(embedding, partEmbedding)
	if err == nil && info.Past {
		e := mistake(partEmbedding, "%s is a generation that was replaced", quote(embedding))
		e.Err = storage.ErrInvalid
		return info, e
	}
	return info, err
}

func (c *call) autoRefresh(embedding string, auto storage.AutoRefresh) (storage.EmbeddingInfo, error) {
	if _, err := c.resolveAutoRefresh(embedding, auto); err != nil {
		return storage.EmbeddingInfo{}, err
	}
	info, err := c.db.store.SetAutoRefresh(c.ctx, embedding, auto)
	if err == nil && auto != (storage.AutoRefresh{}) {
		c.db.startRefresher()
	}
	return info, err
}

// autoText writes when an embedding is refreshed.
func autoText(auto storage.AutoRefresh) string {
	switch {
	case auto.Changes > 0:
		return "after " + count(int64(auto.Changes), "change")
	case auto.Every > 0:
		return fmt.Sprintf("every %v", auto.Every)
	}
	return "off"
}

// refresher starts the refreshes of a DB that are due. It has a goroutine from when
// an embedding asks for one until the database is closed.
type refresher struct {
	start sync.Once
	wake  chan struct{}
	now   func() time.Time
	seen  chan struct{}      // receives after each look, where tests made it
	tried map[string]attempt // by embedding; belongs to the goroutine
}

// attempt is the last refresh of an embedding that was started.
type attempt struct {
	version uint64 // of the graph
	at      time.Time
}

func newRefresher() refresher {
	return refresher{wake: make(chan struct{}, 1), now: time.Now, tried: map[string]attempt{}}
}

// look has the goroutine, if there is one, look for refreshes that are due.
func (r *refresher) look() {
	select {
	case r.wake <- struct{}{}:
	default: // it is going to look anyway
	}
}

// openRefresher starts the goroutine if an embedding of the file asks for it.
func (db *DB) openRefresher() error {
	if db.opts.ReadOnly {
		return nil
	}
	infos, err := db.store.Embeddings(context.Background())
	if err != nil {
		return err
	}
	for _, info := range infos {
		if info.Auto != (storage.AutoRefresh{}) {
			db.startRefresher()
			db.refresher.look()
		}
	}
	return nil
}

// startRefresher starts the goroutine unless it runs. It is called before Close can
// wait: from a call, or while the database is opened.
func (db *DB) startRefresher() {
	db.refresher.start.Do(func() {
		db.running.Add(1)
		go func() {
			defer db.running.Done()
			db.refreshAlways()
		}()
	})
}

// refreshAlways starts what is due, whenever something was written or the time of
// an embedding has come, until the database is closed.
func (db *DB) refreshAlways() {
	r, ctx := &db.refresher, db.runner.background
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.wake:
		case <-timer.C:
		}
		timer.Reset(db.refreshDue(ctx))
		if r.seen != nil {
			select {
			case r.seen <- struct{}{}:
			case <-ctx.Done():
			}
		}
	}
}

// refreshDue starts the refreshes that are due, and returns when to look again at
// the latest.
func (db *DB) refreshDue(ctx context.Context) time.Duration {
	r, next := &db.refresher, time.Hour
	infos, err := db.store.Embeddings(ctx)
	if err != nil {
		return time.Minute
	}
	for _, info := range infos {
		if info.Auto == (storage.AutoRefresh{}) {
			continue
		}
		changes, err := db.store.Changes(ctx, info.Graph, info.GraphVersion)
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
		wait := last.at.Add(info.Auto.Every).Sub(r.now())
		byTime := info.Auto.Every > 0 && wait <= 0
		byChanges := info.Auto.Changes > 0 && (changes.All || len(changes.Touched)+changes.Deleted >= info.Auto.Changes)
		if byTime || byChanges {
			// The changes may have come after someone altered or refreshed it.
			now, err := db.store.EmbeddingInfo(ctx, info.Name)
			if err != nil {
				continue
			}
			if now.Auto != info.Auto || now.GraphVersion != info.GraphVersion {
				r.look()
				continue
			}
			r.tried[info.Name] = attempt{changes.To, r.now()}
			_, err = db.StartRefresh(ctx, RefreshRequest{Embedding: info.Name})
			if errors.Is(err, storage.ErrConflict) {
				delete(r.tried, info.Name) // another job has it, at whose end this looks again
			}
		} else if info.Auto.Every > 0 {
			next = min(next, max(wait, time.Millisecond))
		}
	}
	return next
}
