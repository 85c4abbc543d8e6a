package index

import (
	"fmt"
	"math"
)

// EpsilonToRadius returns the distance at which the edge probability
// 1/(1+e^distance) equals eps: r = ln(1/ε − 1). Distances up to r are edges. An
// eps outside (0, ½] is [ErrEpsilon]: no distance has a probability above ½.
func EpsilonToRadius(eps float64) (float64, error) {
	if !(eps > 0 && eps <= 0.5) {
		return 0, fmt.Errorf("epsilon %v: %w", eps, ErrEpsilon)
	}
	// 1/ε − 1 = 1 + (1−2ε)/ε. Near ½, where the values of spectral embeddings
	// lie close together, 1−2ε is exact and Log1p keeps all its digits;
	// ln(1/ε−1) would lose them.
	return math.Log1p((1 - 2*eps) / eps), nil
}

// RadiusToEpsilon is the inverse of EpsilonToRadius: ε = 1/(1+e^r).
func RadiusToEpsilon(radius float64) float64 {
	return 1 / (1 + math.Exp(radius))
}
