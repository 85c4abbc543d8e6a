package index

import (
	"context"

	"heavytail/storage/vec"
)

// sieveRows is the least number of vectors for a sieve: with fewer the choice takes over a
// tenth of the time of comparing them.
const sieveRows = 2048

// forcedSieve is a sieve that a test takes without regard to costs: projections on a
// positive number of directions, none with a negative number, or bytes.
type forcedSieve struct {
	directions int
	bytes      bool
}

// newSieve returns the sieve that costs least for a sample of tiles, or nil where
// comparing all columns at once costs at most slightly more.
func newSieve(ctx context.Context, s *screen, t threshold, forced forcedSieve, workers int) sieve {
	rows, dim, limit := s.m.Rows, s.m.Dim, float64(t.near)
	switch {
	case rows == 0 || dim == 0 || forced.directions < 0:
		return nil
	case forced.directions > 0:
		if q := s.directions(min(forced.directions, dim), limit, workers); q != nil {
			return newProjection(ctx, s, limit, q, workers)
		}
		return nil
	case !forced.bytes && rows < sieveRows:
		return nil
	}
	least := 0.75 * float64(dim+withinCost)
	var best sieve
	if forced.bytes || vec.FastBytes() {
		if b := newByteForm(ctx, s, limit, workers); b != nil {
			if cost := s.byteCost(b); cost < least || forced.bytes {
				best, least = b, cost
			}
		}
	}
	if forced.bytes || ctx.Err() != nil {
		return best
	}
	if q := s.fewestDirections(limit, least, workers); q != nil {
		best = newProjection(ctx, s, limit, q, workers)
	}
	return best
}

// byteCost returns what a tile by bytes and the pairs that it leaves cost on average.
func (s *screen) byteCost(b *byteForm) float64 {
	if s.m.Rows < vec.TileCols {
		return 0
	}
	var (
		group    sieveGroup
		mask     [vec.TileRows]uint32
		products [vec.TileRows * vec.TileCols]float32
		left     float64
	)
	tiles := s.sampleTiles(func(r, first int) {
		b.pack(&group, r)
		if b.near(&mask, &products, &group, first/vec.TileCols) {
			left += leftCost(pairsIn(&mask), s.m.Dim)
		}
	})
	return float64(b.steps) + 2 + withinCost + left/float64(tiles)
}
