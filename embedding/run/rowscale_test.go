package run

import (
	"context"
	"math"
	"slices"
	"strconv"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/embedding/option"
	"heavytail/embedding/tune"
	"heavytail/storage"
	"heavytail/storage/vec"
)

// dp_spectral takes the row scale with the best H3, records it, and keeps it in a refresh.
func TestSpectral_ChoosesRowScale(t *testing.T) {
	ctx := context.Background()
	v := newVillage(t, 300, 3)
	dim := option.Given{Name: "dim", Value: 12}
	at := func(info storage.EmbeddingInfo) string {
		i := slices.IndexFunc(info.Options, func(s storage.Setting) bool { return s.Name == "row_scale" })
		return info.Options[i].Value
	}
	if _, err := Embed(ctx, v.db, v.snapshot(), Request{Name: "e", Method: "dp_spectral", Options: []option.Given{dim}}); err != nil {
		t.Fatal(err)
	}
	info, rows, err := v.db.Embedding(ctx, "e")
	if err != nil {
		t.Fatal(err)
	}
	g := v.snapshot().Graph
	most, best := math.Inf(-1), 0.0
	var want *vec.Matrix
	for _, delta := range tune.RowScales() {
		m, _, err := Compute(ctx, g, Request{Method: "dp_spectral", Options: []option.Given{dim, {Name: "row_scale", Value: delta}}})
		if err != nil {
			t.Fatal(err)
		}
		at, points, err := evaluate.ReconstructSweep(ctx, g, m, evaluate.ReconstructOptions{Criterion: evaluate.ByH3})
		if err != nil {
			t.Fatal(err)
		}
		if points[at].H3 > most {
			most, best, want = points[at].H3, delta, m
		}
	}
	if chosen := at(info); chosen != strconv.FormatFloat(best, 'g', -1, 64) || !slices.Equal(rows.Data, want.Data) {
		t.Errorf("row_scale is %s, and %v has the best H3, %v", chosen, best, most)
	}
	v.change()
	if done, err := Refresh(ctx, v.db, v.snapshot(), RefreshRequest{Name: "e"}); err != nil || at(done.To) != at(info) {
		t.Errorf("after a refresh %s, %v", at(done.To), err)
	}
	if again, _, err := Compute(ctx, g, Request{Method: "dp_spectral", Options: StoredOptions(info)}); err != nil || !slices.Equal(again.Data, rows.Data) {
		t.Errorf("the stored options give other vectors, %v", err)
	}
	auto := []option.Given{dim, {Name: "row_scale", Value: "auto"}}
	if same, _, err := Compute(ctx, g, Request{Method: "dp_spectral", Options: auto, Workers: 3}); err != nil || !slices.Equal(same.Data, rows.Data) {
		t.Errorf("'auto' gives other vectors than the default, %v", err)
	}
	err = Vary(ctx, g, Request{Method: "dp_spectral", Options: auto}, []Axis{{"dim", []float64{12}}}, func(_, _ int, m *vec.Matrix) error {
		if !slices.Equal(m.Data, rows.Data) {
			t.Error("varied options give other vectors")
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
