package session

import (
	"context"
	"errors"
	"sync"

	"heavytail/query/fault"
	"heavytail/storage"
)

// Cache keeps graphs and vectors in memory between calls and shares them
// between concurrent calls. Cached entries and the entries that calls use stay
// within the limit together: to make room, the cache drops the entries that
// have not been used for the longest time, and if calls use too much, it
// refuses to load. An object is loaded once at a time; other calls wait for
// that load.
type Cache struct {
	Limit int64
	Keep  bool // false: drop every entry as soon as no call uses it

	Mu      sync.Mutex
	Entries map[CacheKey]*CacheEntry
	bytes   int64            // of all entries, loaded or loading
	clock   uint64           // counts uses, to order entries by their last use
	Scans   map[CacheKey]int // cost of the searches in the file of an object that is not in memory
}

// CacheKey identifies one immutable object: a version of a graph, an attribute in
// a version of its graph, a generation of an embedding, or a generation matched
// with a version of its graph. Each key has the time when the object was made or
// changed, because version numbers are not enough: after a file was replaced by a
// backup of itself, its next version differs from the version that had the same
// number before.
type CacheKey struct {
	Kind    string // "graph", "column", "embedding", "matched" or "index"
	Name    string // name of an attribute or an embedding
	ID      uint64 // number of a graph; for an embedding the time when it was made, because its name may be used again
	Version uint64 // version of a graph; generation of an embedding
	Graph   uint64 // version of the graph that an embedding is matched with; metric of an index
	Made    int64  // time when an index or a version of a graph was made
}

// sameObject reports whether two keys are versions of the same object.
func (k CacheKey) sameObject(other CacheKey) bool {
	if k.Kind == "index" {
		return other.Kind == "index" && k.Name == other.Name && k.Graph == other.Graph
	}
	return k.Kind == other.Kind && k.Name == other.Name && (k.Kind == "embedding" || k.Kind == "matched" || k.ID == other.ID)
}

// CacheEntry is an object in a Cache, or one that is being loaded.
type CacheEntry struct {
	value any
	err   error
	bytes int64
	users int           // number of calls that use it
	last  uint64        // clock of the last use
	ready chan struct{} // closed when value or err is set
}

// NewCache returns an empty cache of limit bytes. With keep, objects that no call uses stay in memory.
func NewCache(limit int64, keep bool) *Cache {
	return &Cache{Limit: limit, Keep: keep, Entries: map[CacheKey]*CacheEntry{}, Scans: map[CacheKey]int{}}
}

// Peek returns the object of a key if it is in memory. It does not count as a use,
// so the cache may drop the object at any time.
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

// FewScans reports whether an object is not in memory and its searches in the file
// have cost less than most.
func (c *Cache) FewScans(key CacheKey, most int) bool {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	return c.Entries[key] == nil && c.Scans[key] < most
}

// CountScan records the cost of a search of an object in the file, and removes those
// of its older versions.
func (c *Cache) CountScan(key CacheKey, cost int) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	for other := range c.Scans {
		if other != key && other.sameObject(key) {
			delete(c.Scans, other)
		}
	}
	c.Scans[key] += cost
}

// Get returns the object of a key, from memory (hit) or from load, and a
// function that releases it. bytes is the memory that it takes, and what is
// its name in the error of a refusal.
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
		// If the load was cancelled by its own caller, or its caller began it too late for the
		// version of the key, this call tries again: its own load may have the version already.
		theirs := errors.Is(entry.err, context.Canceled) || errors.Is(entry.err, context.DeadlineExceeded) || errors.Is(entry.err, storage.ErrConflict)
		if mine || !theirs {
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
		// A newer version was requested, so the old one will not be requested
		// again.
		if old.users == 0 && other.sameObject(key) {
			c.forget(other, old)
		}
	}
	if err := c.makeRoom(bytes, what); err != nil {
		return nil, false, err
	}
	entry = &CacheEntry{bytes: bytes, users: 1, last: c.clock, ready: make(chan struct{})}
	c.Entries[key] = entry
	c.bytes += bytes
	return entry, true, nil
}

// measure replaces the estimate of an entry by its exact size, if it is known.
// The size of texts is known only after loading.
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

// Reserve counts bytes that a call is about to allocate in addition to the
// objects that it loaded, and returns a function that releases them.
func (c *Cache) Reserve(bytes int64, what string) (func(), error) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	if err := c.makeRoom(bytes, what); err != nil {
		return nil, err
	}
	c.bytes += bytes
	return sync.OnceFunc(func() {
		c.Mu.Lock()
		defer c.Mu.Unlock()
		c.bytes -= bytes
	}), nil
}

// ReserveWork is Reserve for work of so many bytes at a time that leaves garbage: it also counts that
// of a heap in which they and all that is counted now are in use.
func (c *Cache) ReserveWork(bytes int64, what string) (func(), error) {
	c.Mu.Lock()
	beside := c.bytes
	c.Mu.Unlock()
	return c.Reserve(WithGarbage(beside, bytes), what)
}

// Hold counts bytes that the program takes for as long as the cache exists.
func (c *Cache) Hold(bytes int64) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	c.bytes += bytes
}

// Room returns how many bytes of the limit are free. If that is less than half, it drops entries that
// no call uses, the longest unused first.
func (c *Cache) Room() int64 {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	_ = c.makeRoom(c.Limit/2, "") // what calls use may leave less
	return max(c.Limit-c.bytes, 0)
}

// makeRoom drops unused entries, the longest unused first, until the given
// bytes fit, and returns a LimitError if they do not. The caller holds mu.
func (c *Cache) makeRoom(bytes int64, what string) error {
	for c.bytes+bytes > c.Limit {
		var oldest *CacheEntry
		var oldestKey CacheKey
		for key, entry := range c.Entries {
			if entry.users == 0 && (oldest == nil || entry.last < oldest.last) {
				oldest, oldestKey = entry, key
			}
		}
		if oldest == nil {
			return &fault.LimitError{What: what, Need: c.bytes + bytes, Limit: c.Limit, Unit: "bytes", Field: "MemoryLimit"}
		}
		c.forget(oldestKey, oldest)
	}
	return nil
}

// forget drops an entry. With an embedding it also drops the matched embedding and the
// indexes, which refer to the vectors without counting their memory. No call uses these,
// because a call that does also uses the embedding. The caller holds mu.
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

// release decrements the number of users, and drops the entry if it need not be
// kept.
func (c *Cache) release(key CacheKey, entry *CacheEntry) {
	c.Mu.Lock()
	defer c.Mu.Unlock()
	entry.users--
	if c.Entries[key] != entry {
		return
	}
	// The first call that releases a failed entry removes it, so that the
	// next call tries again; calls that still wait already have the entry.
	if entry.failed() || entry.users == 0 && !c.Keep {
		c.forget(key, entry)
	}
}

// load fills the entry. It becomes ready even if loading panics: otherwise the
// calls that wait for it would wait forever.
func (e *CacheEntry) load(ctx context.Context, load func(context.Context) (any, error)) {
	e.err = errLoad
	defer close(e.ready)
	e.value, e.err = load(ctx)
}

func (e *CacheEntry) failed() bool {
	select {
	case <-e.ready:
		return e.err != nil
	default:
		return false
	}
}

var errLoad = errors.New("loading did not end")
