package query_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/graphs"
	"heavytail/query/internal/querytest"
	"heavytail/query/links"
	"heavytail/query/vectors"
)

// A whole use of the package on ego-facebook: import, embed, search, reconstruct, score a
// file, open the file again and get the same answers.
func TestFacebook(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	source := realgraph.Path(t, "ego-facebook.txt.gz")
	ctx := context.Background()
	dir := t.TempDir()
	path := filepath.Join(dir, "facebook.ht")
	db, err := query.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	imported, err := db.Graphs().Import(ctx, graphs.ImportRequest{Graph: "facebook", Path: source})
	if err != nil {
		t.Fatal(err)
	}
	if imported.Vertices != 4039 || imported.Edges != 88234 {
		t.Errorf("%d vertices, %d edges", imported.Vertices, imported.Edges)
	}
	embedded, err := db.Vectors().Embed(ctx, vectors.EmbedRequest{
		Graph: "facebook", Name: "spec", Method: "dp_spectral",
		Settings: map[string]any{"beta": 0.5, "scale": 0.25, "row_scale": 0, "normalization": "degree"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if embedded.Dim != 200 || embedded.WorstResidual > 1e-4 {
		t.Errorf("dim %d, residual %g", embedded.Dim, embedded.WorstResidual)
	}
	reconstructed, err := db.Vectors().Reconstruct(ctx, vectors.ReconstructRequest{Embedding: "spec", Auto: true})
	if err != nil {
		t.Fatal(err)
	}
	// Reference code reaches 0.879 with these parameters and a fine sweep.
	if best := reconstructed.Points[reconstructed.Best]; best.Pearson < 0.869 {
		t.Errorf("best Pearson %v", best.Pearson)
	}
	pairs := filepath.Join(dir, "pairs.csv")
	var b strings.Builder
	for v := range 20_000 {
		fmt.Fprintf(&b, "%d,%d\n", v%5000, v*7%4039) // some vertices do not exist
	}
	if err := os.WriteFile(pairs, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	scored, err := db.Links().Score(ctx, links.ScoreRequest{
		Path: pairs, Into: filepath.Join(dir, "scores.csv.gz"),
		With: []catalogue.Scorer{{Name: "adamic_adar"}, {Name: "cosine", Embedding: "spec"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if scored.Scored != 20_000 || scored.Missing != 4*961 {
		t.Errorf("%d pairs, %d missing", scored.Scored, scored.Missing)
	}
	lookUp := func() string {
		return strings.Join(querytest.Answers(t, db, "NEAREST 20 TO 107 USING cosine(spec) WHERE NOT linked AND degree >= 3"), "\n")
	}
	before := lookUp()
	if strings.Count(before, "\n") != 19 {
		t.Errorf("not 20 neighbours: %s", before)
	}
	querytest.MustBeSound(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if db, err = query.Open(path, &query.Options{ReadOnly: true, Workers: 1}); err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if after := lookUp(); after != before {
		t.Errorf("before closing\n%s\nand after\n%s", before, after)
	}
}
