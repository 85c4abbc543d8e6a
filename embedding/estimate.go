package embedding

import (
	"context"
	"math"
	"runtime"
	"time"

	"heavytail/embedding/eigen"
	"heavytail/embedding/skipgram"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// estimateTime is how long each of the measurements of an estimate takes, about.
const estimateTime = 50 * time.Millisecond

// SpectralSeconds estimates how long a spectral method takes on this machine, from
// the speed of its two kernels on this graph. What it cannot know is the spectrum:
// the truth is within a third and three times of it as a rule, and was five times of
// it on a graph that took 15 restarts.
// It takes about a tenth of a second.
func SpectralSeconds(ctx context.Context, g *csr.Graph, method string, o SpectralOptions) (float64, error) {
	if err := o.Validate(); err != nil {
		return 0, err
	}
	o = o.WithDefaults(method)
	n, k := g.Vertices(), min(o.Dim, g.Vertices())
	arcs := float64(len(g.Targets))
	if method == MethodDPSpectral {
		arcs *= 2
	}
	if g.Weighted() && !o.IgnoreWeights {
		arcs *= 3 // see operator.gathers
	}
	gather, err := gatherSeconds(ctx, g)
	if err != nil {
		return 0, err
	}
	multiply, err := multiplySeconds(ctx, min(n, 1<<14), o.Workers)
	if err != nil {
		return 0, err
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return eigen.Seconds(n, k, arcs*gather/float64(workers), multiply), nil
}

// gatherSeconds measures the reading of the row of a block for one arc, by one
// goroutine, on a sample of the vertices.
func gatherSeconds(ctx context.Context, g *csr.Graph) (float64, error) {
	n := g.Vertices()
	x, sum := make([]float32, n*eigen.Width), make([]float32, eigen.Width)
	began, arcs := time.Now(), 0
	for i, step := 0, 7919; i < n && time.Since(began) < estimateTime; i++ { // any vertices, and not those of one neighbourhood
		v := uint32(i * step % n)
		vec.GatherSum(sum, x, eigen.Width, g.Neighbors(v))
		arcs += g.Degree(v)
	}
	return time.Since(began).Seconds() / float64(max(arcs, 1)), ctx.Err()
}

// multiplySeconds measures a multiply-add of the products of a basis of some rows
// with a block.
func multiplySeconds(ctx context.Context, rows, workers int) (float64, error) {
	const cols = 8 * eigen.Width
	basis, block := vec.NewMatrix(rows, cols), vec.NewMatrix(rows, eigen.Width)
	c, c32 := make([]float64, cols*eigen.Width), make([]float32, cols*eigen.Width)
	began, times := time.Now(), 0
	for times == 0 || time.Since(began) < estimateTime {
		if err := vec.MulTNContext(ctx, c, basis.Panel(0, cols), block.Panel(0, eigen.Width), workers); err != nil {
			return 0, err
		}
		if err := vec.MulNNContext(ctx, block.Panel(0, eigen.Width), 1, -1, basis.Panel(0, cols), c32, workers); err != nil {
			return 0, err
		}
		times++
	}
	return time.Since(began).Seconds() / (2 * float64(times) * float64(max(rows, 1)) * cols * eigen.Width), nil
}

// WalkSeconds estimates how long a method that learns from walks takes on this
// machine: it makes the sampler of the walks, and trains on some of them. It takes
// the memory of the training and some tenths of a second more than the sampler.
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
	// The paths of the tree are as long as the logarithm of what was visited.
	some := math.Log2(2 + min(float64(g.Vertices()), float64(stats.Visits)))
	deeper := math.Log2(2+float64(g.Vertices())) / some
	return before + stats.Seconds*deeper*float64(all)/float64(walks.Walks)*float64(o.Epochs), nil
}
