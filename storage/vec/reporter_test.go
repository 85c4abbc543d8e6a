package vec

import "testing"

// Reports of many goroutines are passed on one at a time in ascending order, and end with the
// total.
func TestReporter(t *testing.T) {
	const total = 10_000
	var seen []int64 // without a lock: the race detector finds concurrent calls
	report := Reporter(func(stage string, done, all int64) {
		if stage != "counting" || all != total {
			t.Errorf("%s, %d of %d", stage, done, all)
		}
		seen = append(seen, done)
	}, "counting", total)
	Parallel(total, 100, 4, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			report(int64(i + 1))
		}
	})
	report(total) // is not reported twice
	if len(seen) == 0 || seen[len(seen)-1] != total {
		t.Fatalf("reported %v", seen)
	}
	for i := 1; i < len(seen); i++ {
		if seen[i] <= seen[i-1] {
			t.Errorf("%d after %d", seen[i], seen[i-1])
		}
	}
	Reporter(nil, "counting", 1)(1)
}
