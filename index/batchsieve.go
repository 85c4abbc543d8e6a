package index

import "heavytail/storage/vec"

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
