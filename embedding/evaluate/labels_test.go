package evaluate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"heavytail/storage/vec"
)

// clusters returns vectors around one centre for each class, and labels that name the
// centre. Every fifth vertex has no label, and every fourth has two classes.
func clusters(vertices, classes int, noise float64) (*vec.Matrix, Labels) {
	random := rand.New(rand.NewPCG(7, uint64(vertices)))
	m := vec.NewMatrix(vertices, classes)
	labels := Labels{Of: make([][]uint32, vertices)}
	for c := range classes {
		labels.Names = append(labels.Names, string(rune('a'+c)))
	}
	for v := range vertices {
		own := []uint32{uint32(random.IntN(classes))}
		if other := uint32(random.IntN(classes)); v%4 == 0 && other != own[0] {
			own = append(own, other)
			slices.Sort(own)
		}
		for j := range classes {
			m.Row(v)[j] = float32(noise * random.NormFloat64())
		}
		for _, c := range own {
			m.Row(v)[c] += 1
		}
		if v%5 != 0 {
			labels.Of[v] = own
		}
	}
	return m, labels
}

func classifyAll(t *testing.T, m *vec.Matrix, labels Labels, opts LabelOptions) []LabelScore {
	t.Helper()
	scores, err := ClassifyLabels(context.Background(), m, labels, opts)
	if err != nil {
		t.Fatal(err)
	}
	return scores
}

// Four decisions, few enough to compute all measures by hand.
func TestLabelTally_ByHand(t *testing.T) {
	tally := newLabelTally(4, 6, 4)
	tally.count([]uint32{0}, []uint32{0})       // a, predicted
	tally.count([]uint32{0, 1}, []uint32{0, 2}) // a predicted, b missed, c wrong
	tally.count([]uint32{1}, []uint32{0})       // b missed, a wrong
	tally.count([]uint32{1, 2}, []uint32{1, 2}) // both predicted
	// a: 2 found, 1 wrong. b: 1 found, 2 missed. c: 1 found, 1 wrong. d: nothing.
	for c, want := range []float64{2 * 2 / 5., 2 * 1 / 4., 2 * 1 / 3., math.NaN()} {
		if got := tally.classes[c].f1(); !near(got, want) {
			t.Errorf("F1 of class %d is %v, expected %v", c, got, want)
		}
	}
	if got := tally.micro(); !near(got, 4./6) {
		t.Errorf("micro-F1 %v, expected 4/6", got)
	}
	if got := tally.macro(); !near(got, (0.8+0.5+2./3)/4) { // d counts as 0
		t.Errorf("macro-F1 %v", got)
	}
	s := summarise(0.6, []labelTally{tally, newLabelTally(4, 6, 4)})
	if s.Train != 6 || s.Test != 4 || !near(s.Accuracy.Mean, 0.25) || !near(s.Accuracy.Deviation, math.Sqrt(0.125)) {
		t.Errorf("%+v", s)
	}
	a, d := s.Classes[0], s.Classes[3]
	if !near(a.Accuracy.Mean, 1) || !near(a.Accuracy.Deviation, math.NaN()) || !near(a.Precision.Mean, 2./3) || !near(a.Vertices.Mean, 1) {
		t.Errorf("class a: %+v", a)
	}
	if !near(d.Accuracy.Mean, math.NaN()) || !near(d.F1.Mean, math.NaN()) || d.Vertices.Mean != 0 {
		t.Errorf("class d: %+v", d)
	}
}

func TestMeasured_ByHand(t *testing.T) {
	for _, c := range []struct {
		values          []float64
		mean, deviation float64
	}{
		{nil, math.NaN(), math.NaN()},
		{[]float64{math.NaN()}, math.NaN(), math.NaN()},
		{[]float64{3}, 3, math.NaN()},
		{[]float64{1, math.NaN(), 3, 5}, 3, 2},
	} {
		if got := measured(c.values); !near(got.Mean, c.mean) || !near(got.Deviation, c.deviation) {
			t.Errorf("%v: %v", c.values, got)
		}
	}
}

// Classes are predicted well from vectors that encode them, and only by chance from random
// vectors.
func TestClassifyLabels_SignalAndNoise(t *testing.T) {
	m, labels := clusters(400, 5, 0.1)
	opts := LabelOptions{Seeds: 3}
	if testing.Short() {
		opts.Seeds, opts.Fractions = 2, []float64{0.1, 0.5}
	}
	for _, s := range classifyAll(t, m, labels, opts) {
		if s.MicroF1.Mean < 0.99 || s.MacroF1.Mean < 0.99 || s.Accuracy.Mean < 0.98 {
			t.Errorf("at %v: micro %v, macro %v, accuracy %v", s.Fraction, s.MicroF1, s.MacroF1, s.Accuracy)
		}
		if s.Train+s.Test != labels.Labelled() {
			t.Errorf("%d and %d of %d vertices", s.Train, s.Test, labels.Labelled())
		}
	}
	// Labels that are independent of the vectors could be predicted only if test labels
	// leaked into the training.
	random := rand.New(rand.NewPCG(3, 3))
	for i := range m.Data {
		m.Data[i] = float32(random.NormFloat64())
	}
	for v := range labels.Of {
		labels.Of[v] = []uint32{uint32(v % 5)}
	}
	for _, s := range classifyAll(t, m, labels, opts) {
		if s.MicroF1.Mean < 0.1 || s.MicroF1.Mean > 0.3 {
			t.Errorf("at %v: micro-F1 %v of labels by chance, expected about 0.2", s.Fraction, s.MicroF1)
		}
		if s.MicroF1 != s.Accuracy {
			t.Errorf("one class each: micro-F1 %v, accuracy %v", s.MicroF1, s.Accuracy)
		}
	}
}

// The chosen penalty and the models do not depend on the classes of the test vertices,
// because both are computed from the training vertices alone.
func TestClassifyLabels_NothingLeaks(t *testing.T) {
	m, labels := clusters(200, 4, 0.5)
	predictions := func(labels Labels) (float64, [][]uint32) {
		t.Helper()
		trial := &labelTrial{m: m, labels: labels, opts: LabelOptions{}.withDefaults(), report: func(int64) {}}
		order := trial.order(0)
		penalty, err := trial.choose(context.Background(), order[:80])
		if err != nil {
			t.Fatal(err)
		}
		ranker, err := trial.train(context.Background(), order[:80], penalty)
		if err != nil {
			t.Fatal(err)
		}
		var all [][]uint32
		for _, v := range order {
			all = append(all, ranker.Top(4, m.Row(int(v))))
		}
		return penalty, all
	}
	penalty, all := predictions(labels)
	order := (&labelTrial{m: m, labels: labels}).order(0)
	changed := Labels{Names: labels.Names, Of: slices.Clone(labels.Of)}
	for _, v := range order[80:] {
		changed.Of[v] = []uint32{(labels.Of[v][0] + 1) % 4}
	}
	if p, same := predictions(changed); p != penalty || !reflect.DeepEqual(same, all) {
		t.Error("the classes of the test vertices change what is predicted")
	}
	for _, v := range order[:80] {
		changed.Of[v] = []uint32{uint32(v) % 4}
	}
	if _, other := predictions(changed); reflect.DeepEqual(other, all) {
		t.Error("the classes of the training vertices do not change what is predicted")
	}
}

// The better of the inner penalties is chosen, unless an outer one is better by more than
// chance. Each training vertex is a test vertex in exactly one fold, and the classes are
// spread evenly over the folds.
func TestClassifyLabels_Choice(t *testing.T) {
	for _, c := range []struct {
		scores [][]float64
		want   int
	}{
		{[][]float64{{1, 1}, {1, 1}, {1, 1}, {1, 1}}, 1},
		{[][]float64{{1, 1}, {1, 1}, {1.2, 1}, {1, 1}}, 2},
		{[][]float64{{1.6, 0.8}, {1, 1}, {0.9, 1}, {1, 1}}, 1},     // by chance
		{[][]float64{{1.2, 1.3}, {1, 1}, {0.9, 1}, {1, 1}}, 0},     // not by chance
		{[][]float64{{1.2, 1.3}, {1, 1}, {0.9, 1}, {1.4, 1.5}}, 3}, // the best of both
		{[][]float64{{1.2}, {1.1}, {1}, {1}}, 0},                   // a single fold
		{[][]float64{{math.NaN()}, {math.NaN()}, {math.NaN()}, {math.NaN()}}, 1},
	} {
		if got := bestPenalty(c.scores); got != c.want {
			t.Errorf("%v: chosen %d, expected %d", c.scores, got, c.want)
		}
	}
	m, labels := clusters(400, 4, 0.8)
	trial := &labelTrial{m: m, labels: labels, opts: LabelOptions{}.withDefaults(), report: func(int64) {}}
	training := trial.order(3)[:103]
	all, tested := map[uint32]int{}, map[uint32]int{}
	for _, v := range training {
		all[labels.Of[v][0]]++
	}
	folds := trial.folds(training)
	for _, f := range folds {
		own := map[uint32]int{}
		for _, v := range f.test {
			tested[v]++
			own[labels.Of[v][0]]++
			if slices.Contains(f.training, v) {
				t.Errorf("vertex %d trains and tests", v)
			}
		}
		for c, n := range all {
			if own[c] < n/5 || own[c] > n/5+1 {
				t.Errorf("%d of %d vertices of class %d in a fold", own[c], n, c)
			}
		}
		if len(f.training)+len(f.test) != len(training) {
			t.Errorf("%d and %d of %d vertices", len(f.training), len(f.test), len(training))
		}
	}
	if len(folds) != 5 || len(tested) != len(training) {
		t.Errorf("%d folds, %d of %d vertices tested", len(folds), len(tested), len(training))
	}
	// The chosen penalty is the one with the best mean of the scores over all folds.
	var scores [][]float64
	for _, p := range labelPenalties() {
		var own []float64
		for _, f := range folds {
			tally, err := trial.tally(context.Background(), f.training, f.test, p)
			if err != nil {
				t.Fatal(err)
			}
			own = append(own, tally.micro()+tally.macro())
		}
		scores = append(scores, own)
	}
	if got, err := trial.choose(context.Background(), training); err != nil || got != labelPenalties()[bestPenalty(scores)] {
		t.Errorf("chosen %v of %v (%v)", got, scores, err)
	}
}

// bruteMicro measures one split from its definition.
func bruteMicro(own, given [][]uint32) float64 {
	found, all := 0, 0
	for i := range own {
		all += len(own[i])
		for _, c := range own[i] {
			if slices.Contains(given[i], c) {
				found++
			}
		}
	}
	return float64(found) / float64(all)
}

func TestClassifyLabels_Definition(t *testing.T) {
	m, labels := clusters(300, 6, 1.2)
	s := classifyAll(t, m, labels, LabelOptions{Fractions: []float64{0.4}, Seeds: 1, Seed: 9, Penalty: 3})[0]
	trial := &labelTrial{m: m, labels: labels, opts: LabelOptions{Seed: 9, Penalty: 3}.withDefaults(), report: func(int64) {}}
	order := trial.order(0)
	ranker, err := trial.train(context.Background(), order[:s.Train], 3)
	if err != nil {
		t.Fatal(err)
	}
	var own, given [][]uint32
	for _, v := range order[s.Train:] {
		classes := []uint32{0, 1, 2, 3, 4, 5}
		slices.SortStableFunc(classes, func(a, b uint32) int {
			return cmp.Compare(ranker.Score(int(b), m.Row(int(v))), ranker.Score(int(a), m.Row(int(v))))
		})
		own, given = append(own, labels.Of[v]), append(given, classes[:len(labels.Of[v])])
	}
	if want := bruteMicro(own, given); !near(s.MicroF1.Mean, want) || want > 0.95 {
		t.Errorf("micro-F1 %v, expected %v", s.MicroF1.Mean, want)
	}
}

// A class without a training vertex is predicted only after all others, and a class of all
// training vertices is always predicted.
func TestClassifyLabels_ClassesThatAreMissing(t *testing.T) {
	m, labels := clusters(30, 3, 0.1)
	for v := range labels.Of {
		labels.Of[v] = []uint32{0}
	}
	labels.Of[7] = []uint32{1}
	scores := classifyAll(t, m, labels, LabelOptions{Fractions: []float64{0.01}, Seeds: 5})
	if s := scores[0]; s.Train != 1 || s.Test != 29 || s.Classes[2].Vertices.Mean != 0 || !math.IsNaN(s.Classes[2].F1.Mean) {
		t.Errorf("%+v", s)
	}
}

func TestClassifyLabels_SameAtAnyWorkers(t *testing.T) {
	m, labels := clusters(120, 5, 1)
	first := classifyAll(t, m, labels, LabelOptions{Seeds: 2, Workers: 1})
	workers := []int{7, 2, 16}
	if testing.Short() {
		workers = workers[:1]
	}
	for _, workers := range workers {
		if got := classifyAll(t, m, labels, LabelOptions{Seeds: 2, Workers: workers}); fmt.Sprint(got) != fmt.Sprint(first) {
			t.Errorf("%d workers: micro-F1 %v, expected %v", workers, got[0].MicroF1, first[0].MicroF1)
		}
	}
	// More orders do not change the results of the first ones.
	one := classifyAll(t, m, labels, LabelOptions{Seeds: 1, Seed: 1})[0].MicroF1.Mean
	both := first[0].MicroF1
	zero := classifyAll(t, m, labels, LabelOptions{Seeds: 1})[0].MicroF1.Mean
	if !near(both.Mean, (zero+one)/2) {
		t.Errorf("orders %v and %v, both together %v", zero, one, both.Mean)
	}
}

func TestClassifyLabels_Progress(t *testing.T) {
	m, labels := clusters(60, 3, 0.5)
	var last, total int64
	classifyAll(t, m, labels, LabelOptions{Seeds: 2, Workers: 3, Progress: func(stage string, done, of int64) {
		if stage != "classifying" || done < last || done > of {
			t.Errorf("%s %d of %d after %d", stage, done, of, last)
		}
		last, total = done, of
	}})
	// Of 48 labelled vertices, 4, 24 and 43 train. Each training set chooses among four
	// penalties, in this many folds.
	if last != total || total != 2*3*((4*4+1)+(4*5+1)+(4*5+1)) {
		t.Errorf("%d of %d", last, total)
	}
}

func TestClassifyLabels_Errors(t *testing.T) {
	m, labels := clusters(20, 3, 0.5)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	with := func(of ...[]uint32) Labels { return Labels{labels.Names, append(of, make([][]uint32, 20-len(of))...)} }
	for _, c := range []struct {
		name   string
		ctx    context.Context
		labels Labels
		opts   LabelOptions
		want   error
	}{
		{"rows", context.Background(), Labels{labels.Names, labels.Of[1:]}, LabelOptions{}, ErrShape},
		{"one vertex", context.Background(), with([]uint32{1}), LabelOptions{}, ErrLabels},
		{"one class", context.Background(), Labels{[]string{"a"}, with([]uint32{0}, []uint32{0}).Of}, LabelOptions{}, ErrLabels},
		{"out of range", context.Background(), with([]uint32{1}, []uint32{3}), LabelOptions{}, ErrLabels},
		{"out of order", context.Background(), with([]uint32{1}, []uint32{2, 2}), LabelOptions{}, ErrLabels},
		{"fraction", context.Background(), labels, LabelOptions{Fractions: []float64{0.5, 1}}, ErrOption},
		{"no fraction", context.Background(), labels, LabelOptions{Fractions: []float64{}}, ErrOption},
		{"seeds", context.Background(), labels, LabelOptions{Seeds: -1}, ErrOption},
		{"penalty", context.Background(), labels, LabelOptions{Penalty: math.NaN()}, ErrOption},
		{"cancelled", cancelled, labels, LabelOptions{}, context.Canceled},
	} {
		if scores, err := ClassifyLabels(c.ctx, m, c.labels, c.opts); !errors.Is(err, c.want) || scores != nil {
			t.Errorf("%s: %v, %v", c.name, scores, err)
		}
	}
}
