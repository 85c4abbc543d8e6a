package generate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

func generate(t testing.TB, n, m int, seed uint64) *csr.Graph {
	t.Helper()
	g, err := PreferentialAttachment{N: n, M: m, Seed: seed}.Generate(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// TestPreferentialAttachment_Invariants checks what holds for every seed.
func TestPreferentialAttachment_Invariants(t *testing.T) {
	for _, c := range []struct{ n, m int }{
		{2, 1}, {3, 1}, {3, 2}, {10, 9}, {10, 8}, {50, 1}, {100, 3}, {2000, 10}, {5000, 40},
	} {
		for seed := range uint64(3) {
			g := generate(t, c.n, c.m, seed)
			if err := g.Validate(); err != nil {
				t.Fatalf("n %d, m %d: %v", c.n, c.m, err)
			}
			if want := int64(c.m*(c.n-c.m-1) + c.m*(c.m+1)/2); g.Vertices() != c.n || g.Edges() != want {
				t.Errorf("n %d, m %d: %d vertices, %d edges, want %d edges", c.n, c.m, g.Vertices(), g.Edges(), want)
			}
			if parts := g.Components().Count(); parts != 1 {
				t.Errorf("n %d, m %d: %d components", c.n, c.m, parts)
			}
			for v := range uint32(c.n) {
				row := g.Neighbors(v)
				earlier, _ := slices.BinarySearch(row, v)
				// A vertex of the clique knows all of it; a later one brings M edges.
				if want := min(int(v), c.m); earlier != want {
					t.Fatalf("n %d, m %d: vertex %d has %d earlier neighbours, want %d", c.n, c.m, v, earlier, want)
				}
				if len(row) < c.m {
					t.Fatalf("n %d, m %d: vertex %d has degree %d", c.n, c.m, v, len(row))
				}
			}
		}
	}
}

// TestPreferentialAttachment_PowerLaw fits the tail of the degrees. The exact
// distribution of the model is p(d) = 2m(m+1)/(d(d+1)(d+2)) (Dorogovtsev,
// Mendes, Samukhin, 2000), so the tail has exponent 3. The estimator is the
// maximum likelihood of Clauset, Shalizi and Newman (2009), equation 3.7, with
// its standard error (a-1)/sqrt(tail).
func TestPreferentialAttachment_PowerLaw(t *testing.T) {
	const n, m, from = 50_000, 5, 50
	g := generate(t, n, m, 7)
	sum, tail, largest := 0.0, 0, 0
	for v := range uint32(n) {
		degree := g.Degree(v)
		largest = max(largest, degree)
		if degree >= from {
			sum += math.Log(float64(degree) / (from - 0.5))
			tail++
		}
	}
	alpha := 1 + float64(tail)/sum
	if deviation := math.Abs(alpha-3) * math.Sqrt(float64(tail)) / 2; deviation > 4 {
		t.Errorf("exponent %.3f from %d vertices: %.1f standard errors from 3", alpha, tail, deviation)
	}
	// P(degree >= d) = m(m+1)/(d(d+1)).
	if want := n * float64(m*(m+1)) / (from * (from + 1)); math.Abs(float64(tail)-want) > 5*math.Sqrt(want) {
		t.Errorf("%d vertices of degree %d or more, the model expects %.0f", tail, from, want)
	}
	// The oldest vertices grow as m sqrt(n/age): hubs of hundreds of edges.
	if largest < 300 {
		t.Errorf("the largest degree is %d", largest)
	}
}

// TestPreferentialAttachment_FirstDraw compares the targets of one vertex, over
// many seeds, with their exact probabilities. With n = 5 and m = 1 the clique is
// the edge 0-1; vertex 2 attaches to either, and vertex 3 then finds degrees 2,
// 1, 1.
func TestPreferentialAttachment_FirstDraw(t *testing.T) {
	const trials = 20_000
	hub, other := 0, 0
	for seed := range uint64(trials) {
		g := generate(t, 4, 1, seed)
		second := g.Neighbors(2)[0]
		switch third := g.Neighbors(3)[0]; third {
		case second:
			hub++
		case 2:
			other++
		}
	}
	for _, c := range []struct {
		name  string
		count int
		p     float64
	}{{"the vertex of degree 2", hub, 0.5}, {"the newest vertex", other, 0.25}} {
		deviation := math.Abs(float64(c.count)-trials*c.p) / math.Sqrt(trials*c.p*(1-c.p))
		if deviation > 4 {
			t.Errorf("%s was drawn %d times of %d: %.1f standard deviations from %v", c.name, c.count, trials, deviation, c.p)
		}
	}
}

// TestPreferentialAttachment_Seed holds the graphs of two seeds: the same on
// every machine and in every release.
func TestPreferentialAttachment_Seed(t *testing.T) {
	seven := hash(t, generate(t, 1000, 4, 7))
	if again := hash(t, generate(t, 1000, 4, 7)); again != seven {
		t.Errorf("seed 7 gives %s and %s", seven, again)
	}
	eight := hash(t, generate(t, 1000, 4, 8))
	if seven != "7738ec472a5fc88e" || eight != "c3d374252a009584" {
		t.Errorf("the graphs of seeds 7 and 8 are %s and %s", seven, eight)
	}
}

func TestPreferentialAttachment_Validate(t *testing.T) {
	for _, c := range []struct {
		p      PreferentialAttachment
		faults int
	}{
		{PreferentialAttachment{}, 2},
		{PreferentialAttachment{N: 10}, 1},
		{PreferentialAttachment{N: 10, M: 10}, 1},
		{PreferentialAttachment{N: 1, M: -1}, 2},
		{PreferentialAttachment{N: math.MaxInt32, M: math.MaxInt32 / 2}, 1},
		{PreferentialAttachment{N: math.MaxInt, M: 1}, 1},
		{PreferentialAttachment{N: 2, M: 1}, 0},
	} {
		err := c.p.Validate()
		faults := 0
		if joined, ok := err.(interface{ Unwrap() []error }); ok {
			faults = len(joined.Unwrap())
		}
		if faults != c.faults || c.faults > 0 && !errors.Is(err, ErrOptions) {
			t.Errorf("%+v: %v", c.p, err)
		}
		if _, generateErr := c.p.Generate(t.Context(), nil); (generateErr == nil) != (err == nil) {
			t.Errorf("%+v: Generate gives %v", c.p, generateErr)
		}
	}
}

func TestPreferentialAttachment_Cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := PreferentialAttachment{N: 100_000, M: 5}
	if _, err := p.Generate(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	w := newWork(t.Context(), nil, 1)
	attached, err := p.attach(w)
	if err != nil {
		t.Fatal(err)
	}
	w.ctx = ctx
	if _, err := fromEarlier(w, p.N, p.earlier(attached)); !errors.Is(err, context.Canceled) {
		t.Errorf("building the rows: %v", err)
	}
}

func TestRandom_Below(t *testing.T) {
	r := newRandom(1)
	counts := make([]int, 6)
	for range 60_000 {
		counts[r.below(6)]++
	}
	chi := 0.0
	for _, count := range counts {
		chi += float64((count-10_000)*(count-10_000)) / 10_000
	}
	if chi > 25 { // of 5 degrees of freedom: one in 7,000 seeds
		t.Errorf("counts %v, chi-square %.1f", counts, chi)
	}
	// A range just above half of 2^64 rejects nearly every second draw.
	const n = 1<<63 + 1
	for range 1000 {
		if x := r.below(n); x >= n {
			t.Fatalf("%d is not below %d", x, uint64(n))
		}
	}
}

func BenchmarkPreferentialAttachment(b *testing.B) {
	for _, c := range []struct{ n, m int }{{100_000, 10}, {10_000, 40}} {
		b.Run(fmt.Sprintf("n=%d/m=%d", c.n, c.m), func(b *testing.B) {
			var edges int64
			for b.Loop() {
				edges = generate(b, c.n, c.m, 7).Edges()
			}
			if want := int64(c.m*(c.n-c.m-1) + c.m*(c.m+1)/2); edges != want {
				b.Fatalf("%d edges, want %d", edges, want)
			}
			b.ReportMetric(float64(b.N)*float64(edges)/b.Elapsed().Seconds(), "edges/s")
		})
	}
}
