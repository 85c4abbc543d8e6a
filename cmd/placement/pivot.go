package placement

import (
	"math"
	"math/rand/v2"

	"heavytail/storage/csr"
)

// pivots is the number of vertices from which distances are measured; a larger number
// changes little (Brandes and Pich, "Eigensolver methods for progressive multidimensional
// scaling", 2006, use 50 to 200 for graphs of any size).
const pivots = 50

// start places the vertices by pivot MDS, with a root mean square distance from the origin
// of √n, and adds noise, which separates vertices at the same place.
func start(g *csr.Graph, seed uint64) []Point {
	n := g.Vertices()
	rows := centred(pivotDistances(g))
	at := make([]Point, n)
	first := axis(rows, nil)
	second := axis(rows, first)
	square := 0.0
	for v := range at {
		for i, row := range rows {
			at[v].X += row[v] * first[i]
			at[v].Y += row[v] * second[i]
		}
		square += at[v].X*at[v].X + at[v].Y*at[v].Y
	}
	scale := 1.0
	if square > 0 {
		scale = float64(n) / math.Sqrt(square)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	size := math.Sqrt(float64(n))
	for v := range at {
		shift := noise(random)
		at[v] = Point{at[v].X*scale + size*shift.X, at[v].Y*scale + size*shift.Y}
	}
	return at
}

// pivotDistances returns the distances in edges of all vertices from each pivot: the first
// is a vertex of the largest degree, and each other one is farthest from those before it.
// A vertex that cannot be reached from a pivot has the distance of the farthest reachable
// one plus one.
func pivotDistances(g *csr.Graph) [][]float64 {
	n := g.Vertices()
	next := uint32(0)
	for v := range n {
		if g.Degree(uint32(v)) > g.Degree(next) {
			next = uint32(v)
		}
	}
	nearest := make([]float64, n) // distance from the nearest pivot
	for v := range nearest {
		nearest[v] = math.Inf(1)
	}
	var rows [][]float64
	for range min(pivots, n) {
		row := distances(g, next)
		rows = append(rows, row)
		for v, d := range row {
			nearest[v] = min(nearest[v], d)
		}
		for v, d := range nearest { // the last pivot has 0
			if d > nearest[next] {
				next = uint32(v)
			}
		}
		if nearest[next] == 0 {
			break // all vertices are pivots
		}
	}
	return rows
}

// distances returns the distances in edges from a vertex.
func distances(g *csr.Graph, from uint32) []float64 {
	row := make([]float64, g.Vertices())
	for v := range row {
		row[v] = -1
	}
	row[from] = 0
	queue := []uint32{from}
	for at := 0; at < len(queue); at++ {
		v := queue[at]
		for _, u := range g.Neighbors(v) {
			if row[u] < 0 {
				row[u] = row[v] + 1
				queue = append(queue, u)
			}
		}
	}
	farthest := row[queue[len(queue)-1]]
	for v := range row {
		if row[v] < 0 {
			row[v] = farthest + 1
		}
	}
	return row
}

// centred squares the distances and centres them twice.
func centred(rows [][]float64) [][]float64 {
	if len(rows) == 0 {
		return nil
	}
	n := len(rows[0])
	columns, all := make([]float64, n), 0.0
	means := make([]float64, len(rows))
	for i, row := range rows {
		for v := range row {
			row[v] *= row[v]
			means[i] += row[v] / float64(n)
			columns[v] += row[v] / float64(len(rows))
		}
		all += means[i] / float64(len(rows))
	}
	for i, row := range rows {
		for v := range row {
			row[v] = -(row[v] - means[i] - columns[v] + all) / 2
		}
	}
	return rows
}

// axis returns the eigenvector of the largest eigenvalue of the products of the rows,
// orthogonal to the vector other, by power iteration. It is 0 if there is none.
func axis(rows [][]float64, other []float64) []float64 {
	k := len(rows)
	products := make([][]float64, k)
	for i := range rows {
		products[i] = make([]float64, k)
		for j := range i + 1 {
			sum := 0.0
			for v, x := range rows[i] {
				sum += x * rows[j][v]
			}
			products[i][j], products[j][i] = sum, sum
		}
	}
	x := make([]float64, k)
	for i := range x {
		x[i] = 1 / float64(i+1) // a start that no symmetry of a graph leaves unchanged
	}
	for range 300 {
		y := make([]float64, k)
		for i, row := range products {
			for j, p := range row {
				y[i] += p * x[j]
			}
		}
		if other != nil {
			dot := 0.0
			for i := range y {
				dot += y[i] * other[i]
			}
			for i := range y {
				y[i] -= dot * other[i]
			}
		}
		norm := 0.0
		for _, v := range y {
			norm = math.Hypot(norm, v)
		}
		if norm < 1e-9 {
			return make([]float64, k)
		}
		for i := range y {
			y[i] /= norm
		}
		x = y
	}
	return x
}
