package walk

// cell is one column of an alias table: a draw that selects it returns this column with
// probability keep / 2³², and otherwise the column other.
type cell struct{ keep, other uint32 }

// fillAlias makes the alias table of the given weights, at least one of which is above 0,
// in O(n) (Vose, "A linear algorithm for generating random numbers with a given
// distribution", 1991). scaled and order are working space of the same length. The error of
// a probability is at most 2⁻³² / n; weights of 0 are never drawn.
func fillAlias(cells []cell, weights, scaled []float64, order []uint32) {
	n := len(weights)
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	// Columns with less than the mean weight are at the front of order, the
	// others at the back.
	small, large := 0, n
	heaviest := 0
	for i, w := range weights {
		scaled[i] = w / sum * float64(n)
		if w > weights[heaviest] {
			heaviest = i
		}
		if scaled[i] < 1 {
			order[small] = uint32(i)
			small++
		} else {
			large--
			order[large] = uint32(i)
		}
	}
	for small > 0 && large < n {
		small--
		s, l := order[small], order[large]
		cells[s] = cell{keep: threshold(scaled[s]), other: l}
		if scaled[l] -= 1 - scaled[s]; scaled[l] < 1 {
			large++
			order[small] = l
			small++
		}
	}
	for ; large < n; large++ {
		cells[order[large]] = cell{keep: 1<<32 - 1, other: order[large]}
	}
	for small > 0 { // remaining because of rounding: full, unless their weight is 0
		small--
		s := order[small]
		cells[s] = cell{keep: 1<<32 - 1, other: s}
		if weights[s] == 0 {
			cells[s] = cell{keep: 0, other: uint32(heaviest)}
		}
	}
}

func threshold(share float64) uint32 { return uint32(min(share*(1<<32), 1<<32-1)) }

// draw returns a random column of a table, which must have at least one.
func draw(cells []cell, random *stream) uint32 {
	r := random.next()
	// The upper bits choose the column, the lower ones decide within it.
	i := uint32(r >> 32 * uint64(len(cells)) >> 32)
	if uint32(r) < cells[i].keep {
		return i
	}
	return cells[i].other
}
