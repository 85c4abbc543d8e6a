package unitball

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

const (
	// refreshTouched is the fraction of touched vertices from which on a full run is made.
	refreshTouched = 0.25
	// refreshWrong is the largest number of wrong pairs per edge with which a refresh
	// also moves vertices that it finds in a wrong pair. With more wrong pairs,
	// nearly all vertices would move.
	refreshWrong = 0.001
	// A refresh moves vertices by less than a full run, so that pairs that were right stay
	// right. A violation h of one pair alone moves both vertices by 0.4·h. Rates of 0.15
	// and 0.25 took a fifth to two thirds more time on ca-GrQc and ego-facebook; with 0.4
	// and 0.5, vertices of ego-facebook that have many violations overshot, and some 200
	// passes were made. Adam moves a vertex by the whole step for the smallest violation,
	// so that more vertices come into a wrong pair: it took ego-facebook five times as
	// long.
	refreshPasses = 300
	refreshRate   = 0.2 // factor of the gradient in the move of a vertex
	refreshStep   = 0.1 // longest move
	refreshMargin = 0.005
)

// RefreshStats describe a refresh.
type RefreshStats = base.RefreshStats

// Refresh brings a placement up to date with a graph that has changed. Row v of old is
// the vector that vertex v of g had; it is not read where added[v] is true. touched are
// the vertices that are new or whose edges changed, ascending. before is the number of
// wrong pairs that the placement had. The options must be those of the embedding. start, if
// not nil, returns the start rows of a full run (Options.Start), and is called only for one.
//
// New vertices first look for a place between their neighbours while all others stay where
// they are. If no pair with them is wrong then, and no other edge changed, all other rows keep
// their bytes. Otherwise it moves the touched vertices against their gradients, with a margin of 0.005 and by at
// most 0.1 in a pass, and every vertex that comes into a wrong pair with one of them, until
// no such pair is wrong; all other rows keep their bytes. Two vertices that did not move have the same distance and edges as before. So
// if no pair was wrong before, and no pair with a moved vertex is wrong, no pair is wrong
// at all. Otherwise [Check] counts the wrong pairs. A full run is made if a quarter of the
// vertices are touched, or if in the end more pairs are wrong than before and than the
// tolerance; the rows with fewer wrong pairs are returned. If before the refresh there was
// more than one wrong pair per thousand edges, only touched vertices move, and wrong pairs
// at the end do not cause a full run.
//
// A pass costs k multiply-adds for each near pair of a vertex that moves, and n·k for a
// vertex that has left the place where its near pairs were listed. The result does not
// depend on workers. Errors are those of Embed and of start.
func Refresh(ctx context.Context, g *csr.Graph, o Options, start func(context.Context) (*vec.Matrix, error), old *vec.Matrix, added []bool, touched []uint32, before int64) (*vec.Matrix, Stats, RefreshStats, error) {
	refresh := RefreshStats{Touched: len(touched)}
	if err := o.Validate(); err != nil {
		return nil, Stats{}, refresh, err
	}
	if o.Anchor == nil && start != nil {
		o.Anchor = new(StartAnchor)
	}
	o = o.WithDefaults()
	n := g.Vertices()
	if old.Rows != n || old.Dim != o.Dim || len(added) != n {
		return nil, Stats{}, refresh, fmt.Errorf("%w: %d × %d for %d vertices in %d dimensions", ErrStart, old.Rows, old.Dim, n, o.Dim)
	}
	began := time.Now()
	if float64(len(touched)) > refreshTouched*float64(n) {
		refresh.Full, refresh.Reason = true, "more than a quarter of the vertices are touched"
		rows, stats, err := embedFrom(ctx, g, o, start)
		refresh.Seconds = stats.Seconds
		return rows, stats, refresh, err
	}
	rough := float64(before) > refreshWrong*float64(g.Edges())
	l := newLocal(g, o, old, added, !rough)
	fresh := slices.DeleteFunc(slices.Clone(touched), func(v uint32) bool { return !added[v] })
	stats, err := l.passes(ctx, fresh, touched, before)
	if err != nil {
		return nil, stats, refresh, err
	}
	rows := l.best
	refresh.Reason = l.reason(len(fresh))
	if stats.Wrong.Pairs() > max(before, o.Tolerance) && !rough {
		full, again, err := embedFrom(ctx, g, o, start)
		if err != nil {
			return nil, stats, refresh, err
		}
		if again.Wrong.Pairs() < stats.Wrong.Pairs() {
			rows, stats = full, again
			refresh.Full, refresh.Reason = true, "moving the touched vertices left pairs wrong"
		}
	}
	var moved base.Drift
	for v := range n {
		if !added[v] {
			moved.Add(old.Row(v), rows.Row(v))
		}
	}
	stats.Seconds = time.Since(began).Seconds()
	refresh.MeanDrift, refresh.MaxDrift, refresh.Seconds = moved.Mean(), moved.Most(), stats.Seconds
	return rows, stats, refresh, nil
}

// embedFrom makes a full run from the rows that start returns.
func embedFrom(ctx context.Context, g *csr.Graph, o Options, start func(context.Context) (*vec.Matrix, error)) (*vec.Matrix, Stats, error) {
	if start != nil {
		var err error
		if o.Start, err = start(ctx); err != nil {
			return nil, Stats{}, err
		}
	}
	return Embed(ctx, g, o)
}

// passes moves new vertices, and if that does not suffice the touched ones, until no pair
// with one of them is wrong, and counts all wrong pairs. before is their number before the
// graph changed.
func (l *local) passes(ctx context.Context, fresh, touched []uint32, before int64) (stats Stats, err error) {
	join, alone := l.join, 0
	if len(fresh) > 0 {
		l.join = false
		if l.crowded, alone, err = l.descend(ctx, fresh); err != nil {
			return stats, err
		}
		for _, v := range fresh {
			copy(l.x.Row(int(v)), l.best.Row(int(v)))
		}
	}
	l.join = join
	fewest, passes, err := l.descend(ctx, touched)
	if err != nil {
		return stats, err
	}
	l.others = passes > 0
	stats.Passes, stats.Reason = alone+passes, "all passes were made"
	if fewest == 0 {
		stats.Reason = "no pair with a vertex that moved is wrong"
		if before == 0 {
			stats.Wrong = Wrong{Edges: l.g.Edges()}
			return stats, nil
		}
	}
	stats.Wrong, err = Check(ctx, l.g, l.best, l.o.Workers)
	stats.Joins = 1
	return stats, err
}

// reason says which vertices moved.
func (l *local) reason(fresh int) string {
	vertices := func(n int, kind string) string {
		if n == 1 {
			return "1 " + kind + "vertex"
		}
		return fmt.Sprintf("%d %svertices", n, kind)
	}
	switch {
	case fresh == 0:
		return "moved " + vertices(len(l.moving), "")
	case !l.others:
		return "placed " + vertices(fresh, "new ") + " and moved no other"
	case l.crowded == 0:
		return fmt.Sprintf("placed %s, and moved others for other changes, %d in all", vertices(fresh, "new "), len(l.moving))
	}
	return fmt.Sprintf("moved %s, because %s had %d wrong pairs where others were", vertices(len(l.moving), ""), vertices(fresh, "new "), l.crowded)
}

// descend moves vertices until no pair with one of them is wrong. It returns the fewest wrong
// pairs that a pass had, whose rows are the best, and the number of passes.
func (l *local) descend(ctx context.Context, vertices []uint32) (fewest int64, passes int, err error) {
	l.add(slices.DeleteFunc(slices.Clone(vertices), func(v uint32) bool { return l.slots[v] >= 0 }))
	fewest = math.MaxInt64
	for ; passes <= refreshPasses; passes++ {
		left := min(1, 2*(1-float64(passes)/refreshPasses))
		margin := refreshMargin * left
		l.list(ctx, 1+refreshMargin)
		l.measure(ctx, margin)
		if err := ctx.Err(); err != nil {
			return fewest, passes, err
		}
		wrong := int64(0)
		var others []uint32
		for i := range l.of {
			wrong += l.of[i].wrong
			others = append(others, l.of[i].others...)
		}
		if l.o.Progress != nil {
			l.o.Progress(passes, refreshPasses, Wrong{Edges: l.g.Edges(), False: wrong})
		}
		if wrong < fewest {
			fewest = wrong
			for _, v := range l.moving {
				copy(l.best.Row(int(v)), l.x.Row(int(v)))
			}
		}
		if wrong == 0 {
			break
		}
		if passes < refreshPasses {
			l.move(refreshRate, refreshStep*left)
		}
		if l.join {
			slices.Sort(others)
			l.add(slices.Compact(others))
		}
	}
	return fewest, min(passes, refreshPasses), nil
}
