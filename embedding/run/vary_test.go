package run

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/storage/csr"
	"heavytail/storage/generate"
	"heavytail/storage/vec"
)

// growing is a graph of 300 vertices in one component.
func growing(t *testing.T) *csr.Graph {
	t.Helper()
	g, err := generate.PreferentialAttachment{N: 300, M: 4, Seed: 3}.Generate(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// distances are those of some pairs of rows, which do not depend on the signs of the
// columns.
func distances(m *vec.Matrix) []float64 {
	var list []float64
	for i := range 60 {
		list = append(list, math.Sqrt(float64(vec.L2Squared(m.Row(i), m.Row((7*i+1)%m.Rows)))))
	}
	return list
}

// TestVary_Compute compares every variation with an embedding that is computed alone: the
// same bytes if its solve is the same, and the same distances up to the tolerance if it is
// a part of a wider solve.
func TestVary_Compute(t *testing.T) {
	g := growing(t)
	for _, c := range []struct {
		method  string
		options []option.Given
		axes    []Axis
	}{
		{embedding.MethodDPSpectral, []option.Given{{Name: "dim", Value: 12}, {Name: "tolerance", Value: 1e-6}, {Name: "beta", Value: 0.5}}, []Axis{
			{"dim", []float64{4, 20, 9}}, {"beta", []float64{0, 1}}, {"scale", []float64{0, 0.5}}, {"row_scale", []float64{0.25}},
		}},
		{embedding.MethodLaplacianEigenmaps, []option.Given{{Name: "tolerance", Value: 1e-6}}, []Axis{{"dim", []float64{3, 40}}}},
		{embedding.MethodDPWalker, []option.Given{{Name: "dim", Value: 8}, {Name: "walks", Value: 2}}, []Axis{{"beta", []float64{1, 2}}, {"dim", []float64{5}}}},
	} {
		var order []string
		err := Vary(t.Context(), g, Request{Method: c.method, Options: c.options}, c.axes, func(a, i int, rows *vec.Matrix) error {
			name, value := c.axes[a].Option, c.axes[a].Values[i]
			order = append(order, name)
			alone, _, err := Compute(t.Context(), g, Request{Method: c.method, Options: withOption(c.options, name, value)})
			if err != nil {
				return err
			}
			if alone.Dim != rows.Dim {
				t.Fatalf("%s: %s %v: %d coordinates, want %d", c.method, name, value, rows.Dim, alone.Dim)
			}
			got, want := distances(rows), distances(alone)
			for j := range got {
				if math.Abs(got[j]-want[j]) > 1e-3*(1+want[j]) {
					t.Fatalf("%s: %s %v: distance %d is %v, want %v", c.method, name, value, j, got[j], want[j])
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(order, func(a, b string) int {
			at := func(name string) int {
				return slices.IndexFunc(c.axes, func(x Axis) bool { return x.Option == name })
			}
			return at(a) - at(b)
		}) {
			t.Errorf("%s: order %v", c.method, order)
		}
	}
}

func TestVary_Errors(t *testing.T) {
	g := growing(t)
	never := func(int, int, *vec.Matrix) error { t.Error("used"); return nil }
	var option *option.Error
	err := Vary(t.Context(), g, Request{Method: embedding.MethodDPSpectral}, []Axis{{"dim", []float64{5}}, {"beta", []float64{99}}}, never)
	if !errors.As(err, &option) || option.Option != "beta" {
		t.Errorf("error %v, want one of beta before anything is computed", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := Vary(stopped, g, Request{Method: embedding.MethodDPSpectral}, []Axis{{"dim", []float64{5}}}, never); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want it cancelled", err)
	}
	full := errors.New("full")
	err = Vary(t.Context(), g, Request{Method: embedding.MethodDPSpectral}, []Axis{{"dim", []float64{5, 6}}}, func(int, int, *vec.Matrix) error { return full })
	if !errors.Is(err, full) {
		t.Errorf("error %v, want that of use", err)
	}
}
