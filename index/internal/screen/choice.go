package screen

import (
	"context"

	"heavytail/storage/vec"
)

// SieveRows is the least number of vectors for a sieve: with fewer the choice takes over a
// tenth of the time of comparing them.
const SieveRows = 2048

// Forced is a sieve that a test takes without regard to costs: projections on a
// positive number of directions, none with a negative number, or bytes.
type Forced struct {
	Directions int
	Bytes      bool
}

// NewSieve returns the sieve that costs least for a sample of tiles, or nil where
// comparing all columns at once costs at most slightly more.
func NewSieve(ctx context.Context, s *Screen, t Threshold, forced Forced, workers int) Sieve {
	rows, dim, limit := s.M.Rows, s.M.Dim, float64(t.Near)
	switch {
	case rows == 0 || dim == 0 || forced.Directions < 0:
		return nil
	case forced.Directions > 0:
		if q := s.Directions(min(forced.Directions, dim), limit, workers); q != nil {
			return newProjection(ctx, s, limit, q, workers)
		}
		return nil
	case !forced.Bytes && rows < SieveRows:
		return nil
	}
	least := 0.75 * float64(dim+WithinCost)
	var best Sieve
	if forced.Bytes || vec.FastBytes() {
		if b := NewByteForm(ctx, s, limit, workers); b != nil {
			if cost := s.byteCost(b); cost < least || forced.Bytes {
				best, least = b, cost
			}
		}
	}
	if forced.Bytes || ctx.Err() != nil {
		return best
	}
	if q := s.fewestDirections(limit, least, workers); q != nil {
		best = newProjection(ctx, s, limit, q, workers)
	}
	return best
}

// byteCost returns what a tile by bytes and the pairs that it leaves cost on average.
func (s *Screen) byteCost(b *ByteForm) float64 {
	if s.M.Rows < vec.TileCols {
		return 0
	}
	var (
		group    Group
		mask     [vec.TileRows]uint32
		products [vec.TileRows * vec.TileCols]float32
		left     float64
	)
	tiles := s.sampleTiles(func(r, first int) {
		b.Pack(&group, r)
		if b.Near(&mask, &products, &group, first/vec.TileCols) {
			left += LeftCost(PairsIn(&mask), s.M.Dim)
		}
	})
	return float64(b.steps) + 2 + WithinCost + left/float64(tiles)
}
