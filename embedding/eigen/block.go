package eigen

import (
	"math"
	"math/rand/v2"

	"heavytail/storage/vec"
)

// Width is the number of columns of the blocks that an operator multiplies. A
// row of a block is one cache line, the smallest unit that a sparse product
// can read per neighbour.
const Width = 16

// rowBlock is the number of rows that one worker takes at a time where a row costs little.
const rowBlock = 2048

// basisColumns is the size m of the basis for k wanted pairs. A larger basis needs fewer
// restarts, but each product costs more orthogonalisation, which is proportional to m, and each
// restart a larger dense problem. For k = 200, the times for m = 336 to 384 differ by a tenth on
// most graphs; for k = 64, m = 144 took up to a fifth more products than 160, on paths, rings and grids.
func basisColumns(k int) int {
	m := k + k/2 + 4*Width
	return max((m+Width-1)/Width*Width, 8*Width)
}

// keepShare is the percentage of the unwanted Ritz vectors that a restart
// keeps: more save products, fewer save restarts.
const keepShare = 15

// keepColumns is the number of Ritz vectors that a restart keeps.
func keepColumns(k int) int { return k + (basisColumns(k)-k)*keepShare/100 }

func copyBlock(dst, src vec.Panel, workers int) {
	vec.Parallel(dst.Rows, rowBlock, workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			copy(dst.Data[i*dst.Stride:][:dst.Cols], src.Data[i*src.Stride:][:src.Cols])
		}
	})
}

// fillRandom sets every element to a value from [-1, 1).
func fillRandom(x []float32, r *rand.Rand) {
	for i := range x {
		x[i] = 2*r.Float32() - 1
	}
}

// columns returns the columns [lo, hi) of a panel.
func columns(p vec.Panel, lo, hi int) vec.Panel {
	if p.Rows > 0 {
		p.Data = p.Data[lo:]
	}
	p.Cols = hi - lo
	return p
}

// copyUnit copies columns, divided by their lengths; columns of zeros stay so.
func copyUnit(dst, src vec.Panel) {
	squares := make([]float64, src.Cols)
	for i := range src.Rows {
		for j, x := range src.Data[i*src.Stride:][:src.Cols] {
			squares[j] += float64(x) * float64(x)
		}
	}
	by := make([]float32, src.Cols)
	for j, s := range squares {
		if s > 0 {
			by[j] = float32(1 / math.Sqrt(s))
		}
	}
	for i := range src.Rows {
		to := dst.Data[i*dst.Stride:]
		for j, x := range src.Data[i*src.Stride:][:src.Cols] {
			to[j] = x * by[j]
		}
	}
}
