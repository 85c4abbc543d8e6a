package index

import (
	"math"

	"heavytail/storage/vec"
)

// byPlace returns the vectors of x in an order in which near ones are close to each other: halves of halves, each divided
// across the direction in which a sample of it spreads. It reads the vectors once for each doubling of their number
// above 64.
func byPlace(x *Exact) []uint32 {
	o := &placer{x: x, direction: make([]float32, x.m.Dim), keys: make([]float32, x.m.Rows), sorted: make([]float64, x.m.Rows), right: make([]uint32, x.m.Rows)}
	order := make([]uint32, x.m.Rows)
	for i := range order {
		order[i] = uint32(i)
	}
	o.divide(order)
	return order
}

// placer is the workspace of byPlace.
type placer struct {
	x         *Exact
	direction []float32
	keys      []float32
	sorted    []float64
	right     []uint32
}

// divide orders some vectors.
func (o *placer) divide(rows []uint32) {
	const few = 64
	for len(rows) > few {
		o.aim(rows)
		m, n := o.x.m, len(rows)
		keys, sorted := o.keys[:n], o.sorted[:n]
		vec.ListDots(keys, o.direction, m.Data, m.Dim, rows)
		for i, key := range keys {
			if keys[i] = key * o.factor(rows[i]); keys[i] != keys[i] {
				keys[i] = 0
			}
			sorted[i] = float64(keys[i])
		}
		middle, left, right := float32(kth(sorted, n/2)), rows[:0], o.right[:0]
		for i, v := range rows {
			if keys[i] <= middle {
				left = append(left, v)
			} else {
				right = append(right, v)
			}
		}
		if len(right) < n/8 {
			copy(rows[len(left):], right)
			return // most keys are equal
		}
		at := len(left)
		copy(rows[at:], right)
		o.divide(rows[:at])
		rows = rows[at:]
	}
}

// factor is what a vector is multiplied with.
func (o *placer) factor(v uint32) float32 {
	if o.x.metric == Cosine {
		return float32(o.x.inverse[v])
	}
	return 1
}

// aim sets the direction from one half of a sample to the other: those that are nearer to a vector that is far from the first, and
// those that are nearer to one that is far from that.
func (o *placer) aim(rows []uint32) {
	const most = 32
	m, first := o.x.m, rows[0]
	sample := func(i int) uint32 { return rows[i*len(rows)/most] }
	var from, to [most]float32
	distances := func(of uint32, d *[most]float32) (farthest uint32) {
		far := float32(-1)
		for i := range d {
			v := sample(i)
			d[i] = vec.L2Squared(m.Row(int(of)), m.Row(int(v)))
			if o.x.metric == Cosine {
				d[i] = 1 - vec.Dot(m.Row(int(of)), m.Row(int(v)))*o.factor(of)*o.factor(v)
			}
			if d[i] > far {
				far, farthest = d[i], v
			}
		}
		return farthest
	}
	one := distances(first, &from)
	other := distances(one, &from)
	distances(other, &to)
	clear(o.direction)
	count := 0
	for i := range most {
		if from[i] < to[i] {
			count++
		}
	}
	for i := range most {
		v, by := sample(i), 1/float32(max(1, most-count))
		if from[i] < to[i] {
			by = -1 / float32(count)
		}
		if by *= o.factor(v); math.Abs(float64(by)) < math.MaxFloat32 {
			vec.Axpy(by, m.Row(int(v)), o.direction)
		}
	}
}
