package screen

import (
	"context"
	"math"

	"heavytail/storage/vec"
)

// ByteForm holds every vector in one byte for each column, whose products are exact and take
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
type ByteForm struct {
	s      *Screen
	steps  int                   // of vec.TileBytes: four columns each
	Step   float64               // the step
	Off    float64               // a little more than 2E
	Limit  float32               // of ‖q(x)−q(y)‖²
	panels []uint32              // 32 vectors each: the b of vec.TileBytes
	bases  [][vec.TileCols]int32 // of vec.TileBytes, of each panel
	Norms  []float32             // ‖q‖²; +Inf for padding
}

const (
	ByteDim = 4096 // so that rounding adds at most 32 to the length of q
	// byteLength is the most that the length of x′, which is at most 1, may be in steps,
	// so that the length of q is below 2¹¹.
	byteLength = 2000
)

// ByteSteps is the number of steps of vec.TileBytes, of four columns each.
func ByteSteps(dim int) int { return (dim + 3) / 4 }

// NewByteForm returns the bytes of all vectors for pairs within a limit, or nil if there are
// too many columns.
func NewByteForm(ctx context.Context, s *Screen, limit float64, workers int) *ByteForm {
	rows, dim := s.M.Rows, s.M.Dim
	if dim > ByteDim {
		return nil
	}
	count := (rows + vec.TileCols - 1) / vec.TileCols
	b := &ByteForm{s: s, steps: ByteSteps(dim)}
	b.panels = make([]uint32, count*vec.TileCols*b.steps)
	b.bases = make([][vec.TileCols]int32, count)
	b.Norms = make([]float32, count*vec.TileCols)
	sizes, errors := make([]float64, count), make([]float64, count)
	vec.Parallel(count, 8, workers, func(_, lo, hi int) {
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			sizes[p] = s.largest(p)
		}
	})
	t := max(1.0/byteLength, Largest(sizes)/127)
	vec.Parallel(count, 8, workers, func(_, lo, hi int) {
		for p := lo; p < hi && ctx.Err() == nil; p++ {
			errors[p] = b.packPanel(p, t)
		}
	})
	// The screen has rounded each element of x′ by at most u times itself; errors of
	// float64 are far below the other terms.
	const slack = 1e-9
	b.Step, b.Off = t, 2*(math.Sqrt(Largest(errors))+Unit)+slack
	within := (math.Sqrt(limit) + b.Off) / t
	b.Limit = RoundUp(within * within * (1 + slack))
	return b
}

// largest returns the largest element of the vectors of panel p, without its sign.
func (s *Screen) largest(p int) float64 {
	most := uint32(0)
	for _, x := range s.Panel(p) {
		most = max(most, math.Float32bits(x)&^(1<<31)) // bits ascend as positive numbers do
	}
	return float64(math.Float32frombits(most))
}

// packPanel packs panel p in steps of t, and returns the largest square of E. It takes x′
// as the screen has rounded it.
func (b *ByteForm) packPanel(p int, t float64) float64 {
	const whole = 3 << 22 // a float32 of this size has no fraction
	var (
		panel, from = b.panel(p), b.s.Panel(p)
		by          = float32(1 / t)
		norms, sums [vec.TileCols]int32
		off         [vec.TileCols]float64
	)
	for l := range b.s.M.Dim {
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
		if v >= b.s.M.Rows {
			b.Norms[v] = float32(math.Inf(1))
			continue
		}
		b.Norms[v], b.bases[p][j] = float32(norms[j]), -128*sums[j]
		most = max(most, off[j])
	}
	return most
}

// panel returns the packed vectors [32p, 32p+32).
func (b *ByteForm) panel(p int) []uint32 {
	size := vec.TileCols * b.steps
	return b.panels[p*size : (p+1)*size]
}

func (b *ByteForm) Pack(group *Group, r int) {
	group.words = Fitted(group.words, vec.TileRows*b.steps)
	PackGroup(group.words, b.panels, b.steps, r, GroupNorms{To: &group.Norms, Of: b.Norms})
	Unsigned(group.words)
}

// Unsigned adds 128 to each byte, as rows of vec.TileBytes need.
func Unsigned(words []uint32) {
	for i := range words {
		words[i] ^= 0x80808080
	}
}

func (b *ByteForm) Near(mask *[vec.TileRows]uint32, products *[vec.TileRows * vec.TileCols]float32, group *Group, p int) bool {
	b.Multiply(products, group, p)
	return b.Within(mask, products, group, p)
}

// Multiply sets products to those of a packed group with panel p.
func (b *ByteForm) Multiply(products *[vec.TileRows * vec.TileCols]float32, group *Group, p int) {
	vec.TileBytes(products, b.steps, group.words, b.panel(p), &b.bases[p])
}

// Within is near for products.
func (b *ByteForm) Within(mask *[vec.TileRows]uint32, products *[vec.TileRows * vec.TileCols]float32, group *Group, p int) bool {
	return vec.TileWithin(mask, products, &group.Norms, (*[vec.TileCols]float32)(b.Norms[p*vec.TileCols:]), b.Limit)
}
