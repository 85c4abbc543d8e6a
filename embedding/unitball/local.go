package unitball

import (
	"math"
	"math/rand/v2"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// local is a run in which few vertices move.
type local struct {
	g    *csr.Graph
	o    Options
	x    *vec.Matrix
	best *vec.Matrix
	at   *vec.Matrix // position of each vertex when its pairs were listed
	join bool        // vertices in a wrong pair with a moving one move too

	crowded int64 // wrong pairs of new vertices where only they moved
	others  bool  // other vertices moved too

	moving []uint32
	slots  []int32 // of each vertex in moving, or -1
	of     []mover // by slot
}

// mover is the state of a vertex that moves.
type mover struct {
	near     []uint32 // vertices without an edge to it that may be within the reach, ascending
	gradient []float32
	wrong    int64    // pairs with smaller moving vertices and with those that do not move
	others   []uint32 // vertices that do not move, in a wrong pair with it
}

func newLocal(g *csr.Graph, o Options, old *vec.Matrix, added []bool, join bool) *local {
	n := g.Vertices()
	l := &local{g: g, o: o, join: join, x: vec.NewMatrix(n, o.Dim), best: vec.NewMatrix(n, o.Dim), at: vec.NewMatrix(n, o.Dim), slots: make([]int32, n)}
	copy(l.x.Data, old.Data)
	for v := range l.slots {
		l.slots[v] = -1
	}
	l.place(added)
	copy(l.at.Data, l.x.Data)
	copy(l.best.Data, l.x.Data)
	return l
}

// place gives new vertices a row: near the centroid of their old neighbours, or far
// from all vertices if they have none.
func (l *local) place(added []bool) {
	far := 0.0
	for v := range l.x.Rows {
		if !added[v] {
			far = max(far, length(l.x.Row(v)))
		}
	}
	random := rand.New(rand.NewPCG(l.o.Seed, 1))
	for v, is := range added {
		if !is {
			continue
		}
		row := l.x.Row(v)
		clear(row)
		neighbors := 0
		for _, u := range l.g.Neighbors(uint32(v)) {
			if !added[u] {
				vec.Axpy(1, l.x.Row(int(u)), row)
				neighbors++
			}
		}
		by, away := 1/float64(max(1, neighbors)), 0.5
		if neighbors == 0 {
			away = 2*far + 2
		}
		away /= math.Sqrt(float64(l.o.Dim))
		for i := range row {
			row[i] = float32(float64(row[i])*by + away*random.NormFloat64())
		}
	}
}

// add lets vertices move from now on.
func (l *local) add(vertices []uint32) {
	for _, v := range vertices {
		l.slots[v] = int32(len(l.moving))
		l.moving = append(l.moving, v)
		l.of = append(l.of, mover{gradient: make([]float32, l.o.Dim)})
	}
}
