package lists

import (
	"cmp"
	"math"
	"slices"
	"testing"
)

// A list is sorted only when it is longer than the limit makes it, whatever the limit.
func TestKept(t *testing.T) {
	list := make([]int, 3000)
	for i := range list {
		list[i] = len(list) - i
	}
	for _, limit := range []int{0, 1000, math.MaxInt/2 + 1, math.MaxInt} {
		if got := Kept(slices.Clone(list), limit, cmp.Compare[int]); !slices.Equal(got, list) {
			t.Errorf("with the limit %d: %d entries, or another order", limit, len(got))
		}
	}
	if got := Kept(slices.Clone(list), 2, cmp.Compare[int]); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("with the limit 2: %v", got)
	}
}
