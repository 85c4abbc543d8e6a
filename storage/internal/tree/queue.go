package tree

import (
	"slices"
	"sync"
)

// Queue has the calls that wait for the writer and that another call may take over, in the order of their arrival.
type Queue struct {
	mu    sync.Mutex
	calls []any
}

// Add adds a call.
func (q *Queue) Add(call any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls = append(q.calls, call)
}

// Remove removes a call, and reports whether it was there: nobody has taken it.
func (q *Queue) Remove(call any) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.Index(q.calls, call)
	if i >= 0 {
		q.calls = slices.Delete(q.calls, i, i+1)
	}
	return i >= 0
}

// Take removes the first calls and returns them.
func (q *Queue) Take(most int) []any {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(most, len(q.calls))
	calls := slices.Clone(q.calls[:n])
	q.calls = slices.Delete(q.calls, 0, n)
	return calls
}

// Len returns the number of calls.
func (q *Queue) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.calls)
}
