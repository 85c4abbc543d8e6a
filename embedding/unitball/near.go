package unitball

import (
	"context"
	"errors"
	"math"

	"heavytail/index/pairs"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

const (
	firstSkin = 0.2 // twenty moves of a vertex late in a run
	mostSkin  = 0.5 // beyond it nearly all pairs of many graphs are near
	// Rounding of positions of length 2 is below it by a factor of ten.
	slack = 1e-5
	// pairCost is the cost of measuring a pair of the list, in units of a pair of
	// a join: it reads a row at a random address, while a join has tiles of rows
	// in the cache.
	pairCost = 4
	// deviations over √k is the least part of their moves by which two vertices are taken to
	// come nearer. Directions that are independent of each other are nearly orthogonal: the
	// distance then changes by √2/√k of the longer move, and this is 2√2 as much. Late
	// pairs are listed a few passes later, which changes little: with a half of this value
	// cora needs 82 passes in place of 48.
	deviations = 2
	// Moves that an anchor causes are not independent: similar vertices move together, to
	// where they began. So every new list judges the one before by its late pairs, relative
	// to all that violate their bound: from manyLate on the part is doubled, and below
	// fewLate it falls again.
	manyLate, fewLate = 0.2, 0.02
	// mostAge is the number of passes after which a list that is not sure is built again.
	// Late pairs of a list that was older once were 2,401 of 2,402 wrong ones.
	mostAge  = 32
	leastCap = 1 << 24
	mostThin = 32
	// passesOfSkin is the number of passes for which a list of many vertices lasts. dblp (51,264
	// vertices) takes 20 processor seconds with 0.5, 15 with 1.2 and 18 with 3.
	passesOfSkin = 1.2
)

// nearList lists, for every vertex, the larger vertices without an edge to it that
// were within a reach and a skin when it was built.
type nearList struct {
	g       *csr.Graph
	workers int
	least   float64 // least value of Part
	rows    [][]uint32
	room    room          // that rows are in
	listed  bool          // rows are set; those of a checkpoint are listed when they are needed
	sure    bool          // it has all pairs within the last reach
	pairs   int64         // number of pairs in all rows
	at      *vec.Matrix   // positions when it was built
	built   int           // how many times it was built
	most    int64         // largest number of pairs
	moving  *pairs.Moving // of many vertices; nil for fewer
	moves   []float32     // of each vertex since the list was built
	listState
}

// listState is what a list needs to be built again from its positions.
type listState struct {
	Radius  float64 // radius with which it was built; 0 if it was not built
	Skin    float64 // of the next list
	Looked  int64   // pairs measured since it was built
	Pass    int64   // that it was built in
	Thin    uint64  // one in 2^Thin near pairs is in it
	Part    float64 // part of their moves by which two vertices are taken to come nearer
	Whole   bool    // all pairs were compared when it was built
	Joined  int64   // pairs that were compared then
	Sampled uint64  // one in 2^Sampled of the blocks of pairs was compared then
}

// errFull ends a join that finds too many pairs.
var errFull = errors.New("unitball: the list is full")

func newNearList(g *csr.Graph, dim, workers int, many bool) *nearList {
	n := g.Vertices()
	least := min(1, deviations/math.Sqrt(float64(dim)))
	var moving *pairs.Moving
	if many {
		moving = pairs.NewMoving(n, dim)
	}
	return &nearList{
		g: g, workers: workers, least: least, moving: moving, moves: make([]float32, n),
		rows: make([][]uint32, n), at: vec.NewMatrix(n, dim), listState: listState{Skin: firstSkin, Part: least},
		most: max(leastCap, 2*int64(n)*int64(dim)),
	}
}

// update makes the list hold the pairs within reach of x: all of them if it is sure, and
// otherwise all but a few. It reports whether the list is due: it then holds what it did
// before, and relist has to follow. A run that was stopped may have built it in this pass.
func (l *nearList) update(ctx context.Context, x *vec.Matrix, reach float64, pass int) (due bool, err error) {
	if l.Radius == 0 {
		return true, nil
	}
	if !l.listed {
		if err := l.again(ctx); err != nil {
			return false, err
		}
	}
	most := 2 * l.moved(x)
	l.sure = l.Whole && l.Thin == 0 && reach+most+slack <= l.Radius
	age := int64(pass) - l.Pass
	return age > 0 && (l.Thin > 0 || reach+l.Part*most+slack > l.Radius || !l.sure && age >= mostAge), nil
}

// judge adapts the part of the next lists to how many of all pairs that violate their bound
// the last list had not. It reports whether they were many.
func (l *nearList) judge(late, all int) bool {
	switch {
	case float64(late) > manyLate*float64(all):
		l.Part = min(1, 2*l.Part)
		return true
	case float64(late) < fewLate*float64(all):
		l.Part = max(l.least, l.Part/math.Sqrt2)
	}
	return false
}

// again lists the pairs of a checkpoint, which are those that it had. After an error it
// has the same state.
func (l *nearList) again(ctx context.Context) error {
	before := l.listState
	l.Thin = l.Sampled
	then := l.full
	if before.Thin > 0 {
		then = l.thinOut
	}
	err := l.each(ctx, l.at, pairs.MovingOptions{}, then)
	l.Joined, l.Whole = before.Joined, before.Whole
	if err != nil {
		l.listState = before
	}
	return err
}

// relist builds the list for the positions x. With all it compares all pairs. After an error the
// list has the state that it had before, for a checkpoint.
func (l *nearList) relist(ctx context.Context, x *vec.Matrix, reach, step float64, pass int, all bool) error {
	before := l.listState
	if err := l.build(ctx, x, reach, step, pass, all); err != nil {
		l.listState = before
		return err
	}
	copy(l.at.Data, x.Data)
	l.sure = l.Whole && l.Thin == 0
	return nil
}

func (l *nearList) build(ctx context.Context, x *vec.Matrix, reach, step float64, pass int, all bool) error {
	o := pairs.MovingOptions{All: all || l.Radius == 0}
	l.adapt(step)
	l.Pass, l.Thin, l.Sampled = int64(pass), 0, 0
	if l.moving != nil && !o.All {
		o.Moves = l.takenMoves(x)
		l.sample(x, reach)
	}
	if l.Skin > 2*l.Part*step && l.Sampled == 0 { // otherwise the list would be valid only for this pass
		l.Radius = reach + l.Skin + 2*slack
		if err := l.each(ctx, x, o, l.full); !errors.Is(err, errFull) {
			return err
		}
		l.Skin /= 2
	}
	l.Radius, l.Thin = reach+2*slack, l.Sampled
	return l.each(ctx, x, o, l.thinOut)
}

// takenMoves returns by how much the move of each vertex since the list was built is taken to
// have brought it nearer to others.
func (l *nearList) takenMoves(x *vec.Matrix) []float32 {
	l.moved(x)
	for v := range l.moves {
		l.moves[v] *= float32(l.Part)
	}
	return l.moves
}

// sample sets Sampled where more pairs are near than the list may have, by the near pairs of some
// vertices. Only a part of the pairs is compared then: in one of the first passes of dblp-2010
// (300,647 vertices) 204 million pairs were near, and to list them took four times as long as a
// join in which few are.
func (l *nearList) sample(x *vec.Matrix, reach float64) {
	const most = 1024 // of vertices, and of others that each is compared with
	n := len(l.rows)
	draw := func(i int) uint32 { return uint32(vec.Mix(vec.Mix(uint64(l.Pass))+uint64(i)) % uint64(n)) }
	others := make([]uint32, most)
	for i := range others {
		others[i] = draw(most + i)
	}
	near := make([]int64, most)
	vec.Parallel(most, block, l.workers, func(_, lo, hi int) {
		squares := make([]float32, most)
		for i := lo; i < hi; i++ {
			u := draw(i)
			vec.ListL2Squared(squares, x.Row(int(u)), x.Data, x.Dim, others)
			for j, square := range squares {
				if float64(square) <= reach*reach && others[j] != u {
					near[i]++
				}
			}
		}
	})
	all := int64(0)
	for _, count := range near {
		all += count
	}
	found := float64(all) / (most * most) * float64(n) * float64(n) / 2
	for ; found > float64(l.most)/2; found /= 2 {
		l.Sampled++
	}
}

// adapt sets the skin of the next list so that joins and measured pairs cost
// about the same. Of lists of many vertices, a skin that serves for one pass after the one that
// builds it costs least.
func (l *nearList) adapt(step float64) {
	n := float64(len(l.rows))
	switch {
	case l.moving != nil && float64(l.Joined) < 0.75*n*n/2:
		l.Skin = min(mostSkin, passesOfSkin*2*l.Part*step)
	case l.Radius > 0 && l.Skin > 0:
		if pairCost*float64(l.Looked) > n*n/2 {
			l.Skin *= 0.8
		} else {
			l.Skin = min(mostSkin, l.Skin*1.25)
		}
	}
	l.Looked = 0
}

// moved returns the largest distance of a vertex from where it was when the list
// was built.
func (l *nearList) moved(x *vec.Matrix) float64 {
	const block = 256
	parts := make([]float32, (x.Rows+block-1)/block)
	vec.Parallel(x.Rows, block, l.workers, func(b, lo, hi int) {
		for v := lo; v < hi; v++ {
			square := vec.L2Squared(x.Row(v), l.at.Row(v))
			parts[b] = max(parts[b], square)
			l.moves[v] = float32(math.Sqrt(float64(square)))
		}
	})
	most := float32(0)
	for _, p := range parts {
		most = max(most, p)
	}
	return math.Sqrt(float64(most))
}

// full is called after a row was added. More pairs than the list may have are errFull.
func (l *nearList) full(uint32) error {
	if l.pairs > l.most {
		return errFull
	}
	return nil
}

// thinOut is called after the row of u was added. It takes pairs out where they are more
// than a quarter of what the list may have: without a skin most of them violate their
// bound, and these take eight times as many bytes.
func (l *nearList) thinOut(u uint32) error {
	for l.pairs > l.most/4 && l.Thin < mostThin {
		l.Thin++
		l.drop(int(u))
	}
	return nil
}

// each adds a row for every vertex of x and calls then after it. The options are for many vertices.
func (l *nearList) each(ctx context.Context, x *vec.Matrix, o pairs.MovingOptions, then func(u uint32) error) (err error) {
	l.pairs = 0
	l.room.clear()
	add := func(u uint32, near []uint32) error {
		row := l.room.row(len(near))
		eachOther(above(l.g, u), near, func(v uint32) {
			if l.keeps(u, v) {
				row = append(row, v)
			}
		})
		l.rows[u] = l.room.keep(row)
		l.pairs += int64(len(row))
		return then(u)
	}
	if o.Workers, o.Thin, o.Seed = l.workers, l.Sampled, uint64(l.Pass); l.moving != nil {
		l.Joined, l.Whole, err = l.moving.Join(ctx, x, l.Radius, o, add)
	} else {
		l.Whole = true
		err = pairs.Join(ctx, x, l.Radius, pairs.Options{Workers: l.workers}, add)
	}
	l.listed = true
	l.built++
	return err
}

// drop removes the pairs that the list does not keep, from the rows up to last.
func (l *nearList) drop(last int) {
	l.pairs = 0
	for u, row := range l.rows[:last+1] {
		kept := row[:0]
		for _, v := range row {
			if l.keeps(uint32(u), v) {
				kept = append(kept, v)
			}
		}
		l.rows[u] = kept
		l.pairs += int64(len(kept))
	}
}

// keeps reports whether a pair belongs to the random part that the list keeps.
func (l *nearList) keeps(u, v uint32) bool {
	if l.Thin == l.Sampled {
		return true
	}
	h := vec.Mix(uint64(u)<<32 | uint64(v))
	return vec.Mix(h+uint64(l.Pass))>>(64-l.Thin+l.Sampled) == 0
}
