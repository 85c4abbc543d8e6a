package eigen

import (
	"cmp"
	"context"
	"math"
	"slices"

	"heavytail/storage/vec"
)

// Refinement is the outcome of Refine: K approximate eigenpairs, whose vectors
// Combine computes.
type Refinement struct {
	// Values and Residuals are as in Result. Those of all pairs are measured, from the
	// products that the step computes.
	Values, Residuals []float64
	Converged         bool   // every residual is within the tolerance
	Reason            string // why, in words
	Products          int    // products of N with one vector
	// Added is the number of directions of the residual that were added.
	Added int

	start   vec.Panel
	blocks  []vec.Panel // of directions
	within  []float64   // K × first: TᵀV
	c       []float64   // cols × first: V = start·c
	own     []float64   // K × first and
	other   []float64   // directions × K: coefficients of the vectors in V and Q
	given   []float64   // first × start.Cols: Vᵀ·start, of the start as it was given
	workers int
}

// Refine finds the K largest eigenpairs of the operator approximately, from
// vectors that nearly span their space, such as the eigenvectors of a slightly
// different matrix. It is one Rayleigh–Ritz step on
//
//	span [V, (I − VVᵀ)·N·V],   V an orthonormal basis of the start,
//
// The step uses only those directions of the second part in which the residual N·V −
// V·(VᵀNV) is longer than half of the tolerance. It uses the longest of them, at most Width
// plus a sixth of the number of columns of V: a small change needs few. Then it adds the
// residuals of pairs that have not converged, several times if necessary; of a few pairs also
// the products of the residuals with N, N², …. With Options.Directions, where too many directions
// are longer, it multiplies a start with many rows by a polynomial of N before the step (amplify),
// and gives up with few rows, where a solve is as fast. No eigenvalue may be below −Norm then, or
// below minus the largest if Norm is 0. The start may have any number of columns, of any
// length, and dependent ones. It must not contain the known eigenvectors of a Projector, and
// neither does the result. The result keeps the start and may overwrite it.
//
// Neither V nor its products are formed: the step needs only matrices of inner
// products of the start and its images, whose small factors give the result in
// one pass (Combine). They also give the residuals, by ‖Nt − λt‖² = ‖Nt‖² −
// λ², which in float32 distinguishes lengths down to about 1e-3 of the largest
// eigenvalue. The residuals may exceed the tolerance; Converged reports that,
// and another step from the result may help. There may be fewer than K pairs
// if start and residual span less.
//
// It takes start.Cols products, three to seven times as many if the start is amplified, and one more
// for each added direction, and with Combine the time of about five products of tall matrices with
// small ones, of 2·n·start.Cols² operations each, nine if the start is amplified. Memory beside the start is one matrix as large, and two
// with the added columns. Errors are ctx.Err() and ErrNotFinite.
func Refine(ctx context.Context, op Operator, start vec.Panel, opts Options) (*Refinement, error) {
	opts = opts.withDefaults()
	r := &refiner{op: op, opts: opts, start: start, project: func([]float32) {}}
	known := 0
	if p, ok := op.(Projector); ok && p.Known() > 0 {
		r.project, known = p.Project, p.Known()
	}
	r.opts.K = min(opts.K, op.Size()-known)
	r.cols, r.asGiven = start.Cols, start.Cols
	blocks := max(1, min(ahead, (start.Cols+Width-1)/Width))
	r.x = vec.Zeros[float32](op.Size() * Width * blocks)
	r.y = vec.Zeros[float32](op.Size() * Width * blocks)
	if err := r.span(ctx); err != nil {
		return nil, err
	}
	if near, err := r.approach(ctx); err != nil {
		return nil, err
	} else if !near {
		return &Refinement{Reason: ReasonFar, Products: r.products}, nil
	}
	for round := 0; ; round++ {
		result, err := r.ritz(ctx)
		if err != nil || result.Converged || round == rounds {
			return result, err
		}
		if more, err := r.pursue(ctx, result, round); err != nil || !more {
			return result, err
		}
	}
}

// rounds is the number of times that the residuals of pairs that have not converged are
// added as directions. Each round reduces the residuals that the round before has left.
const rounds = 6

// refiner is one step of Refine. Small matrices are row-major.
type refiner struct {
	op      Operator
	project func([]float32)
	opts    Options
	x, y    []float32 // blocks, Size × Width each: ahead, or as many as the start has

	start   vec.Panel
	asGiven int       // columns of the start as given
	given   []float64 // first × asGiven: Vᵀ·start, of the start as given
	cols    int       // columns of the start that are in use
	images  vec.Panel // n × cols: N·start
	first   int       // columns of V
	directions

	c      []float64 // cols × first: V = start·c
	h      []float64 // first × first: VᵀNV
	square []float64 // first × first: (NV)ᵀNV

	products int
	sums     vec.Sums
}

// Lengths of directions of the start, relative to the longest. Directions of at least the
// length independent can be distinguished from rounding errors. If all have at least the
// length level, their inner products are about as exact as those of the longest; otherwise
// the start is first replaced by an orthonormal basis.
const (
	independent = 3e-4
	level       = 0.2
)

// span finds coefficients c of an orthonormal basis of the start: by a Cholesky factor of its
// Gram matrix if its directions have the length level, otherwise by the eigenvectors, which take
// ten times as long. A start with far fewer directions than columns is replaced by a basis, which has
// fewer products.
func (r *refiner) span(ctx context.Context) error {
	gram, err := r.gram(ctx, columns(r.start, 0, r.cols))
	if err != nil {
		return err
	}
	if c, given, rank, ok := basis(gram, r.cols, r.opts.K, independent, level); ok && 2*rank >= r.cols {
		r.c, r.given, r.first = c, given, rank
		return nil
	}
	if err := r.whiten(gram); err != nil {
		return err
	}
	r.given = transposedTimes(r.c, gram, r.first, r.cols, r.cols)
	smallest := 0.0 // smallest singular value of the start over the largest; the lengths of the rows of given are the singular values
	if r.first > 0 {
		last, top := r.given[(r.first-1)*r.cols:], r.given[:r.cols]
		smallest = math.Sqrt(vec.Dot64(last, last) / vec.Dot64(top, top))
	}
	if r.first == 0 || smallest >= level && 2*r.first >= r.cols {
		return nil
	}
	if err := r.sums.MulNN(ctx, columns(r.start, 0, r.first), 0, 1, columns(r.start, 0, r.cols), vec.Float32s(r.c), r.opts.Workers); err != nil {
		return err
	}
	given := r.cols
	r.cols = r.first
	if gram, err = r.gram(ctx, columns(r.start, 0, r.cols)); err != nil {
		return err
	}
	before := r.given
	if err := r.whiten(gram); err != nil {
		return err
	}
	r.given = vec.Product64(transposedTimes(r.c, gram, r.first, r.cols, r.cols), before, r.first, r.cols, given)
	return nil
}

// whiten sets c such that start·c is orthonormal, given the Gram matrix of the
// start.
func (r *refiner) whiten(gram []float64) error {
	m := r.cols
	values, vectors, err := eigenpairs(slices.Clone(gram), m, m)
	if err != nil {
		return err
	}
	r.first = 0
	for r.first < m {
		enough := independent
		if r.first >= r.opts.K {
			enough = level // short directions beyond K are not needed, such as those of eigenvectors that are now known
		}
		if values[r.first] <= square(enough)*values[0] {
			break
		}
		r.first++
	}
	r.c = make([]float64, m*r.first)
	for j := range r.first {
		length := math.Sqrt(values[j])
		for i := range m {
			r.c[i*r.first+j] = vectors[j*m+i] / length
		}
	}
	return nil
}

// inner returns aᵀ·b.
func (r *refiner) inner(ctx context.Context, a, b vec.Panel) ([]float64, error) {
	c := make([]float64, a.Cols*b.Cols)
	return c, r.sums.MulTN(ctx, c, a, b, r.opts.Workers)
}

// gram returns aᵀ·a.
func (r *refiner) gram(ctx context.Context, a vec.Panel) ([]float64, error) {
	c := make([]float64, a.Cols*a.Cols)
	return c, r.sums.MulTN(ctx, c, a, a, r.opts.Workers)
}

// multiply sets to to the products of from.
func (r *refiner) multiply(ctx context.Context, to, from vec.Panel) error {
	r.products += from.Cols
	size := from.Rows * Width
	step := r.step()
	for lo := 0; lo < from.Cols; lo += step {
		hi := min(lo+step, from.Cols)
		r.load(r.x, columns(from, lo, hi))
		for at := 0; at < (hi-lo+Width-1)/Width*size; at += size {
			if err := r.op.Apply(ctx, r.y[at:at+size], r.x[at:at+size], 1, 0, 0); err != nil {
				return err
			}
		}
		r.store(columns(to, lo, hi), r.y)
	}
	return ctx.Err()
}

// ahead is the number of blocks that are copied at a time: a row of them is as long as one
// read of memory.
const ahead = 4

// step is the number of columns that are copied at a time.
func (r *refiner) step() int { return len(r.x) / r.op.Size() }

// approach adds directions of the residual to V. If more of them are long than Options.Directions
// allows, it amplifies the start before, or returns false for one that has few rows.
func (r *refiner) approach(ctx context.Context) (bool, error) {
	large := Amplifiable(r.start.Rows, r.cols)
	if !large || r.opts.Doubtful {
		if near, err := r.sample(ctx, large); err != nil || !near {
			return false, err
		}
	}
	far, err := r.enrich(ctx)
	if err != nil || far == nil || !large {
		return far == nil, err
	}
	if able, err := r.amplify(ctx, far); err != nil || !able {
		return false, err
	}
	r.opts.Directions = 0
	_, err = r.enrich(ctx)
	return true, err
}

// enrich computes the residual of the images of V, and adds its longest directions. If more of them
// are long than Options.Directions allows, it adds none and returns the squared lengths of all.
func (r *refiner) enrich(ctx context.Context) (far []float64, err error) {
	n, k := r.start.Rows, r.first
	if r.images.Data == nil {
		r.images = vec.NewMatrix(n, r.start.Cols).Panel(0, r.start.Cols)
	}
	x, y := columns(r.start, 0, r.cols), columns(r.images, 0, r.cols)
	if err := r.multiply(ctx, y, x); err != nil {
		return nil, err
	}
	h := make([]float64, r.cols*r.cols)
	if err := r.sums.MulTNSymmetric(ctx, h, x, y, r.opts.Workers); err != nil {
		return nil, err
	}
	images, err := r.gram(ctx, y)
	if err != nil {
		return nil, err
	}
	r.h, r.square = congruent(h, r.c, r.cols, k), congruent(images, r.c, r.cols, k)
	left := slices.Clone(r.square) // the Gram matrix of NV − V·h
	minus := vec.Product64(r.h, r.h, k, k, k)
	vec.Axpy64(-1, minus, left)
	most := min(k, (k/6+Width)/Width*Width)
	values, vectors, err := eigenpairs(left, k, most)
	if err != nil {
		return nil, err
	}
	long := r.long(values, r.norm(), largestEntry(r.square))
	if r.tooMany(long) {
		return values, nil
	}
	p := min(long, most)
	if p == 0 {
		return nil, nil
	}
	w := make([]float64, k*p)
	for j := range p {
		for i := range k {
			w[i*p+j] = vectors[j*k+i] / math.Sqrt(values[j])
		}
	}
	hw := vec.Product64(r.h, w, k, k, p)
	block := vec.NewMatrix(n, 2*p).Panel(0, 2*p)
	if err := r.residualsOf(ctx, columns(block, 0, p), vec.Product64(r.c, w, r.cols, k, p), vec.Product64(r.c, hw, r.cols, k, p)); err != nil {
		return nil, err
	}
	if err := r.imagesOf(ctx, columns(block, 0, p), columns(block, p, 2*p)); err != nil {
		return nil, err
	}
	return nil, r.add(ctx, block)
}

// sample returns false if the residual of the images of some columns of the start has so many long
// directions that the residual of all images must be expected to have more than
// Options.Directions allows. Without Options.Norm the longest of these images stands for it. With a
// limit that some columns cannot exceed it computes nothing. A large start is multiplied by a
// polynomial if nearly all directions are long, and if few are, directions are added. But if many are
// and not all, eigenvectors of a few vertices have been broken, which takes both many times, and longer
// than a solve that needs few products.
func (r *refiner) sample(ctx context.Context, large bool) (bool, error) {
	if r.opts.Directions >= expected*sampled && !large || r.cols <= 2*sampled || r.opts.Directions == 0 {
		return true, nil
	}
	m := vec.NewMatrix(r.start.Rows, 2*sampled)
	x, y := m.Panel(0, sampled), m.Panel(sampled, 2*sampled)
	for i := range x.Rows {
		to, from := x.Data[i*x.Stride:], r.start.Data[i*r.start.Stride:]
		for j := range sampled {
			to[j] = from[j*r.cols/sampled]
		}
	}
	copyUnit(x, x)
	if err := r.multiply(ctx, y, x); err != nil {
		return false, err
	}
	cross, err := r.inner(ctx, columns(r.start, 0, r.cols), y)
	if err != nil {
		return false, err
	}
	images, err := r.gram(ctx, y)
	if err != nil {
		return false, err
	}
	inside := transposedTimes(r.c, cross, r.first, r.cols, sampled) // Vᵀ·y
	left := slices.Clone(images)
	vec.Axpy64(-1, transposedTimes(inside, inside, sampled, r.first, sampled), left)
	values, _, err := eigenpairs(left, sampled, sampled)
	if err != nil {
		return false, err
	}
	norm := r.opts.Norm
	if norm == 0 {
		norm = math.Sqrt(largestEntry(images))
	}
	long := r.long(values, norm, largestEntry(images))
	if large {
		return long <= sampledFew || long >= sampledMost || meanQuotient(x, y) >= sampledSlow*norm, nil
	}
	return !r.tooMany(expected * long), nil
}

// meanQuotient returns the mean of the Rayleigh quotients xᵀy of columns x of length 1 with the images y.
func meanQuotient(x, y vec.Panel) float64 {
	sum := 0.0
	for i := range x.Rows {
		sum += float64(vec.Dot(x.Data[i*x.Stride:][:x.Cols], y.Data[i*y.Stride:][:y.Cols]))
	}
	return sum / float64(x.Cols)
}

// sample judges from the images of sampled columns, evenly spread. For each long direction of
// their residual, that of all images of 200 columns had 2 to 4.5, on ego-facebook, ca-GrQc and
// CollegeMsg with 1 or 2 % of the edges changed.
const (
	sampled  = 2 * Width
	expected = 3

	// Of a large start. With 2 or 5 % of the edges changed, all 32 were long in five kinds of generated
	// graphs, where a step took .4 to .9 of the time of a solve; 4 to 10 in soc-Epinions1, where it took
	// .1 to .3; 13 to 24 in sx-mathoverflow, where it took .5 to 3.
	sampledFew  = 12
	sampledMost = 28

	// A solve for eigenvalues so close to the largest needs many products, so that a step is tried whatever
	// the sample says. In dblp and soc-Epinions1 the mean Rayleigh quotient was .96 to .99 of the norm with
	// .5 to 5 % of the edges changed, and a step took .1 to .4 of the time of a solve with 12 to 30 long
	// images, too; in sx-mathoverflow it was .75 to .87.
	sampledSlow = 0.92
)

// long counts the squared lengths, in descending order, of directions of a residual that are too
// long to be left out, given the largest squared length of an image.
func (r *refiner) long(squares []float64, norm, image float64) int {
	threshold := square(max(0.5*r.opts.Tolerance*norm, resolved*math.Sqrt(image)))
	count := 0
	for count < len(squares) && squares[count] > threshold {
		count++
	}
	return count
}

// tooMany reports whether a residual has more long directions than Options.Directions allows.
func (r *refiner) tooMany(long int) bool { return r.opts.Directions > 0 && long > r.opts.Directions }

// residualsOf adds images·a − start·b to q.
func (r *refiner) residualsOf(ctx context.Context, q vec.Panel, a, b []float64) error {
	if err := r.sums.MulNN(ctx, q, 1, 1, columns(r.images, 0, r.cols), vec.Float32s(a), r.opts.Workers); err != nil {
		return err
	}
	return r.sums.MulNN(ctx, q, 1, -1, columns(r.start, 0, r.cols), vec.Float32s(b), r.opts.Workers)
}

// imagesOf removes the known eigenvectors from the columns of q, and sets to to their products.
func (r *refiner) imagesOf(ctx context.Context, q, to vec.Panel) error {
	for lo := 0; lo < q.Cols; lo += Width {
		block := columns(q, lo, min(lo+Width, q.Cols))
		r.load(r.x, block)
		r.project(r.x)
		r.store(block, r.x)
	}
	return r.multiply(ctx, to, q)
}

// pursue adds the longest residuals of pairs that have not converged, in the first round
// also of those that have only just converged, to the directions, and reports whether there
// was room.
func (r *refiner) pursue(ctx context.Context, result *Refinement, round int) (bool, error) {
	limit := r.opts.Tolerance * r.norm()
	if round == 0 {
		limit *= 0.8
	}
	var open []int // pairs, the worst first
	for j, residual := range result.Residuals {
		if residual > limit {
			open = append(open, j)
		}
	}
	slices.SortStableFunc(open, func(i, j int) int { return cmp.Compare(result.Residuals[j], result.Residuals[i]) })
	k := len(result.Values)
	room := r.cols*3/4 + 2*Width - r.added
	u := min(len(open), r.cols/4+Width, room)
	if u <= 0 {
		return false, nil
	}
	open = open[:u]
	p := u * max(1, min(krylov, 2*Width/u, room/u))
	// N·t − λt = images·own + NQ·other − λ·(start·own + Q·other)
	own := make([]float64, 0, u*r.first)  // rows
	other := make([]float64, 2*r.added*u) // in the order of the columns of the blocks
	for to, j := range open {
		length, value := result.Residuals[j], result.Values[j]
		for _, x := range result.own[j*r.first : (j+1)*r.first] {
			own = append(own, x/length)
		}
		for i := range r.added {
			x := result.other[i*k+j] / length
			other[r.q[i]*u+to], other[r.nq[i]*u+to] = -value*x, x
		}
	}
	own = timesTransposed(r.c, own, r.cols, r.first, u)
	ownBy := slices.Clone(own)
	for i := range ownBy {
		ownBy[i] *= result.Values[open[i%u]]
	}
	block := vec.NewMatrix(r.start.Rows, 2*p).Panel(0, 2*p)
	q, images := columns(block, 0, p), columns(block, p, 2*p)
	at := 0
	for _, before := range r.blocks {
		c := vec.Float32s(other[at*u : (at+before.Cols)*u])
		if err := r.sums.MulNN(ctx, columns(q, 0, u), 1, 1, before, c, r.opts.Workers); err != nil {
			return false, err
		}
		at += before.Cols
	}
	if err := r.residualsOf(ctx, columns(q, 0, u), own, ownBy); err != nil {
		return false, err
	}
	for lo := 0; lo < p; lo += u {
		if lo > 0 {
			copyUnit(columns(q, lo, lo+u), columns(images, lo-u, lo))
		}
		if err := r.imagesOf(ctx, columns(q, lo, lo+u), columns(images, lo, lo+u)); err != nil {
			return false, err
		}
	}
	return true, r.add(ctx, block)
}

// krylov is the largest number of directions that a round adds for a pair: its residual, and the
// products of the residual with N, N², …. A pair whose eigenvector reaches vertices far from all
// old vectors, such as a path that an edge has joined, has its residual reduced little by a
// single direction. The products take a block each, as one with fewer columns would. With up to
// two blocks of directions there are fewer rounds, each of which takes a dense problem.
const krylov = 8

// resolved is the least length of a residual, relative to the longest image, that can be
// distinguished from rounding errors of inner products.
const resolved = 1e-3

// norm returns the length that residuals are relative to.
func (r *refiner) norm() float64 {
	norm := r.opts.Norm
	if norm == 0 {
		for i := range r.first {
			norm = max(norm, math.Abs(r.h[i*r.first+i]))
		}
	}
	return norm
}

// ritz computes the Ritz pairs of the basis and their residuals. With a = VᵀQ, the basis is
// V and Q̂ = (Q − V·a)·P, where P makes Q̂ orthonormal.
func (r *refiner) ritz(ctx context.Context) (*Refinement, error) {
	k := r.first
	a, squares := r.h, r.square
	var p, ap []float64
	more := 0 // columns of Q̂
	if r.added > 0 {
		var err error
		if p, ap, a, squares, err = r.extended(); err != nil {
			return nil, err
		}
		more = len(p) / r.added
	}
	m := k + more
	want := min(r.opts.K, m)
	values, vectors, err := eigenpairs(slices.Clone(a), m, want)
	if err != nil {
		return nil, err
	}
	result := &Refinement{Values: values[:want], Products: r.products, Added: more, start: r.start, workers: r.opts.Workers}
	r.residuals(result, vectors[:want*m], squares)
	// T = V·f + Q̂·g for the rows (f, g) of vectors: V·(f − a·P·g) + Q·P·g.
	f, g := make([]float64, want*k), make([]float64, want*more)
	for j := range want {
		copy(f[j*k:(j+1)*k], vectors[j*m:])
		copy(g[j*more:(j+1)*more], vectors[j*m+k:])
	}
	result.within, result.own, result.c, result.given = f, f, r.c, r.given
	if more > 0 {
		result.own = slices.Clone(f)
		vec.Axpy64(-1, timesTransposed(g, ap, want, more, k), result.own)
		result.other = timesTransposed(p, g, r.added, more, want)
		result.blocks = r.blocks
	}
	return result, nil
}

// extended returns P, a·P, the projection of N on the whole basis, and the inner
// products of its images.
func (r *refiner) extended() (p, ap, projected, squares []float64, err error) {
	k, q := r.first, r.added
	a := r.inside
	left := pick(r.both, r.q, r.q)
	vec.Axpy64(-1, transposedTimes(a, a, q, k, q), left)
	values, vectors, err := eigenpairs(left, q, q)
	if err != nil {
		return nil, nil, nil, nil, err
	}
	more := 0
	for more < q && values[more] > square(distinct)*values[0] {
		more++
	}
	p = make([]float64, q*more)
	for j := range more {
		for i := range q {
			p[i*more+j] = vectors[j*q+i] / math.Sqrt(values[j])
		}
	}
	ap = vec.Product64(a, p, k, q, more)
	extend := func(h, cross, corner []float64) []float64 {
		cross = vec.Product64(cross, p, k, q, more)
		corner = congruent(corner, p, q, more)
		hap := vec.Product64(h, ap, k, k, more)
		vec.Axpy64(1, transposedTimes(ap, hap, more, k, more), corner)
		mixed := transposedTimes(ap, cross, more, k, more)
		for i := range more {
			for j := range more {
				corner[i*more+j] -= mixed[i*more+j] + mixed[j*more+i]
			}
		}
		vec.Axpy64(-1, hap, cross)
		return bordered(h, cross, corner, k, more)
	}
	projected = extend(r.h, pickColumns(r.across, 2*q, r.q), pick(r.both, r.q, r.nq))
	squares = extend(r.square, pickColumns(r.across, 2*q, r.nq), pick(r.both, r.nq, r.nq))
	return p, ap, projected, squares, nil
}

// distinct is the least length of an added direction, relative to the longest, after its
// projection on the other directions is subtracted.
const distinct = 1e-2

// residuals measures the Ritz vectors, given by their coefficients in the basis and
// the inner products of its images.
func (r *refiner) residuals(result *Refinement, vectors, squares []float64) {
	want := len(result.Values)
	result.Residuals = make([]float64, want)
	result.Converged, result.Reason = true, ReasonConverged
	if want == 0 {
		return
	}
	m := len(vectors) / want
	images := vec.Product64(vectors, squares, want, m, m)
	for j, value := range result.Values {
		length := vec.Dot64(images[j*m:(j+1)*m], vectors[j*m:(j+1)*m])
		result.Residuals[j] = math.Sqrt(max(0, length-value*value))
	}
	if !(slices.Max(result.Residuals) <= r.opts.Tolerance*r.opts.norm(result.Values[0])) {
		result.Converged, result.Reason = false, ReasonStep
	}
}

// Against returns Tᵀ·start, K × start.Cols, for the vectors T of the result and the
// start as it was given. After the start was amplified it is without the part of the directions that
// were added, which is of the order of the residuals.
func (r *Refinement) Against() []float64 {
	if len(r.Values) == 0 {
		return nil
	}
	first := len(r.within) / len(r.Values)
	return vec.Product64(r.within, r.given, len(r.Values), first, len(r.given)/first)
}

// Combine returns T·c for the vectors T of the result and a matrix c with a row for each
// vector. The product overwrites the first columns of the start, unless it has more columns
// than the start. The Refinement cannot be used afterwards. An error is ctx.Err().
func (r *Refinement) Combine(ctx context.Context, c []float64) (vec.Panel, error) {
	if len(r.Values) == 0 {
		return columns(r.start, 0, 0), ctx.Err()
	}
	cols := len(c) / len(r.Values)
	out := columns(r.start, 0, min(cols, r.start.Cols))
	if cols > r.start.Cols {
		out = vec.NewMatrix(r.start.Rows, cols).Panel(0, cols)
	}
	first := len(r.own) / len(r.Values)
	own := vec.Product64(r.c, transposedTimes(r.own, c, first, len(r.Values), cols), len(r.c)/first, first, cols)
	if err := vec.MulNNContext(ctx, out, 0, 1, columns(r.start, 0, len(r.c)/first), vec.Float32s(own), r.workers); err != nil {
		return out, err
	}
	if len(r.blocks) == 0 {
		return out, nil
	}
	other := vec.Float32s(vec.Product64(r.other, c, len(r.other)/len(r.Values), len(r.Values), cols))
	for _, block := range r.blocks {
		q := columns(block, 0, block.Cols/2)
		if err := vec.MulNNContext(ctx, out, 1, 1, q, other[:q.Cols*cols], r.workers); err != nil {
			return out, err
		}
		other = other[q.Cols*cols:]
	}
	return out, nil
}

// Vectors returns T, as Combine does.
func (r *Refinement) Vectors(ctx context.Context) (vec.Panel, error) {
	return r.Combine(ctx, identity(len(r.Values)))
}

// load copies up to step columns into blocks x, with zeros behind them.
func (r *refiner) load(x []float32, p vec.Panel) {
	last := (p.Cols - 1) / Width
	if p.Cols%Width != 0 {
		clear(x[last*p.Rows*Width:][:p.Rows*Width])
	}
	vec.Parallel(p.Rows, rowBlock, r.opts.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := p.Data[i*p.Stride:][:p.Cols]
			for b := 0; b < last; b++ {
				copy((*[Width]float32)(x[(b*p.Rows+i)*Width:])[:], row[b*Width:])
			}
			copy(x[(last*p.Rows+i)*Width:], row[last*Width:])
		}
	})
}

// store copies the columns of blocks to a panel.
func (r *refiner) store(p vec.Panel, x []float32) {
	vec.Parallel(p.Rows, rowBlock, r.opts.Workers, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			row := p.Data[i*p.Stride:][:p.Cols]
			for b := 0; len(row) > 0; b++ {
				row = row[copy(row, (*[Width]float32)(x[(b*p.Rows+i)*Width:])[:]):]
			}
		}
	})
}
