package index

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/index/internal/screen"
	"heavytail/storage/vec"
)

// projectedRows holds the projections of the vectors of an Exact under L2, and decides which of
// them may be among the nearest of a query, by the bound and the margins of projection, for
// x′ and y′ of the screen. A query is projected like a vector: its margin is in proportion to its
// own length. With s and the largest squared distance D of a query so far, a vector is skipped if
//
//	low(r) + low(q) − 2·r″·q″ > s²·D,
//
// where s²·D is part of the term of the query; adding it is rounded three times, by u times the
// sum of all terms each, which a margin of 16u of it covers.
//
// It pays where most vectors are near one point, as those of spectral methods are.
type projectedRows struct {
	s    *screen.Screen // only centred
	q    [][]float64
	cols int
	rows []float32 // cols of each vector; whole groups of 12
	low  []float32 // lowered norms; +Inf for padding
}

// projectionPays reports whether projections may answer batches of many queries sooner.
func projectionPays(x *Exact) bool {
	return x.metric == L2 && x.m.Rows >= screen.ProjectionRows && x.m.Dim <= screen.ProjectionDim && 4*screen.ProjectionSizes()[0] <= x.m.Dim
}

// newProjectedRows returns the projections of the vectors of x for queries for k vectors, or nil
// if a sample shows that they do not pay, or there are no directions. At most a quarter of the
// dimension are taken, so that they take no more memory than byteRows.
func newProjectedRows(ctx context.Context, x *Exact, k, workers int, forced bool) *projectedRows {
	s := screen.Centred(ctx, x.m, workers)
	rows, limits := sampleNearest(ctx, s, x, k, workers)
	if len(rows) == 0 {
		return nil
	}
	most := max(1, x.m.Dim/4)
	if !forced {
		sizes := screen.ProjectionSizes()
		most = sizes[0]
		for _, size := range sizes {
			if 4*size <= x.m.Dim {
				most = size
			}
		}
	}
	sorted := slices.Clone(limits)
	slices.Sort(sorted)
	p := &projectedRows{s: s, q: s.Directions(most, sorted[len(sorted)/2], workers)}
	if p.q == nil {
		return nil
	}
	if !forced {
		if most = tryNearest(s, p.q, rows, limits); most == 0 {
			return nil
		}
		p.q = p.q[:most]
	}
	p.cols = len(p.q) + 1
	groups := (x.m.Rows + vec.TileRows - 1) / vec.TileRows
	p.rows = make([]float32, groups*vec.TileRows*p.cols)
	p.low = make([]float32, groups*vec.TileRows)
	vec.Parallel(len(p.low), 256, workers, func(_, lo, hi int) {
		row, short := make([]float64, x.m.Dim), make([]float64, p.cols)
		for v := lo; v < hi; v++ {
			if v >= x.m.Rows {
				p.low[v] = float32(math.Inf(1))
				continue
			}
			s.ScaledRow(row, v)
			p.low[v] = screen.Shortened(p.rows[v*p.cols:], 1, s, p.q, row, short)
		}
	})
	return p
}

// sampleNearest returns some vectors, and for each the scaled squared distance within which k
// others are; none if there are no k others.
func sampleNearest(ctx context.Context, s *screen.Screen, x *Exact, k, workers int) (rows []int, limits []float64) {
	const seed = 3
	random := rand.New(rand.NewPCG(seed, 0))
	for range vec.TileCols {
		v := random.IntN(x.m.Rows)
		hits, err := x.Search(ctx, x.m.Row(v), k+1, SearchOptions{Workers: workers})
		if err != nil || len(hits) <= k {
			return nil, nil
		}
		rows = append(rows, v)
		limits = append(limits, s.Scale2*float64(vec.L2Squared(x.m.Row(v), x.m.Row(int(hits[k].Vertex)))))
	}
	return rows, limits
}

// tryNearest returns the number of directions with the lowest cost for the sample of queries, or
// 0 if none saves a quarter of the cost of the tiles.
func tryNearest(s *screen.Screen, q [][]float64, queries []int, limits []float64) int {
	const seed, tiles = 4, 96
	dim, sizes := s.M.Dim, screen.ProjectionSizes()
	random := rand.New(rand.NewPCG(seed, 0))
	row := make([]float64, dim)
	project := func(v int) (short []float64, norm float64) {
		s.ScaledRow(row, v)
		short = make([]float64, len(q)+1)
		return short, screen.Shorten(short, row, q)
	}
	var columns [vec.TileCols][]float64
	var norms [vec.TileCols]float64
	for j, v := range queries {
		columns[j], norms[j] = project(v)
	}
	cost := make([]float64, len(sizes))
	for range tiles {
		var near [8]int
		for range vec.TileRows {
			short, norm := project(random.IntN(s.M.Rows))
			for j := range queries {
				screen.CountNear(near[:len(sizes)], short, columns[j], norm, norms[j], sizes, limits[j])
			}
		}
		for c := range sizes {
			cost[c] += screen.LeftCost(near[c], dim) / tiles
		}
	}
	best, least := 0, 0.75*float64(dim+screen.WithinCost)
	for c, size := range sizes {
		if total := float64(size+1+screen.WithinCost) + cost[c]; size <= len(q) && total < least {
			best, least = size, total
		}
	}
	return best
}

// projectedQueries holds the queries of a batch in the form of projectedRows.
type projectedQueries struct {
	rows   *projectedRows
	panels []float32 // 32 queries each: the b of vec.Tile
	low    []float32 // lowered norms; NaN for a query that is compared with all vectors
}

func (p *projectedRows) ofQueries(queries *vec.Matrix, workers int) querySieve {
	const most = 1e12 // products with longer queries might overflow
	count := (queries.Rows + vec.TileCols - 1) / vec.TileCols
	b := &projectedQueries{rows: p, panels: make([]float32, count*vec.TileCols*p.cols), low: make([]float32, queries.Rows)}
	vec.Parallel(queries.Rows, vec.TileCols, workers, func(_, lo, hi int) {
		row, short := make([]float64, queries.Dim), make([]float64, p.cols)
		for i := lo; i < hi; i++ {
			p.s.Scaled(row, queries.Row(i))
			if b.low[i] = float32(math.NaN()); vec.Dot64(row, row) <= most {
				b.low[i] = screen.Shortened(b.panels[i/vec.TileCols*vec.TileCols*p.cols+i%vec.TileCols:], vec.TileCols, p.s, p.q, row, short)
			}
		}
	})
	return b
}

func (b *projectedQueries) limit(columns *vec.ColumnTerms, j, i int, far float64) {
	const most = 1e12
	columns[0][j] = float32(math.Inf(-1))
	if i >= len(b.low) {
		columns[0][j] = float32(math.Inf(1))
	} else if within := far*b.rows.s.Scale2*(1+16*screen.Unit) + screen.Underflow; within < most && !math.IsNaN(float64(b.low[i])) {
		columns[0][j] = screen.RoundDown(float64(b.low[i]) - within)
	}
}

func (b *projectedQueries) near(mask *[vec.TileRows]uint32, products *[vec.TileRows * vec.TileCols]float32, first, p int, columns *vec.ColumnTerms) int {
	r := b.rows
	vec.Tile(products, r.cols, r.rows[first*r.cols:], r.cols, 1, b.panels[p*vec.TileCols*r.cols:][:vec.TileCols*r.cols])
	if !vec.TileWithin(mask, products, (*[vec.TileRows]float32)(r.low[first:]), &columns[0], 0) {
		return 0
	}
	return screen.PairsIn(mask)
}
