package evaluate

import (
	"context"
	"math"
	"math/rand/v2"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// RandomDirections returns a matrix whose row v has the length of row v of m, and a
// direction that is uniform among all. The same seed gives the same matrix with any
// number of workers. It takes O(n·dim) and the memory of m. The only error is that
// of ctx.
func RandomDirections(ctx context.Context, m *vec.Matrix, seed uint64, workers int) (*vec.Matrix, error) {
	const block, stream = 256, 0x6e756c6c
	random := vec.NewMatrix(m.Rows, m.Dim)
	vec.Parallel(m.Rows, block, workers, func(number, lo, hi int) {
		if ctx.Err() != nil {
			return
		}
		source := rand.New(rand.NewPCG(seed^stream, uint64(number)))
		normal := make([]float64, m.Dim) // independent ones have a uniform direction
		for v := lo; v < hi; v++ {
			for i := range normal {
				normal[i] = source.NormFloat64()
			}
			scale := length(m.Row(v)) / max(length(normal), 1e-100) // all normals can be 0
			for i, x := range normal {
				// A length beyond the range of float32 is possible if coordinates are near its end.
				random.Row(v)[i] = float32(max(-math.MaxFloat32, min(math.MaxFloat32, x*scale)))
			}
		}
	})
	return random, ctx.Err()
}

// length is the Euclidean length of a row.
func length[T float32 | float64](row []T) float64 {
	sum := 0.0
	for _, x := range row {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// ReconstructNull measures what the lengths of the rows of m reconstruct without their
// directions: the best point of [ReconstructSweep] on [RandomDirections] of them, with
// the same options. It is the null of the rows, for comparison with the best point of m.
//
// A row that is longer where its vertex has a low degree is far from most others
// whatever its direction, so lengths alone give the reconstruction nearly the degrees of
// the graph: unit rows times degree^−0.1 in random directions have correlations of
// degrees above 0.9 on scale-free graphs. They do not give its edges: F1 and H3 of the null
// are low.
//
// It costs as much as the sweep, and the memory of m in addition. Errors are those of
// ReconstructSweep.
func ReconstructNull(ctx context.Context, g *csr.Graph, m *vec.Matrix, opts ReconstructOptions) (ReconstructionPoint, error) {
	random, err := RandomDirections(ctx, m, opts.Seed, opts.Workers)
	if err != nil {
		return ReconstructionPoint{}, err
	}
	best, points, err := ReconstructSweep(ctx, g, random, opts)
	if err != nil {
		return ReconstructionPoint{}, err
	}
	return points[best], nil
}

// ReconstructNullAt is [ReconstructNull] of [ReconstructAt], at one radius.
func ReconstructNullAt(ctx context.Context, g *csr.Graph, m *vec.Matrix, radius float64, opts ReconstructOptions) (ReconstructionPoint, error) {
	random, err := RandomDirections(ctx, m, opts.Seed, opts.Workers)
	if err != nil {
		return ReconstructionPoint{}, err
	}
	return ReconstructAt(ctx, g, random, radius, opts)
}

// RandomDirectionsBytes is the memory of [RandomDirections], which a null takes beside
// [ReconstructBytes] or [ReconstructAtBytes].
func RandomDirectionsBytes(vertices, dim int) int64 { return 4 * int64(vertices) * int64(dim) }
