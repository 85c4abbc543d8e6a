//go:build !purego

package vec

import "unsafe"

// available lists the kinds that this processor can run, slowest first. Every
// arm64 processor that Go supports has NEON.
func available() []kind { return []kind{portable, neon} }

func dot(k kind, a, b []float32) float32 {
	if k == neon {
		return dotNEON(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	}
	return dotGo(a, b)
}

func l2Squared(k kind, a, b []float32) float32 {
	if k == neon {
		return l2SquaredNEON(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	}
	return l2SquaredGo(a, b)
}

func pairSum(k kind, w, v, a, b []float32) float32 {
	if k == neon {
		return pairSumNEON(unsafe.SliceData(w), unsafe.SliceData(v), unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	}
	return pairSumGo(w, v, a, b)
}

func axpy(k kind, alpha float32, x, y []float32) {
	if k == neon {
		axpyNEON(alpha, unsafe.SliceData(x), unsafe.SliceData(y), len(x))
		return
	}
	axpyGo(alpha, x, y)
}

func dot64(k kind, a, b []float64) float64 {
	if k == neon {
		return dot64NEON(unsafe.SliceData(a), unsafe.SliceData(b), len(a))
	}
	return dotGo(a, b)
}

func axpy64(k kind, alpha float64, x, y []float64) {
	if k == neon {
		axpy64NEON(alpha, unsafe.SliceData(x), unsafe.SliceData(y), len(x))
		return
	}
	axpyGo(alpha, x, y)
}

func rot64(k kind, x, y []float64, c, s float64) {
	if k == neon {
		rot64NEON(unsafe.SliceData(x), unsafe.SliceData(y), len(x), c, s)
		return
	}
	rot64Go(x, y, c, s)
}

func stepRow(k kind, y, sum, once, scaled, x *[16]float32, d, s, beta, gamma float32) {
	if k == neon {
		stepRowNEON(y, sum, once, scaled, x, d, s, beta, gamma)
		return
	}
	stepRowGo(y, sum, once, scaled, x, d, s, beta, gamma)
}

func gatherSum(k kind, dst, x []float32, stride int, idx []uint32) bool {
	if k == portable || len(idx) == 0 || len(x) < len(dst) || stride > maxGatherStride {
		return gatherSumGo(dst, x, stride, idx)
	}
	const cols = 16
	lo := 0
	for ; lo+cols <= len(dst); lo += cols {
		last := uintptr(len(x)-len(dst)) * 4
		if !gather16NEON(&dst[lo], &x[lo], uintptr(stride)*4, last, unsafe.SliceData(idx), len(idx), cap(idx)) {
			return false
		}
	}
	if lo < len(dst) {
		return gatherSumGo(dst[lo:], x[lo:], stride, idx)
	}
	return true
}

func tile(k kind, c *[TileRows * TileCols]float32, add bool, n int, a []float32, rowStep, kStep int, b []float32, _ fetch) {
	if k == neon {
		tileNEON(&c[0], add, n, unsafe.SliceData(a), uintptr(rowStep)*4, uintptr(kStep)*4, unsafe.SliceData(b))
		return
	}
	tileGo(c, add, n, a, rowStep, kStep, b)
}

func tileWithin(k kind, mask *[TileRows]uint32, c *[TileRows * TileCols]float32, rowNorms *[TileRows]float32, colNorms *[TileCols]float32, limit float32) bool {
	if k == neon {
		return tileWithinNEON(&mask[0], &c[0], &rowNorms[0], &colNorms[0], limit)
	}
	return tileWithinGo(mask, c, rowNorms, colNorms, limit)
}

func tileAdd64(k kind, acc *[TileRows * TileCols]float64, c *[TileRows * TileCols]float32) {
	if k == neon {
		tileAdd64NEON(&acc[0], &c[0])
		return
	}
	tileAdd64Go(acc, c)
}

func tileStore(k kind, y []float32, stride, rows, cols int, beta, alpha float32, c *[TileRows * TileCols]float32) {
	if k == neon {
		tileStoreNEON(unsafe.SliceData(y), uintptr(stride)*4, rows, cols, beta, alpha, &c[0])
		return
	}
	tileStoreGo(y, stride, rows, cols, beta, alpha, c)
}
