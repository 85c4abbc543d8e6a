package query

import (
	"context"
	"errors"
	"sync"
)

// cache keeps graphs and vectors in memory between calls and shares them
// between concurrent calls. What is kept and what calls hold together stay
// within the limit: to make room, it forgets what was not used for longest,
// and where calls hold too much it refuses to load. One load of the same thing
// runs at a time; others wait for it.
type cache struct {
	limit int64
	keep  bool // false: forget everything as soon as no call holds it

	mu      sync.Mutex
	entries map[cacheKey]*cacheEntry
	bytes   int64            // of all entries, loaded or loading
	clock   uint64           // counts uses, to tell which was the last
	scans   map[cacheKey]int // how often what is not in memory was read in the file
}

// cacheKey names one immutable thing: a version of a graph, an attribute in a
// version of its graph, a generation of an embedding, or that matched with a
// version of its graph.
type cacheKey struct {
	kind    string // "graph", "column", "embedding", "matched" or "index"
	name    string // of an attribute or an embedding
	id      uint64 // of a graph; when an embedding was made, as its name may be used again
	version uint64 // of a graph; generation of an embedding
	graph   uint64 // version of the graph that an embedding is matched with; metric of an index
	made    int64  // when an index was made
}

// sameObject reports whether two keys are versions of one thing.
func (k cacheKey) sameObject(other cacheKey) bool {
	if k.kind == "index" {
		return other.kind == "index" && k.name == other.name && k.graph == other.graph
	}
	return k.kind == other.kind && k.name == other.name && (k.kind == "embedding" || k.kind == "matched" || k.id == other.id)
}

type cacheEntry struct {
	value any
	err   error
	bytes int64
	users int           // calls that hold it
	last  uint64        // clock of the last use
	ready chan struct{} // closed when value or err is there
}

func newCache(limit int64, keep bool) *cache {
	return &cache{limit: limit, keep: keep, entries: map[cacheKey]*cacheEntry{}, scans: map[cacheKey]int{}}
}

// fewScans reports whether something is not in memory and was read in the file
// less than so many times.
func (c *cache) fewScans(key cacheKey, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[key] == nil && c.scans[key] < most
}

// countScan notes that something was read in the file, and forgets its older
// versions.
func (c *cache) countScan(key cacheKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for other := range c.scans {
		if other != key && other.sameObject(key) {
			delete(c.scans, other)
		}
	}
	c.scans[key]++
}

// get returns what key names, from memory (hit) or from load, and a function
// that gives it back. The bytes are what it takes in memory, what names it in
// the error of a refusal.
func (c *cache) get(ctx context.Context, key cacheKey, bytes int64, what string, load func(context.Context) (any, error)) (value any, release func(), hit bool, err error) {
	for {
		entry, mine, err := c.claim(key, bytes, what)
		if err != nil {
			return nil, nil, false, err
		}
		if mine {
			entry.load(ctx, load)
			c.measure(entry)
		} else {
			select {
			case <-entry.ready:
			case <-ctx.Done():
				c.release(key, entry)
				return nil, nil, false, ctx.Err()
			}
		}
		if entry.err == nil {
			return entry.value, sync.OnceFunc(func() { c.release(key, entry) }), !mine, nil
		}
		c.release(key, entry)
		// A load that its own caller cancelled says nothing about this call.
		cancelled := errors.Is(entry.err, context.Canceled) || errors.Is(entry.err, context.DeadlineExceeded)
		if mine || !cancelled {
			return nil, nil, false, entry.err
		}
		if ctx.Err() != nil {
			return nil, nil, false, ctx.Err()
		}
	}
}

// claim finds or makes the entry of key and counts the caller among its users.
// The caller must load it if mine is true.
func (c *cache) claim(key cacheKey, bytes int64, what string) (entry *cacheEntry, mine bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	if entry = c.entries[key]; entry != nil {
		entry.users++
		entry.last = c.clock
		return entry, false, nil
	}
	for other, old := range c.entries {
		// A newer version was asked for, so nobody will ask for the old one.
		if old.users == 0 && other.sameObject(key) {
			c.forget(other, old)
		}
	}
	if !c.makeRoom(bytes) {
		return nil, false, &LimitError{
			What: what, Need: c.bytes + bytes, Limit: c.limit, Unit: "bytes", Field: "MemoryLimit",
		}
	}
	entry = &cacheEntry{bytes: bytes, users: 1, last: c.clock, ready: make(chan struct{})}
	c.entries[key] = entry
	c.bytes += bytes
	return entry, true, nil
}

// measure replaces the estimate of an entry by its size, where it tells that: of
// texts it is known only once they are there.
func (c *cache) measure(entry *cacheEntry) {
	sized, ok := entry.value.(interface{ Bytes() int64 })
	if !ok || entry.err != nil {
		return
	}
	bytes := sized.Bytes()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bytes += bytes - entry.bytes
	entry.bytes = bytes
}

// reserve counts bytes that a call is about to allocate beside what it loaded,
// and returns a function that stops counting them.
func (c *cache) reserve(bytes int64, what string) (func(), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.makeRoom(bytes) {
		return nil, &LimitError{
			What: what, Need: c.bytes + bytes, Limit: c.limit, Unit: "bytes", Field: "MemoryLimit",
		}
	}
	c.bytes += bytes
	return sync.OnceFunc(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bytes -= bytes
	}), nil
}

// makeRoom forgets unused entries, the longest unused first, until bytes more
// fit, and reports whether they do. The caller holds mu.
func (c *cache) makeRoom(bytes int64) bool {
	for c.bytes+bytes > c.limit {
		var oldest *cacheEntry
		var oldestKey cacheKey
		for key, entry := range c.entries {
			if entry.users == 0 && (oldest == nil || entry.last < oldest.last) {
				oldest, oldestKey = entry, key
			}
		}
		if oldest == nil {
			return false
		}
		c.forget(oldestKey, oldest)
	}
	return true
}

// forget drops an entry, and with an embedding what is matched with it and its
// indexes, which keep its vectors in memory without counting them. Nobody holds that: who does
// holds the embedding as well. The caller holds mu.
func (c *cache) forget(key cacheKey, entry *cacheEntry) {
	delete(c.entries, key)
	c.bytes -= entry.bytes
	if key.kind != "embedding" {
		return
	}
	for other, matched := range c.entries {
		if (other.kind == "matched" || other.kind == "index") && other.name == key.name && other.id == key.id && other.version == key.version && matched.users == 0 {
			c.forget(other, matched)
		}
	}
}

// release counts one user less and forgets what need not be kept.
func (c *cache) release(key cacheKey, entry *cacheEntry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry.users--
	if c.entries[key] != entry {
		return
	}
	// A failed entry is taken out by the first who leaves, so that the next
	// call tries again; those who still wait for it have it already.
	if entry.failed() || entry.users == 0 && !c.keep {
		c.forget(key, entry)
	}
}

// load fills the entry. It becomes ready even if loading panics: otherwise the
// calls that wait for it would wait for ever.
func (e *cacheEntry) load(ctx context.Context, load func(context.Context) (any, error)) {
	e.err = errLoad
	defer close(e.ready)
	e.value, e.err = load(ctx)
}

// failed reports whether loading has ended with an error.
func (e *cacheEntry) failed() bool {
	select {
	case <-e.ready:
		return e.err != nil
	default:
		return false
	}
}

var errLoad = errors.New("loading did not end")
