package session

import (
	"testing"
	"time"

	"heavytail/query/rows"
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
		{Statement: "IMPORT", Stage: "reading", Done: 100, Total: 1000, Unit: "bytes", Elapsed: 1 * time.Second, Rate: 0, Remaining: 0},
		{Statement: "IMPORT", Stage: "reading", Done: 300, Total: 1000, Unit: "bytes", Elapsed: 3 * time.Second, Rate: 100, Remaining: 7 * time.Second},
		{Statement: "IMPORT", Stage: "writing", Done: 0, Total: 10, Unit: "rows", Elapsed: 5 * time.Second, Rate: 0, Remaining: 0},
		{Statement: "IMPORT", Stage: "writing", Done: 5, Total: 10, Unit: "rows", Elapsed: 6 * time.Second, Rate: 5, Remaining: time.Second},
		{Statement: "IMPORT", Stage: "writing", Done: 10, Total: 10, Unit: "rows", Elapsed: 7 * time.Second, Rate: 5, Remaining: 0},
		{Statement: "IMPORT", Stage: "solving", Done: 3, Total: 0, Unit: "coordinates", Elapsed: 9 * time.Second, Rate: 0, Remaining: 0},
		{Statement: "IMPORT", Stage: "solving", Done: 4, Total: 0, Unit: "coordinates", Elapsed: 11 * time.Second, Rate: 0.5, Remaining: 0},
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
