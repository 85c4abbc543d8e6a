package tune

import (
	"context"
	"testing"

	"heavytail/embedding"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// constant is an objective that scores all embeddings alike.
type constant struct {
	g     *csr.Graph
	close Closeness
}

func (c constant) Graph(Effort) *csr.Graph { return c.g }

func (c constant) CloseIs() Closeness { return c.close }

func (c constant) Judge(context.Context, *vec.Matrix, Effort, int) (Judgement, error) {
	return Judgement{Score: 0.5}, nil
}

// TestSearch_FindsTheLength makes a shorter training at a higher rate the best one, and
// expects its options and its vectors.
func TestSearch_FindsTheLength(t *testing.T) {
	t.Parallel()
	g := attachment(t, 60, 2)
	given := embedding.WalkOptions{Dim: 4, Walks: 6, Length: 8, Alpha: 0.05}
	want := given
	want.Walks, want.Alpha = 3, 0.1
	best, _, err := embedding.DeepWalk(t.Context(), g, want)
	if err != nil {
		t.Fatal(err)
	}
	for _, close := range []Closeness{Estimate, Same, Apart} {
		found, err := Search(t.Context(), &wanted{g: g, best: best, close: close}, []Method{{Name: embedding.MethodDeepWalk, Walks: given, Held: []string{"row_norm", "row_scale"}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		b := found.Best()
		if b.Score != 0 || !b.Confirmed || option(b, "walks") != 3.0 || option(b, "alpha") != 0.1 {
			t.Errorf("closeness %d: the best of %d trials is %+v", close, len(found.Trials), b)
		}
	}
}

// TestSearch_ShortestOfEqual expects the shortest training, confirmed, where all score alike.
func TestSearch_ShortestOfEqual(t *testing.T) {
	t.Parallel()
	g := attachment(t, 30, 2)
	for _, close := range []Closeness{Estimate, Same, Apart} {
		found, err := Search(t.Context(), constant{g, close}, []Method{{Name: embedding.MethodDPWalker, Walks: embedding.WalkOptions{Dim: 2, Walks: 6, Length: 4}}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if b := found.Best(); !b.Confirmed || option(b, "walks") != 1.0 {
			t.Errorf("closeness %d: the best of %d trials is %+v", close, len(found.Trials), b)
		}
	}
}

// TestSearch_LengthHeld expects that walks that are held are no option of any trial, and that
// others are never more than the default.
func TestSearch_LengthHeld(t *testing.T) {
	t.Parallel()
	g := attachment(t, 30, 2)
	for _, held := range [][]string{{"walks"}, {"alpha"}, nil} {
		m := Method{Name: embedding.MethodNode2Vec, Walks: embedding.WalkOptions{Dim: 2, Walks: 4, Length: 4, Alpha: 0.03}, Held: held}
		found, err := Search(t.Context(), &dice{g: g, seed: 2}, []Method{m}, Options{Trials: 60})
		if err != nil {
			t.Fatal(err)
		}
		shorter := 0
		for _, trial := range found.Trials {
			walks, searched := option(trial, "walks").(float64)
			if _, rated := option(trial, "alpha").(float64); searched == (len(held) > 0 && held[0] == "walks") || rated == (len(held) > 0 && held[0] == "alpha") {
				t.Fatalf("%v is held: %+v", held, trial)
			}
			if searched && (walks < 1 || walks > 4) {
				t.Fatalf("%v is held: %+v", held, trial)
			}
			if searched && walks < 4 {
				shorter++
			}
		}
		if (shorter > 0) == (len(held) > 0 && held[0] == "walks") {
			t.Errorf("%v is held: %d of %d trials are shorter", held, shorter, len(found.Trials))
		}
	}
}

// TestBranch_Moved expects twice the rate with half of the walks, within its limits, and other
// axes to be moved alone.
func TestBranch_Moved(t *testing.T) {
	t.Parallel()
	branches, err := Method{Name: embedding.MethodDPWalker}.branches()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		from point // row_norm, row_scale, walks, beta, common, alpha
		axis int
		step float64
		want point
	}{
		{point{1, 0.2, 10, 2, 0, 0.02}, 2, -1, point{1, 0.2, 5, 2, 0, 0.04}},
		{point{1, 0.2, 5, 2, 0, 0.03}, 2, -1, point{1, 0.2, 3, 2, 0, 0.05}},
		{point{1, 0.2, 5, 2, 0, 0.04}, 2, 1, point{1, 0.2, 10, 2, 0, 0.02}},
		{point{1, 0.2, 10, 2, 0, 0.15}, 2, -1, point{1, 0.2, 5, 2, 0, 0.2}},
		{point{1, 0.2, 1, 2, 0, 0.1}, 2, -1, point{1, 0.2, 1, 2, 0, 0.1}},
		{point{1, 0.2, 10, 2, 0, 0.1}, 2, 1, point{1, 0.2, 10, 2, 0, 0.1}},
		{point{1, 0.2, 10, 2, 0, 0.1}, 3, -0.25, point{1, 0.2, 10, 1.75, 0, 0.1}},
		{point{1, 0.2, 10, 2, 0, 0.1}, 1, 0.1, point{1, 0.3, 10, 2, 0, 0.1}},
		{point{1, 0.2, 10, 2, 0, 0.1}, 0, 0.25, point{1, 0.2, 10, 2, 0, 0.1}},
		{point{1, 0.2, 10, 2, 0, 0.1}, 5, -1, point{1, 0.2, 10, 2, 0, 0.05}},
	} {
		if got := branches[0].moved(c.from, c.axis, c.step); got != c.want {
			t.Errorf("%v moved by %v on axis %d is %v, not %v", c.from, c.step, c.axis, got, c.want)
		}
	}
}
