package eigen

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/storage/vec"
)

// changed adds a few entries to a matrix, on both sides of its diagonal.
func changed(d dense, count int, size float64, r *rand.Rand) dense {
	c := dense{a: slices.Clone(d.a), n: d.n}
	for range count {
		i, j := r.IntN(d.n), r.IntN(d.n)
		c.a[i*d.n+j] += size
		c.a[j*d.n+i] += size
	}
	return c
}

// A step from the eigenvectors of a matrix finds those of one that differs in some entries:
// values and residuals agree with products of the whole matrix, and the vectors are
// orthonormal.
func TestRefine_FollowsAChange(t *testing.T) {
	const n, k = 400, 20
	r := rand.New(rand.NewPCG(5, 5))
	old := withSpectrum(decades(n, 3), n, r)
	solved, err := Solve(context.Background(), plain{old}, Options{K: k, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		start func() *vec.Matrix
	}{
		{"eigenvectors", func() *vec.Matrix { return cloneMatrix(solved.Vectors) }},
		{"other lengths, mixed, one twice, one zero", func() *vec.Matrix {
			m := vec.NewMatrix(n, k+2)
			for i := range n {
				from, to := solved.Vectors.Row(i), m.Row(i)
				for j := range k {
					to[j] = float32(j+1) * (from[j] + 0.5*from[(j+1)%k])
				}
				to[k] = to[3]
			}
			return m
		}},
	} {
		now := plain{changed(old, 6, 0.02, r)}
		want, err := Solve(context.Background(), now, Options{K: k, Seed: 1, Tolerance: 1e-6})
		if err != nil {
			t.Fatal(err)
		}
		start := c.start()
		before := cloneMatrix(start)
		got, err := Refine(context.Background(), now, start.Panel(0, start.Dim), Options{K: k, Tolerance: 4e-3})
		if err != nil {
			t.Fatal(err)
		}
		vectors := together(t, got)
		against := make([]float64, k*start.Dim)
		vec.MulTN(against, vectors.Panel(0, k), before.Panel(0, start.Dim), 1)
		for i, v := range got.Against() {
			if math.Abs(v-against[i]) > 2e-5*float64(2*k) {
				t.Errorf("%s: entry %d of Tᵀ·start is %g, not %g", c.name, i, v, against[i])
			}
		}
		if !got.Converged || len(got.Values) != k || got.Added == 0 {
			t.Errorf("%s: %d values, %d directions added, %s", c.name, len(got.Values), got.Added, got.Reason)
		}
		for j, v := range got.Values {
			if math.Abs(v-want.Values[j]) > 2e-3 {
				t.Errorf("%s: value %d is %g, not %g", c.name, j, v, want.Values[j])
			}
		}
		gram := make([]float64, k*k)
		vec.MulTN(gram, vectors.Panel(0, k), vectors.Panel(0, k), 1)
		if off := fromOne(gram, k); off > 1e-5 {
			t.Errorf("%s: TᵀT − I is up to %g", c.name, off)
		}
		measured, err := Measure(context.Background(), now, cloneMatrix(vectors), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for j := range k {
			if math.Abs(square(measured.Residuals[j])-square(got.Residuals[j])) > square(resolved*got.Values[0]) || math.Abs(measured.Values[j]-got.Values[j]) > 2e-5 {
				t.Errorf("%s: pair %d has %g ± %g, measured %g ± %g", c.name, j, got.Values[j], got.Residuals[j], measured.Values[j], measured.Residuals[j])
			}
		}
	}
}

// After a larger change, residuals of pairs that have not converged are added until the
// pairs are those of the matrix.
func TestRefine_PursuesWhatHasNotConverged(t *testing.T) {
	const n, k = 400, 24
	r := rand.New(rand.NewPCG(6, 5))
	old := withSpectrum(decades(n, 3), n, r)
	solved, err := Solve(context.Background(), plain{old}, Options{K: k, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	now := plain{changed(old, 150, 0.05, r)}
	want, err := Solve(context.Background(), now, Options{K: k, Seed: 1, Tolerance: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	got, err := Refine(context.Background(), now, solved.Vectors.Panel(0, k), Options{K: k, Tolerance: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	if first := k/6 + Width; !got.Converged || got.Products <= k+first {
		t.Errorf("%d directions added, %d products, residuals up to %g: %s", got.Added, got.Products, slices.Max(got.Residuals), got.Reason)
	}
	for j, v := range got.Values {
		if math.Abs(v-want.Values[j]) > 0.02*want.Values[0] {
			t.Errorf("value %d is %g, not %g", j, v, want.Values[j])
		}
	}
	measured, err := Measure(context.Background(), now, together(t, got), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for j := range k {
		if math.Abs(square(measured.Residuals[j])-square(got.Residuals[j])) > square(2*resolved*got.Values[0]) {
			t.Errorf("residual %d is %g, measured %g", j, got.Residuals[j], measured.Residuals[j])
		}
	}
}

// pathJoined is a diagonal matrix and a path that an edge joins to its first vertex.
func pathJoined(lead, path int) dense {
	n := lead + path
	d := dense{a: make([]float64, n*n), n: n}
	for i := range lead {
		d.a[i*n+i] = float64(lead-i) / float64(lead)
	}
	for i := lead; i < n; i++ {
		before := max(i-1, lead)
		if i == lead {
			before = 0
		}
		d.a[i*n+i], d.a[i*n+before], d.a[before*n+i] = 0.3, 0.5, 0.5
	}
	return d
}

// Pairs are found whose eigenvectors reach many edges away from the vertices of the start, which one
// direction in a round would approach by one edge.
func TestRefine_ReachesFarVertices(t *testing.T) {
	const lead, path, k = 60, 12, 50
	now := plain{pathJoined(lead, path)}
	start := vec.NewMatrix(lead+path, k)
	for j := range k {
		start.Row(j)[j] = 1
	}
	got, err := Refine(context.Background(), now, start.Panel(0, k), Options{K: k, Tolerance: 0.01})
	if err != nil {
		t.Fatal(err)
	}
	want, err := Solve(context.Background(), now, Options{K: k, Tolerance: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	if !got.Converged {
		t.Errorf("residuals up to %g: %s", slices.Max(got.Residuals), got.Reason)
	}
	for j, v := range got.Values {
		if math.Abs(v-want.Values[j]) > 0.01*want.Values[0] {
			t.Errorf("value %d is %g, not %g", j, v, want.Values[j])
		}
	}
}

// A start that is too far from the eigenvectors is refused before the step: after the products of
// a sample where the limit is below the sample, otherwise after those of the start. One that is
// near is not refused by the same limits.
func TestRefine_Directions(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: refines again and again")
	}
	const n, k = 400, 120
	r := rand.New(rand.NewPCG(9, 9))
	d := plain{withSpectrum(linear(n), n, r)}
	random := vec.NewMatrix(n, k)
	for i := range random.Data {
		random.Data[i] = float32(r.NormFloat64())
	}
	solved, err := Solve(context.Background(), d, Options{K: k, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name            string
		start           *vec.Matrix
		limit, products int
	}{
		{"sample of random vectors", random, 40, sampled},
		{"random vectors", random, expected * sampled, k},
		{"sample of eigenvectors", solved.Vectors, 40, 0},
		{"eigenvectors", solved.Vectors, expected * sampled, 0},
	} {
		got, err := Refine(context.Background(), d, cloneMatrix(c.start).Panel(0, k), Options{K: k, Tolerance: 0.02, Directions: c.limit})
		if err != nil {
			t.Fatal(err)
		}
		if c.products == 0 {
			if !got.Converged || len(got.Values) != k {
				t.Errorf("%s: %d values, %s", c.name, len(got.Values), got.Reason)
			}
			continue
		}
		if got.Reason != ReasonFar || got.Converged || len(got.Values) != 0 || got.Products != c.products {
			t.Errorf("%s: %d values after %d products, %s", c.name, len(got.Values), got.Products, got.Reason)
		}
	}
}

// counted counts the blocks that an operator multiplies.
type counted struct {
	plain
	blocks *int
}

func (c counted) Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	*c.blocks++
	return c.plain.Apply(ctx, y, x, alpha, beta, gamma)
}

// A start with many rows whose residual has more long directions than the limit is amplified instead
// of refused, and the step then reaches the tolerance. Each product is computed once.
func TestRefine_AmplifiesAFarStart(t *testing.T) {
	const n, k = 16 * amplifiedRows, 16
	r := rand.New(rand.NewPCG(10, 9))
	spectrum := make([]float64, n) // the wanted eigenvalues, and others down to −0.3
	for i := range spectrum {
		spectrum[i] = 1 - 0.02*float64(i)
		if i >= k {
			spectrum[i] = 0.6 - 0.9*float64(i-k)/float64(n-k)
		}
	}
	d := withSpectrum(spectrum, n, r)
	solved, err := Solve(context.Background(), plain{d}, Options{K: k, Seed: 1, Tolerance: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	start := cloneMatrix(solved.Vectors)
	for i := range start.Data { // other lengths, and 0.1 of other eigenvectors
		start.Data[i] = float32(1+i%k/4) * (start.Data[i] + float32(0.1*r.NormFloat64()/math.Sqrt(n)))
	}
	blocks := 0
	got, err := Refine(context.Background(), counted{plain{d}, &blocks}, cloneMatrix(start).Panel(0, k), Options{K: k, Tolerance: 0.01, Directions: 4})
	if err != nil {
		t.Fatal(err)
	}
	if !got.Converged || len(got.Values) != k || got.Products < 3*k || blocks != (got.Products-got.Added+Width-1)/Width+(got.Added+Width-1)/Width {
		t.Errorf("%d values after %d products in %d blocks, %d directions added: %s", len(got.Values), got.Products, blocks, got.Added, got.Reason)
	}
	for j, v := range got.Values {
		if math.Abs(v-solved.Values[j]) > 1e-3 {
			t.Errorf("value %d is %g, not %g", j, v, solved.Values[j])
		}
	}
	vectors := together(t, got)
	against := make([]float64, k*k)
	vec.MulTN(against, vectors.Panel(0, k), start.Panel(0, k), 1)
	for i, v := range got.Against() {
		if math.Abs(v-against[i]) > 0.005 {
			t.Errorf("entry %d of Tᵀ·start is %g, not %g", i, v, against[i])
		}
	}
	measured, err := Measure(context.Background(), plain{d}, vectors, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for j := range k {
		if math.Abs(square(measured.Residuals[j])-square(got.Residuals[j])) > square(2*resolved) {
			t.Errorf("residual %d is %g, measured %g", j, got.Residuals[j], measured.Residuals[j])
		}
	}
}

// A start with many rows is given up in doubt if many of its vectors, but not nearly all, are far from
// eigenvectors, unless the eigenvalues are so close to each other that a solve would take long.
func TestRefine_Doubtful(t *testing.T) {
	const k = 2*sampled + 2
	op := make(stretches, amplifiedRows*k)
	for _, c := range []struct {
		every    int     // each of so many vectors is far
		spread   float32 // of the eigenvalues below 1
		doubtful bool
		want     bool
	}{{k, 0.3, true, false}, {2, 0.3, true, true}, {2, 0.05, true, false}, {2, 0.3, false, false}, {1, 0.3, true, false}} {
		for i := range op {
			op[i] = 0.5 * float32(i) / float32(len(op))
			if i < k {
				op[i] = 1 - c.spread*float32(i)/k
			}
		}
		start := vec.NewMatrix(len(op), k)
		for j := range k {
			start.Row(j)[j] = 1
			if j%c.every == 0 {
				start.Row(k + j)[j] = 0.2
			}
		}
		got, err := Refine(context.Background(), op, start.Panel(0, k), Options{K: k, Tolerance: 0.01, Directions: Width, Doubtful: c.doubtful})
		if err != nil {
			t.Fatal(err)
		}
		if (got.Reason == ReasonFar) != c.want {
			t.Errorf("%v: %s", c, got.Reason)
		}
	}
}

// stretches is a diagonal matrix.
type stretches []float32

func (d stretches) Size() int { return len(d) }

func (d stretches) Apply(_ context.Context, y, x []float32, alpha, beta, gamma float32) error {
	for i := range y {
		y[i] = alpha*d[i/Width]*x[i] + beta*x[i] + gamma*y[i]
	}
	return nil
}

// The result does not contain the known eigenvectors, and a start that spans too small a
// space gives fewer pairs.
func TestRefine_KnownAndShortStarts(t *testing.T) {
	const n, k = 300, 12
	r := rand.New(rand.NewPCG(8, 8))
	d := withSpectrum(decades(n, 2), n, r)
	start := vec.NewMatrix(n, 3)
	for i := range start.Data {
		start.Data[i] = float32(r.NormFloat64())
	}
	start = without(start, d.known)
	got, err := Refine(context.Background(), d, start.Panel(0, 3), Options{K: k, Tolerance: 1e-3, Norm: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Values) != min(k, 3+got.Added) || got.Added == 0 || got.Converged {
		t.Errorf("%d values from 3 columns and %d added, converged %v", len(got.Values), got.Added, got.Converged)
	}
	vectors := together(t, got)
	for j := range got.Values {
		sum := 0.0
		for i, v := range d.known {
			sum += v * float64(vectors.Row(i)[j])
		}
		if math.Abs(sum) > 1e-5 {
			t.Errorf("vector %d has %g of the known one", j, sum)
		}
	}
	nothing, err := Refine(context.Background(), d, vec.NewMatrix(n, 4).Panel(0, 4), Options{K: k})
	if err != nil || len(nothing.Values) != 0 {
		t.Errorf("from zeros: %v, %v", nothing, err)
	}
}

func TestRefine_Errors(t *testing.T) {
	d := plain{withSpectrum(linear(40), 100, rand.New(rand.NewPCG(1, 1)))}
	start := vec.NewMatrix(100, 2)
	start.Data[0], start.Data[5] = 1, 1
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Refine(ctx, d, start.Panel(0, 2), Options{K: 2}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	d.d.a[3] = math.Inf(1)
	if _, err := Refine(context.Background(), d, start.Panel(0, 2), Options{K: 2}); !errors.Is(err, ErrNotFinite) {
		t.Errorf("infinite entry: %v", err)
	}
}

func cloneMatrix(m *vec.Matrix) *vec.Matrix {
	return &vec.Matrix{Rows: m.Rows, Dim: m.Dim, Data: slices.Clone(m.Data)}
}

func fromOne(a []float64, n int) float64 {
	largest := 0.0
	for i, v := range a {
		if i%(n+1) == 0 {
			v--
		}
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// together returns the vectors of a refinement.
func together(t *testing.T, r *Refinement) *vec.Matrix {
	t.Helper()
	p, err := r.Vectors(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	m := vec.NewMatrix(p.Rows, p.Cols)
	for i := range p.Rows {
		copy(m.Row(i), p.Data[i*p.Stride:])
	}
	return m
}

// without removes a unit vector from every column.
func without(m *vec.Matrix, known []float64) *vec.Matrix {
	for j := range m.Dim {
		sum := 0.0
		for i, v := range known {
			sum += v * float64(m.Row(i)[j])
		}
		for i, v := range known {
			m.Row(i)[j] -= float32(sum * v)
		}
	}
	return m
}
