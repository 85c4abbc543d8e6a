package unitball

import (
	"context"
	"errors"
	"math"

	"heavytail/index"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

const (
	firstSkin = 0.2 // twenty moves of a vertex late in a run
	mostSkin  = 0.5 // beyond it nearly all pairs of many graphs are near
	// Rounding of positions of length 2 is below it by a factor of ten.
	slack = 1e-5
	// pairCost is what measuring a pair of the list costs, in pairs of a join: it
	// reads a row from anywhere, where a join has tiles of them in the cache.
	pairCost = 4
	leastCap = 1 << 24
	mostThin = 32
)

// nearList lists, for every vertex, the larger vertices without an edge to it that
// were within a reach and a skin when it was built.
type nearList struct {
	g       *csr.Graph
	workers int
	rows    [][]uint32
	room    room        // that rows are in
	pairs   int64       // of all rows
	at      *vec.Matrix // positions when it was built
	radius  float64     // that it was built with; 0 for none
	skin    float64     // of the next list
	looked  int64       // pairs measured since it was built
	built   int         // how often it was
	thin    uint        // one in 2^thin near pairs is in it
	most    int64       // pairs that it may have
}

// errFull ends a join that finds too many pairs.
var errFull = errors.New("unitball: the list is full")

func newNearList(g *csr.Graph, dim, workers int) *nearList {
	n := g.Vertices()
	return &nearList{
		g: g, workers: workers, rows: make([][]uint32, n), at: vec.NewMatrix(n, dim), skin: firstSkin,
		most: max(leastCap, 2*int64(n)*int64(dim)),
	}
}

// update makes the list hold all pairs within reach of x. step is the largest move
// of a vertex in the last pass, and pass a number that no other pass has.
func (l *nearList) update(ctx context.Context, x *vec.Matrix, reach, step float64, pass int) error {
	if l.radius > 0 && l.thin == 0 && reach+2*l.moved(x)+slack <= l.radius {
		l.looked += l.pairs
		return nil
	}
	l.adapt()
	copy(l.at.Data, x.Data)
	l.thin = 0
	if l.skin > 2*step { // otherwise the list would serve this pass alone
		l.radius = reach + l.skin + 2*slack
		if err := l.join(ctx, pass); !errors.Is(err, errFull) {
			return err
		}
		l.skin /= 2
	}
	l.radius = reach + 2*slack
	return l.joinPart(ctx, pass)
}

// adapt makes the skin of the next list such that joins and measured pairs cost
// about the same.
func (l *nearList) adapt() {
	n := float64(len(l.rows))
	if l.radius > 0 && l.skin > 0 {
		if pairCost*float64(l.looked) > n*n/2 {
			l.skin *= 0.8
		} else {
			l.skin = min(mostSkin, l.skin*1.25)
		}
	}
	l.looked = 0
}

// moved returns the largest distance of a vertex from where it was when the list
// was built.
func (l *nearList) moved(x *vec.Matrix) float64 {
	const block = 256
	parts := make([]float32, (x.Rows+block-1)/block)
	vec.Parallel(x.Rows, block, l.workers, func(b, lo, hi int) {
		for v := lo; v < hi; v++ {
			parts[b] = max(parts[b], vec.L2Squared(x.Row(v), l.at.Row(v)))
		}
	})
	most := float32(0)
	for _, p := range parts {
		most = max(most, p)
	}
	return math.Sqrt(float64(most))
}

// join lists the pairs within the radius. More than the list may have are errFull.
func (l *nearList) join(ctx context.Context, pass int) error {
	return l.each(ctx, pass, func(uint32) error {
		if l.pairs > l.most {
			return errFull
		}
		return nil
	})
}

// joinPart lists the pairs within the radius, or a part of them where they are more
// than a quarter of what the list may have: without a skin most of them violate
// their bound, and these take eight times as many bytes.
func (l *nearList) joinPart(ctx context.Context, pass int) error {
	return l.each(ctx, pass, func(u uint32) error {
		for l.pairs > l.most/4 && l.thin < mostThin {
			l.thin++
			l.drop(pass, int(u))
		}
		return nil
	})
}

// each adds a row for every vertex and calls then after it.
func (l *nearList) each(ctx context.Context, pass int, then func(u uint32) error) error {
	l.pairs = 0
	l.room.clear()
	err := index.Join(ctx, l.at, l.radius, index.JoinOptions{Workers: l.workers}, func(u uint32, near []uint32) error {
		row := l.room.row(len(near))
		eachOther(above(l.g, u), near, func(v uint32) {
			if l.keeps(pass, u, v) {
				row = append(row, v)
			}
		})
		l.rows[u] = l.room.keep(row)
		l.pairs += int64(len(row))
		return then(u)
	})
	l.looked += l.pairs
	l.built++
	return err
}

// drop takes the pairs out that the list does not keep, of the rows up to last.
func (l *nearList) drop(pass, last int) {
	l.pairs = 0
	for u, row := range l.rows[:last+1] {
		kept := row[:0]
		for _, v := range row {
			if l.keeps(pass, uint32(u), v) {
				kept = append(kept, v)
			}
		}
		l.rows[u] = kept
		l.pairs += int64(len(kept))
	}
}

// keeps reports whether a pair is in a list of a part of them.
func (l *nearList) keeps(pass int, u, v uint32) bool {
	if l.thin == 0 {
		return true
	}
	h := mix(uint64(u)<<32 | uint64(v))
	return mix(h+uint64(pass))>>(64-l.thin) == 0
}

// mix is the finaliser of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
