package csr

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
)

// weightsOfAllKinds are float32 of random bits, and decimals of few digits at every scale.
func weightsOfAllKinds(r *rand.Rand) float32 {
	for {
		w := math.Float32frombits(r.Uint32() >> 1)
		if digits := r.IntN(10); digits > 0 {
			x, _ := strconv.ParseFloat(strconv.Itoa(1+r.IntN(int(math.Pow10(digits))))+"e"+strconv.Itoa(r.IntN(80)-45), 32)
			w = float32(x)
		}
		if w > 0 && w <= math.MaxFloat32 {
			return w
		}
	}
}

func TestDecimal_IsTheShortest(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	check := func(w float32) {
		want, _ := strconv.ParseFloat(strconv.FormatFloat(float64(w), 'g', -1, 32), 64)
		if got := Decimal(w); got != want {
			t.Fatalf("decimal of %b is %v, want %v", w, got, want)
		}
	}
	for range 200_000 {
		check(weightsOfAllKinds(r))
	}
	for exponent := range 255 { // the neighbours of powers of two, and the smallest
		for bit := range 3 {
			check(math.Float32frombits(uint32(exponent<<23 + bit + 1)))
			check(math.Float32frombits(uint32((exponent+1)<<23 - bit - 1)))
		}
	}
}

func TestSum_IsExact(t *testing.T) {
	for _, c := range []struct {
		weights []float32
		want    float64
	}{
		{nil, 0}, {[]float32{0.1, 0.2}, 0.3}, {[]float32{0.1, 0.2, 100, 1e-3}, 100.301}, {[]float32{1e20, 2e20}, 3e20},
		{[]float32{1e-30, 2e-30}, 3e-30}, {[]float32{0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, 1},
	} {
		if got := Sum(c.weights); got != c.want {
			t.Errorf("sum of %v is %v, want %v", c.weights, got, c.want)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		var weights []float32
		exactly := new(big.Rat)
		for range r.IntN(30) {
			w := float32(r.IntN(1e6)) / float32(math.Pow10(r.IntN(5)))
			if w == 0 {
				continue
			}
			weights = append(weights, w)
			x, _ := new(big.Rat).SetString(strconv.FormatFloat(float64(w), 'g', -1, 32))
			exactly.Add(exactly, x)
		}
		if want, _ := exactly.Float64(); Sum(weights) != want {
			t.Fatalf("sum of %v is %v, want %v", weights, Sum(weights), want)
		}
	}
}

// TestUnitsOf_DecimalsAndMultiples has weights that were written, whose sums are those of the
// decimals, and multiples of powers of two, which scale exactly.
func TestUnitsOf_DecimalsAndMultiples(t *testing.T) {
	for _, by := range []float64{1, 1e-9, 1e-30, 1e18, 1e30} {
		list := []float32{float32(0.1 * by), float32(0.2 * by), float32(0.3 * by), float32(12.5 * by)}
		u := UnitsOf(list, 0)
		if u.At(0)+u.At(1) != u.At(2) || u.Value(u.At(2)) != Decimal(list[2]) {
			t.Errorf("times %g: units %v", by, u)
		}
	}
	r := rand.New(rand.NewPCG(5, 6))
	random, small := make([]float32, 200), make([]float32, 200)
	for i := range random {
		random[i], small[i] = r.Float32()+0x1p-20, float32(1+r.IntN(63))/8
	}
	for k := -80; k <= 60; k++ {
		for _, list := range [][]float32{random, small} {
			scaled := make([]float32, len(list))
			for i, w := range list {
				scaled[i] = float32(math.Ldexp(float64(w), k))
			}
			u := UnitsOf(scaled, 0)
			for i, w := range list {
				if x := u.Value(u.At(int64(i))); x != math.Ldexp(float64(w), k) {
					t.Fatalf("times 2^%d: %v is %v", k, w, x)
				}
			}
		}
	}
}

// TestUnitsOf_Blocks has more weights than a block, whose places differ.
func TestUnitsOf_Blocks(t *testing.T) {
	weights := make([]float32, 100_000)
	for i := range weights {
		weights[i] = float32(1+i%7) / 10
		if i > 50_000 {
			weights[i] = float32(1+i%9) / 1000
		}
	}
	one, three := UnitsOf(weights, 1), UnitsOf(weights, 3)
	if !slices.Equal(one.Weights, three.Weights) || one.Wide != nil {
		t.Fatal("the units depend on the workers")
	}
	for i, w := range weights {
		if x := one.At(int64(i)); x != math.Round(1000*float64(w)) || one.Value(x) != Decimal(w) {
			t.Fatalf("%v is %v units, %v", w, x, one.Value(x))
		}
	}
}

func TestUnitsOf_Certain(t *testing.T) {
	for _, c := range []struct {
		weights []float32
		want    bool
	}{
		{nil, true}, {[]float32{0.1, 0.2, 12345.6, 1e-7, 1e20}, true}, {[]float32{0.1, 1.234567}, false},
		{[]float32{3 * 0x1p-80, 5 * 0x1p-80}, true}, {[]float32{1.0 / 3, 2.0 / 3, 1}, false}, {[]float32{16777215, 1}, true},
		{[]float32{0.1 * 0x1p-80, 0.2 * 0x1p-80, 0.3 * 0x1p-80}, false}, {[]float32{100_000_000, 300_000_000}, true},
	} {
		if got := UnitsOf(c.weights, 1).Certain; got != c.want {
			t.Errorf("%v: %v", c.weights, got)
		}
	}
}

func BenchmarkUnitsOf(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	const n = 1 << 20
	for _, c := range []struct {
		name string
		f    func() float32
	}{
		{"tenths", func() float32 { return float32(1+r.IntN(30)) / 10 }},
		{"cents", func() float32 { return float32(1+r.IntN(1e6)) / 100 }},
		{"whole", func() float32 { return float32(1 + r.IntN(1000)) }},
		{"random", r.Float32},
		{"mixed", func() float32 { return float32(1+r.IntN(1000)) / float32(math.Pow10(r.IntN(7))) }},
	} {
		weights := make([]float32, n)
		for i := range weights {
			weights[i] = max(c.f(), 0x1p-30)
		}
		b.Run(c.name, func(b *testing.B) {
			for range b.N {
				UnitsOf(weights, 1)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/weight")
		})
		b.Run("sum/"+c.name, func(b *testing.B) {
			for range b.N {
				Sum(weights)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/weight")
		})
	}
}
