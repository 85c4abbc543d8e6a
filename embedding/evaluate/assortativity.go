package evaluate

import (
	"context"
	"math"
	"math/big"
	"math/bits"

	"heavytail/storage/csr"
)

// Assortativity returns Pearson's correlation of the degrees at the two ends
// of an edge, over all edges in both directions (Newman, "Assortative Mixing
// in Networks", 2002): positive if hubs are joined to hubs, negative if they
// are joined to vertices of small degree, NaN if all ends have the same
// degree. Weights are not used.
//
// Sums are exact integers, so no precision is lost for hubs with millions of
// edges; the result is the nearest float64. It takes O(m) time. The error is
// that of ctx.
func Assortativity(ctx context.Context, g *csr.Graph) (float64, error) {
	// Over arcs (u, v): the number of them, Σ d_u, Σ d_u² and Σ d_u·d_v. A vertex
	// is the source of as many arcs as its degree.
	var first, second, product sum128
	const checkArcs = 1 << 20 // a few milliseconds
	pending := 0
	for v := range g.Vertices() {
		row := g.Neighbors(uint32(v))
		degree := uint64(len(row))
		first.add(degree, degree)
		second.add(degree*degree, degree) // degrees are below 2^32
		around := uint64(0)               // below the number of arcs
		for _, u := range row {
			around += uint64(g.Degree(u))
		}
		product.add(degree, around)
		if pending += len(row) + 1; pending >= checkArcs {
			if pending = 0; ctx.Err() != nil {
				return 0, ctx.Err()
			}
		}
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	arcs := new(big.Int).SetInt64(int64(len(g.Targets)))
	square := new(big.Int).Mul(first.big(), first.big())
	above := new(big.Int).Sub(new(big.Int).Mul(arcs, product.big()), square)
	below := new(big.Int).Sub(new(big.Int).Mul(arcs, second.big()), square)
	if below.Sign() == 0 {
		return math.NaN(), nil
	}
	r, _ := new(big.Rat).SetFrac(above, below).Float64()
	return r, nil
}

type sum128 struct{ hi, lo uint64 }

func (s *sum128) add(a, b uint64) {
	hi, lo := bits.Mul64(a, b)
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi += hi + carry
}

func (s *sum128) big() *big.Int {
	n := new(big.Int).SetUint64(s.hi)
	return n.Or(n.Lsh(n, 64), new(big.Int).SetUint64(s.lo))
}
