package picture

import (
	"fmt"

	"heavytail/cmd/figure"
	"heavytail/query/vectors"
)

// Projection returns the chart of a projected embedding, with at most so many of its
// vertices, evenly spaced in the order of the graph, and how many it has drawn. Colours
// show the attribute, or the degree if attribute is empty. The few outermost vertices are
// drawn at the frame.
func Projection(embedding, attribute string, result vectors.ProjectionResult, most int) (chart figure.Chart, drawn int) {
	axis := func(name string, variance float64) figure.Axis {
		return figure.Axis{Label: fmt.Sprintf("%s principal component (%.1f %% of the variance)", name, 100*variance), Bare: true, Robust: true}
	}
	chart = figure.Chart{Title: "Embedding " + embedding, X: axis("first", result.Share[0]), Y: axis("second", result.Share[1])}
	vertices := thinned(result.Vertices, most)
	if attribute == "community" {
		chart.Series = communities(vertices, attribute)
	} else {
		chart.Series, chart.Ordered = classes(vertices, attribute)
	}
	return chart, len(vertices)
}

// thinned returns at most so many of the vertices, evenly spaced.
func thinned(vertices []vectors.ProjectedVertex, most int) []vectors.ProjectedVertex {
	if len(vertices) <= most {
		return vertices
	}
	var some []vectors.ProjectedVertex
	for i := range most {
		some = append(some, vertices[int(int64(i)*int64(len(vertices))/int64(most))])
	}
	return some
}
