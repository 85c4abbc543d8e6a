package tune

import (
	"slices"
	"testing"

	"heavytail/embedding"
)

// One training serves all scales of its rows, and every embedding is that of the method with
// these options.
func TestRunner_SharesTrainings(t *testing.T) {
	t.Parallel()
	g := attachment(t, 60, 2)
	given := embedding.WalkOptions{Dim: 4, Walks: 2, Length: 8}
	branches, err := Method{Name: embedding.MethodDPWalker, Walks: given}.branches()
	if err != nil {
		t.Fatal(err)
	}
	b := branches[0]
	r := &runner{abreast: 1}
	for _, powers := range [][2]float64{{0.5, 0.15}, {0, 0}, {1, 0.2}} {
		p := b.standard()
		p[0], p[1] = powers[0], powers[1]
		k := solveKey{g, b, true, p}
		if trained := r.has(k.shared()); trained != (powers[0] != 0.5) {
			t.Errorf("powers %v: trained %v", powers, trained)
		}
		m, err := r.embed(t.Context(), k, 1)
		if err != nil {
			t.Fatal(err)
		}
		o := given
		o.RowNorm, o.RowScale = &powers[0], &powers[1]
		want, _, err := embedding.DPWalker(t.Context(), g, o)
		if err != nil || !slices.Equal(m.Data, want.Data) {
			t.Errorf("powers %v: other vectors than those of dp_walker, %v", powers, err)
		}
	}
}

// The defaults of dp_spectral choose their penalty and row scale, which options of a trial say,
// and a step from there has a number.
func TestBranch_AutoScale(t *testing.T) {
	t.Parallel()
	branches, err := Method{Name: embedding.MethodDPSpectral}.branches()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range branches {
		if !b.home {
			continue
		}
		for name, want := range map[string]float64{"beta": 1.125, "common": 1, "row_scale": 0.625} {
			at := slices.IndexFunc(b.axes, func(a axis) bool { return a.name == name })
			p := b.standard()
			if options := b.options(p); options[len(b.fixed)+at].Value != "auto" {
				t.Errorf("the defaults are %v", options)
			}
			if x := b.moved(p, at, 0.125)[at]; x != want {
				t.Errorf("a step from the choice of %s goes to %v", name, x)
			}
		}
	}
}
