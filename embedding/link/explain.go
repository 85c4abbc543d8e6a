package link

import (
	"math"
	"math/rand/v2"

	"heavytail/storage/csr"
)

// Explanation lists the contributions to the log-odds of a pair, against what is usual for pairs of such
// degrees.
type Explanation struct {
	// Parts add up to LogOdds. The first, of the name "usual", is the mean log-odds of the pairs that the
	// pair is compared with; each other part is what one term adds for this pair, less its mean over
	// those.
	Parts []Part `json:"parts"`
	// LogOdds is ln(p/(1−p)), up to 20: see Probability01.
	LogOdds     float64 `json:"log_odds"`
	Probability float64 `json:"probability"`
	Pairs       int     `json:"pairs"` // that the pair is compared with
}

// Part is the contribution of one term to the log-odds.
type Part struct {
	Name      string  `json:"name"`      // "usual", or one of Model.Terms
	Embedding int     `json:"embedding"` // number of the embedding that it reads, -1 for none
	Value     float64 `json:"value"`
	Usual     float64 `json:"usual"` // the mean value of the pairs that it is compared with
	Part      float64 `json:"part"`
}

// Explain returns the contributions to the probability of a pair, against some usual pairs: see
// [Bound.Usual]. Without any the parts are those of the terms, and the first is the constant.
func (b *Bound) Explain(u, v uint32, usual []csr.Edge) Explanation {
	a := b.around.Get().(*around)
	defer b.around.Put(a)
	e := Explanation{Parts: make([]Part, 1+len(b.m.terms)), Pairs: len(usual)}
	e.Parts[0] = Part{Name: "usual", Embedding: -1, Part: b.m.bias}
	means := make([]float64, len(b.m.terms))
	for _, pair := range usual {
		var x values
		b.set(x[:], pair.U, pair.V, a.sums(pair.U, pair.V))
		for i := range b.m.terms {
			t := &b.m.terms[i]
			e.Parts[1+i].Usual += x[i]
			means[i] += t.part(x[i])
		}
	}
	var x values
	b.set(x[:], u, v, a.sums(u, v))
	for i := range b.m.terms {
		t, p := &b.m.terms[i], &e.Parts[1+i]
		if len(usual) > 0 {
			p.Usual, means[i] = p.Usual/float64(len(usual)), means[i]/float64(len(usual))
		}
		p.Name, p.Embedding, p.Value, p.Part = t.name, t.of, x[i], t.part(x[i])-means[i]
		e.Parts[0].Part += means[i]
	}
	for _, p := range e.Parts {
		e.LogOdds += p.Part
	}
	e.Probability = Probability01(e.LogOdds)
	return e
}

// usualPairs is the number of pairs of Usual.
const usualPairs = 300

// Usual draws pairs without an edge whose ends have about the degrees of two vertices, at most 300, from
// the first rows vertices: the ends are drawn from those whose degrees differ by the smallest factor
// that leaves 50 of them, or all. The same pair gives the same draw. It takes O(n).
func (b *Bound) Usual(u, v, rows uint32) []csr.Edge {
	alike := func(of uint32) []uint32 {
		const enough = 50
		wanted := math.Log1p(float64(b.g.Degree(of)))
		for within := 0.0; ; within = 2*within + 0.05 {
			var list []uint32
			for w := range rows {
				if math.Abs(math.Log1p(float64(b.g.Degree(w)))-wanted) <= within {
					list = append(list, w)
				}
			}
			if len(list) >= enough || within > 50 {
				return list
			}
		}
	}
	first, second := alike(min(u, v)), alike(max(u, v))
	random := rand.New(rand.NewPCG(uint64(min(u, v)), uint64(max(u, v))))
	var pairs []csr.Edge
	for range 4 * usualPairs {
		if len(first) == 0 || len(second) == 0 || len(pairs) == usualPairs {
			break
		}
		if e := (csr.Edge{U: first[random.IntN(len(first))], V: second[random.IntN(len(second))]}); e.U != e.V && !b.g.HasEdge(e.U, e.V) {
			pairs = append(pairs, e)
		}
	}
	return pairs
}
