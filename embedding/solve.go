package embedding

import (
	"context"
	"errors"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

func spectral(ctx context.Context, g *csr.Graph, method string, opts SpectralOptions) (*vec.Matrix, SpectralStats, error) {
	return nil, SpectralStats{}, errors.New("embedding: " + method + " is not built yet")
}
