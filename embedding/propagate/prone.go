package propagate

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"heavytail/embedding/internal/base"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// MethodProNE is the name of [ProNE] as a method of embeddings.
const MethodProNE = "prone"

// ProNEOptions are the parameters of [ProNE]. The zero value takes every default.
type ProNEOptions struct {
	Dim           int      // k, coordinates per vertex, up to 4096; 0 is 200
	Order         int      // r, terms of the Chebyshev series, from 2 to 64; 0 is 10
	Mu            *float64 // μ, the eigenvalue of the Laplacian that is kept most, from −2 to 4; nil is 0
	Theta         float64  // θ, how strongly other eigenvalues are damped, above 0 and at most 16; 0 is 0.5
	RowNorm       *float64 // ν, as in FastRPOptions; nil is 1
	RowScale      *float64 // ρ, as in FastRPOptions; nil is 0.15
	Seed          uint64   // of the randomised factorisation
	IgnoreWeights bool     // takes every edge as 1
	Workers       int      // goroutines; 0 is GOMAXPROCS; the result does not depend on it

	// Progress, if not nil, receives the number of finished products with the stage
	// "factorising", and of finished columns with the stage "propagating".
	Progress func(stage string, done, total int64)
}

// WithDefaults returns a copy in which every parameter is set.
//
// The defaults are based on these measurements with k = 128: the AUC of predicting a
// held-out fifth of the edges by cosine, against random / degree / two-hop pairs, and the
// Pearson / Spearman correlation of degrees of the best reconstruction with μ 0.2:
//
//	links         μ 0                  μ 0.2 (the paper's)  μ 0.5                μ 0.2, θ 2
//	cora          .768 / .767 / .725   .769 / .765 / .709   .763 / .759 / .680   .765 / .764 / .718
//	CollegeMsg    .696 / .600 / .482   .695 / .618 / .481   .655 / .593 / .431   .704 / .621 / .500
//	ca-GrQc       .910 / .914 / .815   .910 / .915 / .812   .910 / .915 / .807   .910 / .914 / .814
//	ego-facebook  .988 / .985 / .946   .987 / .985 / .942   .983 / .983 / .934   .987 / .985 / .945
//	blogcatalog   .856 / .748 / .775   .824 / .733 / .728   .758 / .697 / .639
//
//	degrees       ρ 0           ρ ¼           ρ ½
//	cora          .173 / .157   .932 / .719   .851 / .760
//	CollegeMsg    .688 / .884   .948 / .541   .906 / .321
//	ca-GrQc       .421 / .019   .954 / .765   .932 / .790
//	ego-facebook  .709 / .534   .937 / .872   .910 / .832
//
// H3 of the best reconstruction (evaluate.ByH3) with μ 0 and k = 200, and micro-F1 of labels
// with 10 and 50 % known, for rows of length degree^−ρ:
//
//	ρ                             0           0.1         0.15        0.2    ¼
//	cora                          .251        .437        .529        .596   .633
//	CollegeMsg                    .266        .754        .712        .623   .557
//	ca-GrQc                       .460        .551        .589        .633   .676
//	ego-facebook                  .701        .784        .810        .824   .826
//	PA2000                        .463        .901        .848        .761   .665
//	power law 2.3 with 40 blocks  .262        .421        .460        .494   .562
//	labels of cora                .659, .814  .665, .816  .668, .816         .667, .814
//	labels of blogcatalog         .353, .411  .354, .409                     .357, .406
//
// 0.15 is at most .10 below the best, 0.2 up to .14, and the others more. Rows of length 1, as
// the paper has them, gain at most .005 of the labels here.
func (o ProNEOptions) WithDefaults() ProNEOptions {
	o.Dim = cmp.Or(o.Dim, 200)
	o.Order = cmp.Or(o.Order, 10)
	o.Theta = cmp.Or(o.Theta, 0.5)
	orDefault(&o.Mu, 0)
	orDefault(&o.RowNorm, 1)
	orDefault(&o.RowScale, 0.15)
	return o
}

// Validate reports every option that cannot be used; each error is ErrOptions.
func (o ProNEOptions) Validate() error {
	o = o.WithDefaults()
	return errors.Join(
		check(o.Dim >= 1 && o.Dim <= base.MaxDim, "dim (%d) must be from 1 to %d", o.Dim, base.MaxDim),
		check(o.Order >= 2 && o.Order <= 64, "order (%d) must be from 2 to 64", o.Order),
		check(within(*o.Mu, -2, 4), "mu (%g) must be from -2 to 4", *o.Mu),
		check(within(o.Theta, math.SmallestNonzeroFloat64, 16), "theta (%g) must be above 0 and at most 16", o.Theta),
		check(within(*o.RowNorm, 0, 1), "row_norm (%g) must be from 0 to 1", *o.RowNorm),
		check(within(*o.RowScale, 0, MaxPower), "row_scale (%g) must be from 0 to %d", *o.RowScale, MaxPower),
		check(o.Workers >= 0, "workers (%d) must not be negative", o.Workers))
}

// powerIterations is the number of power iterations of the factorisation, as in the
// authors' code.
const powerIterations = 5

// ProNE factorises a sparse matrix and propagates the vectors through a band of the
// spectrum (Zhang, Dong, Wang, Tang and Ding, "ProNE: Fast and Scalable Network
// Representation Learning", IJCAI 2019). The matrix has, for each edge,
//
//	Mᵥᵤ = ln(Sᵥᵤ) − ln(qᵤ),      qᵤ ∝ (Σᵥ Sᵥᵤ)^¾,  Σ q = 1
//
// and the start is X = U·Σ^½ of its truncated singular value decomposition (equations 3 to
// 6), with rows of length 1. With the Laplacian L = I − (D+I)⁻¹(A+I) the vectors become
//
//	Y = (A+I)·(X − g(L)·X),      g(L) = Σᵢ cᵢ·Iᵢ(θ)·Tᵢ(½(L − μI)² − I),  i < r
//
// with the modified Bessel functions I, the Chebyshev polynomials T and c 1, −2, 2, −2, …:
// the series of exp(−θ·(½(L − μI)² − I)) (equations 8 to 11, and the authors' code). The
// result is D^−ρ times U·Σ^½ of Y, with rows of length 1 before the factor D^−ρ (each row is
// divided by its length to the power ν, 1 by default). ρ and ν are additions of heavytail, as
// in [FastRP], and D counts in mean weights there.
//
// A vertex without edges is at the origin. Row v of the result is the
// vector of vertex v. Cost: k + 16 multiply-adds for each neighbour in each of 12
// products, and k in 2·r more; 26·n·k² of Gram matrices and bases. Memory: 8·k + 192 bytes for
// each vertex, with the result. Errors are ErrOptions and that of ctx.
func ProNE(ctx context.Context, g *csr.Graph, o ProNEOptions) (*vec.Matrix, Stats, error) {
	if err := o.Validate(); err != nil {
		return nil, Stats{}, err
	}
	o = o.WithDefaults()
	began := time.Now()
	p := &proNE{ProNEOptions: o, a: newAdjacency(g, o.IgnoreWeights, o.Workers)}
	rows, err := p.run(ctx)
	if err != nil {
		return nil, Stats{}, err
	}
	return rows, Stats{Weighted: p.a.g.Weighted(), Products: factorProducts + 2*(o.Order-1) + 1, Seconds: time.Since(began).Seconds()}, nil
}

type proNE struct {
	ProNEOptions
	a     *adjacency
	block []float32 // of each
	done  int64     // products of the factorisation
}

// factorProducts is the number of products of the factorisation.
const factorProducts = 2 * (powerIterations + 1)

func (p *proNE) run(ctx context.Context) (*vec.Matrix, error) {
	products := &products{workers: p.Workers}
	x, err := p.start(ctx, products)
	if err != nil {
		return nil, err
	}
	if err := p.propagate(ctx, x); err != nil {
		return nil, err
	}
	squares, vectors, err := products.gram(ctx, x)
	if err != nil {
		return nil, err
	}
	// Y = U·Σ·Vᵀ, so that U·Σ^½ is Y·V·Σ^−½.
	rows := vec.NewMatrix(x.Rows, p.Dim)
	if err := products.combine(ctx, rows, x, vectors, func(i int) float64 { return inverseRoot(squares, i, 0.25) }); err != nil {
		return nil, err
	}
	return rows, p.finish(ctx, rows, *p.RowNorm, p.a.power(-*p.RowScale))
}

// finish divides each row by its length to the power norm, and multiplies it by its factor,
// unless factors is nil. Rows of vertices without edges become 0.
func (p *proNE) finish(ctx context.Context, rows *vec.Matrix, norm float64, factors []float32) error {
	return p.a.each(ctx, func(v int) {
		row, factor := rows.Row(v), float32(0)
		if length := base.Length(row); length > 0 && p.a.degrees[v] > 0 {
			factor = float32(1 / math.Pow(length, norm))
			if factors != nil {
				factor *= factors[v]
			}
		}
		for j := range row {
			row[j] *= factor
		}
	})
}

// start computes the factors of M.
func (p *proNE) start(ctx context.Context, products *products) (*vec.Matrix, error) {
	n := len(p.a.degrees)
	// ln Sᵥᵤ − ln qᵤ is the sum of the logarithm of the weight, a term of the row, and a
	// term of the column. In mean weights the logarithms do not depend on the unit of the
	// weights, not even by rounding.
	row, column := make([]float64, n), p.logNoise()
	for v, d := range p.a.degrees {
		if d > 0 {
			row[v] = -math.Log(d / p.a.unit)
		}
	}
	times := func(row, column []float64) multiply {
		return func(ctx context.Context, to, from *vec.Matrix) error {
			err := p.each(ctx, to, from, func(v int, x []float32) (sum [width]float32) {
				lo, hi := p.a.g.Offsets[v], p.a.g.Offsets[v+1]
				for i, u := range p.a.g.Targets[lo:hi] {
					entry := row[v] + column[u]
					if p.a.g.Weighted() {
						entry += math.Log(float64(p.a.g.Weights[lo+int64(i)]) / p.a.unit)
					}
					vec.Axpy(float32(entry), x[int(u)*width:][:width], sum[:])
				}
				return sum
			})
			if p.done++; p.Progress != nil {
				p.Progress("factorising", p.done, factorProducts)
			}
			return err
		}
	}
	x, err := products.leftFactor(ctx, n, p.Dim, powerIterations, p.Seed, times(row, column), times(column, row))
	if err != nil {
		return nil, err
	}
	return x, p.finish(ctx, x, 1, nil)
}

// logNoise returns −ln q of each vertex, 0 without edges.
func (p *proNE) logNoise() []float64 {
	q, sum := make([]float64, len(p.a.degrees)), 0.0
	for u := range q {
		in := 0.0
		for i, v := range p.a.g.Neighbors(uint32(u)) {
			w := 1.0
			if p.a.g.Weighted() {
				w = float64(p.a.g.WeightsOf(uint32(u))[i])
			}
			in += w * p.a.inverse[v]
		}
		q[u] = math.Pow(in, 0.75)
		sum += q[u]
	}
	for u, x := range q {
		q[u] = 0
		if x > 0 {
			q[u] = -math.Log(x / sum)
		}
	}
	return q
}

// each sets the rows of to, block by block of columns: f returns row v of a block, from one of from.
func (p *proNE) each(ctx context.Context, to, from *vec.Matrix, f func(v int, block []float32) [width]float32) error {
	if p.block == nil {
		p.block = vec.Zeros[float32](from.Rows * width)
	}
	block := p.block
	for lo := 0; lo < from.Dim; lo += width {
		n := min(width, from.Dim-lo)
		if err := p.a.each(ctx, func(v int) { copy(block[v*width:][:n], from.Row(v)[lo:]) }); err != nil {
			return err
		}
		err := p.a.each(ctx, func(v int) {
			sum := f(v, block)
			copy(to.Row(v)[lo:lo+n], sum[:n])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// propagate replaces X by Y, one block of columns after another.
func (p *proNE) propagate(ctx context.Context, m *vec.Matrix) error {
	scratch := [5][]float32{p.block} // each is not called any more
	for i := range scratch[1:] {
		scratch[1+i] = vec.Zeros[float32](m.Rows * width)
	}
	x, sum := scratch[0], scratch[1]
	for lo := 0; lo < m.Dim; lo += width {
		columns := min(width, m.Dim-lo)
		err := p.a.each(ctx, func(v int) {
			row := x[v*width:][:width]
			clear(row[copy(row, m.Row(v)[lo:lo+columns]):])
		})
		if err == nil {
			err = p.series(ctx, sum, x, scratch[2], scratch[3], scratch[4])
		}
		if err == nil {
			err = p.a.each(ctx, func(v int) {
				for j := v * width; j < (v+1)*width; j++ {
					sum[j] = x[j] - sum[j]
				}
			})
		}
		if err == nil {
			err = p.a.each(ctx, func(v int) {
				var row [width]float32
				p.a.closed(row[:], sum, v, 1/p.a.unit)
				copy(m.Row(v)[lo:lo+columns], row[:])
			})
		}
		if err != nil {
			return err
		}
		if p.Progress != nil {
			p.Progress("propagating", int64(lo+columns), int64(m.Dim))
		}
	}
	return nil
}

// series sets sum to g(L)·x. With N = L − μI the terms are T₀ = x, T₁ = ½N²x − x and
// Tᵢ = N²Tᵢ₋₁ − 2Tᵢ₋₁ − Tᵢ₋₂. The other blocks are scratch.
func (p *proNE) series(ctx context.Context, sum, x, before, now, spare []float32) error {
	c := make([]float32, p.Order)
	for i := range c {
		c[i] = float32(math.Pow(-1, float64(i)) * 2 * bessel(i, p.Theta))
	}
	c[0] /= 2
	// term sets to to a function of N²·from, row by row, and adds it to the sum.
	term := func(c float32, to, from []float32, value func(squared float32, at int) float32) error {
		if err := p.a.each(ctx, func(v int) { p.shifted(spare[v*width:][:width], from, v) }); err != nil {
			return err
		}
		return p.a.each(ctx, func(v int) {
			var row [width]float32
			p.shifted(row[:], spare, v)
			for j, squared := range row {
				at := v*width + j
				to[at] = value(squared, at)
				sum[at] += c * to[at]
			}
		})
	}
	copy(before, x)
	for i, x := range x {
		sum[i] = c[0] * x
	}
	if err := term(c[1], now, before, func(squared float32, at int) float32 { return squared/2 - before[at] }); err != nil {
		return err
	}
	for _, c := range c[2:] {
		// Tᵢ overwrites Tᵢ₋₂, of which each row is needed only for the same row of Tᵢ.
		err := term(c, before, now, func(squared float32, at int) float32 { return squared - 2*now[at] - before[at] })
		if err != nil {
			return err
		}
		before, now = now, before
	}
	return nil
}

// shifted sets dst to row v of N·x.
func (p *proNE) shifted(dst, x []float32, v int) {
	p.a.closed(dst, x, v, 1/(p.a.degrees[v]+p.a.unit))
	rest := float32(1 - *p.Mu)
	for j, own := range x[v*width:][:width] {
		dst[j] = rest*own - dst[j]
	}
}

// bessel is the modified Bessel function of the first kind Iᵢ(θ), by its power series.
func bessel(i int, theta float64) float64 {
	term := 1.0
	for k := 1; k <= i; k++ {
		term *= theta / 2 / float64(k)
	}
	sum := 0.0
	for k := 1; term > sum*1e-17; k++ {
		sum += term
		term *= theta * theta / 4 / float64(k) / float64(i+k)
	}
	return sum
}

// ProNEBytes estimates the memory of ProNE without the graph, with the result.
func ProNEBytes(g *csr.Graph, o ProNEOptions) int64 {
	o = o.WithDefaults()
	n, dim, columns := int64(g.Vertices()), int64(o.Dim), int64(o.Dim+oversampling)
	// Of leftFactor with a block of a product, of propagate, and at the end.
	return 4*n*max(2*columns+width, columns+5*width, columns+dim) + 48*n + 4*columns*spareRows + 40*columns*columns
}

// ProNESeconds estimates how long ProNE takes on this machine, from the speed of its
// products on a sample of the vertices. It takes at most a tenth of a second.
func ProNESeconds(ctx context.Context, g *csr.Graph, o ProNEOptions) (float64, error) {
	if err := o.Validate(); err != nil {
		return 0, err
	}
	o = o.WithDefaults()
	gather, err := base.GatherSeconds(ctx, g, width)
	if err != nil {
		return 0, err
	}
	columns := float64(o.Dim + oversampling)
	arcs, n := float64(len(g.Targets)), float64(g.Vertices())
	// A product of the factorisation computes a coefficient for each neighbour, which takes
	// as long as reading three more rows.
	reads := (4*factorProducts + 2*float64(o.Order)) * arcs * columns / width
	const multiplyAdd = 5e-11 // of a Gram matrix or a change of basis
	multiplies := (4*(powerIterations+1) + 4) * n * columns * columns
	eigen := float64(2*(powerIterations+1)+2) * 2e-9 * columns * columns * columns
	return (reads*gather+multiplies*multiplyAdd)/workersOf(o.Workers) + eigen, nil
}
