package algorithms

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/.ci/testgraph"
	"heavytail/storage/csr"
)

func TestExchange_KeepsDegrees(t *testing.T) {
	graphs := append(samples(t), testgraph.Of(t, 0), testgraph.Of(t, 3), testgraph.Complete(t, 6), testgraph.Star(t, 7), realgraph.Load(t, "ca-GrQc"))
	for i, g := range graphs {
		made, err := Exchange(t.Context(), g, ExchangeOptions{Seed: 3})
		if err != nil || made.Validate() != nil || !slices.Equal(Degree(made), Degree(g)) {
			t.Fatalf("graph %d: %v, %v", i, err, made.Validate())
		}
		again, err := Exchange(t.Context(), g, ExchangeOptions{Seed: 3})
		if err != nil || !reflect.DeepEqual(again, made) {
			t.Fatalf("graph %d: the same seed gives another graph, %v", i, err)
		}
	}
	// A collaboration network loses its triangles.
	g := graphs[len(graphs)-1]
	made, err := Exchange(t.Context(), g, ExchangeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before, _ := ClusteringCoefficients(t.Context(), g, Work{})
	after, _ := ClusteringCoefficients(t.Context(), made, Work{})
	if after.Transitivity > before.Transitivity/5 {
		t.Errorf("transitivity %v after %v", after.Transitivity, before.Transitivity)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Exchange(ctx, g, ExchangeOptions{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Exchange(t.Context(), g, ExchangeOptions{PerEdge: -1}); !errors.Is(err, ErrOption) {
		t.Error(err)
	}
}

func TestDirectedExchange(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{1, 5, 60} {
		rows := csr.Rows{Offsets: make([]int64, n+1)}
		for u := range uint32(n) {
			for v := range uint32(n) {
				if u != v && random.IntN(n) < 4 {
					rows.Targets = append(rows.Targets, v)
				}
			}
			rows.Offsets[u+1] = int64(len(rows.Targets))
		}
		d := csr.NewDirected(rows)
		made, err := DirectedExchange(t.Context(), d, ExchangeOptions{Seed: 3})
		if err != nil || made.Validate() != nil || !slices.Equal(made.Out.Offsets, d.Out.Offsets) || !slices.Equal(made.In.Offsets, d.In.Offsets) {
			t.Fatalf("%d vertices: %v, %v", n, err, made.Validate())
		}
		if n == 60 && slices.Equal(made.Out.Targets, d.Out.Targets) {
			t.Error("the edges are the same")
		}
		again, err := DirectedExchange(t.Context(), d, ExchangeOptions{Seed: 3})
		if err != nil || !reflect.DeepEqual(again, made) {
			t.Errorf("the same seed gives another graph, %v", err)
		}
	}
	// Every graph of these degrees is as likely as any other: 0 and 1 lead to two each of 2, 3, 4, 5, which have one edge.
	d := csr.NewDirected(csr.Rows{Offsets: []int64{0, 2, 4, 4, 4, 4, 4}, Targets: []uint32{2, 3, 4, 5}})
	counts := map[[2]uint32]int{}
	const draws = 6000
	for seed := range uint64(draws) {
		made, err := DirectedExchange(t.Context(), d, ExchangeOptions{Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		counts[[2]uint32(made.Out.Neighbors(0))]++
	}
	for targets, count := range counts {
		if math.Abs(float64(count)-draws/6) > 5*math.Sqrt(draws/6) {
			t.Errorf("%v came up %d times of %d", targets, count, draws)
		}
	}
	if len(counts) != 6 {
		t.Errorf("%d graphs of 6", len(counts))
	}
}

func TestSample(t *testing.T) {
	counts := make([]int, 10)
	for seed := range uint64(3000) {
		chosen := Sample(10, 3, seed)
		if len(chosen) != 3 || !slices.IsSorted(chosen) {
			t.Fatal(chosen)
		}
		for _, v := range chosen {
			counts[v]++
		}
	}
	for v, c := range counts {
		if c < 780 || c > 1020 { // 900 and five standard deviations
			t.Errorf("vertex %d was chosen %d times", v, c)
		}
	}
	if len(Sample(4, 9, 0)) != 4 || len(Sample(0, 9, 0)) != 0 {
		t.Error("a sample of all is not all")
	}
}
