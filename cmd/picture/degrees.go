package picture

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"heavytail/cmd/figure"
	"heavytail/embedding/evaluate"
	"heavytail/query/graphs"
	"heavytail/query/vectors"
)

// Degrees is a degree distribution with its name.
func Degrees(name string, counts []graphs.DegreeCount) figure.Degrees {
	d := figure.Degrees{Name: name}
	for _, c := range counts {
		d.Counts = append(d.Counts, figure.Count{Degree: c.Degree, Vertices: c.Vertices})
	}
	return d
}

// Reconstructed is the degree distribution of a reconstruction, named by its embedding
// and ε.
func Reconstructed(embedding string, r vectors.ReconstructedDegreesResult) figure.Degrees {
	return Degrees(fmt.Sprintf("%s at ε %.3f", embedding, r.Point.Epsilon), r.Degrees)
}

// FitLaw fits a power law to a degree distribution; it returns nil if there are fewer
// than two different positive degrees.
func FitLaw(ctx context.Context, counts []graphs.DegreeCount) (*evaluate.PowerLaw, error) {
	var degrees []int
	for _, c := range counts {
		degrees = append(degrees, slices.Repeat([]int{c.Degree}, int(c.Vertices))...)
	}
	law, err := evaluate.FitPowerLaw(ctx, degrees, evaluate.PowerLawOptions{})
	if errors.Is(err, evaluate.ErrDegrees) {
		return nil, nil
	}
	return &law, err
}

// WithLaw adds the line of a fitted law to a degree distribution; law may be nil.
func WithLaw(d figure.Degrees, law *evaluate.PowerLaw) figure.Degrees {
	if law == nil {
		return d
	}
	all := int64(0)
	for _, c := range d.Counts {
		all += c.Vertices
	}
	tail := float64(law.Tail) / float64(all)
	const steps = 24 // the line is straight except at its beginning
	ratio := math.Pow(float64(law.Largest)/float64(law.Xmin), 1.0/steps)
	for i, x := 0, float64(law.Xmin); i <= steps; i, x = i+1, x*ratio {
		degree := int(math.Round(x))
		if last := len(d.Law) - 1; last < 0 || float64(degree) > d.Law[last].X {
			d.Law = append(d.Law, figure.Point{X: float64(degree), Y: tail * law.Above(degree)})
		}
	}
	d.Says = fmt.Sprintf("power law of %s: exponent %.2f from degree %d on", d.Name, law.Alpha, law.Xmin)
	return d
}
