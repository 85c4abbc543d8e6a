package studies_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/query"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/query/vectors"
)

// TestDB_EvaluateParameters_Embeddings compares every point of a study with an embedding
// that is stored and evaluated separately.
func TestDB_EvaluateParameters_Embeddings(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: searches options several times")
	}
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	for _, method := range []string{"dp_spectral", "laplacian_eigenmaps", "dp_walker"} {
		settings := map[string]any{"dim": 12}
		vary := []studies.Variation{{Option: "dim", Values: []float64{4, 20}}, {Option: "scale", Values: []float64{0, 0.5}}, {Option: "row_scale", Values: []float64{0.25}}, {Option: "beta", Values: []float64{0.5, 1}}}
		switch method {
		case "dp_walker":
			settings["walks"] = 2
			vary = []studies.Variation{{Option: "beta", Values: []float64{1, 2}}}
		case "laplacian_eigenmaps":
			vary = vary[:3]
		}
		r, err := db.Studies().EvaluateParameters(t.Context(), studies.EvaluateParametersRequest{Graph: "pa", Method: method, Settings: settings, Vary: vary})
		if err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, v := range vary {
			for _, value := range v.Values {
				p := r.Points[at]
				at++
				if p.Option != v.Option || p.Value != value {
					t.Fatalf("%s: point %d is of %s %v, want %s %v", method, at, p.Option, p.Value, v.Option, value)
				}
				alone := map[string]any{"dim": settings["dim"], v.Option: value}
				if v.Option == "dim" {
					alone["dim"] = int(value)
				}
				if w, ok := settings["walks"]; ok {
					alone["walks"] = w
				}
				if want := embeddedAlone(t, db, method, alone); math.Abs(p.Pearson-want.Pearson) > 0.01 || math.Abs(p.Spearman-want.Spearman) > 0.02 {
					t.Errorf("%s: %s %v: %.4f / %.4f, alone %.4f / %.4f", method, v.Option, value, p.Pearson, p.Spearman, want.Pearson, want.Spearman)
				}
			}
		}
		if at != len(r.Points) {
			t.Errorf("%s: %d points, want %d", method, len(r.Points), at)
		}
	}
}

// embeddedAlone embeds the graph and returns the best of its reconstructions.
func embeddedAlone(t *testing.T, db *query.DB, method string, settings map[string]any) evaluate.ReconstructionPoint {
	t.Helper()
	if _, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: "pa", Name: "alone", Method: method, Settings: settings}); err != nil {
		t.Fatal(err)
	}
	r, err := db.Vectors().EvaluateReconstruction(t.Context(), vectors.EvaluateReconstructionRequest{Embedding: "alone"})
	if err != nil {
		t.Fatal(err)
	}
	return r.Points[r.Best]
}

func TestDefaultVariations(t *testing.T) {
	for method, want := range map[string]int{"dp_spectral": 4, "laplacian_eigenmaps": 3, "dp_walker": 2, "deepwalk": 1, "none": 0} {
		if got := studies.DefaultVariations(method); len(got) != want {
			t.Errorf("%s: %v", method, got)
		}
	}
}

func TestDB_EvaluateParameters_Errors(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.Attached(t, db)
	for _, req := range []studies.EvaluateParametersRequest{
		{Graph: "pa", Method: "dp_spectrum"},
		{Graph: "ap", Method: "dp_spectral"},
		{Graph: "pa", Method: "dp_spectral", Points: -1},
		{Graph: "pa", Method: "dp_spectral", Settings: map[string]any{"p": 1}},
		{Graph: "pa", Method: "dp_spectral", Vary: []studies.Variation{{Option: "alpha", Values: []float64{1}}}},
		{Graph: "pa", Method: "dp_spectral", Vary: []studies.Variation{{Option: "beta", Values: []float64{9}}}},
		{Graph: "pa", Method: "dp_spectral", Vary: []studies.Variation{{Option: "beta", Values: nil}}},
		{Graph: "pa", Method: "dp_spectral", Vary: []studies.Variation{{Option: "dim", Values: []float64{2.5}}}},
		{Graph: "pa", Method: "dp_spectral", Vary: []studies.Variation{{Option: "normalization", Values: []float64{1}}}},
		{Graph: "pa", Method: "dp_spectral", Vary: []studies.Variation{{Option: "beta", Values: []float64{math.NaN()}}}},
	} {
		var mistake *fault.Error
		if _, err := db.Studies().EvaluateParameters(t.Context(), req); !errors.As(err, &mistake) {
			t.Errorf("%+v: error %v, want an *Error", req, err)
		}
	}
	for _, stage := range []string{"solving", "joining"} {
		ctx, cancel := context.WithCancel(t.Context())
		querytest.Engine(db).Opts.Progress = func(p rows.Progress) {
			if p.Stage == stage {
				cancel()
			}
		}
		if _, err := db.Studies().EvaluateParameters(ctx, studies.EvaluateParametersRequest{Graph: "pa", Method: "dp_spectral"}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled while %s: %v", stage, err)
		}
		cancel()
	}
}
