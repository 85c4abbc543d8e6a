package screen

import (
	"cmp"
	"context"
	"math"
	"slices"

	"heavytail/index/internal/base"
	"heavytail/storage/vec"
)

// CentreOf returns a point close to the largest cluster of vectors. Any point is
// correct; the nearer it is to the vectors, the fewer pairs fall inside the
// rounding margin. Small distant clusters, such as components that were
// embedded separately, would draw a plain mean away from the large one, so the
// mean is recomputed a few times over the nearer half of the vectors.
func CentreOf(m *vec.Matrix) []float64 {
	const sample, rounds = 512, 4
	type member struct {
		row      int
		distance float64
	}
	members := make([]member, min(m.Rows, sample))
	rows := make([]int, len(members))
	for i := range members {
		members[i].row = int(int64(i) * int64(m.Rows) / int64(len(members)))
		rows[i] = members[i].row
	}
	centre := mean(m, rows)
	for range rounds {
		for i := range members {
			members[i].distance = distance64(m.Row(members[i].row), centre)
		}
		slices.SortFunc(members, func(a, b member) int {
			return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.row, b.row))
		})
		rows = rows[:0]
		for _, member := range members[:(len(members)+1)/2] {
			rows = append(rows, member.row)
		}
		centre = mean(m, rows)
	}
	return centre
}

func mean(m *vec.Matrix, rows []int) []float64 {
	centre := make([]float64, m.Dim)
	for _, r := range rows {
		for l, x := range m.Row(r) {
			centre[l] += float64(x)
		}
	}
	for l := range centre {
		centre[l] /= float64(max(1, len(rows)))
	}
	return centre
}

// bySpread returns the columns in ascending order of their spread about the
// centre, estimated from a sample of rows.
func bySpread(m *vec.Matrix, centre []float64) []int {
	const sample = 1024
	spread, order := make([]float64, m.Dim), make([]int, m.Dim)
	for i := range min(m.Rows, sample) {
		for l, x := range m.Row(int(int64(i) * int64(m.Rows) / int64(min(m.Rows, sample)))) {
			d := float64(x) - centre[l]
			spread[l] += d * d
		}
	}
	for l := range order {
		order[l] = l
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(spread[a], spread[b]) })
	return order
}

// distance64 returns the squared distance between a vector and a point.
func distance64(row []float32, point []float64) float64 {
	// Four sums: a single one would wait for the previous addition each time.
	var s [4]float64
	point = point[:len(row)]
	for len(row) >= 4 {
		a, b := float64(row[0])-point[0], float64(row[1])-point[1]
		c, d := float64(row[2])-point[2], float64(row[3])-point[3]
		s[0], s[1], s[2], s[3] = s[0]+a*a, s[1]+b*b, s[2]+c*c, s[3]+d*d
		row, point = row[4:], point[4:]
	}
	for l, x := range row {
		d := float64(x) - point[l]
		s[0] += d * d
	}
	return (s[0] + s[1]) + (s[2] + s[3])
}

// Longest returns the largest distance of a vector from the centre.
func Longest(ctx context.Context, m *vec.Matrix, centre []float64, workers int) float64 {
	block := base.ScanRows(m.Dim)
	partial := make([]float64, (m.Rows+block-1)/block)
	vec.Parallel(m.Rows, block, workers, func(b, lo, hi int) {
		for r := lo; r < hi && ctx.Err() == nil; r++ {
			partial[b] = max(partial[b], distance64(m.Row(r), centre))
		}
	})
	return math.Sqrt(Largest(partial))
}

// Largest returns the largest of some numbers, or 0 if none is above 0.
func Largest(list []float64) float64 {
	most := 0.0
	for _, x := range list {
		most = max(most, x)
	}
	return most
}
