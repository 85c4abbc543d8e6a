package unitball

import "math"

// leastViolation bounds forces of negative powers.
const leastViolation = 1e-6

// rule decides which pairs violate their bound, and with which force.
type rule struct {
	margin float64
	power  float64 // of a violation, to which its force is proportional
}

// edge returns the force of an edge by its squared length, and whether it is too long.
// The force is for a difference of rows, as that of a [violation].
func (r rule) edge(square float32) (by float64, violated bool) {
	inner := 1 - r.margin
	if square <= float32(inner*inner) {
		return 0, false
	}
	d := math.Sqrt(float64(square))
	return 2 * r.raised(d-inner) / d, true
}

// other returns the force of a pair without an edge, which is negative, and whether it is
// too short.
func (r rule) other(square float32) (by float64, violated bool) {
	outer := 1 + r.margin
	if square > float32(outer*outer) {
		return 0, false
	}
	d := math.Sqrt(float64(square))
	return -2 * r.raised(outer-d) / max(d, 1e-6), true
}

// raised returns a violation to the power.
func (r rule) raised(violation float64) float64 {
	if r.power == 1 {
		return violation
	}
	return math.Pow(max(violation, leastViolation), r.power)
}
