package embedding_test

import (
	"context"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/.ci/repeat"
	"heavytail/embedding"
	"heavytail/embedding/evaluate"
)

// TestWalkMethods_Reconstruction compares the degrees that are reconstructed from
// embeddings of a real graph with those of the graph, at the default options but two walks
// from each vertex; with HEAVYTAIL_REPEAT=5 these are ten, the default.
func TestWalkMethods_Reconstruction(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: trains on 320,000 visits, twice")
	}
	g := realgraph.Load(t, "ego-facebook")
	for _, c := range []struct {
		method            string
		pearson, spearman float64 // slightly less than the correlation that it reaches with either number of walks
	}{
		{embedding.MethodDeepWalk, 0.71, 0.65},
		{embedding.MethodDPWalker, 0.69, 0.78},
	} {
		train := embedding.DeepWalk
		if c.method == embedding.MethodDPWalker {
			train = embedding.DPWalker
		}
		m, _, err := train(context.Background(), g, embedding.WalkOptions{Beta: new(1.5), Walks: 2 * repeat.Times(1), Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		best, points, err := evaluate.ReconstructSweep(context.Background(), g, m, evaluate.ReconstructOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if p := points[best]; p.Pearson < c.pearson || p.Spearman < c.spearman {
			t.Errorf("%s: Pearson %.3f, Spearman %.3f", c.method, p.Pearson, p.Spearman)
		} else {
			t.Logf("%s: Pearson %.3f, Spearman %.3f", c.method, p.Pearson, p.Spearman)
		}
	}
}
