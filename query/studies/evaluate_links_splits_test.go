package studies_test

import (
	"fmt"
	"math"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/run"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/query/studies"
	"heavytail/query/vectors"
)

// TestDB_EvaluateLinks_Splits compares means and deviations with those of single splits,
// and the figures of the null graph with those of the same graph stored.
func TestDB_EvaluateLinks_Splits(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	querytest.MustExec(t, db, "CREATE GRAPH shuffled AS NULL OF pa WITH (seed := 5)")
	req := studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Using: vectors.FastRP{Dim: 8}}}, Scorers: []string{"l3", "cosine"}, Features: []string{"l1"}, Seed: 5, Training: 100}
	evaluated := func(graph string, seed uint64, splits int, null bool) []studies.MethodScore {
		t.Helper()
		req := req
		req.Graph, req.Seed, req.Splits, req.Null = graph, seed, splits, null
		result, err := db.Studies().EvaluateLinks(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return result.Scores
	}
	all, null := evaluated("pa", 5, 3, true), evaluated("shuffled", 5, 0, false)
	var single [][]studies.MethodScore
	for seed := range uint64(3) {
		single = append(single, evaluated("pa", 5+seed, 1, false))
	}
	for i, s := range all {
		a, b, c := single[0][i].AUC, single[1][i].AUC, single[2][i].AUC
		mean := (a + b + c) / 3
		deviation := math.Sqrt(((a-mean)*(a-mean) + (b-mean)*(b-mean) + (c-mean)*(c-mean)) / 2)
		if !(math.Abs(s.AUC-mean) < 1e-12 && math.Abs(s.AUCDeviation-deviation) < 1e-12) || !(deviation > 0) {
			t.Errorf("%s: %v ± %v of three splits, %v ± %v of single ones", s.Scorer, s.AUC, s.AUCDeviation, mean, deviation)
		}
		if !(math.Abs(s.Hits-(single[0][i].Hits+single[1][i].Hits+single[2][i].Hits)/3) < 1e-12) {
			t.Errorf("%s: hits %v", s.Scorer, s.Hits)
		}
		if s.NullAUC != null[i].AUC || s.NullAveragePrecision != null[i].AveragePrecision {
			t.Errorf("%s: null %v and %v, of the stored graph %v and %v", s.Scorer, s.NullAUC, s.NullAveragePrecision, null[i].AUC, null[i].AveragePrecision)
		}
		if single[0][i].AUCDeviation != 0 || single[0][i].NullAUC != 0 {
			t.Errorf("%s: one split has a deviation", s.Scorer)
		}
	}
}

// By degree the null graph is measured without being asked for, other negatives are not, and no
// other figure changes.
func TestDB_EvaluateLinks_NullByDegree(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	querytest.MustExec(t, db, "CREATE GRAPH shuffled AS NULL OF pa WITH (seed := 5)")
	req := studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Using: vectors.FastRP{Dim: 8}}}, Scorers: []string{"l3", "cosine"}, Features: []string{"l1"}, Seed: 5, Training: 100}
	evaluated := func(graph string, without bool, kinds ...evaluate.Negatives) []studies.MethodScore {
		t.Helper()
		req := req
		req.Graph, req.WithoutNull, req.Negatives = graph, without, kinds
		result, err := db.Studies().EvaluateLinks(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return result.Scores
	}
	kinds := evaluate.AllNegatives()
	all, without, stored := evaluated("pa", false, kinds...), evaluated("pa", true, kinds...), evaluated("shuffled", true, evaluate.DegreeNegatives)
	for i, s := range all {
		if s.Negatives == evaluate.DegreeNegatives {
			if of := stored[i/len(kinds)]; s.NullAUC != of.AUC || s.NullAveragePrecision != of.AveragePrecision || s.NullAUC == 0 {
				t.Errorf("%s: null %v and %v, of the stored graph %+v", s.Scorer, s.NullAUC, s.NullAveragePrecision, of)
			}
		} else if !math.IsNaN(s.NullAUC) || !math.IsNaN(s.NullAveragePrecision) {
			t.Errorf("%s by %s: null %v", s.Scorer, s.Negatives, s.NullAUC)
		}
		s.NullAUC, s.NullAveragePrecision = 0, 0
		if fmt.Sprintf("%+v", s) != fmt.Sprintf("%+v", without[i]) { // some figures are NaN
			t.Errorf("%+v with the null graph, %+v without", s, without[i])
		}
	}
	for _, s := range evaluated("pa", false, evaluate.RandomNegatives, evaluate.TwoHopNegatives) {
		if s.NullAUC != 0 {
			t.Errorf("%s by %s: null %v", s.Scorer, s.Negatives, s.NullAUC)
		}
	}
	req.Null, req.WithoutNull = true, true
	if _, err := db.Studies().EvaluateLinks(t.Context(), req); err == nil {
		t.Error("Null and WithoutNull together are no error")
	}
}

// The null figures of TRAIN MODEL are those of EVALUATE LINKS for each scorer.
func TestDB_TrainModel_Null(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	kinds := []evaluate.Negatives{evaluate.DegreeNegatives}
	got, err := db.Studies().EvaluateLinks(t.Context(), studies.EvaluateLinksRequest{Graph: "pa", Seed: 5, Share: run.DefaultModelShare, Negatives: kinds})
	if err != nil {
		t.Fatal(err)
	}
	trained, err := db.Links().TrainModel(t.Context(), links.TrainModelRequest{Name: "m", Graph: "pa", Seed: 5, Negatives: kinds})
	if err != nil {
		t.Fatal(err)
	}
	d, err := db.Links().DescribeModel(t.Context(), "m")
	if err != nil {
		t.Fatal(err)
	}
	by := d.ByNegatives[0]
	if len(by.Heuristics) == 0 || by.NullAUC == 0 || by.NullAUC != trained.ByNegatives[0].NullAUC || d.AUCLow != trained.AUCLow || !(d.AUCLow < d.AUC && d.AUC <= d.AUCHigh) {
		t.Errorf("%+v", d)
	}
	for _, h := range by.Heuristics {
		for _, s := range got.Scores {
			if s.Scorer == h.Name && (math.Abs(s.NullAUC-h.NullAUC) > 1e-9 || math.Abs(s.NullAveragePrecision-h.NullAveragePrecision) > 1e-9) {
				t.Errorf("%+v in the model, %+v evaluated", h, s)
			}
		}
	}
}

// TestDB_EvaluateLinks_NullRankings compares the null figures of recommendations with those
// of the same random graph stored, and expects the other figures not to change.
func TestDB_EvaluateLinks_NullRankings(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	querytest.MustExec(t, db, "CREATE GRAPH shuffled AS NULL OF pa WITH (seed := 5)")
	req := studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Using: vectors.FastRP{Dim: 8}}}, Scorers: []string{"l3", "cosine"}, Features: []string{"l1"}, Seed: 5, Training: 100, RankAt: 5}
	ranked := func(graph string, null bool) []studies.MethodRanking {
		t.Helper()
		req := req
		req.Graph, req.Null = graph, null
		result, err := db.Studies().EvaluateLinks(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return result.Rankings
	}
	both, alone, stored := ranked("pa", true), ranked("pa", false), ranked("shuffled", false)
	if len(both) != 3 || len(stored) != 3 || stored[0].MAP.Mean == 0 {
		t.Fatalf("%d rankings, of the stored graph %+v", len(both), stored)
	}
	for i, r := range both {
		if r.NullMAP != stored[i].MAP.Mean || r.NullRecall != stored[i].Recall.Mean {
			t.Errorf("%s: null %v and %v, of the stored graph %v and %v", r.Scorer, r.NullMAP, r.NullRecall, stored[i].MAP.Mean, stored[i].Recall.Mean)
		}
		r.NullMAP, r.NullRecall = 0, 0
		if r != alone[i] {
			t.Errorf("%s: %+v with a null graph, %+v without", r.Scorer, r, alone[i])
		}
	}
}

// TestDB_EvaluateLinks_Curves expects a curve for every score, whose area is the AUC, and
// no curves without the option.
func TestDB_EvaluateLinks_Curves(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	req := studies.EvaluateLinksRequest{Graph: "pa", Methods: []studies.LinkMethod{{Using: vectors.FastRP{Dim: 8}}}, Scorers: []string{"l3", "cosine"},
		Features: []string{"l1"}, Negatives: evaluate.AllNegatives(), Training: 100, CurveSteps: 10_000}
	result, err := db.Studies().EvaluateLinks(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Curves) != len(result.Scores) || len(result.Scores) != 9 {
		t.Fatalf("%d curves of %d scores", len(result.Curves), len(result.Scores))
	}
	for i, curve := range result.Curves {
		area, last := 0.0, evaluate.CurvePoint{}
		for _, p := range curve {
			area += (p.FalsePositives - last.FalsePositives) * (p.Recall + last.Recall) / 2
			last = p
		}
		if s := result.Scores[i]; !(math.Abs(area-s.AUC) < 1e-9) {
			t.Errorf("%s by %s: area %v, AUC %v", s.Scorer, s.Negatives, area, s.AUC)
		}
	}
	req.CurveSteps = 0
	if result, err = db.Studies().EvaluateLinks(t.Context(), req); err != nil || result.Curves != nil {
		t.Errorf("without curves: %d, %v", len(result.Curves), err)
	}
	req.Methods, req.Scorers, req.Features, req.Negatives = nil, nil, nil, []evaluate.Negatives{}
	if result, err = db.Studies().EvaluateLinks(t.Context(), req); err != nil || len(result.Scores) == 0 {
		t.Errorf("an empty list of negatives: %d scores, %v", len(result.Scores), err)
	}
}
