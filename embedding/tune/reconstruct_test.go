package tune

import (
	"context"
	"math"
	"testing"

	"heavytail/embedding/evaluate"
	"heavytail/storage/vec"
)

// An exact judgement has the figures of the sweep and of the null of its rows; a rough or a
// close one has no null, under the same names.
func TestReconstruction_Measures(t *testing.T) {
	ctx := context.Background()
	g := attachment(t, 200, 3)
	m := vec.NewMatrix(200, 4)
	for i := range m.Data {
		m.Data[i] = float32((i*i)%17) / 8
	}
	opts := evaluate.ReconstructOptions{Criterion: evaluate.ByH3, Points: 16}
	objective, err := Reconstruction(g, opts)
	if err != nil {
		t.Fatal(err)
	}
	best, points, err := evaluate.ReconstructSweep(ctx, g, m, opts)
	if err != nil {
		t.Fatal(err)
	}
	null, err := evaluate.ReconstructNull(ctx, g, m, opts)
	if err != nil {
		t.Fatal(err)
	}
	p, nan := points[best], math.NaN()
	for _, effort := range []Effort{Rough, Close, Exact} {
		want := map[string]float64{
			"pearson": p.Pearson, "spearman": p.Spearman, "precision": p.Precision, "recall": p.Recall, "f1": p.F1, "h3": p.H3,
			"null_pearson": nan, "null_spearman": nan, "null_f1": nan, "null_h3": nan,
		}
		if effort == Exact {
			want["null_pearson"], want["null_spearman"], want["null_f1"], want["null_h3"] = null.Pearson, null.Spearman, null.F1, null.H3
		}
		got, err := objective.Judge(ctx, m, effort, 1)
		if err != nil || got.Score != p.H3 {
			t.Fatalf("score %v, not %v; %v", got.Score, p.H3, err)
		}
		for _, measure := range got.Measures {
			if w, listed := want[measure.Name]; listed && w != measure.Value && !(math.IsNaN(w) && math.IsNaN(measure.Value)) {
				t.Errorf("effort %d: %s is %v, not %v", effort, measure.Name, measure.Value, w)
			}
			delete(want, measure.Name)
		}
		if len(want) > 0 {
			t.Errorf("effort %d lacks %v", effort, want)
		}
	}
}
