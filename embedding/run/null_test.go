package run

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/embedding/tune"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// These tests compare estimates with graphs on which nothing can be predicted. On a random
// graph the held-out edges do not differ from the other pairs without an edge, so every AUC
// is 0.5 up to chance. A larger AUC is a leak.

// random is a graph in which any two vertices have an edge with the same probability.
func random(t *testing.T, n int, p float64, seed uint64) *csr.Graph {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 99))
	var edges []csr.Edge
	for u := range uint32(n) {
		for v := u + 1; v < uint32(n); v++ {
			if rng.Float64() < p {
				edges = append(edges, csr.Edge{U: u, V: v})
			}
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// lots collects how many standard errors AUCs are from 0.5.
type lots struct {
	all map[string][]float64 // by what was measured
}

// add takes an AUC of so many links and so many other pairs (Mann and Whitney, 1947).
func (l *lots) add(what string, auc float64, links, others int) {
	if l.all == nil {
		l.all = map[string][]float64{}
	}
	a, b := float64(links), float64(others)
	l.all[what] = append(l.all[what], (auc-0.5)/math.Sqrt((a+b+1)/(12*a*b)))
}

// check refuses an AUC beyond 3 standard errors, of which one of 370 is by chance: of
// hundreds one in a hundred may be, but none beyond 4.5; and what was measured many
// times must have a mean within 3 standard errors of its own.
func (l *lots) check(t *testing.T) {
	t.Helper()
	var beyond []string
	total := 0
	for what, list := range l.all {
		sum := 0.0
		for i, z := range list {
			sum += z
			if !(math.Abs(z) <= 3) {
				beyond = append(beyond, fmt.Sprintf("%s, seed %d: %.1f", what, i, z))
			}
			if !(math.Abs(z) <= 4.5) {
				t.Errorf("%s, seed %d: the AUC is %.1f standard errors from 0.5", what, i, z)
			}
		}
		total += len(list)
		if mean := sum / math.Sqrt(float64(len(list))); !(math.Abs(mean) <= 3.5) {
			t.Errorf("%s: the mean of %d is %.1f standard errors from 0.5", what, len(list), mean)
		}
	}
	if len(beyond) > total/100 {
		t.Errorf("%d of %d are beyond 3 standard errors: %v", len(beyond), total, beyond)
	}
}

// nullMethods are embeddings of 64 coordinates, of small walks: nothing can be learned
// of these graphs by longer ones.
func nullMethods() map[string][]option.Given {
	walks := []option.Given{{Name: "dim", Value: 64}, {Name: "walks", Value: 2}, {Name: "length", Value: 20}}
	return map[string][]option.Given{
		"dp_spectral": {{Name: "dim", Value: 64}}, "laplacian_eigenmaps": {{Name: "dim", Value: 64}}, "fastrp": {{Name: "dim", Value: 64}}, "prone": {{Name: "dim", Value: 64}}, "netmf": {{Name: "dim", Value: 64}}, "deepwalk": walks, "dp_walker": walks,
		"unit_ball": {{Name: "dim", Value: 64}, {Name: "passes", Value: 60}},
	}
}

func TestTrainModel_RandomGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a claim about graphs without structure, over many trainings")
	}
	t.Parallel()
	var claimed, measured lots
	advised, trainings := 0, 0
	for seed := range uint64(repeat.Times(1)) {
		whole := random(t, 200, 0.08, seed)
		// What the stored model is worth: for pairs that were hidden from all of this.
		split, err := evaluate.SplitLinks(context.Background(), whole, evaluate.SplitOptions{Seed: seed + 1000})
		if err != nil {
			t.Fatal(err)
		}
		for method, options := range nullMethods() {
			req := ModelRequest{Graph: split.Graph, Embeddings: embeddingOf(t, split.Graph, method, options...), Split: evaluate.SplitOptions{Seed: seed}}
			m, report, err := TrainModel(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			for _, gain := range []evaluate.Interval{report.MAPGain, report.RecallGain} {
				if trainings++; gain.High < 0 {
					advised++
				}
			}
			claimed.add(method, report.AUC.Mean, report.TestLinks, report.TestOthers)
			for _, s := range report.Scorers {
				claimed.add(method+" "+s.Scorer, s.AUC, report.TestLinks, report.TestOthers)
			}
			links, others := scored(t, m, split, req)
			measured.add(method, evaluate.AUC(links, others), len(links), len(others))
		}
	}
	// One of twenty by chance; with intervals that ignore the choice of the best scorer it is one of six.
	if advised > 2+trainings/10 {
		t.Errorf("a scorer is said to recommend better than the model in %d of %d cases", advised, trainings)
	}
	claimed.check(t)
	measured.check(t)
}

// scored are the probabilities that a model gives the pairs that were hidden.
func scored(t *testing.T, m *link.Model, split *evaluate.LinkSplit, req ModelRequest) (links, others []float64) {
	t.Helper()
	var vectors []*vec.Matrix
	for _, e := range req.Embeddings {
		vectors = append(vectors, e.Vectors)
	}
	bound, err := m.Bind(req.Graph, vectors...)
	if err != nil {
		t.Fatal(err)
	}
	links, err = evaluate.ScorePairs(context.Background(), split.Edges, 0, bound.Score)
	if err == nil {
		others, err = evaluate.ScorePairs(context.Background(), split.NonEdges, 0, bound.Score)
	}
	if err != nil {
		t.Fatal(err)
	}
	return links, others
}

func TestLinkSplit_RandomGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a claim about graphs without structure, over many trainings")
	}
	t.Parallel()
	var features []string
	for _, f := range link.Features() {
		features = append(features, f.Name)
	}
	var all lots
	for seed := range uint64(repeat.Times(1)) {
		whole := random(t, 200, 0.08, seed)
		for _, unseen := range []bool{false, true} {
			split, err := evaluate.SplitLinks(context.Background(), whole, evaluate.SplitOptions{Seed: seed, Unseen: unseen})
			if err != nil {
				t.Fatal(err)
			}
			for method, options := range nullMethods() {
				vectors, _, err := Compute(context.Background(), split.Graph, Request{Method: method, Options: options})
				if err != nil {
					t.Fatal(err)
				}
				scores, err := split.Score(context.Background(), vectors, evaluate.LinkOptions{Features: features})
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range scores {
					all.add(fmt.Sprint(method, " ", s.Scorer, s.Learned, unseen), s.AUC, len(split.Edges), len(split.NonEdges))
				}
			}
		}
	}
	all.check(t)
}

// Classes that were dealt out again have nothing to do with the vectors: of the classes of
// the test vertices no more are found than by always naming the most frequent ones.
func TestClassifyLabels_Shuffled(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a claim about graphs without structure, over many trainings")
	}
	t.Parallel()
	g := blocks(t, 5)
	one, several := classesOf(g)
	for method, options := range nullMethods() {
		vectors, _, err := Compute(context.Background(), g, Request{Method: method, Options: options})
		if err != nil {
			t.Fatal(err)
		}
		for name, labels := range map[string]evaluate.Labels{"one class": one, "several classes": several} {
			opts := evaluate.LabelOptions{Fractions: []float64{0.5}, Seeds: 2 * repeat.Times(1)}
			if repeat.Long() {
				opts.Fractions = nil
			}
			for deal := range uint64(repeat.Times(1)) {
				dealt := shuffled(labels, deal)
				scores, err := evaluate.ClassifyLabels(context.Background(), vectors, dealt, opts)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range scores {
					most, error := mostFrequent(dealt, s.Test)
					if !(s.MicroF1.Mean <= most+3*error) || !(s.Accuracy.Mean <= most+3*error) {
						t.Errorf("%s, %s, %v to train on: micro-F1 %v and accuracy %v of classes dealt out, naming the most frequent ones has %.3f ± %.3f", method, name, s.Fraction, s.MicroF1, s.Accuracy, most, error)
					}
				}
			}
			// So that the test can fail: the classes as they are can be predicted.
			opts.Penalty = 1 // what few vertices choose differs from order to order
			scores, err := evaluate.ClassifyLabels(context.Background(), vectors, labels, opts)
			if err != nil {
				t.Fatal(err)
			}
			s := scores[len(scores)/2]
			if most, error := mostFrequent(labels, s.Test); !(s.MicroF1.Mean > most+3*error) {
				t.Errorf("%s, %s: micro-F1 %v, naming the most frequent ones has %.3f ± %.3f", method, name, s.MicroF1, most, error)
			}
		}
	}
}

// classesOf are classes of the vertices of blocks: one each, and one or two.
func classesOf(g *csr.Graph) (one, several evaluate.Labels) {
	for c := range 5 {
		one.Names, several.Names = append(one.Names, fmt.Sprint(c)), append(several.Names, fmt.Sprint(c))
	}
	for v := range g.Vertices() {
		c := uint32(v / 40)
		one.Of = append(one.Of, []uint32{min(c, 3)}) // one class has two groups
		several.Of = append(several.Of, []uint32{c})
		if v%3 == 0 && c < 4 {
			several.Of[v] = append(several.Of[v], 4)
		}
	}
	return one, several
}

// shuffled gives every vertex the classes of another.
func shuffled(labels evaluate.Labels, seed uint64) evaluate.Labels {
	dealt := evaluate.Labels{Names: labels.Names, Of: make([][]uint32, len(labels.Of))}
	for v, w := range rand.New(rand.NewPCG(seed, 5)).Perm(len(labels.Of)) {
		dealt.Of[v] = labels.Of[w]
	}
	return dealt
}

// searched are methods for a search of few trials.
func searched(t *testing.T) []tune.Method {
	t.Helper()
	var methods []tune.Method
	for _, name := range []string{"dp_spectral", "dp_walker"} {
		options := []option.Given{{Name: "dim", Value: 16}}
		if HasWalks(name) {
			options = append(options, option.Given{Name: "walks", Value: 2}, option.Given{Name: "length", Value: 20})
		}
		m, err := Tunable(name, options, 1)
		if err != nil {
			t.Fatal(err)
		}
		methods = append(methods, m)
	}
	return methods
}

// The best of many trials is no better than lots on a graph of chance: the pairs that
// choose are not those of its score.
func TestSearch_RandomGraph(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a claim about graphs without structure, over many trainings")
	}
	t.Parallel()
	var all lots
	for seed := range uint64(repeat.Times(1)) {
		g := random(t, 200, 0.08, seed)
		opts := evaluate.SplitOptions{Seed: seed}
		split, err := evaluate.SplitLinks(context.Background(), g, opts)
		if err != nil {
			t.Fatal(err)
		}
		objective, err := tune.Links(context.Background(), g, opts, tune.ByAUC)
		if err != nil {
			t.Fatal(err)
		}
		found, err := tune.Search(context.Background(), objective, searched(t), tune.Options{Trials: 20})
		if err != nil {
			t.Fatal(err)
		}
		all.add("best trial", found.Best().Score, len(split.Edges), len(split.NonEdges))
	}
	all.check(t)
}

// Nor does it predict classes that are assigned at random.
func TestSearch_Shuffled(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: a claim about graphs without structure, over many trainings")
	}
	t.Parallel()
	g := blocks(t, 5)
	one, several := classesOf(g)
	for seed := range uint64(repeat.Times(1)) {
		for name, labels := range map[string]evaluate.Labels{"one class": one, "several classes": several} {
			objective, err := tune.Labels(g, shuffled(labels, seed), seed, tune.ByMicroF1)
			if err != nil {
				t.Fatal(err)
			}
			found, err := tune.Search(context.Background(), objective, searched(t), tune.Options{Trials: 15})
			if err != nil {
				t.Fatal(err)
			}
			most, error := mostFrequent(labels, g.Vertices()/2)
			if best := found.Best(); !(best.Score <= most+3*error) {
				t.Errorf("%s, seed %d: micro-F1 %v, naming the most frequent ones has %.3f ± %.3f", name, seed, best.Score, most, error)
			}
		}
	}
}

// mostFrequent is the share of the classes that is found by naming those that are most
// mostFrequent is the micro-F1 of always predicting the classes that are most frequent
// among the vertices with as many classes, and its standard error over the given number of
// vertices.
func mostFrequent(labels evaluate.Labels, test int) (share, error float64) {
	counts := map[int][]int{} // of each class, among the vertices with so many
	all := 0
	for _, own := range labels.Of {
		if counts[len(own)] == nil {
			counts[len(own)] = make([]int, len(labels.Names))
		}
		for _, c := range own {
			counts[len(own)][c]++
			all++
		}
	}
	found := 0
	for most, list := range counts {
		slices.Sort(list)
		for _, n := range list[len(list)-most:] {
			found += n
		}
	}
	share = float64(found) / float64(all)
	return share, math.Sqrt(share * (1 - share) / float64(test))
}

// On a random graph a model gives all but one of a hundred pairs about the same probability.
func TestTrainModel_RandomGraphProbabilities(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains a model of a whole graph")
	}
	t.Parallel()
	for seed := range uint64(repeat.Times(1)) {
		_, report, err := TrainModel(context.Background(), ModelRequest{Graph: random(t, 600, 0.02, seed), Split: evaluate.SplitOptions{Seed: seed}})
		if err != nil {
			t.Fatal(err)
		}
		beyond := 0
		for _, b := range report.Bins {
			if b.Pairs > 0 && math.Abs(b.Mean-0.5) > 0.15 {
				beyond += b.Pairs
			}
		}
		if all := report.TestLinks + report.TestOthers; beyond > all/100 {
			t.Errorf("seed %d: %d of %d pairs have a probability beyond .35 and .65: %+v", seed, beyond, all, report.Bins)
		}
		if math.Abs(report.Brier-0.25) > 0.01 {
			t.Errorf("seed %d: Brier %v", seed, report.Brier)
		}
	}
}
