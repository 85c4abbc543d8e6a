package placement

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/storage/csr"
)

// Near is a near point of another one, at a distance that is not negative.
type Near struct {
	Of, To   uint32
	Distance float64
}

// PlaceNear returns places of n points at which near ones are near each other and others are not, as UMAP
// does (McInnes, Healy and Melville 2018). Each list of the nearest of a point becomes fuzzy edges:
// its nearest one has weight 1, and the weights of a list add up to log₂ of its length; the weights a and
// b of a pair in both directions become a + b − ab. Edges attract in proportion to their weights, and
// for each, both ends repel some random points. The kernel in the plane is 1/(1 + d²) (Tang et al.,
// "Visualizing Large-scale and High-dimensional Data", 2016).
//
// The list has the pairs of a point one behind the other. Place of the graph of the near points is the
// beginning, in which groups that are linked are beside each other. The same input and seed give the same
// places with any number of workers. It takes the time of Place and O(pairs · rounds) on one processor,
// and 40 bytes for each pair.
// opts.Iterations are the rounds, by default from 60 to 500, fewer for large lists. The error is that of
// ctx, wrapped.
func PlaceNear(ctx context.Context, n int, near []Near, opts Options) ([]Point, error) {
	const (
		repelled  = 5  // points for each end of an edge and round
		longest   = 4  // a coordinate of one step
		half      = 10 // of the width of the beginning
		separates = 1e-3
	)
	edges := fuzzy(near)
	pairs := make([]csr.Edge, len(edges))
	for i, e := range edges {
		pairs[i] = csr.Edge{U: e.u, V: e.v}
	}
	g, err := csr.FromEdges(n, pairs)
	if err != nil {
		return nil, err
	}
	at, err := Place(ctx, g, Options{Iterations: 100, Seed: opts.Seed, Workers: opts.Workers})
	if err != nil {
		return nil, err
	}
	at = scaled(at, half)
	random := rand.New(rand.NewPCG(opts.Seed, 0x3a9d))
	for v := range at { // equal places have no direction
		at[v].X += separates * random.NormFloat64()
		at[v].Y += separates * random.NormFloat64()
	}
	rounds := opts.Iterations
	if rounds == 0 {
		rounds = max(60, min(500, 60_000_000/(len(edges)+1)))
	}
	step := func(x, rate float64) float64 { return rate * max(-longest, min(longest, x)) }
	for round := range rounds {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("placing the vertices: %w", err)
		}
		rate := 1 - float64(round)/float64(rounds)
		for i := range edges {
			e := &edges[i]
			if e.waits += e.weight; e.waits < 1 {
				continue
			}
			e.waits--
			for _, ends := range [2][2]uint32{{e.u, e.v}, {e.v, e.u}} {
				u, v := &at[ends[0]], &at[ends[1]]
				x, y := u.X-v.X, u.Y-v.Y
				pull := -2 / (1 + x*x + y*y)
				u.X += step(pull*x, rate)
				u.Y += step(pull*y, rate)
				for range repelled {
					v := &at[random.Uint32N(uint32(len(at)))]
					if u == v {
						continue
					}
					x, y := u.X-v.X, u.Y-v.Y
					d := x*x + y*y
					push := 2 / ((separates + d) * (1 + d))
					u.X += step(push*x, rate)
					u.Y += step(push*y, rate)
				}
			}
		}
		if opts.Progress != nil {
			opts.Progress("placing", int64(round+1), int64(rounds))
		}
	}
	centre(at)
	turn(at)
	return at, nil
}

// fuzzyEdge is a pair with its weight, which is also how often it attracts in a round.
type fuzzyEdge struct {
	u, v          uint32 // u is below v
	weight, waits float64
}

// fuzzy returns the fuzzy edges of lists of near points, ordered by their ends.
func fuzzy(near []Near) []fuzzyEdge {
	var edges []fuzzyEdge
	for from := 0; from < len(near); {
		to := from
		for to < len(near) && near[to].Of == near[from].Of {
			to++
		}
		for i, weight := range weights(near[from:to]) {
			p := near[from+i]
			if p.Of != p.To {
				edges = append(edges, fuzzyEdge{min(p.Of, p.To), max(p.Of, p.To), weight, 0})
			}
		}
		from = to
	}
	slices.SortStableFunc(edges, func(a, b fuzzyEdge) int { return cmp.Or(cmp.Compare(a.u, b.u), cmp.Compare(a.v, b.v)) })
	merged := edges[:0]
	for _, e := range edges {
		if last := len(merged) - 1; last >= 0 && merged[last].u == e.u && merged[last].v == e.v {
			merged[last].weight += e.weight - merged[last].weight*e.weight
			continue
		}
		merged = append(merged, e)
	}
	return merged
}

// weights returns exp(−(d−nearest)/width) of a list, with the width for which they add up to log₂ of its
// length.
func weights(list []Near) []float64 {
	nearest, farthest := math.Inf(1), 0.0
	for _, p := range list {
		nearest, farthest = min(nearest, p.Distance), max(farthest, p.Distance)
	}
	result := make([]float64, len(list))
	fill := func(width float64) (sum float64) {
		for i, p := range list {
			result[i] = 1
			if d := p.Distance - nearest; d > 0 {
				result[i] = math.Exp(-d / width)
			}
			sum += result[i]
		}
		return sum
	}
	const halvings = 50
	low, high := 0.0, 1024*max(farthest-nearest, math.SmallestNonzeroFloat64)
	for range halvings {
		if middle := (low + high) / 2; fill(middle) > math.Log2(float64(len(list))) {
			high = middle
		} else {
			low = middle
		}
	}
	fill(high)
	return result
}

// scaled returns places around the origin whose largest coordinate is half.
func scaled(places []Point, half float64) []Point {
	at := slices.Clone(places)
	centre(at)
	largest := math.SmallestNonzeroFloat64
	for _, p := range at {
		largest = max(largest, math.Abs(p.X), math.Abs(p.Y))
	}
	for v := range at {
		at[v] = Point{at[v].X / largest * half, at[v].Y / largest * half}
	}
	return at
}

// centre moves places so that their mean is the origin.
func centre(at []Point) {
	var mean Point
	for _, p := range at {
		mean.X, mean.Y = mean.X+p.X/float64(len(at)), mean.Y+p.Y/float64(len(at))
	}
	for v := range at {
		at[v].X, at[v].Y = at[v].X-mean.X, at[v].Y-mean.Y
	}
}
