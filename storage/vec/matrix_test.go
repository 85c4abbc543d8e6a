package vec

import (
	"testing"
	"unsafe"
)

// Large slices begin on a huge page, up to the size of an element, and all of them are as long as
// asked for, with no room behind that an append could use.
func TestZeros(t *testing.T) {
	type odd struct{ a, b, c uint64 }
	for _, n := range []int{0, 1, hugePage/24 - 1, hugePage / 24, hugePage/24 + 1, hugePage / 12, hugePage/8 + 1} {
		floats, odds := Zeros[float32](n), Zeros[odd](n)
		if len(floats) != n || len(odds) != n || n*24 >= hugePage && cap(odds) != n {
			t.Errorf("%d: lengths %d and %d, capacity %d", n, len(floats), len(odds), cap(odds))
		}
		if at := uintptr(unsafe.Pointer(unsafe.SliceData(odds))) % hugePage; n*24 >= hugePage && at >= 24 {
			t.Errorf("%d begins %d bytes after a huge page", n, at)
		}
		for i := range odds {
			if floats[i] != 0 || odds[i] != (odd{}) {
				t.Fatalf("%d: element %d is not zero", n, i)
			}
			floats[i], odds[i] = 1, odd{1, 2, 3}
		}
	}
}
