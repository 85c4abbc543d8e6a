package vectors_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"testing"

	"heavytail/embedding"
	"heavytail/embedding/run"
	"heavytail/embedding/unitball"
	"heavytail/query/fault"
	"heavytail/query/internal/methods"
	"heavytail/query/internal/querytest"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// methodStructs are all option structs of methods, with every field set.
var methodStructs = []vectors.MethodOptions{
	vectors.UnitBall{From: "walks", Begin: run.StartEmbedding, Options: unitball.Options{Dim: 3, Anchor: new(0.0), Margin: 0.1, Passes: 5, Step: 0.2, Balance: new(0.0), Tolerance: 3, Rounds: 2, Seed: 7}},
	vectors.DPSpectral{Dim: 3, Beta: new(0.5), Common: new(0.0), Normalization: embedding.Degree, Scale: new(0.5), RowScale: new(0.25), Tolerance: 0.001, Seed: math.MaxUint64, Components: embedding.Joint, IgnoreWeights: true},
	vectors.LaplacianEigenmaps{Dim: 3, Scale: new(0.0), RowScale: new(0.0), Tolerance: 0.001, Seed: 7, Components: embedding.Joint, IgnoreWeights: true},
	vectors.FastRP{Dim: 3, Beta: new(0.0), Alpha1: new(1.0), Alpha2: new(0.0), Alpha3: new(-1.0), Alpha4: new(2.0), RowNorm: new(0.0), RowScale: new(0.0), IgnoreWeights: true, Seed: 7},
	vectors.ProNE{Dim: 3, Order: 4, Mu: new(0.5), Theta: 1, RowNorm: new(0.0), RowScale: new(0.0), IgnoreWeights: true, Seed: 7},
	vectors.NetMF{Dim: 3, Window: 2, Negative: 2, Entries: 1000, RowNorm: new(0.5), RowScale: new(0.1), IgnoreWeights: true, Seed: 7},
	vectors.DPWalker{Dim: 3, Walks: 2, Length: 5, Window: 2, Epochs: 2, Alpha: 0.05, Negative: 2, Beta: new(0.0), Common: new(0.0), RowNorm: new(1.0), RowScale: new(0.1), IgnoreWeights: true, Partitions: 1, Seed: 7},
	vectors.DeepWalk{Dim: 3, Walks: 2, Length: 5, Window: 2, Epochs: 2, Alpha: 0.05, Negative: 2, RowNorm: new(0.5), RowScale: new(0.1), IgnoreWeights: true, Direction: embedding.DirectionBoth, Partitions: 1, Seed: 7},
	vectors.Node2Vec{Dim: 3, Walks: 2, Length: 5, Window: 2, Epochs: 2, Alpha: 0.05, Negative: 2, P: 0.5, Q: 2, RowNorm: new(0.5), RowScale: new(0.1), IgnoreWeights: true, Direction: embedding.DirectionBoth, Partitions: 1, Seed: 7},
}

// TestMethodOptions_Set expects that each struct with every field set gives every option of its method,
// and a zero struct none.
func TestMethodOptions_Set(t *testing.T) {
	t.Parallel()
	named := vectors.Methods()
	if len(named) != len(methodStructs) {
		t.Fatalf("%d methods, %d structs", len(named), len(methodStructs))
	}
	for i, using := range methodStructs {
		name, given := using.Method()
		if name != named[i].Name || len(given) != len(named[i].Options) {
			t.Errorf("%T of %s has %d options set, %s has %d", using, name, len(given), named[i].Name, len(named[i].Options))
		}
		if _, err := methods.ConfigureEmbed("", nil, using); err != nil {
			t.Errorf("%T: %v", using, err)
		}
		if _, given := reflect.Zero(reflect.TypeOf(using)).Interface().(vectors.MethodOptions).Method(); len(given) != 0 {
			t.Errorf("a zero %T sets %v", using, given)
		}
	}
}

// TestMethodOptions_Record runs each struct and a statement with the same options, and
// expects the same vectors and the same recorded options.
func TestMethodOptions_Record(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.ImportText(t, db, "g", "a b 2\nb c 1\nc d 3\nd a 1\na c 2\nd e 1\n")
	querytest.MustExec(t, db, "EMBED g USING laplacian_eigenmaps(dim := 2) AS walks")
	for _, using := range methodStructs {
		typed, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: "g", Name: "typed", Using: using})
		if err != nil {
			t.Fatal(err)
		}
		m, err := methods.ConfigureEmbed("", nil, using)
		if err != nil {
			t.Fatal(err)
		}
		querytest.MustExec(t, db, "EMBED g USING "+m.Text().String()+" AS text")
		text, err := db.Vectors().Describe(t.Context(), "text")
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(typed.Options, text.Options) || typed.Seed != text.Seed {
			t.Errorf("%T: record %v, of the statement %v", using, typed.Options, text.Options)
		}
		a, errA := db.Vectors().Vector(t.Context(), "typed", "a")
		b, errB := db.Vectors().Vector(t.Context(), "text", "a")
		if errA != nil || errB != nil || !slices.Equal(a, b) {
			t.Errorf("%T: vector %v, %v; of the statement %v, %v", using, a, errA, b, errB)
		}
	}
	for want, beta := range map[string]*float64{"0": new(0.0), "0.25": nil, "-1": new(-1.0)} {
		made, err := db.Vectors().Embed(t.Context(), vectors.EmbedRequest{Graph: "g", Name: "beta", Using: vectors.DPWalker{Dim: 4, Beta: beta}})
		if err != nil || !slices.Contains(made.Options, storage.Setting{Name: "beta", Value: want}) {
			t.Errorf("Beta %v: %v, %v", beta, made.Options, err)
		}
	}
}

// TestMethodOptions_Requests passes a struct in every request that has a method.
func TestMethodOptions_Requests(t *testing.T) {
	t.Parallel()
	ctx, db := t.Context(), querytest.Open(t, nil)
	querytest.MustExec(t, db, "GENERATE preferential_attachment(n := 60, m := 3, seed := 1) INTO g")
	walk := vectors.DPWalker{Dim: 4, Walks: 2, Length: 5, Seed: 3}
	estimate, err := db.Vectors().Estimate(ctx, vectors.EmbedRequest{Graph: "g", Using: &walk})
	if err != nil || estimate.Dim != 4 || estimate.Method != "dp_walker" {
		t.Errorf("%+v, %v", estimate, err)
	}
	links, err := db.Studies().EvaluateLinks(ctx, studies.EvaluateLinksRequest{Graph: "g", Methods: []studies.LinkMethod{{Using: walk}}, Seed: 1})
	if err != nil || len(links.Methods) != 1 || links.Methods[0] != "dp_walker(dim := 4, walks := 2, length := 5, seed := 3)" {
		t.Errorf("%+v, %v", links.Methods, err)
	}
	study, err := db.Studies().EvaluateParameters(ctx, studies.EvaluateParametersRequest{Graph: "g", Using: vectors.DPSpectral{Dim: 4}, Vary: []studies.Variation{{Option: "beta", Values: []float64{0, 1}}}})
	if err != nil || len(study.Points) != 2 {
		t.Errorf("%+v, %v", study, err)
	}
	tuned, err := db.Studies().Tune(ctx, studies.TuneRequest{Graph: "g", Name: "best", Methods: []studies.TuneMethod{{Using: vectors.DPSpectral{Dim: 4, Beta: new(0.0)}}}, Goal: studies.ForReconstruction, Trials: 2})
	if err != nil || !slices.Contains(tuned.Embedding.Options, storage.Setting{Name: "beta", Value: "0"}) {
		t.Errorf("%+v, %v", tuned.Embedding.Options, err)
	}
	file := t.TempDir() + "/walks.txt"
	if walks, err := db.Vectors().ExportWalks(ctx, vectors.ExportWalksRequest{Graph: "g", Using: walk, Path: file}); err != nil || walks.Rows != 120 {
		t.Errorf("%+v, %v", walks, err)
	}
}

// TestMethodOptions_Mistakes expects errors with the same fields as the errors of statements.
func TestMethodOptions_Mistakes(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, nil)
	querytest.ImportText(t, db, "g", "a b\n")
	for want, req := range map[string]vectors.EmbedRequest{
		"option beta is 9, and must be a number from -8 to 8":                  {Using: vectors.DPWalker{Beta: new(9.0)}},
		"option dim is -1, and must be a whole number from 1 to 4096":          {Using: vectors.DPSpectral{Dim: -1}},
		"option normalization is '7', expected 'auto', 'strength' or 'degree'": {Using: vectors.DPSpectral{Normalization: 7}},
		`method deepwalk has no option "p", expected dim, walks, length, window, epochs, alpha, negative, row_norm, row_scale, weights, direction, partitions or seed`: {Using: vectors.DeepWalk{P: 2}},
		"option scale is NaN, and must be a finite number":              {Using: vectors.LaplacianEigenmaps{Scale: new(math.NaN())}},
		"the method is given twice, by Using and by Method or Settings": {Using: vectors.DeepWalk{}, Method: "deepwalk"},
		"Using is a nil pointer":                                        {Using: (*vectors.DPWalker)(nil)},
	} {
		req.Graph, req.Name = "g", "e"
		_, err := db.Vectors().Embed(t.Context(), req)
		var mistake *fault.Error
		if !errors.As(err, &mistake) || !errors.Is(err, fault.ErrInvalid) || err.Error() != want {
			t.Errorf("got %v, expected %s", err, want)
		}
	}
}

// TestParseMethod reads a method with options for a request.
func TestParseMethod(t *testing.T) {
	t.Parallel()
	method, settings, err := vectors.ParseMethod("dp_walker(dim := 8, beta := 1.5, weights := FALSE)")
	if want := map[string]any{"dim": int64(8), "beta": 1.5, "weights": false}; err != nil || method != "dp_walker" || !reflect.DeepEqual(settings, want) {
		t.Errorf("%s %v, %v", method, settings, err)
	}
	for text, want := range map[string]string{
		"dp_walkr":            `line 1, column 1: unknown method "dp_walkr": did you mean dp_walker?`,
		"deepwalk(beta := 1)": `line 1, column 10: method deepwalk has no option "beta", expected dim, walks, length, window, epochs, alpha, negative, row_norm, row_scale, weights, direction, partitions or seed`,
		"deepwalk(dim := 0)":  "line 1, column 10: option dim is 0, and must be a whole number from 1 to 4096",
		"deepwalk(dim := $n)": "line 1, column 17: parameter $n has no value",
		"deepwalk AS e":       `line 1, column 10: found "AS", expected "("`,
	} {
		if _, _, err := vectors.ParseMethod(text); err == nil || err.Error() != want {
			t.Errorf("%s: %v, expected %s", text, err, want)
		}
	}
}
