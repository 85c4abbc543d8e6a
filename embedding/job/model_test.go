package job

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/link"
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
	g := blocks(t, 8)
	options := []Option{{"dim", 12}}
	vectors, _, err := Compute(context.Background(), g, Request{Method: "dp_spectral", Options: options})
	if err != nil {
		t.Fatal(err)
	}
	req := ModelRequest{Graph: g, Method: "dp_spectral", Options: options, Vectors: vectors, Features: "hadamard+l1"}
	m, report, err := TrainModel(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	best := 0.0
	for _, s := range report.Scorers {
		best = max(best, s.AUC)
	}
	if !(report.AUC > 0.85) || report.AUC < best-0.02 || math.IsNaN(report.AveragePrecision) {
		t.Errorf("AUC %v, best single scorer %v", report.AUC, best)
	}
	if !(report.Brier > 0 && report.Brier < 0.2) || !(report.CalibrationError < 0.1) || !(report.AlignmentError > 0 && report.AlignmentError < 1) {
		t.Errorf("Brier %v, calibration error %v, alignment error %v", report.Brier, report.CalibrationError, report.AlignmentError)
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
		{"no embedding", context.Background(), ModelRequest{Graph: few, Features: "l1"}, link.ErrNeedsEmbedding},
		{"order", context.Background(), ModelRequest{Graph: few, Features: "difference"}, link.ErrAsymmetric},
		{"times", context.Background(), ModelRequest{Graph: few, Split: evaluate.SplitOptions{Latest: true}}, evaluate.ErrTimes},
		{"context", ended, ModelRequest{Graph: blocks(t, 2)}, context.Canceled},
	} {
		if _, _, err := TrainModel(c.ctx, c.req); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, expected %v", c.name, err, c.want)
		}
	}
}
