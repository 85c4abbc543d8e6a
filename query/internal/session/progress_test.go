package session

import (
	"heavytail/query/rows"
	"testing"
	"time"
)

func TestMeter_RateAndRemaining(t *testing.T) {
	clock := time.Unix(0, 0)
	var got []rows.Progress
	m := NewMeter("IMPORT", func(p rows.Progress) { got = append(got, p) }, func() time.Time { return clock })
	at := func(seconds int, stage string, done, total int64) {
		clock = time.Unix(int64(seconds), 0)
		m.Update(stage, done, total)
	}
	at(1, "reading", 100, 1000) // the rate is not known yet
	at(3, "reading", 300, 1000) // 200 in 2 s
	at(5, "writing", 0, 10)
	at(6, "writing", 5, 10)
	at(7, "writing", 10, 10)
	at(9, "solving", 3, 0)
	at(11, "solving", 4, 0)
	want := []rows.Progress{
		{"IMPORT", "reading", 100, 1000, "bytes", 1 * time.Second, 0, 0},
		{"IMPORT", "reading", 300, 1000, "bytes", 3 * time.Second, 100, 7 * time.Second},
		{"IMPORT", "writing", 0, 10, "rows", 5 * time.Second, 0, 0},
		{"IMPORT", "writing", 5, 10, "rows", 6 * time.Second, 5, time.Second},
		{"IMPORT", "writing", 10, 10, "rows", 7 * time.Second, 5, 0},
		{"IMPORT", "solving", 3, 0, "coordinates", 9 * time.Second, 0, 0},
		{"IMPORT", "solving", 4, 0, "coordinates", 11 * time.Second, 0.5, 0},
	}
	if len(got) != len(want) {
		t.Fatalf("%d reports, expected %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("report %d: %+v, expected %+v", i, got[i], want[i])
		}
	}
}

// A stage that starts again, like the passes of a sweep, is measured from the beginning.
func TestMeter_StageAgain(t *testing.T) {
	clock := time.Unix(0, 0)
	var last rows.Progress
	m := NewMeter("RECONSTRUCT", func(p rows.Progress) { last = p }, func() time.Time { return clock })
	for pass := range 3 {
		for i := range 11 {
			clock = clock.Add(time.Second << pass)
			m.Update("joining", int64(i), 10)
		}
		if want := 1 / float64(int(1)<<pass); last.Rate != want {
			t.Errorf("pass %d: rate %v, expected %v", pass, last.Rate, want)
		}
	}
}
