package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"heavytail/.ci/leaktest"
	"heavytail/embedding"
	"heavytail/embedding/evaluate"
	"heavytail/storage/csr"
	"heavytail/storage/generate"
	"heavytail/storage/vec"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

func attachment(tb testing.TB, n, m int) *csr.Graph {
	tb.Helper()
	g, err := generate.PreferentialAttachment{N: n, M: m, Seed: 1}.Generate(context.Background(), nil)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// wanted is an objective with given best vectors: it scores an embedding by its distance
// from these vectors.
type wanted struct {
	g     *csr.Graph
	best  *vec.Matrix
	seen  atomic.Int64
	close Closeness
}

func (w *wanted) Graph(Effort) *csr.Graph { return w.g }

func (w *wanted) CloseIs() Closeness { return w.close }

func (w *wanted) Judge(_ context.Context, m *vec.Matrix, effort Effort, _ int) (Judgement, error) {
	w.seen.Add(1)
	sum := 0.0
	for v := range m.Rows {
		for j, x := range m.Row(v) {
			d := float64(x - w.best.Row(v)[j])
			sum += d * d
		}
	}
	return Judgement{Score: -sum, Measures: []Measure{{"effort", float64(effort)}}}, nil
}

// spectral embeds as a full trial would.
func spectral(tb testing.TB, g *csr.Graph, o embedding.SpectralOptions) *vec.Matrix {
	tb.Helper()
	m, _, err := embedding.DPSpectral(context.Background(), g, o)
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

func option(t Trial, name string) any {
	for _, o := range t.Options {
		if o.Name == name {
			return o.Value
		}
	}
	return nil
}

// TestSearch_FindsThePoint makes an embedding with parameters between the values of the
// grid the best one, and expects the search to come near every parameter.
func TestSearch_FindsThePoint(t *testing.T) {
	g := attachment(t, 80, 3)
	want := embedding.SpectralOptions{Dim: 6, Normalization: embedding.Strength, Beta: new(1.3), Scale: new(0.4), RowScale: new(0.15)}
	objective := &wanted{g: g, best: spectral(t, g, want), close: Same}
	found, err := Search(context.Background(), objective, []Method{
		{Name: embedding.MethodDPSpectral, Spectral: embedding.SpectralOptions{Dim: 6}},
	}, Options{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	best := found.Best()
	if best.Stage != Refine || found.Reason != Finished || len(found.Trials) != int(objective.seen.Load()) {
		t.Errorf("%d trials, the best in the stage %v, ended by %s", len(found.Trials), best.Stage, found.Reason)
	}
	if option(best, "normalization") != "strength" {
		t.Errorf("found %v", best.Options)
	}
	for name, x := range map[string]float64{"beta": 1.3, "scale": 0.4, "row_scale": 0.15} {
		if got := option(best, name).(float64); math.Abs(got-x) > 0.08 {
			t.Errorf("%s is %v, and should be near %v", name, got, x)
		}
	}
}

// TestSearch_Limits expects a search with fewer trials to be the beginning of one with
// more. Neither workers nor a repetition may change it.
func TestSearch_Limits(t *testing.T) {
	g := attachment(t, 60, 2)
	methods := []Method{
		{Name: embedding.MethodDPWalker, Walks: embedding.WalkOptions{Dim: 4, Walks: 2, Length: 5}},
		{Name: embedding.MethodLaplacianEigenmaps, Spectral: embedding.SpectralOptions{Dim: 4}},
	}
	run := func(trials, workers int) *Result {
		objective, err := Reconstruction(g, evaluate.ReconstructOptions{Points: 8})
		if err != nil {
			t.Fatal(err)
		}
		found, err := Search(context.Background(), objective, methods, Options{Trials: trials, Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(found.Trials, func(a, b Trial) int { return a.Number - b.Number })
		return found
	}
	all := run(40, 1)
	if len(all.Trials) != 40 || all.Reason != Trials {
		t.Fatalf("%d trials, ended by %s", len(all.Trials), all.Reason)
	}
	var stages []Stage
	for _, trial := range all.Trials {
		stages = append(stages, trial.Stage)
	}
	if slices.Contains(stages[slices.Index(stages, Survey):], Defaults) {
		t.Errorf("defaults after the survey has begun: %v", stages)
	}
	if first := slices.Index(stages, Refine); first < 0 || !slices.Contains(stages[first:], Survey) {
		t.Errorf("the method that leads takes no step before the survey ends: %v", stages)
	}
	for _, trial := range all.Trials {
		if trial.Method == embedding.MethodDPWalker && trial.Stage != Defaults {
			if trial.Stage != Refine {
				t.Errorf("the first trial of dp_walker after its defaults is %+v", trial)
			}
			break
		}
	}
	for _, trials := range []int{1, 20, 35, 40} {
		some := run(trials, 3)
		if len(some.Trials) != trials {
			t.Fatalf("%d trials, not %d", len(some.Trials), trials)
		}
		for i, trial := range some.Trials {
			trial.Seconds = all.Trials[i].Seconds
			if got, want := fmt.Sprint(trial), fmt.Sprint(all.Trials[i]); got != want {
				t.Fatalf("with %d trials, trial %d is\n%s\nnot\n%s", trials, i+1, got, want)
			}
		}
	}
	for _, want := range []struct{ trials, left, missing int }{{1, 88, 1}, {5, 86, 0}, {20, 72, 0}, {40, 72, 0}} {
		if found := run(want.trials, 1); found.Left != want.left || found.Missing != want.missing {
			t.Errorf("%d trials leave %d of the survey and %d defaults, not %+v", want.trials, found.Left, found.Missing, want)
		}
	}
}

// TestSearch_Held expects that held parameters are not in the options of any trial, and
// that all embeddings use their values.
func TestSearch_Held(t *testing.T) {
	g := attachment(t, 60, 2)
	held := embedding.SpectralOptions{Dim: 5, Normalization: embedding.Degree, Beta: new(0.3), Common: new(0.5), Scale: new(0.7)}
	held.RowScale = new(0.375)
	objective := &wanted{g: g, best: spectral(t, g, held), close: Same}
	held.RowScale = nil
	found, err := Search(context.Background(), objective, []Method{
		{Name: embedding.MethodDPSpectral, Spectral: held, Held: []string{"normalization", "beta", "common", "scale"}},
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range found.Trials {
		if len(trial.Options) != 1 || trial.Options[0].Name != "row_scale" {
			t.Fatalf("searched %v", trial.Options)
		}
	}
	if best := found.Best(); best.Score != 0 || option(best, "row_scale") != 0.375 {
		t.Errorf("the best is %+v: the options that were given were not used", best)
	}
}

// TestSearch_Order expects trials by their scores, confirmed ones before all others,
// whatever these scored, and last those without a score.
func TestSearch_Order(t *testing.T) {
	trials := []Trial{
		{Number: 1, Stage: Survey, Judgement: Judgement{Score: 9}},
		{Number: 2, Stage: Select, Confirmed: true, Judgement: Judgement{Score: math.NaN()}},
		{Number: 3, Stage: Select, Confirmed: true, Judgement: Judgement{Score: 1}},
		{Number: 4, Stage: Confirm, Confirmed: true, Judgement: Judgement{Score: 2}},
		{Number: 5, Stage: Refine, Confirmed: true, Judgement: Judgement{Score: 1}},
		{Number: 6, Stage: Refine, Judgement: Judgement{Score: 8}},
	}
	slices.SortStableFunc(trials, compareTrials)
	var order []int
	for _, trial := range trials {
		order = append(order, trial.Number)
	}
	if !slices.Equal(order, []int{4, 3, 5, 6, 1, 2}) {
		t.Errorf("the order is %v", order)
	}
}

// TestSearch_Cancelled cancels within a trial and expects the error of the context; after
// the budget is used up, one trial is left.
func TestSearch_Cancelled(t *testing.T) {
	g := attachment(t, 60, 2)
	ctx, cancel := context.WithCancel(context.Background())
	methods := []Method{{Name: embedding.MethodDeepWalk, Walks: embedding.WalkOptions{Dim: 4, Walks: 1, Length: 5}}}
	objective, err := Reconstruction(g, evaluate.ReconstructOptions{Points: 8})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Search(ctx, objective, methods, Options{Progress: func(string, int64, int64) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	found, err := Search(context.Background(), objective, methods, Options{Budget: time.Nanosecond})
	if err != nil || len(found.Trials) != 1 || found.Reason != Budget || found.Left != 12 || found.Best().Stage != Defaults {
		t.Errorf("no time: %+v, %v", found, err)
	}
}

// TestSearch_Refused searches with a penalty beyond the precision of the matrix. The
// refused trials come last, with their reason; the search returns it as its error only if
// all trials were refused.
func TestSearch_Refused(t *testing.T) {
	pendant := []csr.Edge{{U: 0, V: 60}}
	for v := range uint32(60) {
		for u := range v {
			pendant = append(pendant, csr.Edge{U: u, V: v})
		}
	}
	g, err := csr.FromEdges(61, pendant)
	if err != nil {
		t.Fatal(err)
	}
	small := embedding.SpectralOptions{Dim: 3}
	methods := []Method{{Name: embedding.MethodDPSpectral, Spectral: small, Held: []string{"beta", "common"}}, {Name: embedding.MethodLaplacianEigenmaps, Spectral: small}}
	methods[0].Spectral.Beta, methods[0].Spectral.Common = new(8.0), new(1.0)
	objective, err := Reconstruction(g, evaluate.ReconstructOptions{Points: 8})
	if err != nil {
		t.Fatal(err)
	}
	found, err := Search(context.Background(), objective, methods, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for i, trial := range found.Trials {
		refused := trial.Method == embedding.MethodDPSpectral
		if refused != errors.Is(trial.Err, embedding.ErrOptions) || refused && (!math.IsNaN(trial.Score) || i == 0) {
			t.Errorf("trial %d of the list is %+v", i, trial)
		}
	}
	if _, err := Search(context.Background(), objective, methods[:1], Options{}); !errors.Is(err, embedding.ErrOptions) {
		t.Errorf("nothing but what is refused: %v", err)
	}
}

// TestSearch_Progress expects every trial to be reported, with the number of trials
// that there may be.
func TestSearch_Progress(t *testing.T) {
	t.Parallel()
	g := attachment(t, 60, 2)
	for _, most := range []int{0, 18} {
		var reported []string
		found, err := Search(context.Background(), &wanted{g: g, best: spectral(t, g, embedding.SpectralOptions{Dim: 4})},
			[]Method{{Name: embedding.MethodLaplacianEigenmaps, Spectral: embedding.SpectralOptions{Dim: 4}}},
			Options{Trials: most, Progress: func(stage string, done, total int64) {
				reported = append(reported, fmt.Sprint(stage, done, total))
			}})
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(found.Trials, func(a, b Trial) int { return a.Number - b.Number })
		var want []string
		for _, trial := range found.Trials {
			want = append(want, fmt.Sprint(trial.Stage.String(), trial.Number, most))
		}
		if !slices.Equal(reported, want) || most > 0 && len(want) != most {
			t.Errorf("reported %v, not %v", reported, want)
		}
	}
}

// TestAxis_Moved expects sums, or factors on geometric axes, within the limits and rounded.
func TestAxis_Moved(t *testing.T) {
	t.Parallel()
	linear := axis{least: 0, most: 4}
	factors := axis{least: 0.001, most: 0.2, geometric: true}
	walks := axis{least: 1, most: 10, geometric: true, whole: true}
	for _, c := range []struct {
		a             axis
		x, step, want float64
	}{
		{linear, 1, 0.25, 1.25}, {linear, 1, -2, 0}, {linear, 3, 2, 4}, {linear, 0.1, 0.2, 0.3},
		{walks, 10, -1, 5}, {walks, 5, -1, 3}, {walks, 1, -1, 1}, {walks, 6, 1, 10},
		{factors, 0.05, 1, 0.1}, {factors, 0.05, -1, 0.025}, {factors, 0.15, 1, 0.2}, {factors, 0.0015, -1, 0.001}, {factors, 0.1, 0.5, 0.14142},
	} {
		if got := c.a.moved(c.x, c.step); got != c.want {
			t.Errorf("%v moved by %v is %v, not %v (%+v)", c.x, c.step, got, c.want, c.a)
		}
	}
}

func TestSearch_Errors(t *testing.T) {
	objective, err := Reconstruction(attachment(t, 20, 2), evaluate.ReconstructOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		methods []Method
		opts    Options
		want    error
	}{
		"none":    {nil, Options{}, ErrOptions},
		"unknown": {[]Method{{Name: "word2vec"}}, Options{}, ErrOptions},
		"held":    {[]Method{{Name: "deepwalk", Held: []string{"beta"}}}, Options{}, ErrOptions},
		"budget":  {[]Method{{Name: "deepwalk"}}, Options{Budget: -1}, ErrOptions},
		"trials":  {[]Method{{Name: "deepwalk"}}, Options{Trials: -1}, ErrOptions},
		"method":  {[]Method{{Name: "deepwalk", Walks: embedding.WalkOptions{Dim: -1}}}, Options{}, embedding.ErrOptions},
	} {
		if _, err := Search(context.Background(), objective, c.methods, c.opts); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Reconstruction(nil, evaluate.ReconstructOptions{Points: -1}); !errors.Is(err, evaluate.ErrOption) {
		t.Errorf("points: %v", err)
	}
	if _, err := Links(context.Background(), attachment(t, 20, 2), evaluate.SplitOptions{}, 9); !errors.Is(err, ErrOptions) {
		t.Errorf("criterion: %v", err)
	}
}

// TestLabels expects the figures of the classification.
func TestLabels(t *testing.T) {
	g, ctx := attachment(t, 100, 4), context.Background()
	classes := evaluate.Labels{Names: []string{"few", "many"}}
	for v := range uint32(100) {
		classes.Of = append(classes.Of, []uint32{uint32(min(1, g.Degree(v)/8))})
	}
	m := spectral(t, g, embedding.SpectralOptions{Dim: 8})
	scores, err := evaluate.ClassifyLabels(ctx, m, classes, evaluate.LabelOptions{Fractions: []float64{0.5}, Seeds: 1, Seed: 2})
	if err != nil {
		t.Fatal(err)
	}
	for criterion, want := range []float64{scores[0].MicroF1.Mean, scores[0].MacroF1.Mean, scores[0].Accuracy.Mean} {
		objective, err := Labels(g, classes, 2, LabelCriterion(criterion))
		if err != nil {
			t.Fatal(err)
		}
		j, err := objective.Judge(ctx, m, Exact, 0)
		if err != nil || j.Score != want || j.Measures[criterion].Value != want {
			t.Errorf("criterion %d: %+v, %v, not %v", criterion, j, err, want)
		}
	}
	if _, err := Labels(g, classes, 0, 9); !errors.Is(err, ErrOptions) {
		t.Errorf("criterion: %v", err)
	}
}

// TestSearch_Survey expects every solve of a branch after the first with the best
// scales of the one before it, and fewer of them.
func TestSearch_Survey(t *testing.T) {
	g := attachment(t, 60, 2)
	objective := &wanted{g: g, best: spectral(t, g, embedding.SpectralOptions{Dim: 4})}
	found, err := Search(context.Background(), objective, []Method{{
		Name: embedding.MethodDPSpectral, Spectral: embedding.SpectralOptions{Dim: 4, Normalization: embedding.Strength}, Held: []string{"normalization"},
	}}, Options{Trials: 2 + 16 + surveyedPoints})
	if err != nil {
		t.Fatal(err)
	}
	scales := func(trial Trial) string { return fmt.Sprint(option(trial, "scale"), option(trial, "row_scale")) }
	first, second := map[string]float64{}, []string{}
	for _, trial := range found.Trials {
		switch {
		case trial.Stage != Survey:
		case trial.Number <= 2+16:
			first[scales(trial)] = trial.Score
		default:
			second = append(second, scales(trial))
		}
	}
	for tried := range first {
		better := 0
		for _, score := range first {
			if score > first[tried] {
				better++
			}
		}
		if slices.Contains(second, tried) != (better < surveyedPoints) {
			t.Errorf("scales %s, of which %d were better, in the second solve: %v", tried, better, second)
		}
	}
	if len(second) != surveyedPoints || found.Left != 8*surveyedPoints {
		t.Errorf("%d trials of the second solve, %d left", len(second), found.Left)
	}
}

// TestLinks expects the objective to embed the remaining graph of the split, and its
// figures to be those of the split's own scoring.
func TestLinks(t *testing.T) {
	g := attachment(t, 100, 4)
	ctx := context.Background()
	for criterion, name := range []string{"auc", "f1", "average_precision"} {
		objective, err := Links(ctx, g, evaluate.SplitOptions{Seed: 3}, LinkCriterion(criterion))
		if err != nil {
			t.Fatal(err)
		}
		split, err := evaluate.SplitLinks(ctx, g, evaluate.SplitOptions{Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(objective.Graph(Exact).Targets, split.Graph.Targets) {
			t.Fatal("what is confirmed does not embed the graph of the split")
		}
		m := spectral(t, split.Graph, embedding.SpectralOptions{Dim: 8})
		j, err := objective.Judge(ctx, m, Exact, 0)
		if err != nil {
			t.Fatal(err)
		}
		scores, err := split.Score(ctx, m, evaluate.LinkOptions{Scorers: []string{}})
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]float64{"auc": scores[0].AUC, "f1": scores[0].F1, "average_precision": scores[0].AveragePrecision}
		for _, measure := range j.Measures {
			if x, there := want[measure.Name]; there && x != measure.Value {
				t.Errorf("%s is %v, not %v", measure.Name, measure.Value, x)
			}
		}
		if j.Score != want[name] {
			t.Errorf("the score is %v, not the %s", j.Score, name)
		}
	}
}
