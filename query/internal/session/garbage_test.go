package session

import "testing"

// Garbage is all of a small heap, then 16 MiB, a fifth, 128 MiB and a twentieth, and never less in a larger heap.
func TestGarbage(t *testing.T) {
	t.Parallel()
	const mib = 1 << 20
	for used, want := range map[int64]int64{0: 0, 1000: 1000, 8 * mib: 8 * mib, 40 * mib: 16 * mib, 100 * mib: 20 * mib, 640 * mib: 128 * mib, 2000 * mib: 128 * mib, 4000 * mib: 200 * mib} {
		if got := Garbage(used); got != want {
			t.Errorf("%d bytes: %d of garbage, expected %d", used, got, want)
		}
	}
	last := int64(0)
	for used := int64(1); used < 1<<40; used += used/3 + 1 {
		now := Garbage(used)
		if now < last || now > used {
			t.Errorf("%d bytes: %d of garbage, after %d of a smaller heap", used, now, last)
		}
		last = now
	}
	if got := WithGarbage(100*mib, 50*mib); got != 80*mib {
		t.Errorf("50 MiB beside 100: %d", got/mib)
	}
}
