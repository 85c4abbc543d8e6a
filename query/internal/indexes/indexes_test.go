package indexes

import (
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/vec"
)

// changedRows agrees with comparing all values.
func TestChangedRows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	before, after := vec.NewMatrix(50, 3), vec.NewMatrix(60, 3)
	for i := range before.Data {
		before.Data[i] = random.Float32()
	}
	copy(after.Data, before.Data)
	var want []uint32
	for v := uint32(0); v < 50; v += 1 + uint32(random.IntN(5)) {
		after.Row(int(v))[random.IntN(3)] = -1
		want = append(want, v)
	}
	if got := changedRows(before, after); !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}
