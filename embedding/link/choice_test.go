package link

import (
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// hiddenPairs is a random graph in which vertices of the same group are linked more often, without
// some of its links, and the pairs to learn from. Vectors of vertices with edges have the group in
// some coordinates.
func hiddenPairs(t *testing.T, seed uint64, n, groups int) (*csr.Graph, *vec.Matrix, Pairs) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 41))
	var edges []csr.Edge
	var p Pairs
	for u := range uint32(n) {
		for v := u + 1; v < uint32(n); v++ {
			chance := 0.01 + 0.3/float64(1+u)
			if int(u)%groups == int(v)%groups {
				chance += 0.2
			}
			switch e := (csr.Edge{U: u, V: v}); {
			case rng.Float64() >= chance:
				if rng.IntN(40) == 0 {
					p.Others = append(p.Others, e)
				}
			case rng.IntN(4) == 0:
				p.Links = append(p.Links, e)
			default:
				edges = append(edges, e)
			}
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	m := vec.NewMatrix(n, 4)
	for v := range n {
		for j := range 4 {
			m.Row(v)[j] = float32(rng.NormFloat64())
		}
		m.Row(v)[v%groups%4]++
	}
	return g, m, p
}

// The choice of a training, learned from the same pairs, is the same model; learned from other
// pairs it has the same terms.
func TestTrain_Choice(t *testing.T) {
	var sums, byVertex, single int
	for seed := range uint64(repeat.Times(6)) {
		g, vectors, pairs := hiddenPairs(t, seed, 120+20*int(seed%3), 3+int(seed%4))
		other, otherVectors, otherPairs := hiddenPairs(t, seed+1000, g.Vertices(), 3+int(seed%4))
		for _, terms := range []Terms{{}, {Features: "hadamard+l1"}, {Heuristics: []string{"jaccard", "l2"}, Features: "l2"}, {Heuristics: []string{"cosine"}}, {Heuristics: []string{"l3"}}} {
			first, report, err := Train(t.Context(), g, vectors, pairs, TrainOptions{Terms: terms})
			if err != nil {
				t.Fatal(err)
			}
			again, second, err := Train(t.Context(), g, vectors, pairs, TrainOptions{Choice: &report.Choice, Workers: 3})
			if err != nil || !reflect.DeepEqual(again, first) {
				t.Fatalf("seed %d, %+v: %v: the choice %+v gives\n%+v\nand not\n%+v", seed, terms, err, report.Choice, again, first)
			}
			at := slices.IndexFunc(report.Candidates, func(c Candidate) bool { return c.Chosen })
			if len(second.Candidates) != 1 || second.Candidates[0].AUC != report.Candidates[at].AUC || !reflect.DeepEqual(second.Choice, report.Choice) {
				t.Errorf("seed %d, %+v: %+v compared with a choice", seed, terms, second)
			}
			moved, _, err := Train(t.Context(), other, otherVectors, otherPairs, TrainOptions{Choice: &report.Choice})
			if err != nil || !slices.Equal(moved.Heuristics(), first.Heuristics()) || !slices.Equal(moved.Features(), first.Features()) {
				t.Errorf("seed %d, %+v: %v: %v, %v from other pairs; chosen were %v, %v", seed, terms, err, moved.Heuristics(), moved.Features(), first.Heuristics(), first.Features())
			}
			switch c := report.Choice; {
			case c.factor > 0:
				sums++
			case c.order.byVertex:
				byVertex++
			case len(first.terms) == 1:
				single++
			}
		}
	}
	if min(sums, byVertex, single) == 0 {
		t.Errorf("of the choices %d are sums, %d by vertex, %d single scorers", sums, byVertex, single)
	}
}

// A choice needs pairs to learn from, and terms.
func TestTrain_ChoiceErrors(t *testing.T) {
	g, vectors, pairs := hiddenPairs(t, 1, 100, 4)
	few := pairs
	few.Links = pairs.Links[:leastLinks-1]
	if _, _, err := Train(t.Context(), g, vectors, few, TrainOptions{Choice: &Choice{order: recipe{terms: Terms{Heuristics: []string{"l3"}}}}}); !errors.Is(err, ErrTooFew) {
		t.Error(err)
	}
	if _, _, err := Train(t.Context(), g, vectors, pairs, TrainOptions{Choice: &Choice{}}); !errors.Is(err, ErrNoTerms) {
		t.Error(err)
	}
}

// A model has the heuristics and features that are named, and no others, whatever they are worth.
func TestTrain_NamedTerms(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	for seed := range uint64(repeat.Times(4)) {
		g, vectors, pairs := hiddenPairs(t, seed, 140, 4)
		for range 4 {
			terms := Terms{Heuristics: []string{}}
			for _, s := range Scorers() {
				if !NeedsTimes(s.Name) && random.IntN(4) == 0 {
					terms.Heuristics = append(terms.Heuristics, s.Name)
				}
			}
			var features []string
			if random.IntN(2) == 0 || len(terms.Heuristics) == 0 {
				terms.Features, features = "l1+hadamard", []string{"hadamard", "l1"}
			}
			m, report, err := Train(t.Context(), g, vectors, pairs, TrainOptions{Terms: terms})
			if err != nil {
				t.Fatal(err)
			}
			if got := m.Heuristics(); !slices.Equal(got, terms.Heuristics) && len(got)+len(terms.Heuristics) > 0 {
				t.Errorf("%v of the named %v", got, terms.Heuristics)
			}
			if got := slices.Sorted(slices.Values(m.Features())); !slices.Equal(got, features) {
				t.Errorf("features %v of the named %v", got, features)
			}
			if len(report.Candidates) == 0 {
				t.Error("no candidates")
			}
		}
	}
}
