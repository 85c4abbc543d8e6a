package tune

import (
	"context"
	"slices"
	"testing"
	"time"

	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// place is a method that places the vertices of a graph at random, and takes as long as it
// says only by its estimate.
func place(seconds float64) Method {
	return Method{Name: MethodUnitBall, Placing: &Placing{
		Defaults: map[string]float64{"margin": 0.05},
		Embed: func(_ context.Context, g *csr.Graph, options []Option, _ bool, _ int, progress func(string)) (*vec.Matrix, error) {
			margin := options[0].Value.(float64)
			progress("placing: 7 wrong pairs")
			m := vec.NewMatrix(g.Vertices(), 2)
			for i := range m.Data {
				m.Data[i] = float32(margin * float64(i*i%17))
			}
			return m, nil
		},
		Seconds: func(int64, int64, bool) float64 { return seconds },
	}}
}

// TestSearch_PlacingBeyondBudget expects that no trial begins that is estimated to take
// longer than the budget, except the first trial of a search.
func TestSearch_PlacingBeyondBudget(t *testing.T) {
	t.Parallel()
	g := attachment(t, 30, 2)
	for _, with := range []struct {
		methods []Method
		missing int
	}{{[]Method{place(1e9)}, 0}, {append(small()[:1:1], place(1e9)), 1}} {
		found, err := Search(t.Context(), &dice{g: g, close: Same}, with.methods, Options{Budget: 1000 * time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		placed := 0
		for _, trial := range found.Trials {
			if trial.Method == MethodUnitBall {
				placed++
			}
		}
		if placed != 1-with.missing || found.Missing != with.missing || found.Reason != Budget {
			t.Errorf("%d methods: %d trials that place, %d methods missing, ended by %s", len(with.methods), placed, found.Missing, found.Reason)
		}
	}
	found, err := Search(t.Context(), &dice{g: g}, []Method{place(0)}, Options{Budget: 1000 * time.Hour})
	if err != nil || found.Reason != Finished || len(found.Trials) < 4 {
		t.Errorf("short trials: %+v, %v", found, err)
	}
}

// TestSearch_PlacingProgress expects the reports of a method within its trials.
func TestSearch_PlacingProgress(t *testing.T) {
	t.Parallel()
	var stages []string
	_, err := Search(t.Context(), &dice{g: attachment(t, 30, 2)}, []Method{place(0)}, Options{
		Trials: 3, Progress: func(stage string, _, _ int64) { stages = append(stages, stage) },
	})
	if err != nil || !slices.Contains(stages, "defaults: placing: 7 wrong pairs") || !slices.Contains(stages, "survey: placing: 7 wrong pairs") {
		t.Errorf("%q, %v", stages, err)
	}
}
