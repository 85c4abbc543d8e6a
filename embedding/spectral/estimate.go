package spectral

import (
	"context"
	"runtime"
	"time"

	"heavytail/embedding/eigen"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// estimateTime is how long each of the measurements of an estimate takes, about.
const estimateTime = 50 * time.Millisecond

// Seconds estimates how long a spectral method takes on this machine, from the speed of
// its two kernels on this graph. It does not know the spectrum: as a rule the true time
// is between a third and three times the estimate; on a graph that took 15 restarts it
// was five times. It takes about a tenth of a second.
func Seconds(ctx context.Context, g *csr.Graph, method string, o Options) (float64, error) {
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

// gatherSeconds measures the time to read the row of a block for one arc, by one
// goroutine, on a sample of the vertices.
func gatherSeconds(ctx context.Context, g *csr.Graph) (float64, error) {
	n := g.Vertices()
	x, sum := make([]float32, n*eigen.Width), make([]float32, eigen.Width)
	began, arcs := time.Now(), 0
	for i, step := 0, 7919; i < n && time.Since(began) < estimateTime; i++ { // spread over the vertices, not from one neighbourhood
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
