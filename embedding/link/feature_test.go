package link

import (
	"errors"
	"slices"
	"testing"
)

func TestFeatures_ByHand(t *testing.T) {
	a, b := []float32{3, 0}, []float32{1, 2}
	for name, want := range map[string][]float32{
		"difference":    {2, -2},
		"l1":            {2, 2},
		"l2":            {4, 4},
		"hadamard":      {3, 0},
		"cosine":        {0.4472136},
		"concatenation": {2, 2, 4, 4, 3, 0, 0.4472136},
	} {
		f, err := FindFeature(name)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, f.Width(2))
		f.Set(got, a, b)
		if !slices.Equal(got, want) {
			t.Errorf("%s is %v, expected %v", name, got, want)
		}
		back := make([]float32, f.Width(2))
		if f.Set(back, b, a); slices.Equal(got, back) != f.Symmetric {
			t.Errorf("%s is %v the other way round", name, back)
		}
	}
	if len(Features()) != 6 {
		t.Errorf("%d features", len(Features()))
	}
	if _, err := FindFeature("l3"); !errors.Is(err, ErrFeature) {
		t.Errorf("unknown feature: %v", err)
	}
}
