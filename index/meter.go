package index

import (
	"sync"
	"sync/atomic"
	"time"
)

// meter adds up the progress of several goroutines and reports it at most 20
// times a second, from one of them at a time.
type meter struct {
	report    func(stage string, done, total int64) // nil: no reports
	stage     string
	total     int64
	done      atomic.Int64
	mu        sync.Mutex
	last      time.Time
	announced int64
}

func newMeter(report func(stage string, done, total int64), total int64) *meter {
	return &meter{report: report, stage: "joining", total: total, last: time.Now()}
}

// begin ends a stage and begins another one, while nobody adds.
func (m *meter) begin(stage string, total int64) {
	m.finish()
	m.stage, m.total, m.announced = stage, total, 0
	m.done.Store(0)
}

// add counts n more units as done.
func (m *meter) add(n int64) {
	m.done.Add(n)
	if m.report == nil || !m.mu.TryLock() {
		return
	}
	defer m.mu.Unlock()
	const interval = 50 * time.Millisecond
	if now := time.Now(); now.Sub(m.last) >= interval {
		m.last = now
		m.announce()
	}
}

// finish reports the end. Nothing may be added after.
func (m *meter) finish() {
	if m.report != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.announce()
	}
}

func (m *meter) announce() {
	if done := m.done.Load(); done > m.announced || m.total == 0 {
		m.announced = done
		m.report(m.stage, done, m.total)
	}
}
