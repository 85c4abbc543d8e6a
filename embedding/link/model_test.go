package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// planted returns a random graph whose last ten vertices are isolated, random vectors, and
// pairs that are links with a logistic probability of their vectors.
func planted(t testing.TB, n, dim, pairs int, law func(g *csr.Graph, m *vec.Matrix, u, v uint32) float64) (*csr.Graph, *vec.Matrix, Pairs) {
	t.Helper()
	rng := rand.New(rand.NewPCG(7, 7))
	var edges []csr.Edge
	for range 4 * n {
		u, v := rng.Uint32N(uint32(n-10)), rng.Uint32N(uint32(n-10))
		if u != v {
			edges = append(edges, csr.Edge{U: min(u, v), V: max(u, v)})
		}
	}
	slices.SortFunc(edges, func(a, b csr.Edge) int { return int(a.U)<<20 + int(a.V) - int(b.U)<<20 - int(b.V) })
	g := testgraph.Of(t, n, slices.Compact(edges)...)
	m := vec.NewMatrix(n, dim)
	for i := range m.Data {
		m.Data[i] = float32(rng.NormFloat64())
	}
	var p Pairs
	for len(p.Links) < pairs || len(p.Others) < pairs {
		u, v := rng.Uint32N(uint32(n)), rng.Uint32N(uint32(n))
		if u == v {
			continue
		}
		linked := rng.Float64() < 1/(1+math.Exp(-law(g, m, u, v)))
		if linked && len(p.Links) < pairs {
			p.Links = append(p.Links, csr.Edge{U: u, V: v})
		} else if !linked && len(p.Others) < pairs {
			p.Others = append(p.Others, csr.Edge{U: u, V: v})
		}
	}
	return g, m, p
}

// plantedWeight is the weight of each product of coordinates in bySumOfProducts.
const plantedWeight = 0.7

// bySumOfProducts returns log-odds with the same weight for every product of coordinates.
func bySumOfProducts(_ *csr.Graph, m *vec.Matrix, u, v uint32) float64 {
	return plantedWeight * float64(vec.Dot(m.Row(int(u)), m.Row(int(v))))
}

// trained returns a model of the terms, which tests share, and its training data.
func trained(t testing.TB, terms Terms) (*Model, *csr.Graph, *vec.Matrix) {
	t.Helper()
	g, vectors, pairs := planted(t, 300, 8, 2000, bySumOfProducts)
	key := fmt.Sprintf("%#v", terms)
	if m, found := trainedModels[key]; found {
		return m, g, vectors
	}
	m, _, err := Train(context.Background(), g, vectors, pairs, TrainOptions{Terms: terms})
	if err != nil {
		t.Fatal(err)
	}
	trainedModels[key] = m
	return m, g, vectors
}

var trainedModels = map[string]*Model{} // of tests that are not parallel

func TestTrain_PlantedWeights(t *testing.T) {
	m, _, _ := trained(t, Terms{Heuristics: []string{}, Features: "hadamard"})
	if len(m.terms) != 0 || len(m.planes) != 1 {
		t.Fatalf("chose %v and %v", m.Heuristics(), m.Features())
	}
	for j, w := range m.planes[0].weights {
		if math.Abs(m.slope*float64(w)-plantedWeight) > 0.1 {
			t.Errorf("weight %d is %v, calibrated %v; planted %v", j, w, m.slope*float64(w), plantedWeight)
		}
	}
}

func TestModel_SymmetricAndExplained(t *testing.T) {
	for i, terms := range []Terms{
		{},
		{Heuristics: []string{"jaccard", "cosine", "dot", "l2"}},
		{Features: "l1+hadamard"},
		{Heuristics: []string{"adamic_adar", "preferential_attachment"}, Features: "concatenation"},
	} {
		if testing.Short() && (i == 1 || i == 2) {
			continue // the first and the last have terms of every kind
		}
		m, g, vectors := trained(t, terms)
		f, err := m.Bind(g, vectors)
		if err != nil {
			t.Fatal(err)
		}
		for u := uint32(284); u < 296; u++ { // the last ten vertices are isolated
			for v := uint32(284); v < 296; v++ {
				p := f.Score(u, v)
				out := make([]float64, 7)
				if f.Batch([]csr.Edge{{U: 1, V: 2}, {U: 3, V: 4}, {U: 5, V: 6}, {U: 7, V: 8}, {U: 9, V: 10}, {U: u, V: v}, {U: v, V: u}}, out); out[5] != p || out[6] != p {
					t.Fatalf("%v: probability of (%d, %d) is %v, in a batch %v", terms, u, v, p, out)
				}
				if p != f.Score(v, u) || !(p >= 0 && p <= 1) {
					t.Fatalf("%v: probability of (%d, %d) is %v, the other way round %v", terms, u, v, p, f.Score(v, u))
				}
				e := f.Explain(u, v)
				sum := 0.0
				for _, part := range e.Parts {
					sum += part.Part
				}
				if e.Parts[0].Name != "bias" || math.Abs(sum-e.LogOdds) > 1e-9 || e.Probability != p {
					t.Fatalf("%v: (%d, %d): %+v, probability %v", terms, u, v, e, p)
				}
			}
		}
	}
}

// Every score that a model computes by its own code equals the score of New.
func TestModel_MeasuresAsScorers(t *testing.T) {
	g, vectors, _ := planted(t, 300, 8, 100, bySumOfProducts)
	copy(vectors.Row(1), vectors.Row(0)) // distance 0
	m := &Model{dim: 8}
	for _, name := range DefaultHeuristics(true) {
		m.terms = append(m.terms, term{name: name})
	}
	b, err := m.Bind(g, vectors)
	if err != nil {
		t.Fatal(err)
	}
	for i, term := range m.terms {
		score, err := New(term.name, g, vectors)
		if err != nil {
			t.Fatal(err)
		}
		for u := range uint32(30) {
			for v := range uint32(300) {
				var x values
				b.measure(&x, u, v, true)
				if want := score(u, v); math.Abs(x[i]-want) > 1e-5*math.Abs(want) {
					t.Fatalf("%s of (%d, %d) is %v, expected %v", term.name, u, v, x[i], want)
				}
			}
		}
	}
}

// Calibration of a linear function of the log-odds restores the log-odds.
func TestCalibrate_Planted(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	var scores []float64
	var linked []bool
	for range 20_000 {
		odds := 2 * rng.NormFloat64()
		scores, linked = append(scores, 3*odds+1), append(linked, rng.Float64() < 1/(1+math.Exp(-odds)))
	}
	slope, shift := calibrate(scores, linked)
	if math.Abs(slope-1./3) > 0.02 || math.Abs(shift+1./3) > 0.05 {
		t.Errorf("slope %v and shift %v, expected 1/3 and -1/3", slope, shift)
	}
	// Scores that separate links from other pairs have a finite slope, and misleading scores
	// keep their order.
	if slope, shift := calibrate([]float64{1, 2, 3, 4}, []bool{false, false, true, true}); !(slope > 0 && slope < 100) || shift-shift != 0 {
		t.Errorf("slope %v and shift %v of scores that separate", slope, shift)
	}
	// Scores that are informative for only a few pairs keep their order.
	scores, linked = nil, nil
	for i := range 20_000 {
		x := rng.NormFloat64()
		is := rng.Float64() < 1/(1+math.Exp(-x))
		if i%4 == 0 {
			is, x = true, 100+x
		}
		scores, linked = append(scores, 0.1*x), append(linked, is)
	}
	slope, shift = calibrate(scores, linked)
	mean, share := 0.0, 0.0
	for i, x := range scores {
		mean += 1 / (1 + math.Exp(-(slope*x + shift))) / float64(len(scores))
		if linked[i] {
			share += 1 / float64(len(scores))
		}
	}
	if top := slope*slices.Max(scores) + shift; math.Abs(top-mostOdds) > 1e-3 || math.Abs(mean-share) > 1e-4 {
		t.Errorf("log-odds up to %v, a mean of %v and of links %v", top, mean, share)
	}
	if slope, shift := calibrate([]float64{1, 2, 3, 4, 5}, []bool{true, true, true, false, false}); !(slope > 0 && slope < 1e-5) || math.Abs(shift-math.Log(4./3)) > 1e-9 {
		t.Errorf("slope %v and shift %v of scores that mislead", slope, shift)
	}
}

func TestModel_WithPrior(t *testing.T) {
	m, g, vectors := trained(t, Terms{Heuristics: []string{}, Features: "hadamard"})
	even, _ := m.Bind(g, vectors)
	rare, err := m.WithPrior(0.01).Bind(g, vectors)
	if err != nil {
		t.Fatal(err)
	}
	odds := func(p float64) float64 { return p / (1 - p) }
	if got, want := odds(rare.Score(1, 2)), odds(even.Score(1, 2))/99; math.Abs(got-want) > 1e-9*want {
		t.Errorf("odds of %v for a fraction of 0.01, expected %v", got, want)
	}
}

func TestModel_BindRefuses(t *testing.T) {
	m, g, vectors := trained(t, Terms{Heuristics: []string{}, Features: "hadamard"})
	for _, c := range []struct {
		g       *csr.Graph
		vectors *vec.Matrix
		want    error
	}{
		{nil, vectors, ErrNeedsGraph},
		{g, nil, ErrNeedsEmbedding},
		{g, vec.NewMatrix(300, 7), ErrDimension},
		{g, vec.NewMatrix(301, 8), ErrDimension},
	} {
		if _, err := m.Bind(c.g, c.vectors); !errors.Is(err, c.want) {
			t.Errorf("%v, expected %v", err, c.want)
		}
	}
}

func TestModel_Codec(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages models in many places")
	}
	for _, terms := range []Terms{{Heuristics: []string{"jaccard"}}, {Features: "concatenation"}} {
		m, g, vectors := trained(t, terms)
		var b bytes.Buffer
		n, err := m.WriteTo(&b)
		if err != nil || n != int64(b.Len()) {
			t.Fatal(n, b.Len(), err)
		}
		raw := slices.Clone(b.Bytes())
		back, err := ReadModel(&b)
		if err != nil {
			t.Fatal(err)
		}
		f, _ := m.Bind(g, vectors)
		other, err := back.Bind(g, vectors)
		if err != nil {
			t.Fatal(err)
		}
		for v := range uint32(300) {
			if f.Score(3, v) != other.Score(3, v) {
				t.Fatalf("(3, %d): %v and %v", v, f.Score(3, v), other.Score(3, v))
			}
		}
		for i := range raw {
			changed := slices.Clone(raw)
			changed[i] ^= 0x10
			if _, err := ReadModel(bytes.NewReader(changed)); !errors.Is(err, ErrModel) && !errors.Is(err, ErrVersion) {
				t.Fatalf("byte %d changed: %v", i, err)
			}
			if _, err := ReadModel(bytes.NewReader(raw[:i])); !errors.Is(err, ErrModel) {
				t.Fatalf("cut at %d: %v", i, err)
			}
		}
	}
}

func FuzzReadModel(f *testing.F) {
	if testing.Short() {
		f.Skip("-short: trains models for its seeds")
	}
	for _, terms := range []Terms{{Heuristics: []string{"jaccard"}}, {Features: "concatenation"}} {
		m, _, _ := trained(f, terms)
		var b bytes.Buffer
		if _, err := m.WriteTo(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes()[modelHead:])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		d := decoder{rest: body}
		m := d.model()
		if d.fault != "" || len(d.rest) > 0 {
			return
		}
		var b bytes.Buffer
		if _, err := m.WriteTo(&b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(b.Bytes()[modelHead:], body) {
			t.Fatal("a model that was read and written again has different bytes")
		}
		if _, err := ReadModel(&b); err != nil {
			t.Fatal(err)
		}
	})
}

func TestParseFeatures(t *testing.T) {
	for text, want := range map[string]error{
		"": nil, "hadamard": nil, "hadamard + l1": nil, "concatenation": nil,
		"difference": ErrAsymmetric, "hadamard+difference": ErrAsymmetric,
		"l3": ErrFeature, "l1+l1": ErrFeature, "l1+concatenation": ErrFeature, "+": ErrFeature,
	} {
		if _, err := ParseFeatures(text); !errors.Is(err, want) {
			t.Errorf("%q: %v, expected %v", text, err, want)
		}
	}
	if err := (Terms{Heuristics: []string{}}).Validate(); !errors.Is(err, ErrNoTerms) {
		t.Errorf("no terms: %v", err)
	}
	for _, names := range [][]string{{"nothing"}, {"jaccard", "jaccard"}} {
		if err := (Terms{Heuristics: names}).Validate(); !errors.Is(err, ErrScorer) {
			t.Errorf("%v: %v", names, err)
		}
	}
}
