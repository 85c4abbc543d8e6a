package session

import (
	"cmp"
	"strings"
	"sync"
	"time"

	"heavytail/query/rows"
)

// unitOf names the unit that a stage of a lower package counts.
func unitOf(stage string) string {
	stage, _, _ = strings.Cut(stage, ":")
	return cmp.Or(map[string]string{
		"reading": "bytes", "copying": "bytes", "saving a checkpoint": "bytes", "nearest": "vertices", "predicting": "vertices", "multiplying": "vertices",
		"placing": "passes", "joining": "pairs", "writing": "rows", "checking": "objects", "solving": "coordinates", "counting": "edges", "bootstrapping": "data sets",
	}[stage], "steps")
}

// meter turns the bare counts of one call's stages into Progress values with
// rate and remaining time. Rates are measured over the whole stage: a stage
// does one kind of work, and a rate over a short time would make the
// remaining time jump.
type meter struct {
	statement string
	Report    func(rows.Progress)
	Now       func() time.Time

	mu      sync.Mutex          // guards the following fields, because stages may report from several goroutines
	also    func(rows.Progress) // receives progress as well; may be nil
	began   time.Time           // start of the statement
	stage   string
	entered time.Time // start of the stage
	first   int64     // units already done when the stage was first reported
	last    int64     // units done at the last report
}

// NewMeter starts the clock of one call. A nil report makes a meter that does
// nothing.
func NewMeter(statement string, report func(rows.Progress), now func() time.Time) *meter {
	return &meter{statement: statement, Report: report, Now: now, began: now()}
}

// Update reports a stage to the caller. It has the signature of the Progress
// callbacks of all packages below.
func (m *meter) Update(stage string, done, total int64) {
	m.UpdateUnit(stage, unitOf(stage), done, total)
}

// UpdateUnit is update for a stage that counts different units than its name says.
func (m *meter) UpdateUnit(stage, unit string, done, total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.Report == nil && m.also == nil {
		return
	}
	now := m.Now()
	// The text after a colon changes between reports of one stage.
	name, _, _ := strings.Cut(stage, ":")
	if name != m.stage || done < m.last {
		// A stage whose count decreases has begun again, as the passes of a
		// sweep do.
		m.stage, m.entered, m.first = name, now, done
	}
	m.last = done
	p := rows.Progress{
		Statement: m.statement, Stage: stage, Done: done, Total: total,
		Unit: unit, Elapsed: now.Sub(m.began),
	}
	if spent := now.Sub(m.entered).Seconds(); spent > 0 && done > m.first {
		p.Rate = float64(done-m.first) / spent
		if total > done {
			p.Remaining = time.Duration(float64(total-done) / p.Rate * float64(time.Second))
		}
	}
	if m.also != nil {
		m.also(p)
	}
	if m.Report != nil {
		m.Report(p)
	}
}

// Watch passes all progress to f as well, until f is nil.
func (m *meter) Watch(f func(rows.Progress)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.also = f
}
