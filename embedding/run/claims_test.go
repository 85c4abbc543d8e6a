package run

import (
	"context"
	"math"
	"reflect"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/storage/csr"
)

// modelOf returns a request for a model of a graph, with an embedding by fastrp or without one.
func modelOf(t *testing.T, g *csr.Graph, embedded bool, seed uint64) ModelRequest {
	t.Helper()
	req := ModelRequest{Graph: g, Split: evaluate.SplitOptions{Seed: seed}}
	if embedded {
		req.Embeddings = embeddingOf(t, g, "fastrp", option.Given{Name: "dim", Value: 16})
	}
	return req
}

// embeddingOf embeds a graph for a model.
func embeddingOf(t *testing.T, g *csr.Graph, method string, options ...option.Given) []ModelEmbedding {
	t.Helper()
	vectors, _, err := Compute(t.Context(), g, Request{Method: method, Options: options})
	if err != nil {
		t.Fatal(err)
	}
	return []ModelEmbedding{{Name: method, Method: method, Options: options, Vectors: vectors}}
}

// claimGraphs are small graphs of several kinds.
func claimGraphs(t *testing.T) map[string]*csr.Graph {
	return map[string]*csr.Graph{"blocks": blocks(t, 5), "random": random(t, 300, 0.05, 5), "sparse blocks": spaced(t, blocks(t, 8), 2)}
}

// spaced has one of so many edges of a graph.
func spaced(t *testing.T, g *csr.Graph, each int) *csr.Graph {
	t.Helper()
	var edges []csr.Edge
	for v := range uint32(g.Vertices()) {
		for _, u := range g.Neighbors(v) {
			if u < v && (int(u)*7+int(v)*13)%(3*each) < 3 {
				edges = append(edges, csr.Edge{U: u, V: v})
			}
		}
	}
	thin, err := csr.FromEdges(g.Vertices(), edges)
	if err != nil {
		t.Fatal(err)
	}
	return thin
}

// The figures are of the returned model on links that were hidden from all that it has learned from.
func TestTrainModel_MeasuresUnseen(t *testing.T) {
	g := blocks(t, 5)
	req := modelOf(t, g, true, 3)
	model, report, err := TrainModel(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	split, err := evaluate.SplitLinks(t.Context(), g, evaluate.SplitOptions{Share: ModelShare(g.Edges()), Training: 1, Seed: req.Split.Seed})
	if err != nil {
		t.Fatal(err)
	}
	links, others := scored(t, model, split, modelOf(t, split.Graph, true, 3))
	auc := evaluate.AUC(links, others)
	if math.Abs(auc-report.AUC.Mean) > 1e-12 || !(0 <= report.AUC.Low && report.AUC.Low < report.AUC.Mean && report.AUC.Mean <= report.AUC.High && report.AUC.High <= 1) {
		t.Errorf("the AUC is %v, reported %v", auc, report.AUC)
	}
}

// A stranger hides edges, trains a model of the rest, and scores what was hidden: of 48 figures at
// least 46 are within the interval that the model claims, and on average they are not below the
// claim.
func TestTrainModel_Claims(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains models 48 times")
	}
	t.Parallel()
	held, trainings, over := 0, 0, 0.0
	for name, g := range claimGraphs(t) {
		for seed := range uint64(8) {
			split, err := evaluate.SplitLinks(t.Context(), g, evaluate.SplitOptions{Seed: 500 + seed})
			if err != nil {
				t.Fatal(err)
			}
			for _, embedded := range []bool{false, true} {
				req := modelOf(t, split.Graph, embedded, seed)
				m, report, err := TrainModel(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				links, others := scored(t, m, split, req)
				auc := evaluate.AUC(links, others)
				trainings++
				over += report.AUC.Mean - auc
				if report.AUC.Low <= auc && auc <= report.AUC.High || math.Abs(auc-report.AUC.Mean) <= 0.01 {
					held++
				} else {
					t.Logf("%s, seed %d: AUC %.4f, claimed %.4f", name, seed, auc, report.AUC)
				}
			}
		}
	}
	if held < trainings*46/48 || over/float64(trainings) > 0.005 {
		t.Errorf("%d of %d claims hold; they are too high by %.4f on average", held, trainings, over/float64(trainings))
	}
}

// The figures of a null graph are those of the same terms, learned and measured on it.
func TestTrainModel_Null(t *testing.T) {
	g, null := blocks(t, 5), random(t, 200, 0.08, 9)
	calls := 0
	req := modelOf(t, g, true, 2)
	req.Negatives = []evaluate.Negatives{evaluate.DegreeNegatives, evaluate.TwoHopNegatives}
	_, without, err := TrainModel(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	req.Null = nullOf(null, &calls)
	model, report, err := TrainModel(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	degree, twoHop := report.ByNegatives[0], report.ByNegatives[1]
	if calls != 1 || twoHop.Null != nil || degree.Null == nil || without.ByNegatives[0].Null != nil {
		t.Fatalf("%d null graphs; %+v, %+v", calls, degree.Null, twoHop.Null)
	}
	if degree.AUC != without.ByNegatives[0].AUC || report.AUC != without.AUC {
		t.Errorf("with a null graph the AUC is %v, without %v", degree.AUC, without.ByNegatives[0].AUC)
	}
	// 0.5 within three standard errors: nothing can be predicted, and the graph has no degrees that differ much.
	if chance := 3 / math.Sqrt(6*float64(null.Edges())/5); math.Abs(degree.Null.AUC-0.5) > chance || len(degree.Null.Scorers) != len(degree.Scorers) {
		t.Errorf("the null AUC is %v, more than %v from 0.5; %d scorers of %d", degree.Null.AUC, chance, len(degree.Null.Scorers), len(degree.Scorers))
	}
	for i, s := range degree.Null.Scorers {
		if s.Scorer != degree.Scorers[i].Scorer || math.IsNaN(s.AUC) {
			t.Errorf("%+v in place of %+v", s, degree.Scorers[i])
		}
	}
	req.Workers, calls = 3, 0
	if again, other, err := TrainModel(t.Context(), req); err != nil || !reflect.DeepEqual(again, model) || other.ByNegatives[0].Null.AUC != degree.Null.AUC {
		t.Errorf("another number of workers gives %v, %v", other.ByNegatives, err)
	}
}

// nullOf returns the function of ModelRequest.Null for a graph, and counts its calls.
func nullOf(g *csr.Graph, calls *int) func(context.Context) (*csr.Graph, error) {
	return func(context.Context) (*csr.Graph, error) {
		*calls++
		return g, nil
	}
}
