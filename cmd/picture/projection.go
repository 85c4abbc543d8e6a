package picture

import (
	"context"
	"fmt"
	"slices"

	"heavytail/cmd/figure"
	"heavytail/cmd/placement"
	"heavytail/index"
	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/vectors"
)

// ProjectionOptions say what a chart of a projection shows.
type ProjectionOptions struct {
	Embedding string
	Attribute string // whose values the colours show; "" for the degree
	Category  bool   // the attribute has the numbers of classes, which have no order
	Most      int    // vertices to draw, evenly spaced in the order of the graph
	Near      bool   // the places are those of ByNeighbors, and not principal components
}

// Projection returns the chart of a projected embedding, and how many of its vertices it has drawn. The
// few outermost vertices are drawn at the frame.
func Projection(o ProjectionOptions, result vectors.ProjectionResult) (chart figure.Chart, drawn int) {
	axis := func(name string, variance float64) figure.Axis {
		if o.Near {
			return figure.Axis{Bare: true}
		}
		return figure.Axis{Label: fmt.Sprintf("%s principal component (%.1f %% of the variance)", name, 100*variance), Bare: true, Robust: true}
	}
	chart = figure.Chart{Title: "Embedding " + o.Embedding, X: axis("first", result.Share[0]), Y: axis("second", result.Share[1])}
	if o.Category {
		chart.Series = communities(result.Vertices, o.Attribute)
	} else {
		chart.Series, chart.Ordered = classes(result.Vertices, o.Attribute)
	}
	if !chart.Ordered {
		chart.Series = restLast(chart.Series)
	}
	// Classes are those of all vertices, so that a class has its colour however many are drawn.
	all, seen := len(result.Vertices), 0
	most := min(o.Most, all)
	for i := range chart.Series {
		points := chart.Series[i].Points
		seen += len(points)
		chart.Series[i].Points = thinned(points, seen*most/all-drawn)
		drawn += len(chart.Series[i].Points)
	}
	if drawn < all {
		chart.Title += fmt.Sprintf(": %s of %s vertices", grouped(drawn), grouped(all))
	}
	return chart, drawn
}

// grouped writes a number with commas between thousands.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

// thinned returns at most so many of the points, evenly spaced.
func thinned(points []figure.Point, most int) []figure.Point {
	if len(points) <= most {
		return points
	}
	var some []figure.Point
	for i := range most {
		some = append(some, points[int(int64(i)*int64(len(points))/int64(most))])
	}
	return some
}

// MostNear is the largest number of vertices that ByNeighbors places, in some tens of seconds.
const MostNear = 100_000

// ByNeighbors replaces the principal components of a projection by places at which the vertices with the
// nearest vectors are near each other: see placement.PlaceNear. The nearest are the 15 of NEAREST under
// cosine, by the index of the embedding if there is one. It reports false, and changes nothing, for more
// than MostNear vertices.
func ByNeighbors(ctx context.Context, db *query.DB, embedding string, result *vectors.ProjectionResult, progress func(stage string, done, total int64)) (bool, error) {
	const nearest = 15
	vertices := result.Vertices
	if len(vertices) > MostNear {
		return false, nil
	}
	number := make(map[string]uint32, len(vertices))
	for v, of := range vertices {
		number[of.Vertex] = uint32(v)
	}
	var near []placement.Near
	for row, err := range db.Vectors().EachNearest(ctx, vectors.NearestRequest{Embedding: embedding, K: nearest, Metric: index.Cosine}) {
		if err != nil {
			return false, err
		}
		of, ok := number[row.Source]
		to, drawn := number[row.Vertex]
		if ok && drawn {
			near = append(near, placement.Near{Of: of, To: to, Distance: max(0, 1-row.Value)})
		}
	}
	at, err := placement.PlaceNear(ctx, len(vertices), near, placement.Options{Progress: progress})
	if err != nil {
		return false, err
	}
	for v, p := range at {
		vertices[v].X, vertices[v].Y = p.X, p.Y
	}
	return true, nil
}

// IsCategory reports whether an attribute of a graph has the numbers of classes: those of COMPUTE community
// or component.
func IsCategory(ctx context.Context, db *query.DB, graph, attribute string) (bool, error) {
	if attribute == "" {
		return false, nil
	}
	all, err := db.Graphs().Attributes(ctx, graph)
	return slices.ContainsFunc(all, func(a graphs.AttributeSummary) bool {
		return a.Name == attribute && a.Computed != nil && (a.Computed.Method == "community" || a.Computed.Method == "component")
	}), err
}
