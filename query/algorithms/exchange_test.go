package algorithms

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/.ci/testgraph"
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
