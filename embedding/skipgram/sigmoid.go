package skipgram

import "math"

// The logistic function and its logarithm are read from tables: a pair needs
// one value for every node of a path, and the table is off by at most 4e-4,
// which is far below the noise of a step.
const (
	maxProduct = 6
	tableSize  = 4096
)

type tables struct {
	sigmoid [tableSize]float32
	loss    [tableSize]float32 // −ln σ
}

func newTables() *tables {
	t := new(tables)
	for i := range t.sigmoid {
		x := (float64(i)+0.5)/tableSize*2*maxProduct - maxProduct
		t.sigmoid[i] = float32(1 / (1 + math.Exp(-x)))
		t.loss[i] = float32(math.Log1p(math.Exp(-x)))
	}
	return t
}

// at is the place of x in the tables, and whether x is inside of them.
func at(x float32) (int, bool) {
	if !(x > -maxProduct && x < maxProduct) {
		return 0, false
	}
	return min(int((x+maxProduct)*(tableSize/(2.0*maxProduct))), tableSize-1), true
}
