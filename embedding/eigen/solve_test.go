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

// dense is an explicit matrix as an operator.
type dense struct {
	a     []float64
	n     int
	known []float64 // an eigenvector of unit norm, nil for none
}

func (d dense) Size() int { return d.n }

func (d dense) Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	for i := range d.n {
		var sums [Width]float64
		for l, v := range d.a[i*d.n : (i+1)*d.n] {
			if v != 0 {
				for j, entry := range x[l*Width : (l+1)*Width] {
					sums[j] += v * float64(entry)
				}
			}
		}
		for j, sum := range sums {
			sum = float64(alpha)*sum + float64(beta)*float64(x[i*Width+j])
			if gamma != 0 {
				sum += float64(gamma) * float64(y[i*Width+j])
			}
			y[i*Width+j] = float32(sum)
		}
	}
	return ctx.Err()
}

func (d dense) Known() int { return min(len(d.known), 1) }

func (d dense) Project(x []float32) {
	for j := range Width {
		sum := 0.0
		for i, v := range d.known {
			sum += v * float64(x[i*Width+j])
		}
		for i, v := range d.known {
			x[i*Width+j] -= float32(sum * v)
		}
	}
}

// withSpectrum is a matrix of order n with the given eigenvalues and then zeros,
// rotated by n reflections.
func withSpectrum(values []float64, n int, r *rand.Rand) dense {
	d := dense{a: make([]float64, n*n), n: n, known: make([]float64, n)}
	for i, v := range values {
		d.a[i*n+i] = v
	}
	d.known[0] = 1
	u := make([]float64, n)
	w := make([]float64, n)
	for range 4 {
		for i := range u {
			u[i] = r.NormFloat64()
		}
		scale := 2 / vec.Dot64(u, u)
		for i := range n { // A − w uᵀ − u wᵀ with w = c(Au − c/2 (uᵀAu) u)
			w[i] = scale * vec.Dot64(d.a[i*n:(i+1)*n], u)
		}
		vec.Axpy64(-scale/2*vec.Dot64(u, w), u, w)
		for i := range n {
			vec.Axpy64(-w[i], u, d.a[i*n:(i+1)*n])
			vec.Axpy64(-u[i], w, d.a[i*n:(i+1)*n])
		}
		vec.Axpy64(-scale*vec.Dot64(u, d.known), u, d.known)
	}
	return d
}

// plain hides the known eigenvector.
type plain struct{ d dense }

func (p plain) Size() int { return p.d.n }
func (p plain) Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	return p.d.Apply(ctx, y, x, alpha, beta, gamma)
}

func TestSolve_KnownSpectra(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 1))
	repeat := func(v float64, count int) []float64 { return slices.Repeat([]float64{v}, count) }
	for _, test := range []struct {
		name   string
		values []float64 // descending, followed by zeros
		n, k   int
	}{
		{"zero matrix", nil, 250, 5},
		{"rank one", []float64{3}, 250, 5},
		{"rank below the block", []float64{5, 4, 3, 2, 1}, 250, 12},
		{"multiplicity above the block", append(repeat(2, 40), repeat(1, 40)...), 300, 30},
		{"all equal", repeat(0.25, 300), 300, 20},
		{"slow decay", linear(300), 300, 25},
		{"six decades", decades(300, 6), 300, 20},
		{"dense", linear(40), 40, 40},
	} {
		for _, known := range []bool{false, true} {
			if testing.Short() && test.k > 12 && test.k < 40 && (known || test.name == "all equal") {
				continue // the smaller ones have known directions, and equal values, too
			}
			d := withSpectrum(test.values, test.n, r)
			want := append(slices.Clone(test.values), make([]float64, test.n-len(test.values))...)
			op := Operator(plain{d})
			if known {
				op = d
				want = want[1:]
			}
			result, err := Solve(context.Background(), op, Options{K: test.k, Seed: 1, Norm: 1})
			if err != nil {
				t.Fatalf("%s: %v", test.name, err)
			}
			k := min(test.k, len(want))
			if !result.Converged || len(result.Values) != k || result.Vectors.Dim != k {
				t.Fatalf("%s, known %v: %d pairs, %s", test.name, known, len(result.Values), result.Reason)
			}
			for i, v := range result.Values {
				if !(math.Abs(v-want[i]) < 2e-5) {
					t.Errorf("%s, known %v: value %d is %g, not %g", test.name, known, i, v, want[i])
				}
			}
			gram := make([]float64, k*k)
			vec.MulTN(gram, result.Vectors.Panel(0, k), result.Vectors.Panel(0, k), 1)
			for i, v := range gram {
				if i%(k+1) == 0 {
					v--
				}
				if !(math.Abs(v) < 1e-5) {
					t.Fatalf("%s, known %v: entry %d of TᵀT − I is %g", test.name, known, i, v)
				}
			}
		}
	}
}

func linear(n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = 1 - 2*float64(i)/float64(n)
	}
	return append(values[:n:n], nil...)
}

func decades(n int, count float64) []float64 {
	values := make([]float64, n)
	for i := range values {
		values[i] = math.Pow(10, -count*float64(i)/float64(n))
	}
	return values
}

// The sign of every vector is fixed, and the pairs are in order.
func TestSolve_SignsAndOrder(t *testing.T) {
	d := withSpectrum(linear(260), 260, rand.New(rand.NewPCG(2, 7)))
	result, err := Solve(context.Background(), plain{d}, Options{K: 9})
	if err != nil {
		t.Fatal(err)
	}
	for j := range 9 {
		largest := float32(0)
		for i := range 260 {
			if x := result.Vectors.Row(i)[j]; math.Abs(float64(x)) > math.Abs(float64(largest)) {
				largest = x
			}
		}
		if largest <= 0 || j > 0 && result.Values[j] > result.Values[j-1] {
			t.Errorf("pair %d: value %g, largest entry %g", j, result.Values[j], largest)
		}
	}
}

func TestSolve_NotFinite(t *testing.T) {
	for _, n := range []int{10, 300} {
		d := withSpectrum(linear(n), n, rand.New(rand.NewPCG(3, 3)))
		d.a[3] = math.NaN()
		if _, err := Solve(context.Background(), plain{d}, Options{K: 5}); !errors.Is(err, ErrNotFinite) {
			t.Errorf("n = %d: error is %v", n, err)
		}
	}
}

func TestSolve_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, n := range []int{10, 300} {
		d := withSpectrum(linear(n), n, rand.New(rand.NewPCG(3, 3)))
		if _, err := Solve(ctx, plain{d}, Options{K: 5}); !errors.Is(err, context.Canceled) {
			t.Errorf("n = %d: error is %v", n, err)
		}
	}
}

func TestSolve_NothingWanted(t *testing.T) {
	d := withSpectrum([]float64{1}, 1, rand.New(rand.NewPCG(3, 3)))
	result, err := Solve(context.Background(), d, Options{K: 5}) // the only vector is known
	if err != nil || len(result.Values) != 0 || !result.Converged || result.Vectors.Rows != 1 {
		t.Errorf("%+v, %v", result, err)
	}
}

// The density of states of a known spectrum: quantiles to a few per cent of its
// width, which is what the filter's margin allows for.
func TestDensity_Quantiles(t *testing.T) {
	const n = 2000
	d := diagonal(linear(n))
	s := newSolver(d, Options{K: 100}.withDefaults())
	s.filter.degree = 1
	fillRandom(s.w, s.random)
	if err := s.begin(context.Background(), s.w, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.expand(context.Background(), surveySteps[0]*Width, nil); err != nil {
		t.Fatal(err)
	}
	values, vectors, err := s.ritz(s.m)
	if err != nil {
		t.Fatal(err)
	}
	states := density(values, vectors, n, 0)
	for _, count := range []float64{50, 100, 150} {
		if got, want := quantile(states, count), 1-2*count/n; math.Abs(got-want) > 0.04 {
			t.Errorf("%g eigenvalues are above %g, not %g", count, want, got)
		}
	}
}

// The interval of the first filter, on spectra that end as those of large random graphs do, without
// and with eigenvalues far above: it has the unwanted ones but for a few times k.
func TestChoose_Edge(t *testing.T) {
	for _, n := range []int{5_000, 30_000} {
		for _, k := range []int{10, 40, 100} {
			for _, outside := range []int{0, 3} {
				d := make(diagonal, n)
				for i := range d {
					d[i] = 1 - 2*math.Pow((float64(i)+0.5)/float64(n), 2.0/3) // the i-th of n, from 1 to −1
					if i < outside {
						d[i] = 3 - float64(i)/4
					}
				}
				s := newSolver(d, Options{K: k}.withDefaults())
				if err := s.choose(context.Background()); err != nil {
					t.Fatal(err)
				}
				upper, above := s.filter.center+s.filter.half, 0
				for above < n && d[above] > upper {
					above++
				}
				if s.filter.degree == 1 || above < k || above > 4*k {
					t.Errorf("%d eigenvalues, %d outside: a filter of degree %d has %d eigenvalues above its interval for k = %d", n, outside, s.filter.degree, above, k)
				}
			}
		}
	}
}

// diagonal is a matrix too large to write out.
type diagonal []float64

func (d diagonal) Size() int { return len(d) }
func (d diagonal) Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	for i, v := range d {
		for j := range Width {
			old := float32(0)
			if gamma != 0 {
				old = gamma * y[i*Width+j]
			}
			y[i*Width+j] = (alpha*float32(v)+beta)*x[i*Width+j] + old
		}
	}
	return ctx.Err()
}

// A filter misjudged so that its interval swallows the wanted eigenvalues is
// widened, and the right ones are found.
func TestSolver_WidensMisplacedFilter(t *testing.T) {
	const n, k = 3000, 40
	d := diagonal(linear(n))
	s := newSolver(d, Options{K: k, Gathers: 1}.withDefaults())
	if err := s.choose(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.filter = filter{degree: 8, center: 0, half: 0.992} // 12 eigenvalues above
	fillRandom(s.w, s.random)
	if err := s.begin(context.Background(), s.w, nil); err != nil {
		t.Fatal(err)
	}
	result, err := s.iterate(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if s.filter.center+s.filter.half > 0.973 || !result.Converged {
		t.Fatalf("filter %v, %s", s.filter, result.Reason)
	}
	for i, v := range result.Values {
		if want := 1 - 2*float64(i)/n; math.Abs(v-want) > 1e-5 {
			t.Errorf("value %d is %g, not %g", i, v, want)
		}
	}
}

// belowOne are n eigenvalues of which a tenth lie between 1 and 1−width, denser towards
// 1 by the power, and the others below one half.
func belowOne(n int, width, power float64) diagonal {
	d := make(diagonal, n)
	for i := range d {
		if d[i] = 0.5 * float64(n-i) / float64(n); i < n/10 {
			d[i] = 1 - width*math.Pow(float64(i+1)/float64(n/10), power)
		}
	}
	return d
}

// A solve of more eigenvalues within the tolerance of 1 than its basis has room for
// ends after a few restarts and says why; one stopped there and continued does the same.
func TestSolve_Crowded(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: solves many matrices")
	}
	d := belowOne(3000, 1e-5, 1)
	o := Options{K: 15, Norm: 1, Gathers: int64(len(d)), Workers: 1}
	r, err := Solve(context.Background(), d, o)
	if err != nil || r.Converged || r.Reason != ReasonStalled || r.Restarts > crowdedAfter+1 {
		t.Fatalf("%d restarts, converged %v, %q, %v", r.Restarts, r.Converged, r.Reason, err)
	}
	// A second stalled solve, continued.
	last := r.Products/Width - 2 // blocks; the last one is the measurement
	state, ended := stopped(t, belowOne(3000, 1e-5, 1), o, last)
	if ended != nil || state == nil {
		t.Fatalf("the solve did not stop at product %d", last)
	}
	o.From = state
	again, err := Solve(context.Background(), d, o)
	if err != nil {
		t.Fatal(err)
	}
	sameResult(t, "continued", again, r)
	// As wide as the basis can separate, it converges.
	if r, err := Solve(context.Background(), belowOne(3000, 1e-3, 0.5), Options{K: 15, Norm: 1, Gathers: 3000, Workers: 1}); err != nil || !r.Converged {
		t.Errorf("%+v, %v", r.Reason, err)
	}
}

// A solve that began without a filter, though many eigenvalues are close to the largest,
// gets one and converges to the right ones.
func TestSolver_LateFilter(t *testing.T) {
	d := belowOne(1500, 0.002, 1)
	s := newSolver(d, Options{K: 30, Norm: 1, Gathers: 1, Workers: 1}.withDefaults())
	if err := s.choose(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.filter = filter{degree: 1} // as where the density has no gap at its end
	fillRandom(s.w, s.random)
	if err := s.begin(context.Background(), s.w, nil); err != nil {
		t.Fatal(err)
	}
	result, err := s.iterate(context.Background())
	if err != nil || !result.Converged || result.Degree < 2 {
		t.Fatalf("degree %d after %d restarts, %s (%v)", result.Degree, result.Restarts, result.Reason, err)
	}
	for i, v := range result.Values {
		if math.Abs(v-d[i]) > 1e-6 {
			t.Errorf("value %d is %g, not %g", i, v, d[i])
		}
	}
}

// outliers are n eigenvalues of which the first twelve are far above the others.
func outliers(n int) diagonal {
	d := diagonal(linear(n))
	for i := range 12 {
		d[i] = 60 - 2*float64(i)
	}
	return d
}

// Eigenvectors far above the others are found by the first steps and kept, so that the filter
// may have a degree with which their eigenvalues would be too large for float32.
func TestSolver_KeepsOutliers(t *testing.T) {
	d := outliers(1500)
	s := newSolver(d, Options{K: 60, Norm: 1, Tolerance: 1e-5, Gathers: 1}.withDefaults())
	if err := s.choose(context.Background()); err != nil {
		t.Fatal(err)
	}
	if without := s.planFilter(0); s.kept != 12 || s.filter.degree <= without.degree || s.filter.at(d[0]) < maxGrowth {
		t.Errorf("%d eigenvectors are kept with a filter of degree %d, without them of degree %d", s.kept, s.filter.degree, without.degree)
	}
	result, err := s.iterate(context.Background())
	if err != nil || !result.Converged {
		t.Fatalf("%s, %v", result.Reason, err)
	}
	for i, v := range result.Values {
		if math.Abs(v-d[i]) > 1e-5 {
			t.Errorf("value %d is %g, not %g", i, v, d[i])
		}
	}
	// With lower degrees, as where the rounding errors of a filter are too large.
	for _, degree := range []int{s.filter.degree / 2, 1} {
		if err := s.refilter(context.Background(), degree); err != nil {
			t.Fatal(err)
		}
		if h := s.filter.inverse(s.h[0]); math.Abs(h-d[0]) > 1e-4 {
			t.Errorf("by degree %d the first kept eigenvalue is %g, not %g", degree, h, d[0])
		}
		s.best = math.Inf(1)
		if result, err = s.iterate(context.Background()); err != nil || !result.Converged || s.kept != 12 {
			t.Fatalf("degree %d: %s, %d kept, %v", degree, result.Reason, s.kept, err)
		}
		for i, v := range result.Values {
			if math.Abs(v-d[i]) > 1e-5 {
				t.Errorf("by degree %d value %d is %g, not %g", degree, i, v, d[i])
			}
		}
	}
}

// A filter that is replaced because it swallowed wanted eigenvalues leaves what is kept.
func TestSolver_WidensAndKeeps(t *testing.T) {
	d := outliers(1500)
	s := newSolver(d, Options{K: 60, Gathers: 1}.withDefaults())
	if err := s.choose(context.Background()); err != nil {
		t.Fatal(err)
	}
	s.filter.half, s.filter.center = s.filter.half+(0.99-s.filter.center-s.filter.half)/2, (0.99+s.filter.center-s.filter.half)/2
	misplaced := s.filter
	fillRandom(s.w, s.random)
	if err := s.begin(context.Background(), s.w, d[:s.kept]); err != nil {
		t.Fatal(err)
	}
	result, err := s.iterate(context.Background())
	if err != nil || !result.Converged || s.kept != 12 || s.filter == misplaced {
		t.Fatalf("%s, %d kept, filter %v, %v", result.Reason, s.kept, s.filter, err)
	}
	for i, v := range result.Values {
		if math.Abs(v-d[i]) > 1e-4 {
			t.Errorf("value %d is %g, not %g", i, v, d[i])
		}
	}
}

// The last filling of the basis stops where the pairs should have converged, and they have.
func TestSolver_StopsWhenEnough(t *testing.T) {
	for name, d := range map[string]diagonal{"outliers": outliers(2000), "below one": belowOne(2000, 0.2, 0.5)} {
		s := newSolver(d, Options{K: 60, Tolerance: 1e-5, Gathers: 100_000}.withDefaults())
		if err := s.choose(context.Background()); err != nil {
			t.Fatal(err)
		}
		short, columns := 0, 0
		for !s.due {
			columns = s.full
			if err := s.cycle(context.Background()); err != nil {
				t.Fatal(err)
			}
			if columns < s.m && s.restarts > 1 {
				short++
			}
		}
		if short != 1 || columns == s.m {
			t.Errorf("%s: %d restarts, %d of them from a basis that was not full, the last from %d columns of %d", name, s.restarts, short, columns, s.m)
		}
		result, err := s.measure(context.Background())
		if err != nil || !result.Converged {
			t.Errorf("%s: %s, %v", name, result.Reason, err)
		}
	}
}

// releasing is a diagonal matrix that counts products and refuses them once it was released.
type releasing struct {
	diagonal
	products, released *int
}

func (r releasing) Apply(ctx context.Context, y, x []float32, alpha, beta, gamma float32) error {
	if *r.released > 0 {
		return errors.New("a product after the release")
	}
	*r.products++
	return r.diagonal.Apply(ctx, y, x, alpha, beta, gamma)
}

func (r releasing) Release() { *r.released++ }

// The operator is released once, after its last product, and the columns before the eigenvectors are
// zeros. The vectors do not depend on them.
func TestSolve_ReleasesAndLeads(t *testing.T) {
	for _, n := range []int{90, 1500} {
		op := releasing{diagonal(linear(n)), new(int), new(int)}
		opts := Options{K: 5, Gathers: 1}
		plain, err := Solve(context.Background(), op.diagonal, opts)
		if err != nil {
			t.Fatal(err)
		}
		opts.Lead = 2
		led, err := Solve(context.Background(), op, opts)
		if err != nil || *op.products == 0 || *op.released > 1 || n == 1500 && *op.released == 0 || led.Vectors.Dim != 7 {
			t.Fatalf("%d rows: %d products, released %d times, %d columns, %v", n, *op.products, *op.released, led.Vectors.Dim, err)
		}
		for i := range n {
			if row := led.Vectors.Row(i); row[0] != 0 || row[1] != 0 || !slices.Equal(row[2:], plain.Vectors.Row(i)) {
				t.Fatalf("row %d is %v, and %v alone", i, row, plain.Vectors.Row(i))
			}
		}
	}
}

// Pairs that are far within the tolerance are left out of the projected problem, which then has the
// eigenpairs of the whole one, in the same order.
func TestSolver_Locks(t *testing.T) {
	for name, d := range map[string]diagonal{"outliers": outliers(1500), "below one": belowOne(3000, 0.2, 0.5)} {
		const k = 60
		s := newSolver(d, Options{K: k, Tolerance: 1e-5, Gathers: 100_000}.withDefaults())
		if err := s.choose(context.Background()); err != nil {
			t.Fatal(err)
		}
		most := 0
		for !s.due {
			if err := s.expand(context.Background(), s.full, nil); err != nil {
				t.Fatal(err)
			}
			locked := s.locked
			values, vectors, err := s.ritz(k)
			if err != nil {
				t.Fatal(err)
			}
			vectors = slices.Clone(vectors)
			s.locked = 0
			whole, of, err := s.ritz(k)
			if err != nil {
				t.Fatal(err)
			}
			m := len(whole)
			for i := range k {
				if math.Abs(values[i]-whole[i]) > 1e-6*whole[0] || i > 0 && values[i] > values[i-1] {
					t.Errorf("%s, %d locked: value %d is %g, not %g", name, locked, i, values[i], whole[i])
				}
				if cosine := math.Abs(vec.Dot64(vectors[i*m:(i+1)*m], of[i*m:(i+1)*m])); cosine < 1-1e-5 {
					t.Errorf("%s, %d locked: vectors %d have the cosine %g", name, locked, i, cosine)
				}
			}
			s.locked, most = locked, max(most, locked)
			if err := s.cycle(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		if most == 0 {
			t.Errorf("%s: nothing was locked before the last restart", name)
		}
		m, err := s.measure(context.Background())
		if err != nil || !m.Converged {
			t.Errorf("%s: %s, %v", name, m.Reason, err)
		}
	}
}
