package vec

import "math"

// The portable kernels: used on every processor without assembly, and as the
// reference of the tests of the assembly.

// dotGo keeps four sums, because a single sum would wait for the previous
// addition in each step.
func dotGo[T float32 | float64](a, b []T) T {
	b = b[:len(a)]
	var s0, s1, s2, s3 T
	i := 0
	for ; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	for ; i < len(a); i++ {
		s0 += a[i] * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

func l2SquaredGo(a, b []float32) float32 {
	b = b[:len(a)]
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(a); i += 4 {
		d0, d1, d2, d3 := a[i]-b[i], a[i+1]-b[i+1], a[i+2]-b[i+2], a[i+3]-b[i+3]
		s0 += d0 * d0
		s1 += d1 * d1
		s2 += d2 * d2
		s3 += d3 * d3
	}
	for ; i < len(a); i++ {
		d := a[i] - b[i]
		s0 += d * d
	}
	return (s0 + s1) + (s2 + s3)
}

func pairSumGo(w, v, a, b []float32) float32 {
	w, v, b = w[:len(a)], v[:len(a)], b[:len(a)]
	var products, differences float32
	for i, x := range a {
		y := b[i]
		products += w[i] * (x * y)
		differences += v[i] * max(x-y, y-x)
	}
	return products + differences
}

func axpyGo[T float32 | float64](alpha T, x, y []T) {
	y = y[:len(x)]
	for i, v := range x {
		y[i] += alpha * v
	}
}

func rot64Go(x, y []float64, c, s float64) {
	y = y[:len(x)]
	for i, v := range x {
		w := y[i]
		x[i] = c*v + s*w
		y[i] = c*w - s*v
	}
}

func stepRowGo(y, sum, once, scaled, x *[16]float32, d, s, beta, gamma float32) {
	for j := range y {
		t := sum[j] + float32(once[j]-float32(d*scaled[j]))
		next := float32(s*t) + float32(beta*x[j])
		if gamma != 0 {
			next += float32(gamma * y[j])
		}
		y[j] = next
	}
}

// gatherSumGo adds entry i of the list to sum i mod 4, as every kind does, so
// that GatherSum has the same bits everywhere. It reports whether all indices
// were inside x.
func gatherSumGo(dst, x []float32, stride int, idx []uint32) bool {
	limit := rowsIn(len(x), len(dst), stride)
	const chunk = 32 // columns a turn: the four sums stay in the first-level cache
	for lo := 0; lo < len(dst); lo += chunk {
		w := min(len(dst)-lo, chunk)
		var sums [4][chunk]float32
		for i, v := range idx {
			if int64(v) >= limit {
				return false
			}
			s := sums[i&3][:w]
			row := x[int(v)*stride+lo:][:w]
			for j, r := range row {
				s[j] += r
			}
		}
		for j := range w {
			dst[lo+j] = (sums[0][j] + sums[1][j]) + (sums[2][j] + sums[3][j])
		}
	}
	return true
}

// rowsIn returns how many rows of the given width a strided block of n
// elements holds.
func rowsIn(n, width, stride int) int64 {
	if n < width {
		return 0
	}
	if stride == 0 {
		return 1 << 32
	}
	return int64((n-width)/stride) + 1
}

func tileGo(c *[TileRows * TileCols]float32, add bool, k int, a []float32, rowStep, kStep int, b []float32) {
	if !add {
		clear(c[:])
	}
	for l := range k {
		bl := (*[TileCols]float32)(b[l*TileCols:])
		for i := range TileRows {
			v := a[i*rowStep+l*kStep]
			ci := (*[TileCols]float32)(c[i*TileCols:])
			for j, w := range bl {
				ci[j] += v * w
			}
		}
	}
}

func tileTallGo(c *[TileRows * TileCols]float32, add bool, k int, a, second []float32, rowStep, kStep int, b []float32) {
	if !add {
		clear(c[:])
	}
	for l := range k {
		bl := (*[tallCols]float32)(b[l*tallCols:])
		for i := range TileRows {
			for half, rows := range [2][]float32{a, second} {
				v := rows[i*rowStep+l*kStep]
				ci := (*[tallCols]float32)(c[i*TileCols+half*tallCols:])
				for j, w := range bl {
					ci[j] += v * w
				}
			}
		}
	}
}

func tileStoreHalfGo(y []float32, stride, rows int, beta, alpha float32, c []float32) {
	for i := range rows {
		yi := y[i*stride:][:tallCols]
		for j, v := range c[i*TileCols:][:tallCols] {
			if beta == 0 {
				yi[j] = alpha * v
			} else {
				yi[j] = beta*yi[j] + alpha*v
			}
		}
	}
}

func tileBytesGo(c *[TileRows * TileCols]float32, steps int, a, b []uint32, base *[TileCols]int32) {
	for i := range TileRows {
		sums := *base
		for l := range steps {
			row, columns := a[l*TileRows+i], (*[TileCols]uint32)(b[l*TileCols:])
			for j, column := range columns {
				for t := 0; t < 32; t += 8 {
					sums[j] += int32(uint8(row>>t)) * int32(int8(column>>t))
				}
			}
		}
		for j, sum := range sums {
			c[i*TileCols+j] = float32(sum)
		}
	}
}

func tileBytesNearGo(mask *[TileRows]uint32, c *[TileRows * TileCols]float32, steps int, a, b []uint32, base *[TileCols]int32, rows *RowTerms, columns *ColumnTerms) bool {
	tileBytesGo(c, steps, a, b, base)
	var some uint32
	for i := range TileRows {
		var m uint32
		x, y, ci := rows[0][i], rows[1][i], (*[TileCols]float32)(c[i*TileCols:])
		for j, product := range ci {
			// A negation, so that NaN is near.
			if !(product < x*columns[0][j]+columns[2][j]+y*columns[1][j]) {
				m |= 1 << j
			}
		}
		mask[i] = m
		some |= m
	}
	return some != 0
}

func tileWithinGo(mask *[TileRows]uint32, c *[TileRows * TileCols]float32, rowNorms *[TileRows]float32, colNorms *[TileCols]float32, limit float32) bool {
	var some uint32
	for i, ni := range rowNorms {
		var m uint32
		ci := (*[TileCols]float32)(c[i*TileCols:])
		for j, nj := range colNorms {
			// Written as a negation so that a NaN, from norms or products that
			// overflow, is a survivor and not a rejection.
			if !((ni+nj)-2*ci[j] > limit) {
				m |= 1 << j
			}
		}
		mask[i] = m
		some |= m
	}
	return some != 0
}

func tileLeastGo(c *[TileRows * TileCols]float32, rowNorms *[TileRows]float32, colNorms *[TileCols]float32) float32 {
	least := float32(math.Inf(1))
	for i, row := range rowNorms {
		for j, product := range c[i*TileCols : (i+1)*TileCols] {
			least = min(least, row+colNorms[j]-2*product)
		}
	}
	return least
}

func tileAdd64Go(acc *[TileRows * TileCols]float64, c *[TileRows * TileCols]float32) {
	for i, v := range c {
		acc[i] += float64(v)
	}
}

func tileStoreGo(y []float32, stride, rows, cols int, beta, alpha float32, c *[TileRows * TileCols]float32) {
	for i := range rows {
		yi := y[i*stride:][:cols]
		ci := c[i*TileCols:][:cols]
		if beta == 0 {
			for j, v := range ci {
				yi[j] = alpha * v
			}
			continue
		}
		for j, v := range ci {
			yi[j] = beta*yi[j] + alpha*v
		}
	}
}

// logisticSteps turns scalar products into the steps of RowList.Learn. It has e^−x = 2ⁿ 2ᶠ with n the nearest whole number to −x log₂ e,
// and 2ᶠ by its series: a third of the time of math.Exp, and what the assembly
// does.
func logisticSteps(g, targets []float32, alpha, limit float32) {
	for i, x := range g {
		if !(x > -limit && x < limit) {
			g[i] = 0
			continue
		}
		y := max(-126, min(x*-1.44269504, 126))
		n := math.RoundToEven(float64(y))
		f := y - float32(n)
		p := float32(1.5403530e-4)
		for _, c := range [...]float32{1.3333558e-3, 9.6181291e-3, 5.5504109e-2, 2.4022651e-1, 6.9314718e-1, 1} {
			p = p*f + c
		}
		p *= math.Float32frombits(uint32(int32(n)+127) << 23)
		g[i] = alpha * (targets[i] - 1/(1+p))
	}
}
