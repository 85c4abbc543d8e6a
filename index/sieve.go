package index

import "heavytail/storage/vec"

// A sieve decides most of the pairs that are not within a limit by tiles that cost less
// than those of the screen. It decides no pair that is within the limit.
type sieve interface {
	// pack packs the 12 vectors that begin with vector r.
	pack(group *sieveGroup, r int)
	// near sets the bits of the pairs of a packed group with panel p that it does not
	// decide, and reports whether there are any. products is its workspace.
	near(mask *[vec.TileRows]uint32, products *[vec.TileRows * vec.TileCols]float32, group *sieveGroup, p int) bool
}

// sieveGroup has 12 vectors in the form of a sieve, so that their elements of one column
// are adjacent, and their lowered norms.
type sieveGroup struct {
	columns []float32 // of a projection
	words   []uint32  // of a byteForm
	norms   [vec.TileRows]float32
}

// rowSieve decides most pairs of queries and vectors by tiles that cost less than their products.
// It skips no vector that may be among the nearest.
type rowSieve interface {
	ofQueries(queries *vec.Matrix, workers int) querySieve
}

// querySieve is a rowSieve for the queries of a batch.
type querySieve interface {
	// limit sets the terms of column j for query i, by which vectors are skipped that are farther
	// than a bound: of their squared distance, or under Dot of twice the negated product. A query
	// behind the last has nothing near.
	limit(columns *vec.ColumnTerms, j, i int, far float64)
	// near sets the bits of the pairs of 12 vectors, from one on, with panel p that may be
	// among the nearest, given the terms of the queries, and returns their number. products is
	// its workspace.
	near(mask *[vec.TileRows]uint32, products *[vec.TileRows * vec.TileCols]float32, first, p int, columns *vec.ColumnTerms) int
}

// estimateSieve is a querySieve that also knows about how far a vector is.
type estimateSieve interface {
	querySieve
	// estimate sets for each query of panel p a number that ascends with the distance of the vector at a place, given their
	// products of near. far returns what limit takes as far for it.
	estimate(estimates *[vec.TileCols]float64, p, place int, products *[vec.TileCols]float32)
	far(i int, estimate float64) float64
}

// A forcedRows makes tests use a rowSieve whatever it costs.
type forcedRows int

const (
	noneForced forcedRows = iota
	bytesForced
	projectionForced
)

// The costs of comparing a tile with a limit, of leaving it for its pairs,
// and of measuring one pair, in columns of a tile product, which take 4.4
// ns each on a Xeon (Sapphire Rapids).
const (
	withinCost     = 6
	leaveCost      = 5
	aloneCost      = 2
	alonePerColumn = 1.0 / 80
)

// few returns how many pairs of a tile can be measured one by one in the time
// of the tile.
func few(dim int) int {
	return int(float64(dim+withinCost) / (aloneCost + float64(dim)*alonePerColumn))
}

// leftCost returns the cost of the pairs of a tile that a sieve has left.
func leftCost(left, dim int) float64 {
	switch {
	case left == 0:
		return 0
	case left <= few(dim):
		return leaveCost + float64(left)*(aloneCost+float64(dim)*alonePerColumn)
	}
	return leaveCost + float64(dim+withinCost)
}
