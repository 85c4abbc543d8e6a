package run

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
	"heavytail/embedding/option"
	"heavytail/storage/csr"
)

// blocks is a graph of groups of 40 vertices, dense within and sparse between.
func blocks(t *testing.T, groups int) *csr.Graph {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 3))
	n := 40 * groups
	var edges []csr.Edge
	for u := range n {
		for v := u + 1; v < n; v++ {
			p := 0.01
			if u/40 == v/40 {
				p = 0.3
			}
			if rng.Float64() < p {
				edges = append(edges, csr.Edge{U: uint32(u), V: uint32(v)})
			}
		}
	}
	g, err := csr.FromEdges(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestTrainModel_Blocks(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains models several times")
	}
	g := blocks(t, 8)
	req := embedded(t, g, 12)
	m, report, err := TrainModel(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	best := 0.0
	for _, s := range report.Scorers {
		best = max(best, s.AUC)
	}
	if !(report.AUC.Mean > 0.85) || report.AUC.Mean < best-0.02 || math.IsNaN(report.AveragePrecision) {
		t.Errorf("AUC %v, best single scorer %v", report.AUC, best)
	}
	if !(report.Brier > 0 && report.Brier < 0.2) || !(report.CalibrationError < 0.1) {
		t.Errorf("Brier %v, calibration error %v", report.Brier, report.CalibrationError)
	}
	pairs := 0
	for _, b := range report.Bins {
		pairs += b.Pairs
	}
	if pairs != report.TestLinks+report.TestOthers {
		t.Errorf("%d pairs in bins of %d", pairs, report.TestLinks+report.TestOthers)
	}
	req.Workers = 3
	again, _, err := TrainModel(context.Background(), req)
	if err != nil || !reflect.DeepEqual(m, again) {
		t.Errorf("another number of workers gives another model (%v)", err)
	}
}

// The measures with other negatives use the same links, and the measures with random pairs
// do not change.
func TestTrainModel_Negatives(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains models several times")
	}
	g := blocks(t, 6)
	req := ModelRequest{Graph: g}
	_, plain, err := TrainModel(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.Negatives = evaluate.AllNegatives()
	_, report, err := TrainModel(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	if report.AUC != plain.AUC || report.Brier != plain.Brier || !reflect.DeepEqual(report.Scorers, plain.Scorers) {
		t.Errorf("by random pairs %v, alone %v", report.AUC, plain.AUC)
	}
	if len(report.ByNegatives) != 2 {
		t.Fatalf("%+v", report.ByNegatives)
	}
	for i, kind := range []evaluate.Negatives{evaluate.DegreeNegatives, evaluate.TwoHopNegatives} {
		r := report.ByNegatives[i]
		if r.Negatives != kind || kind == evaluate.DegreeNegatives && r.TestLinks != report.TestLinks || r.TestOthers == 0 || !(r.AUC.Mean > 0.6) || len(r.Scorers) != len(report.Scorers) {
			t.Errorf("%+v, expected %d links", r, report.TestLinks)
		}
	}
}

// embedded is a request for a model of a graph and its embedding by dp_spectral.
func embedded(t *testing.T, g *csr.Graph, dim int) ModelRequest {
	t.Helper()
	return ModelRequest{Graph: g, Embeddings: embeddingOf(t, g, "dp_spectral", option.Given{Name: "dim", Value: dim}, option.Given{Name: "row_scale", Value: 0.0})}
}

// The reported figures of a model of a graph are those of a separate measurement: the same
// fraction of the pairs is held out, and a model of the remaining graph, with its own
// embedding, scores them.
func TestTrainModel_Stranger(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains models several times")
	}
	g := blocks(t, 8)
	_, claim, err := TrainModel(context.Background(), embedded(t, g, 60))
	if err != nil {
		t.Fatal(err)
	}
	split, err := evaluate.SplitLinks(context.Background(), g, evaluate.SplitOptions{Seed: 77})
	if err != nil {
		t.Fatal(err)
	}
	req := embedded(t, split.Graph, 60)
	m, _, err := TrainModel(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	links, others := scored(t, m, split, req)
	auc, n := evaluate.AUC(links, others), float64(len(links))
	if error := math.Sqrt(2 * auc * (1 - auc) / n); math.Abs(auc-claim.AUC.Mean) > 3*error {
		t.Errorf("the AUC is %v, claimed are %v ± %v", auc, claim.AUC, error)
	}
}

func TestTrainModel_Errors(t *testing.T) {
	tiny, err := csr.FromEdges(3, []csr.Edge{{U: 0, V: 1}})
	if err != nil {
		t.Fatal(err)
	}
	few, err := csr.FromEdges(5, []csr.Edge{{U: 0, V: 1}, {U: 1, V: 2}, {U: 2, V: 3}, {U: 3, V: 4}})
	if err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		req  ModelRequest
		want error
	}{
		{"one edge", context.Background(), ModelRequest{Graph: tiny}, evaluate.ErrLinks},
		{"four edges", context.Background(), ModelRequest{Graph: few}, link.ErrTooFew},
		{"no embedding", context.Background(), ModelRequest{Graph: few, Heuristics: []string{"l2"}}, link.ErrNeedsEmbedding},
		{"times", context.Background(), ModelRequest{Graph: few, Split: evaluate.SplitOptions{Latest: true}}, evaluate.ErrTimes},
		{"context", ended, ModelRequest{Graph: blocks(t, 2)}, context.Canceled},
	} {
		if _, _, err := TrainModel(c.ctx, c.req); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, err, c.want)
		}
	}
}

// The weight of likely vertices is the one whose models of the other splits recommend better on the
// last.
func TestTrainModel_ChoosesWeightOfLikely(t *testing.T) {
	ctx := t.Context()
	chosen := map[float64]bool{}
	for seed := range uint64(4) {
		g := blocks(t, 3)
		training := newModelTraining(ModelRequest{Graph: g, Split: evaluate.SplitOptions{Seed: seed}})
		var last lists
		if _, err := training.fit(ctx, g); err != nil {
			t.Fatal(err)
		}
		s, err := training.hide(ctx, g, g, ModelSplits-1)
		if err != nil {
			t.Fatal(err)
		}
		if last, err = training.lists(ctx, s); err != nil {
			t.Fatal(err)
		}
		of := func(factor float64) float64 {
			rows := []*link.Rows{training.splits[0].rows, training.splits[1].rows, training.splits[2].rows}
			m, err := link.Fit(ctx, rows, link.Terms{Likely: factor}, 0)
			if err != nil {
				t.Fatal(err)
			}
			all, err := last.measure(ctx, 0, func(table *link.Table) [][]float64 { return [][]float64{table.LogOdds(m)} })
			if err != nil {
				t.Fatal(err)
			}
			sum := 0.0
			for _, list := range all {
				sum += list[0].AveragePrecision
			}
			return sum
		}
		want := 1.0
		if of(0.1) > of(1) {
			want = 0.1
		}
		if training.terms.Likely != want {
			t.Errorf("seed %d: factor %v, MAP of 0.1 and 1: %v, %v", seed, training.terms.Likely, of(0.1), of(1))
		}
		chosen[want] = true
	}
	if len(chosen) != 2 {
		t.Errorf("every graph chooses the same: %v", chosen)
	}
}
