package tune

import (
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/embedding"
)

func BenchmarkRowScale(b *testing.B) {
	g := realgraph.Load(b, "ca-GrQc")
	e, err := embedding.SolveSpectral(b.Context(), g, embedding.MethodDPSpectral, embedding.SpectralOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, _, err := RowScale(b.Context(), g, e, 0.25, 1); err != nil {
			b.Fatal(err)
		}
	}
}
