package index

import (
	"context"
	"math"

	"heavytail/storage/vec"
)

// byteForm holds every vector in one byte for each column, whose products are exact and take
// about a quarter of the time of those in float32. With a step t, the same for all
// vectors, and whole numbers from −127 to 127,
//
//	q_l ≈ x′_l/t,  E(x) = ‖x′ − t·q(x)‖,  E = max E(x),
//
// the triangle inequality gives
//
//	t·‖q(x)−q(y)‖ ≤ ‖x′−y′‖ + 2E = √D + 2E.
//
// So D is above a limit if ‖q(x)−q(y)‖² is above (√limit + 2E)²/t². The norms and the
// products of the bytes are whole numbers below 2²², so the left side is computed without
// an error, and no norm has to be lowered.
//
// It decides most pairs where 2E ≈ t·√(d/3) is small compared with the distances by which
// pairs miss the radius: for vectors whose elements have about the same size, as those of
// walks and of unit balls have.
type byteForm struct {
	s      *screen
	steps  int                   // of vec.TileBytes: four columns each
	t      float64               // the step
	off    float64               // a little more than 2E
	limit  float32               // of ‖q(x)−q(y)‖²
	panels []uint32              // 32 vectors each: the b of vec.TileBytes
	bases  [][vec.TileCols]int32 // of vec.TileBytes, of each panel
	norms  []float32             // ‖q‖²; +Inf for padding
}

const (
	byteDim = 4096 // so that rounding adds at most 32 to the length of q
	// byteLength is the most that the length of x′, which is at most 1, may be in steps,
	// so that the length of q is below 2¹¹.
	byteLength = 2000
)

// byteSteps is the number of steps of vec.TileBytes, of four columns each.
func byteSteps(dim int) int { return (dim + 3) / 4 }

// newByteForm returns the bytes of all vectors for pairs within a limit, or nil if there are
// too many columns.
func newByteForm(ctx context.Context, s *screen, limit float64, workers int) *byteForm {
	rows, dim := s.m.Rows, s.m.Dim
	if dim > byteDim {
		return nil
	}
	count := (rows + vec.TileCols - 1) / vec.TileCols
	b := &byteForm{s: s, steps: byteSteps(dim)}
	b.panels = make([]uint32, count*vec.TileCols*b.steps)
	b.bases = make([][vec.TileCols]int32, count)
	b.norms = make([]float32, count*vec.TileCols)
	sizes, errors := make([]float64, count), make([]float64, count)
	vec.Parallel(count, 8, workers, func(_, lo, hi int) {
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			sizes[p] = s.largest(p)
		}
	})
	t := max(1.0/byteLength, largest(sizes)/127)
	vec.Parallel(count, 8, workers, func(_, lo, hi int) {
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			errors[p] = b.packPanel(p, t)
		}
	})
	// The screen has rounded each element of x′ by at most u times itself; errors of
	// float64 are far below the other terms.
	const slack = 1e-9
	b.t, b.off = t, 2*(math.Sqrt(largest(errors))+unit)+slack
	within := (math.Sqrt(limit) + b.off) / t
	b.limit = roundUp(within * within * (1 + slack))
	return b
}

// largest returns the largest element of the vectors of panel p, without its sign.
func (s *screen) largest(p int) float64 {
	most := uint32(0)
	for _, x := range s.panel(p) {
		most = max(most, math.Float32bits(x)&^(1<<31)) // bits ascend as positive numbers do
	}
	return float64(math.Float32frombits(most))
}

// packPanel packs panel p in steps of t, and returns the largest square of E. It takes x′
// as the screen has rounded it.
func (b *byteForm) packPanel(p int, t float64) float64 {
	const whole = 3 << 22 // a float32 of this size has no fraction
	var (
		panel, from = b.panel(p), b.s.panel(p)
		by          = float32(1 / t)
		norms, sums [vec.TileCols]int32
		off         [vec.TileCols]float64
	)
	for l := range b.s.m.Dim {
		column, words := (*[vec.TileCols]float32)(from[l*vec.TileCols:]), (*[vec.TileCols]uint32)(panel[l/4*vec.TileCols:])
		shift := 8 * (l % 4)
		for j, x := range column {
			rounded := float32(x*by+whole) - whole
			q := max(-127, min(127, int32(rounded)))
			d := float64(x) - float64(q)*t
			off[j] += d * d
			norms[j] += q * q
			sums[j] += q
			words[j] |= uint32(uint8(q)) << shift
		}
	}
	most := 0.0
	for j := range vec.TileCols {
		v := p*vec.TileCols + j
		if v >= b.s.m.Rows {
			b.norms[v] = float32(math.Inf(1))
			continue
		}
		b.norms[v], b.bases[p][j] = float32(norms[j]), -128*sums[j]
		most = max(most, off[j])
	}
	return most
}

// panel returns the packed vectors [32p, 32p+32).
func (b *byteForm) panel(p int) []uint32 {
	size := vec.TileCols * b.steps
	return b.panels[p*size : (p+1)*size]
}

func (b *byteForm) pack(group *sieveGroup, r int) {
	group.words = fitted(group.words, vec.TileRows*b.steps)
	packGroup(group.words, b.panels, b.steps, r, groupNorms{&group.norms, b.norms})
	unsigned(group.words)
}

// unsigned adds 128 to each byte, as rows of vec.TileBytes need.
func unsigned(words []uint32) {
	for i := range words {
		words[i] ^= 0x80808080
	}
}

func (b *byteForm) near(mask *[vec.TileRows]uint32, products *[vec.TileRows * vec.TileCols]float32, group *sieveGroup, p int) bool {
	b.multiply(products, group, p)
	return b.within(mask, products, group, p)
}

// multiply sets products to those of a packed group with panel p.
func (b *byteForm) multiply(products *[vec.TileRows * vec.TileCols]float32, group *sieveGroup, p int) {
	vec.TileBytes(products, b.steps, group.words, b.panel(p), &b.bases[p])
}

// within is near for products.
func (b *byteForm) within(mask *[vec.TileRows]uint32, products *[vec.TileRows * vec.TileCols]float32, group *sieveGroup, p int) bool {
	return vec.TileWithin(mask, products, &group.norms, (*[vec.TileCols]float32)(b.norms[p*vec.TileCols:]), b.limit)
}
