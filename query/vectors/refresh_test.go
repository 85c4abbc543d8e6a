package vectors

import (
	"math"
	"testing"

	"heavytail/query/internal/session"
)

// Each method reserves for a refresh what it takes: fastrp half of what a spectral method does.
func TestRefreshBytes(t *testing.T) {
	t.Parallel()
	const vertices, dim = 1_000_000, 64
	stored := float64(session.VectorBytes(vertices, dim))
	for method, want := range map[string]float64{"fastrp": 3.3, "prone": 3.8, "dp_spectral": 6.2, "laplacian_eigenmaps": 6.2, "deepwalk": 4.06, "dp_walker": 4.06, "netmf": 7} {
		if got := float64(refreshBytes(method, vertices, dim)) / stored; math.Abs(got-want) > 0.02 {
			t.Errorf("%s: %.2f times the vectors, expected %.2f", method, got, want)
		}
	}
}
