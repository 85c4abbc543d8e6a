package spectral

import (
	"context"
	"runtime"

	"heavytail/embedding/eigen"
	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Bytes estimates the memory of a spectral method, without the graph: the solver and the products
// of the largest component, and if there are other components, a copy of the graph of the largest. The
// vectors of all are written when the basis of the largest has been given up.
func Bytes(g *csr.Graph, method string, o Options) int64 {
	o = o.WithDefaults(method)
	components := g.Components()
	n, k := int64(g.Vertices()), int64(min(o.Dim, g.Vertices()))
	largest := n
	if o.Components == Apart && n > 0 {
		largest = int64(components.Sizes[0])
	}
	blocks := 1 // of the operator
	if method == MethodDPSpectral && *o.Common > 0 {
		blocks = 2
	}
	arc := int64(4)
	if g.Weighted() && !o.IgnoreWeights {
		arc, blocks = 8, 2*blocks
	}
	bytes := eigen.Bytes(int(largest), int(k), blocks) + 40*largest + 8*n
	if components.Count() > 1 {
		bytes += arc*int64(len(g.Targets)) + 8*n
	}
	return bytes
}

// Seconds estimates how long a spectral method takes on this machine, from the speed of its
// two kernels on this graph. The spectrum is not known in advance: usually the true time is
// between a third and three times the estimate; for a graph that took 15 restarts it was
// five times the estimate. It takes about a tenth of a second.
func Seconds(ctx context.Context, g *csr.Graph, method string, o Options) (float64, error) {
	if err := o.Validate(); err != nil {
		return 0, err
	}
	o = o.WithDefaults(method)
	n, k := g.Vertices(), min(o.Dim, g.Vertices())
	arcs := float64(len(g.Targets))
	if method == MethodDPSpectral && *o.Common > 0 {
		arcs *= 2
	}
	if g.Weighted() && !o.IgnoreWeights {
		arcs *= 3 // see operator.gathers
	}
	gather, err := base.GatherSeconds(ctx, g, eigen.Width)
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

// multiplySeconds measures the seconds of one multiply-add in products of a basis, which
// has the given number of rows, with a block.
func multiplySeconds(ctx context.Context, rows, workers int) (float64, error) {
	const cols = 8 * eigen.Width
	basis, block := vec.NewMatrix(rows, cols), vec.NewMatrix(rows, eigen.Width)
	c, c32 := make([]float64, cols*eigen.Width), make([]float32, cols*eigen.Width)
	work := 2 * float64(max(rows, 1)) * cols * eigen.Width
	return base.MedianSeconds(ctx, func() (float64, error) {
		if err := vec.MulTNContext(ctx, c, basis.Panel(0, cols), block.Panel(0, eigen.Width), workers); err != nil {
			return 0, err
		}
		return work, vec.MulNNContext(ctx, block.Panel(0, eigen.Width), 1, -1, basis.Panel(0, cols), c32, workers)
	})
}
