package memory

import (
	"errors"
	"math"
	"runtime/debug"
	"slices"
	"testing"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// A bound that is not found is ignored, and one that is too large for an int64 stays a bound.
func TestBounds(t *testing.T) {
	none := func() (uint64, error) { return 0, errors.New("none") }
	if got := bounds(none, memlimit.Limit(7), memlimit.Limit(math.MaxUint64)); !slices.Equal(got, []int64{7, math.MaxInt64}) {
		t.Error(got)
	}
}

func TestLimit(t *testing.T) {
	machine := bounds(memlimit.FromCgroup, memlimit.FromSystem)
	if len(machine) == 0 || slices.Min(machine) < 64<<20 || Limit() > slices.Min(machine) {
		t.Errorf("the limit is %d with the bounds %v", Limit(), machine)
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(400 << 20))
	if got := Limit(); got != min(300<<20, slices.Min(machine)/4*3) {
		t.Errorf("with a limit of 400 MiB of the runtime: %d", got)
	}
}
