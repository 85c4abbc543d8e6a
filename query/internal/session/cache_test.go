package session

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"heavytail/query/fault"
	"heavytail/storage"
)

func load(value any) func(context.Context) (any, error) {
	return func(context.Context) (any, error) { return value, nil }
}

func mustGet(t *testing.T, c *Cache, key CacheKey, bytes int64, value any) (got any, release func(), hit bool) {
	t.Helper()
	got, release, hit, err := c.Get(context.Background(), key, bytes, "it", load(value))
	if err != nil {
		t.Fatal(err)
	}
	return got, release, hit
}

func key(id, version uint64) CacheKey { return CacheKey{Kind: "graph", ID: id, Version: version} }

func TestCache_SharesAndForgets(t *testing.T) {
	c := NewCache(100, true)
	a, release, hit := mustGet(t, c, key(1, 1), 40, "a")
	if a != "a" || hit {
		t.Errorf("first get: %v, hit %v", a, hit)
	}
	release()
	release() // releasing it a second time does nothing
	if a, release, hit := mustGet(t, c, key(1, 1), 40, "other"); a != "a" || !hit {
		t.Errorf("second get: %v, hit %v", a, hit)
	} else {
		release()
	}
	_, releaseB, _ := mustGet(t, c, key(2, 1), 40, "b")
	releaseB()
	// The least recently used entry is evicted to make room for a third.
	_, releaseC, _ := mustGet(t, c, key(3, 1), 40, "c")
	releaseC()
	if _, release, hit := mustGet(t, c, key(2, 1), 40, "b"); !hit {
		t.Error("the entry used last was forgotten")
	} else {
		release()
	}
	if _, ok := c.Entries[key(1, 1)]; ok {
		t.Error("the oldest entry was kept")
	}
	if c.bytes != 80 {
		t.Errorf("%d bytes in use", c.bytes)
	}
}

func TestCache_NewVersionReplacesOld(t *testing.T) {
	c := NewCache(100, true)
	_, release, _ := mustGet(t, c, key(1, 1), 40, "old")
	_, release2, _ := mustGet(t, c, key(1, 2), 40, "new")
	release()
	release2()
	_, release3, _ := mustGet(t, c, key(1, 3), 10, "newest")
	release3()
	if len(c.Entries) != 1 || c.bytes != 10 {
		t.Errorf("%d entries, %d bytes", len(c.Entries), c.bytes)
	}
}

// A matched embedding shares the vectors of its embedding and counts no memory for them, so
// it must not stay longer in the cache.
func TestCache_ForgetsWhatIsMatched(t *testing.T) {
	c := NewCache(100, true)
	embedding := CacheKey{Kind: "embedding", Name: "e", ID: 1, Version: 1}
	matched, another := embedding, embedding
	matched.Kind, matched.Graph = "matched", 7
	another.Kind, another.Name = "matched", "f"
	_, release, _ := mustGet(t, c, embedding, 80, "vectors")
	_, release2, _ := mustGet(t, c, matched, 0, "the same vectors")
	_, release3, _ := mustGet(t, c, another, 10, "others")
	release3()
	release2()
	release()
	_, release4, _ := mustGet(t, c, key(1, 1), 50, "a graph")
	defer release4()
	if c.Entries[matched] != nil || c.Entries[another] == nil || c.bytes != 60 {
		t.Errorf("%d entries, %d bytes", len(c.Entries), c.bytes)
	}
}

func TestCache_RefusesWhatDoesNotFit(t *testing.T) {
	c := NewCache(100, true)
	_, _, _, err := c.Get(context.Background(), key(1, 1), 101, "a big graph", load(1))
	var limit *fault.LimitError
	if !errors.As(err, &limit) || limit.Need != 101 || limit.Limit != 100 || !errors.Is(err, fault.ErrLimit) {
		t.Errorf("too large alone: %v", err)
	}
	_, release, _ := mustGet(t, c, key(1, 1), 60, "held")
	if _, _, _, err := c.Get(context.Background(), key(2, 1), 60, "another", load(2)); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("too large beside what is held: %v", err)
	}
	if _, err := c.Reserve(41, "a result"); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("a reservation too large: %v", err)
	}
	free, err := c.Reserve(40, "a result")
	if err != nil {
		t.Fatal(err)
	}
	free()
	release()
	_, release, _ = mustGet(t, c, key(2, 1), 60, "another")
	release()
	if c.bytes != 60 {
		t.Errorf("%d bytes in use", c.bytes)
	}
}

// Work that leaves garbage is refused where what is in use at a time would still fit.
func TestCache_ReserveWork(t *testing.T) {
	t.Parallel()
	c := NewCache(100, true)
	free, err := c.ReserveWork(50, "work") // as much garbage
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Reserve(1, "a result"); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("beside the garbage: %v", err)
	}
	free()
	if _, err := c.ReserveWork(51, "work"); !errors.Is(err, fault.ErrLimit) {
		t.Errorf("51 bytes and garbage, of 100: %v", err)
	}
}

func TestCache_KeepsNothingIfOff(t *testing.T) {
	c := NewCache(100, false)
	_, release, _ := mustGet(t, c, key(1, 1), 40, "a")
	_, release2, hit := mustGet(t, c, key(1, 1), 40, "b")
	if !hit {
		t.Error("what a call holds is not shared")
	}
	release()
	release2()
	if len(c.Entries) != 0 || c.bytes != 0 {
		t.Errorf("%d entries, %d bytes", len(c.Entries), c.bytes)
	}
}

func TestCache_LoadsOnce(t *testing.T) {
	c := NewCache(100, true)
	var loads atomic.Int32
	begun, proceed := make(chan struct{}), make(chan struct{})
	slow := func(context.Context) (any, error) {
		loads.Add(1)
		close(begun)
		<-proceed
		return "a", nil
	}
	var wg sync.WaitGroup
	get := func() {
		defer wg.Done()
		if _, release, _, err := c.Get(context.Background(), key(1, 1), 40, "it", slow); err != nil {
			t.Error(err)
		} else {
			release()
		}
	}
	wg.Add(1)
	go get()
	<-begun
	for range 7 {
		wg.Add(1)
		go get()
	}
	// A caller whose context ends does not wait for the others.
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, _, err := c.Get(ctx, key(1, 1), 40, "it", slow); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(proceed)
	wg.Wait()
	if loads.Load() != 1 {
		t.Errorf("%d loads", loads.Load())
	}
}

// A load that its own caller cancelled, or began too late for the version, is repeated for the
// callers that wait; any other failure is returned to all of them. None stays in the cache.
func TestCache_FailedLoads(t *testing.T) {
	disk := errors.New("disk")
	for _, failure := range []error{context.Canceled, storage.ErrConflict, disk} {
		c := NewCache(100, true)
		begun, proceed := make(chan struct{}), make(chan struct{})
		done := make(chan error, 2)
		go func() {
			_, _, _, err := c.Get(context.Background(), key(1, 1), 40, "it", func(context.Context) (any, error) {
				close(begun)
				<-proceed
				return nil, failure
			})
			done <- err
		}()
		<-begun
		waiting := make(chan struct{})
		var second error
		go func() {
			close(waiting)
			_, release, _, err := c.Get(context.Background(), key(1, 1), 40, "it", load("a"))
			if err == nil {
				release()
			}
			second = err
			done <- nil
		}()
		<-waiting
		close(proceed)
		first := <-done
		if other := <-done; first == nil {
			first = other
		}
		if !errors.Is(first, failure) {
			t.Errorf("the caller of the failed load: %v", first)
		}
		// The second either joined the failed load or came after it.
		if second != nil && (failure != disk || !errors.Is(second, failure)) {
			t.Errorf("after %v, who waited: %v", failure, second)
		}
		_, release, _ := mustGet(t, c, key(1, 1), 40, "a")
		release()
		if c.bytes != 40 {
			t.Errorf("%d bytes in use", c.bytes)
		}
	}
}

func TestCache_PanickingLoadIsReady(t *testing.T) {
	c := NewCache(100, true)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		c.Get(context.Background(), key(1, 1), 40, "it", func(context.Context) (any, error) { panic("broken") })
	}()
	if entry := c.Entries[key(1, 1)]; entry != nil && !entry.failed() {
		t.Error("others would wait for ever")
	}
}

// sized is a value with a known size.
type sized int64

func (s sized) Bytes() int64 { return int64(s) }

func TestCache_MeasuresValuesOfKnownSize(t *testing.T) {
	c := NewCache(100, true)
	_, release, _ := mustGet(t, c, key(1, 1), 40, sized(90))
	if c.bytes != 90 {
		t.Errorf("%d bytes in use, expected 90", c.bytes)
	}
	release()
	_, release, _ = mustGet(t, c, key(2, 1), 20, "other")
	defer release()
	if c.bytes != 20 {
		t.Errorf("%d bytes in use, expected the first entry forgotten and 20", c.bytes)
	}
}
