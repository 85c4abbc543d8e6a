package session

import (
	"context"
	"errors"
	"heavytail/query/internal/fault"
	"sync"
)

// Cache keeps graphs and vectors in memory between calls and shares them
// between concurrent calls. What is kept and what calls hold together stay
// within the limit: to make room, it forgets what was not used for longest,
// and where calls hold too much it refuses to load. One load of the same thing
// runs at a time; others wait for it.
type Cache struct {
	Limit int64
	Keep  bool // false: forget everything as soon as no call holds it

	Mu      sync.Mutex
	Entries map[CacheKey]*CacheEntry
	bytes   int64            // of all entries, loaded or loading
	clock   uint64           // counts uses, to find the last
	Scans   map[CacheKey]int // how often what is not in memory was read in the file
}

// CacheKey names one immutable thing: a version of a graph, an attribute in a
// version of its graph, a generation of an embedding, or that matched with a
// version of its graph. Each has the moment when it was made or changed, which no
// two states of a store have in common: after a file was replaced by a backup of
// itself, its next version is another one than the version that had that number.
type CacheKey struct {
	Kind    string // "graph", "column", "embedding", "matched" or "index"
	Name    string // of an attribute or an embedding
	ID      uint64 // of a graph; when an embedding was made, as its name may be used again
	Version uint64 // of a graph; generation of an embedding
	Graph   uint64 // version of the graph that an embedding is matched with; metric of an index
	Made    int64  // when an index was made, or the version of a graph that comes into it
}

// sameObject reports whether two keys are versions of one thing.
func (k CacheKey) sameObject(other CacheKey) bool {
	if k.Kind == "index" {
		return other.Kind == "index" && k.Name == other.Name && k.Graph == other.Graph
	}
	return k.Kind == other.Kind && k.Name == other.Name && (k.Kind == "embedding" || k.Kind == "matched" || k.ID == other.ID)
}

type CacheEntry struct {
	value any
	err   error
	bytes int64
	users int           // calls that hold it
	last  uint64        // clock of the last use
	ready chan struct{} // closed when value or err is there
}

func NewCache(limit int64, keep bool) *Cache {
	return &Cache{Limit: limit, Keep: keep, Entries: map[CacheKey]*CacheEntry{}, Scans: map[CacheKey]int{}}
}

// Peek returns what key names where that is in memory. The caller does not hold it,
// so that it may be forgotten at any time.
func (c *Cache) Peek(key CacheKey) (value any, ok bool) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	entry := c.Entries[key]
	if entry == nil {
		return nil, false
	}
	select {
	case <-entry.ready:
		return entry.value, entry.err == nil
	default:
		return nil, false
	}
}

// FewScans reports whether something is not in memory and was read in the file
// less than so many times.
func (c *Cache) FewScans(key CacheKey, most int) bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Entries[key] == nil && c.Scans[key] < most
}

// CountScan notes that something was read in the file, and forgets its older
// versions.
func (c *Cache) CountScan(key CacheKey) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	for other := range c.Scans {
		if other != key && other.sameObject(key) {
			delete(c.Scans, other)
		}
	}
	c.Scans[key]++
}

// Get returns what key names, from memory (hit) or from load, and a function
// that gives it back. The bytes are what it takes in memory, what names it in
// the error of a refusal.
func (c *Cache) Get(ctx context.Context, key CacheKey, bytes int64, what string, load func(context.Context) (any, error)) (value any, release func(), hit bool, err error) {
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
func (c *Cache) claim(key CacheKey, bytes int64, what string) (entry *CacheEntry, mine bool, err error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.clock++
	if entry = c.Entries[key]; entry != nil {
		entry.users++
		entry.last = c.clock
		return entry, false, nil
	}
	for other, old := range c.Entries {
		// A newer version was asked for, so nobody will ask for the old one.
		if old.users == 0 && other.sameObject(key) {
			c.forget(other, old)
		}
	}
	if !c.makeRoom(bytes) {
		return nil, false, &fault.LimitError{
			What: what, Need: c.bytes + bytes, Limit: c.Limit, Unit: "bytes", Field: "MemoryLimit",
		}
	}
	entry = &CacheEntry{bytes: bytes, users: 1, last: c.clock, ready: make(chan struct{})}
	c.Entries[key] = entry
	c.bytes += bytes
	return entry, true, nil
}

// measure replaces the estimate of an entry by its size, where it is known: of
// texts it is known only once they are there.
func (c *Cache) measure(entry *CacheEntry) {
	sized, ok := entry.value.(interface{ Bytes() int64 })
	if !ok || entry.err != nil {
		return
	}
	bytes := sized.Bytes()
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.bytes += bytes - entry.bytes
	entry.bytes = bytes
}

// Reserve counts bytes that a call is about to allocate beside what it loaded,
// and returns a function that stops counting them.
func (c *Cache) Reserve(bytes int64, what string) (func(), error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if !c.makeRoom(bytes) {
		return nil, &fault.LimitError{
			What: what, Need: c.bytes + bytes, Limit: c.Limit, Unit: "bytes", Field: "MemoryLimit",
		}
	}
	c.bytes += bytes
	return sync.OnceFunc(func() {
		c.Mu.Lock()
		defer c.Mu.Unlock()
		c.bytes -= bytes
	}), nil
}

// makeRoom forgets unused entries, the longest unused first, until bytes more
// fit, and reports whether they do. The caller holds mu.
func (c *Cache) makeRoom(bytes int64) bool {
	for c.bytes+bytes > c.Limit {
		var oldest *CacheEntry
		var oldestKey CacheKey
		for key, entry := range c.Entries {
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
func (c *Cache) forget(key CacheKey, entry *CacheEntry) {
	delete(c.Entries, key)
	c.bytes -= entry.bytes
	if key.Kind != "embedding" {
		return
	}
	for other, matched := range c.Entries {
		if (other.Kind == "matched" || other.Kind == "index") && other.Name == key.Name && other.ID == key.ID && other.Version == key.Version && matched.users == 0 {
			c.forget(other, matched)
		}
	}
}

// release counts one user less and forgets what need not be kept.
func (c *Cache) release(key CacheKey, entry *CacheEntry) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	entry.users--
	if c.Entries[key] != entry {
		return
	}
	// A failed entry is taken out by the first who leaves, so that the next
	// call tries again; those who still wait for it have it already.
	if entry.failed() || entry.users == 0 && !c.Keep {
		c.forget(key, entry)
	}
}

// load fills the entry. It becomes ready even if loading panics: otherwise the
// calls that wait for it would wait for ever.
func (e *CacheEntry) load(ctx context.Context, load func(context.Context) (any, error)) {
	e.err = errLoad
	defer close(e.ready)
	e.value, e.err = load(ctx)
}

// failed reports whether loading has ended with an error.
func (e *CacheEntry) failed() bool {
	select {
	case <-e.ready:
		return e.err != nil
	default:
		return false
	}
}

var errLoad = errors.New("loading did not end")
