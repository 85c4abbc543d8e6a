package screen

import "heavytail/storage/vec"

// A Sieve decides most of the pairs that are not within a limit by tiles that cost less
// than those of the screen. It decides no pair that is within the limit.
type Sieve interface {
	// Pack packs the 12 vectors that begin with vector r.
	Pack(group *Group, r int)
	// Near sets the bits of the pairs of a packed group with panel p that it does not
	// decide, and reports whether there are any. products is its workspace.
	Near(mask *[vec.TileRows]uint32, products *[vec.TileRows * vec.TileCols]float32, group *Group, p int) bool
}

// Group has 12 vectors in the form of a sieve, so that their elements of one column
// are adjacent, and their lowered norms.
type Group struct {
	columns []float32 // of a projection
	words   []uint32  // of a ByteForm
	Norms   [vec.TileRows]float32
}

// The costs of comparing a tile with a limit, of leaving it for its pairs,
// and of measuring one pair, in columns of a tile product, which take 4.4
// ns each on a Xeon (Sapphire Rapids).
const (
	WithinCost     = 6
	leaveCost      = 5
	aloneCost      = 2
	alonePerColumn = 1.0 / 80
)

// Few returns how many pairs of a tile can be measured one by one in the time
// of the tile.
func Few(dim int) int {
	return int(float64(dim+WithinCost) / (aloneCost + float64(dim)*alonePerColumn))
}

// LeftCost returns the cost of the pairs of a tile that a sieve has left.
func LeftCost(left, dim int) float64 {
	switch {
	case left == 0:
		return 0
	case left <= Few(dim):
		return leaveCost + float64(left)*(aloneCost+float64(dim)*alonePerColumn)
	}
	return leaveCost + float64(dim+WithinCost)
}
