package links_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"heavytail/.ci/repeat"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/fault"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/query/vectors"
)

// openStar is a database with the graph star of a hub and many leaves. Tests that use it are
// skipped with -short.
func openStar(t *testing.T, leaves int) *query.DB {
	t.Helper()
	if testing.Short() {
		t.Skipf("-short: it predicts links of %d leaves", leaves)
	}
	db := querytest.Open(t, nil)
	var text strings.Builder
	for v := range leaves {
		fmt.Fprintf(&text, "hub %d\n", v)
	}
	querytest.ImportText(t, db, "star", text.String())
	return db
}

// TestPredict_Star holds predictions on a star to the few pairs that may be scored: without
// the cap there are 11 billion.
func TestPredict_Star(t *testing.T) {
	t.Parallel()
	const leaves = 150_000
	ctx := context.Background()
	db := openStar(t, leaves)
	w := catalogue.Scorer{Name: "resource_allocation"}
	r, err := db.Links().Predict(ctx, links.PredictRequest{K: 3, Graph: "star", With: w})
	if err != nil || r.Capped != leaves+1 || len(r.Links) != 3 || r.Candidates > 200*leaves || len(r.Notices) == 0 {
		t.Errorf("%d links, %d candidates, %d capped, %v, %v", len(r.Links), r.Candidates, r.Capped, r.Notices, err)
	}
	for range min(2, repeat.Times(1)) { // the second time everything is computed again
		m, err := db.Links().Materialize(ctx, links.MaterializeRequest{Graph: "star", With: w, K: 2})
		if err != nil || m.Capped != leaves+1 || m.Computed != leaves+1 || m.Links != 2*leaves {
			t.Errorf("%+v, %v", m, err)
		}
	}
	querytest.MustRun(t, db, "INSERT EDGE ('77', '78') INTO star")
	f, err := db.Links().RefreshPredictions(ctx, links.RefreshPredictionsRequest{Graph: "star", With: w})
	if err != nil || f.Kind != catalogue.RefreshFull || !strings.HasPrefix(f.Reason, "only a few paths are followed") || f.Capped != leaves+1 || f.Computed != leaves+1 {
		t.Errorf("%+v, %v", f, err)
	}
	p, err := db.Links().Predict(ctx, links.PredictRequest{Stored: true, Vertex: "77", K: 2, Graph: "star", With: w})
	if err != nil || len(p.Links) != 2 || len(p.Notices) != 1 {
		t.Errorf("%+v, %v", p, err)
	}
}

// The error of the memory limit names the methods that take less than netmf.
func TestDB_Embed_Instead(t *testing.T) {
	t.Parallel()
	db := querytest.Open(t, &query.Options{MemoryLimit: 1 << 20})
	querytest.MustRun(t, db, "GENERATE preferential_attachment(n := 500, m := 3, seed := 1) INTO g")
	var limit *fault.LimitError
	_, err := db.Vectors().Embed(context.Background(), vectors.EmbedRequest{Graph: "g", Name: "e", Using: vectors.NetMF{Dim: 64}})
	if !errors.As(err, &limit) || !strings.Contains(err.Error(), "embedding graph g by netmf (fastrp and deepwalk take less) would take") {
		t.Errorf("netmf: %v", err)
	}
	if _, err := db.Vectors().Embed(context.Background(), vectors.EmbedRequest{Graph: "g", Name: "e", Using: vectors.FastRP{Dim: 64}}); err != nil {
		t.Errorf("fastrp: %v", err)
	}
	_, err = db.Vectors().Embed(context.Background(), vectors.EmbedRequest{Graph: "g", Name: "e", Using: vectors.ProNE{Dim: 4096}})
	if !errors.As(err, &limit) || strings.Contains(err.Error(), "take less") {
		t.Errorf("prone: %v", err)
	}
}
