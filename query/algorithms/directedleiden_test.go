package algorithms

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"heavytail/storage/csr"
)

// naiveModularity is the sum over ordered pairs of vertices.
func naiveModularity(d *csr.Directed, label []uint32, resolution float64) float64 {
	n := d.Vertices()
	out, in, total, q := make([]float64, n), make([]float64, n), 0.0, 0.0
	for _, a := range arcsOf(d) {
		out[a.from] += float64(a.weight)
		in[a.to] += float64(a.weight)
		total += float64(a.weight)
		if label[a.from] == label[a.to] {
			q += float64(a.weight)
		}
	}
	for v := range n {
		for u := range n {
			if label[v] == label[u] {
				q -= resolution * out[v] * in[u] / total
			}
		}
	}
	return q / total
}

// TestDirectedLeiden_Naive compares the modularity with its definition, and checks that no vertex gains by
// going to another community or leaving its own.
func TestDirectedLeiden_Naive(t *testing.T) {
	for i, d := range directedSamples(t) {
		for _, resolution := range []float64{0.5, 1, 2} {
			c, err := DirectedLeiden(t.Context(), d, LeidenOptions{Resolution: resolution, Iterations: 50, Seed: uint64(i)})
			if err != nil {
				t.Fatal(err)
			}
			checkCommunities(t, d.Undirected(), c)
			if d.Arcs() == 0 {
				if !math.IsNaN(c.Modularity) || len(c.Sizes) != d.Vertices() {
					t.Fatal(i, c)
				}
				continue
			}
			if want := naiveModularity(d, c.Label, resolution); math.Abs(c.Modularity-want) > 1e-12 {
				t.Fatalf("graph %d: modularity %v, want %v", i, c.Modularity, want)
			}
			for v := range c.Label {
				for to := range uint32(len(c.Sizes) + 1) {
					label := slices.Clone(c.Label)
					label[v] = to
					// A run that gains less than leastGain is the last.
					if q := naiveModularity(d, label, resolution); q > c.Modularity+leastGain {
						t.Errorf("graph %d: vertex %d in %d has modularity %v, above %v", i, v, to, q, c.Modularity)
					}
				}
			}
		}
	}
}

// TestDirectedLeiden_Symmetric finds in a graph with both arcs of each edge what Leiden finds in the
// undirected one.
func TestDirectedLeiden_Symmetric(t *testing.T) {
	for i, g := range samples(t) {
		d := csr.NewDirected(csr.Rows{Offsets: g.Offsets, Targets: g.Targets, Weights: g.Weights})
		got, err := DirectedLeiden(t.Context(), d, LeidenOptions{Seed: uint64(i)})
		if err != nil {
			t.Fatal(err)
		}
		want, err := Leiden(t.Context(), g, LeidenOptions{Seed: uint64(i)})
		if err != nil || math.Abs(got.Modularity-want.Modularity) > 0.02 {
			t.Errorf("graph %d: modularity %v, want %v, %v", i, got.Modularity, want.Modularity, err)
		}
	}
}

// TestDirectedLeiden_Planted finds three groups of vertices with most arcs inside.
func TestDirectedLeiden_Planted(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var arcs []arc
	for v := range uint32(120) {
		for u := range uint32(120) {
			if p := r.Float64(); v/40 == u/40 && p < 0.2 || p < 0.01 {
				arcs = append(arcs, arc{v, u, 1})
			}
		}
	}
	d := directedOf(120, false, arcs...)
	for _, opts := range []LeidenOptions{{}, {CPM: true, Resolution: 0.05}} {
		c, err := DirectedLeiden(t.Context(), d, opts)
		if err != nil || !slices.Equal(c.Sizes, []int{40, 40, 40}) {
			t.Errorf("sizes %v, %v", c.Sizes, err)
		}
		opts.Workers = 3
		if again, err := DirectedLeiden(t.Context(), d, opts); err != nil || !reflect.DeepEqual(again, c) {
			t.Errorf("with 3 workers: %v, %v", again, err)
		}
	}
}
