package plan

import (
	"testing"
	"time"
)

func TestStopwatch_MeasuresByTheClock(t *testing.T) {
	clock := time.Unix(0, 0)
	w := NewStopwatch(func() time.Time { return clock })
	stop := w.Start("step")
	clock = clock.Add(1500 * time.Millisecond)
	stop(7, "note")
	if got := w.measured["step"]; got != (measurement{7, 1.5, "note"}) {
		t.Errorf("%+v", got)
	}
}
