package embedding

import (
	"context"
	"math"
	"time"

	"heavytail/embedding/skipgram"
	"heavytail/storage/csr"
)

// WalkSeconds estimates how long a method that learns from walks takes on this machine: it
// builds the sampler of the walks and trains on a few of them. It takes the memory of the
// training, and some tenths of a second more than the sampler.
func WalkSeconds(ctx context.Context, g *csr.Graph, method string, o WalkOptions) (float64, error) {
	began := time.Now()
	walks, err := NewWalks(ctx, g, method, o)
	if err != nil {
		return 0, err
	}
	o = o.WithDefaults(method)
	before := time.Since(began).Seconds()
	if walks.Walks == 0 {
		return before, nil
	}
	const visits = 40_000
	all := walks.Walks
	walks.Walks = min(all, max(1, visits/o.Length))
	training := o.training()
	training.Epochs, training.Progress = 1, nil
	_, stats, err := skipgram.Train(ctx, walks, training)
	if err != nil {
		return 0, err
	}
	// The length of a path in the tree is about the logarithm of the visited vertices.
	some := math.Log2(2 + min(float64(g.Vertices()), float64(stats.Visits)))
	deeper := math.Log2(2+float64(g.Vertices())) / some
	visiting := (stats.Seconds - stats.SetupSeconds) * deeper * float64(all) / float64(walks.Walks) * float64(o.Epochs)
	return before + stats.SetupSeconds + visiting, nil
}
