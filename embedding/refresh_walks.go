package embedding

import (
	"context"
	"fmt"
	"slices"

	"heavytail/embedding/internal/base"
	"heavytail/embedding/skipgram"
	"heavytail/storage/csr"
)

const (
	// refreshRate is the learning rate of a refresh, constant, relative to that at
	// the beginning of a full run, where it falls to nothing. With half of it vertices
	// that come are not learned: after 24 refreshes of 1 % of sx-mathoverflow Pearson's
	// correlation is .452, and a full run has .480. With twice as much hubs lose theirs:
	// after 50 refreshes of 1 % of ego-facebook .692 and not .705. As many walks from old
	// vertices as from new ones are too many there, too: .653 after 50 refreshes of
	// 0.1 %, .679 with half of them, .685 in full.
	refreshRate = 0.1
	// refreshShare is how many walks a refresh trains on at most, of those of a
	// full run: with more touched vertices, each of them has fewer.
	refreshShare = 0.05
	// refreshTouched is the fraction of touched vertices from which everything is
	// trained again.
	refreshTouched = 0.5
	// refreshSince is how often a vertex was touched, on average, since everything was
	// trained, before everything is trained again. Many refreshes act like more epochs on a
	// graph that has partly disappeared:
	// after 50 refreshes of 1 % without a full run deepwalk had a Pearson's correlation
	// of .742 on ego-facebook, a full run .725, and the rows before any refresh .738.
	// Changes of a tenth of the edges of this graph have touched its vertices 2.7 times
	// if they came by 1 %, and 4 times by 0.1 %.
	refreshSince = 4
)

// ReasonFollows is why walks that follow the direction of edges are trained in full.
const ReasonFollows = "walks that follow the direction of edges are trained in full"

// RefreshWalks updates the model of a method that learns from walks for a graph that has
// changed. Vertex v of g is vertex from[v] of the model, or new where from[v] is
// skipgram.Added. touched lists, ascending, the vertices that are new or whose edges
// changed. The options must be those of the embedding. turn is the number of earlier
// refreshes: each has different walks. The model must not be used afterwards.
//
// New vertices have as many walks as in a full run, and other touched vertices half as
// many, but all together no more than 5 % of the walks of a full run. The model learns
// from these walks at a tenth of the first learning rate. Deleted vertices leave the tree;
// new ones start at the mean of their neighbours, next to one of them in the tree
// (skipgram, Change).
//
// The transition probabilities of touched vertices change. For deepwalk no others do. For
// node2vec those of their neighbours change too, and for dp_walker those of all vertices
// within two edges. These changes are of the order of 1/degree, and the walks of touched
// vertices pass through the same vertices in both directions. So no walks start there,
// which makes the cost independent of the hubs that are touched.
//
// Everything is trained again if walks follow the direction of edges, since no walk leaves a new vertex without edges in
// this direction, and so none would train it; if half of the vertices are touched, if each was touched
// four times on average since the last full training, or if fewer than two vertices of the
// model are left. The cost is proportional to the walks, and O(n·k + m) in addition. The
// result does not depend on the number of workers. Errors are those of NewWalks and
// skipgram.ErrState.
func RefreshWalks(ctx context.Context, g *csr.Graph, method string, o WalkOptions, model *skipgram.Model, from, touched []uint32, turn int) (*skipgram.Model, WalkStats, RefreshStats, error) {
	n := g.Vertices()
	refresh := RefreshStats{Touched: len(touched)}
	kept := 0
	for _, old := range from {
		if old != skipgram.Added {
			kept++
		}
	}
	switch {
	case o.Follows():
		refresh.Reason = ReasonFollows
	case len(from) != n:
		return nil, WalkStats{}, refresh, fmt.Errorf("%w: %d vertices named for %d", ErrOptions, len(from), n)
	case kept < 2:
		refresh.Reason = "fewer than two of the embedded vertices are left"
	case float64(len(touched)) > refreshTouched*float64(n):
		refresh.Reason = "more than half of the vertices are touched"
	case float64(model.Touched)+float64(len(touched)) > refreshSince*float64(n):
		refresh.Reason = "every vertex was touched four times on average since the last full training"
	}
	if refresh.Reason != "" {
		next, stats, err := TrainWalks(ctx, g, method, o)
		refresh.Full, refresh.Seconds = true, stats.Seconds
		return next, stats, refresh, err
	}
	walker, o, err := newWalker(ctx, g, method, o)
	if err != nil {
		return nil, WalkStats{}, refresh, err
	}
	before := model.Vectors
	next, err := model.Change(from, func(v uint32) []uint32 {
		return slices.DeleteFunc(slices.Clone(g.Neighbors(v)), func(u uint32) bool { return from[u] == skipgram.Added })
	})
	if err != nil {
		return nil, WalkStats{}, refresh, err
	}
	next.Touched += int64(len(touched))
	var added []uint32
	for v, old := range from {
		if old == skipgram.Added {
			added = append(added, uint32(v))
		}
	}
	starts := walkStarts(n, o.Walks, touched, added)
	training := o.training()
	training.Alpha *= refreshRate
	stats, err := skipgram.Continue(ctx, next, Walks{
		Vertices: n, Walks: len(starts),
		Append: func(dst []uint32, i int) []uint32 {
			return walker.Append(dst, starts[i].vertex, (turn+1)*o.Walks+starts[i].round)
		},
	}, training)
	if err != nil {
		return nil, stats, refresh, err
	}
	var moved base.Drift
	for v, old := range from {
		if old != skipgram.Added {
			moved.Add(before.Row(int(old)), next.Vectors.Row(v))
		}
	}
	refresh.Walks, refresh.MeanDrift, refresh.MaxDrift, refresh.Seconds = len(starts), moved.Mean(), moved.Most(), stats.Seconds
	refresh.Reason = "walks from the touched vertices"
	if len(touched) == 0 {
		refresh.Reason = "no edge changed"
	}
	return next, stats, refresh, nil
}

// TrainWalks is DeepWalk, DPWalker or Node2Vec, by its name. It returns the whole model,
// whose Vectors are the embedding before [WalkOptions.ScaleRows].
func TrainWalks(ctx context.Context, g *csr.Graph, method string, o WalkOptions) (*skipgram.Model, WalkStats, error) {
	walks, training, err := lesson(ctx, g, o, method)
	if err != nil {
		return nil, WalkStats{}, err
	}
	negative := training.Negative // the other data of the training can be freed
	state, stats, err := skipgram.TrainState(ctx, walks, training)
	if err != nil {
		return nil, stats, err
	}
	return state.Model(negative), stats, nil
}

// walkStart is where a walk begins, and which of the walks from there it is.
type walkStart struct {
	vertex uint32
	round  int
}

// walkStarts lists walks from touched vertices round by round, each round in a different
// order: half of the rounds from all touched vertices, and the others from those that were
// added, up to refreshShare of all walks on n vertices.
func walkStarts(n, walks int, touched, added []uint32) []walkStart {
	most := max(1, int(refreshShare*float64(n)*float64(walks)))
	var starts []walkStart
	for round := range walks {
		from := touched
		if round >= (walks+1)/2 {
			from = added
		}
		count := uint64(len(from))
		step := stride(uint64(round), count)
		for i := range min(count, uint64(most-len(starts))) {
			starts = append(starts, walkStart{from[mixed(i, uint64(round), count, step)], round})
		}
	}
	return starts
}
