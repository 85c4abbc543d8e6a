package report

import (
	"fmt"
	"slices"
	"strings"

	"heavytail/cmd/figure"
	"heavytail/cmd/picture"
	"heavytail/query/vectors"
	"heavytail/storage"
)

// embeddingBlock shows the embeddings, how well each reconstructs the graph, and each in
// two dimensions.
func (g *graph) embeddingBlock(b *block) error {
	if len(g.embeddings) == 0 {
		return nil
	}
	b.Lead = "Vectors of the vertices, and how much of the graph they contain: the reconstruction joins all pairs within the distance at which the degrees correlate best."
	list := head("Embeddings of the graph", "embedding", "method", "#dimensions", "#generation", "state", "created")
	for _, e := range g.embeddings {
		b.Statement += "EVALUATE RECONSTRUCTION OF " + identText(e.Name) + "; "
		list.add(e.Name, methodText(e.Method, e.Options), e.Dim, int64(e.Generation), state(e.Behind, e.Changed, e.Unknown), e.Created)
	}
	b.Statement = strings.TrimSuffix(b.Statement, "; ")
	b.Tables = append(b.Tables, list)
	if err := g.reconstructions(b); err != nil {
		return err
	}
	for i, e := range g.embeddings {
		if err := g.projection(b, fmt.Sprintf("projection%d", i), e.Name); err != nil {
			return err
		}
	}
	return nil
}

// methodText returns a method with its options in the syntax of a statement.
func methodText(method string, options []storage.Setting) string {
	var list []string
	for _, o := range options {
		list = append(list, o.Name+" := "+o.Value)
	}
	return method + "(" + strings.Join(list, ", ") + ")"
}

// state describes how far a result is behind the graph that it was computed from.
func state(behind uint64, changed int, unknown bool) string {
	switch {
	case behind == 0:
		return versions(behind)
	case unknown:
		return versions(behind) + ", any vertex may have changed"
	}
	return versions(behind) + ", " + vertices(changed) + " changed"
}

// reconstructions measures the best reconstruction of each embedding, and draws its
// degree distribution in a chart with that of the graph.
func (g *graph) reconstructions(b *block) error {
	if g.info.Edges == 0 {
		b.Notes = append(b.Notes, "The graph has no edges to reconstruct.")
		return nil
	}
	if g.info.Vertices > mostReconstructed && !g.opts.Full {
		b.Notes = append(b.Notes, fmt.Sprintf("Reconstructions compare all pairs of vertices, and are left out of graphs with more than %s; --full computes them.", vertices(mostReconstructed)))
		return nil
	}
	t := head("Best reconstruction of each embedding: P, S and K are the correlations of the degrees by Pearson, Spearman and Kendall, KS the distance of the degrees from their power law, H3 the harmonic mean of P, S and F1. The null has the same lengths of vectors in random directions: P and S that are no higher than those of the null are due to the lengths",
		"embedding", "#ε", "#radius", "#edges", "#precision", "#recall", "#F1", "#P", "#S", "#K", "#KS", "#H3", "#null P", "#null S", "#null H3")
	lines := []figure.Degrees{picture.Degrees(g.info.Name, g.degrees)}
	for _, e := range g.embeddings {
		r, err := g.db.Vectors().ReconstructedDegrees(g.ctx, vectors.EvaluateReconstructionRequest{Embedding: e.Name})
		if err != nil {
			var failed block
			if err := reasonOf(err, &failed); err != nil {
				return err
			}
			b.Notes = append(b.Notes, sentence("embedding "+e.Name+": "+failed.Failed))
			continue
		}
		p := r.Point
		t.add(e.Name, p.Epsilon, p.Radius, p.Edges, p.Precision, p.Recall, p.F1,
			p.Pearson, p.Spearman, p.Kendall, p.KS(), p.H3, r.Null.Pearson, r.Null.Spearman, r.Null.H3)
		lines = append(lines, picture.Reconstructed(e.Name, r))
		b.note(r.Notices)
	}
	b.Notes = unique(b.Notes)
	if t.Rows == nil {
		return nil
	}
	b.Tables = append(b.Tables, t)
	return g.draw(b, "reconstructed", figure.DegreeChart("Degrees of the graph and of its reconstructions", lines),
		"Degrees of the graph and of its reconstructions: the nearer the points, the better an embedding keeps the distribution.")
}

// unique returns the texts in their order, each once.
func unique(list []string) []string {
	var kept []string
	for _, text := range list {
		if !slices.Contains(kept, text) {
			kept = append(kept, text)
		}
	}
	return kept
}

// projection draws an embedding in two dimensions, in the colours of the communities.
func (g *graph) projection(b *block, id, embedding string) error {
	result, err := g.db.Vectors().Projection(g.ctx, vectors.ProjectionRequest{Embedding: embedding})
	if err != nil || len(result.Vertices) == 0 {
		return err
	}
	for i, v := range result.Vertices {
		result.Vertices[i].Value = g.community[v.Vertex]
	}
	if !slices.ContainsFunc(result.Vertices, func(v vectors.ProjectedVertex) bool {
		return v.X != result.Vertices[0].X || v.Y != result.Vertices[0].Y
	}) {
		return nil // all vertices are at one place
	}
	near, err := picture.ByNeighbors(g.ctx, g.db, embedding, &result, nil)
	if err != nil {
		return err
	}
	how := "by its first two principal components"
	if near {
		how = "with vertices of near vectors near each other"
	}
	const most = 2500 // points
	chart, drawn := picture.Projection(picture.ProjectionOptions{Embedding: embedding, Attribute: "community", Category: true, Most: most, Near: near}, result)
	caption := fmt.Sprintf("Embedding %s, %s, in the colours of the communities.", embedding, how)
	if drawn < len(result.Vertices) {
		caption += fmt.Sprintf(" %s of %s are drawn.", grouped(int64(drawn)), vertices(len(result.Vertices)))
	}
	in, err := figure.NewInline(chart, g.id+"-"+id, caption)
	if err != nil {
		return err
	}
	if in.Outside > 0 {
		caption += fmt.Sprintf(" Of these, %s far outside and drawn at the frame.", plural(int64(in.Outside), "is", "are"))
	}
	b.Pictures = append(b.Pictures, newDrawing(in, caption))
	return nil
}

// versions describes how many versions a result is behind its graph.
func versions(behind uint64) string {
	if behind == 0 {
		return "up to date"
	}
	return plural(int64(behind), "version", "versions") + " behind"
}
