package picture

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"testing"

	"heavytail/.ci/realgraph"
	"heavytail/query"
	"heavytail/query/vectors"
)

// Of the ten vertices that are nearest to a vertex in the picture, more have its class by the places of
// neighbours than by the principal components, on graphs whose classes the vectors show.
func TestByNeighbors_Classes(t *testing.T) {
	t.Parallel()
	data := func(text, file string) string { return strings.ReplaceAll(text, "FILE", realgraph.Path(t, file)) }
	for name, of := range map[string]struct {
		attribute  string
		statements []string
		least      float64
	}{
		"cora": {"column2", []string{
			data("IMPORT 'FILE' INTO g", "cora.txt"),
			data("IMPORT VERTICES 'FILE' INTO g WITH (header := 'none')", "cora-labels.txt"),
		}, 0.7},
		"ego-facebook": {"team", []string{data("IMPORT 'FILE' INTO g", "ego-facebook.txt.gz"), "COMPUTE community IN g AS team"}, 0.9},
	} {
		db, err := query.Open(query.Memory, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range append(of.statements, "EMBED g USING dp_spectral(dim := 32) AS e") {
			if _, err := db.Query(t.Context(), text, nil); err != nil {
				t.Fatal(text, err)
			}
		}
		r, err := db.Vectors().Projection(t.Context(), vectors.ProjectionRequest{Embedding: "e", Attribute: of.attribute})
		if err != nil {
			t.Fatal(err)
		}
		before := sameClass(r.Vertices)
		if done, err := ByNeighbors(t.Context(), db, "e", &r, nil); err != nil || !done {
			t.Fatal(done, err)
		}
		if now := sameClass(r.Vertices); now < of.least || now < before+0.1 {
			t.Errorf("%s: %.3f of the nearest have the same class, by principal components %.3f", name, now, before)
		} else {
			t.Logf("%s: %.3f of the nearest have the same class, by principal components %.3f", name, now, before)
		}
		if category, err := IsCategory(t.Context(), db, "g", of.attribute); err != nil || category != (of.attribute == "team") {
			t.Errorf("%s: %v, %v", name, category, err)
		}
		chart, drawn := Projection(ProjectionOptions{Embedding: "e", Attribute: of.attribute, Category: true, Most: 1000, Near: true}, r)
		if drawn != 1000 || !strings.Contains(chart.Title, " of ") {
			t.Errorf("%s: %d drawn, %q", name, drawn, chart.Title)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// sameClass is the fraction of the ten nearest of every fourth vertex in a picture that have its value.
func sameClass(vertices []vectors.ProjectedVertex) float64 {
	same, of := 0, 0
	far, order := make([]float64, len(vertices)), make([]int, len(vertices))
	for v := 0; v < len(vertices); v += 4 {
		for u := range vertices {
			far[u], order[u] = math.Hypot(vertices[u].X-vertices[v].X, vertices[u].Y-vertices[v].Y), u
		}
		far[v] = math.Inf(1)
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(far[a], far[b]) })
		for _, u := range order[:10] {
			if of++; vertices[u].Value == vertices[v].Value {
				same++
			}
		}
	}
	return float64(same) / float64(of)
}
