package embedding

import (
	"context"
	"errors"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

func spectral(ctx context.Context, g *csr.Graph, name string, opts SpectralOptions) (*vec.Matrix, SpectralStats, error) {
	return nil, SpectralStats{}, errors.New("embedding: " + name + " is not built yet")
}
