package index

import (
	"math"
)

// dot64 is the scalar product in float64, where products of float32 values
// neither overflow nor vanish. It keeps four sums, because a single one would
// wait for the previous addition each time.
func dot64(a, b []float32) float64 {
	var s0, s1, s2, s3 float64
	for len(a) >= 4 && len(b) >= 4 {
		s0 += float64(a[0]) * float64(b[0])
		s1 += float64(a[1]) * float64(b[1])
		s2 += float64(a[2]) * float64(b[2])
		s3 += float64(a[3]) * float64(b[3])
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += float64(x) * float64(b[i])
	}
	return (s0 + s1) + (s2 + s3)
}

func norm64(a []float32) float64 { return math.Sqrt(dot64(a, a)) }

// toFloat32 rounds to float32, clamped to the largest finite value.
func toFloat32(x float64) float32 {
	return float32(max(-math.MaxFloat32, min(math.MaxFloat32, x)))
}

// inverseNorm returns 1/‖a‖, 0 for a zero vector, and NaN if a is so short or
// so long that its float32 products with a unit vector are unreliable.
func inverseNorm(a []float32) float64 {
	length := norm64(a)
	switch {
	case length == 0:
		return 0
	case length < 0x1p-80 || length > 0x1p100:
		return math.NaN()
	}
	return 1 / length
}

// clampCosine rounds a cosine to float32 and clamps rounding errors to [-1,
// 1].
func clampCosine(x float64) float32 {
	return float32(max(-1, min(1, x)))
}
