package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"heavytail/cmd/figure"
	"heavytail/query"
)

// projectionFlags are the flags of plot projection.
type projectionFlags struct {
	picture
	colour string // an attribute; "" is the degree
	all    bool
	points int
}

// newPlotProjection is the command that draws an embedding.
func newPlotProjection(std streams) *cobra.Command {
	var flags projectionFlags
	cmd := &cobra.Command{
		Use:   "projection FILE EMBEDDING",
		Short: "Draw an embedding in two dimensions",
		Long: `Draw the vectors of an embedding by their first two principal components, in
colours by the degree of the vertices or by an attribute: shades of one scale for
numbers, and colours for the texts that are most frequent.

Of an embedding that has placed the components of its graph apart the largest
component is drawn, unless --all asks for all of them.`,
		Example: `  heavytail plot projection social.ht spec
  heavytail plot projection social.ht spec --color city --out spec.png`,
		Args: exactly(2, "FILE and EMBEDDING"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.points < 1 {
				return usageError{errors.New("expected --points of 1 or more")}
			}
			return runPlot(cmd, std, args[0], flags.picture, func(r *runner) error { return r.plotProjection(flags, args[1]) })
		},
	}
	addPicture(cmd, &flags.picture)
	f := cmd.Flags()
	f.StringVar(&flags.colour, "color", "", "attribute that the colours show; the degree by default")
	f.BoolVar(&flags.all, "all", false, "draw all components of the graph")
	f.IntVar(&flags.points, "points", 20_000, "vertices to draw at most, evenly from all of them")
	return cmd
}

// plotProjection projects an embedding and draws it.
func (r *runner) plotProjection(flags projectionFlags, embedding string) error {
	result, err := r.db.Projection(r.ctx, query.ProjectionRequest{Embedding: embedding, Attribute: flags.colour, All: flags.all})
	if err != nil {
		return err
	}
	r.noteAll(result.Notices)
	vertices := thinned(result.Vertices, flags.points)
	if len(vertices) < len(result.Vertices) {
		fmt.Fprintf(r.std.err, "notice: %d of %d vertices drawn; --points draws more\n", len(vertices), len(result.Vertices))
	}
	axis := func(name string, variance float64) figure.Axis {
		return figure.Axis{Label: fmt.Sprintf("%s principal component (%.1f %% of the variance)", name, 100*variance), Bare: true}
	}
	chart := figure.Chart{Title: "Embedding " + embedding, X: axis("first", result.Share[0]), Y: axis("second", result.Share[1])}
	chart.Series, chart.Ordered = classes(vertices, flags.colour)
	return r.draw(flags.picture, chart)
}

// thinned returns at most so many of the vertices, evenly spaced.
func thinned(vertices []query.ProjectedVertex, most int) []query.ProjectedVertex {
	if len(vertices) <= most {
		return vertices
	}
	var some []query.ProjectedVertex
	for i := range most {
		some = append(some, vertices[int(int64(i)*int64(len(vertices))/int64(most))])
	}
	return some
}

// classes divides vertices into series, by an attribute or by degree, and says
// whether these are in order.
func classes(vertices []query.ProjectedVertex, attribute string) (series []figure.Series, ordered bool) {
	if attribute == "" {
		return byNumber(vertices, "degree", func(v query.ProjectedVertex) float64 { return float64(v.Degree) }), true
	}
	number := func(v query.ProjectedVertex) float64 {
		if x, err := strconv.ParseFloat(v.Value.String(), 64); err == nil && !v.Value.IsMissing() {
			return x
		}
		return math.NaN()
	}
	numbers, texts, different := 0, 0, map[float64]bool{}
	for _, v := range vertices {
		if x := number(v); !math.IsNaN(x) && v.Value.Text() == "" {
			numbers++
			different[x] = true
		} else if !v.Value.IsMissing() {
			texts++
		}
	}
	if texts == 0 && numbers > 0 && len(different) > mostClasses {
		return byNumber(vertices, attribute, number), true
	}
	return byText(vertices, attribute, mostClasses), false
}

// otherValues is the class of all values that have none of their own.
const otherValues = "other values"

// mostClasses are as many as there are colours.
const mostClasses = 7

// byNumber divides vertices into classes of about equal size by a number, in
// ascending order. Equal numbers are in one class.
func byNumber(vertices []query.ProjectedVertex, what string, number func(query.ProjectedVertex) float64) []figure.Series {
	const wanted = 5
	var missing figure.Series
	var sorted []query.ProjectedVertex
	for _, v := range vertices {
		if math.IsNaN(number(v)) {
			missing.Points = append(missing.Points, figure.Point{X: v.X, Y: v.Y})
			continue
		}
		sorted = append(sorted, v)
	}
	slices.SortStableFunc(sorted, func(a, b query.ProjectedVertex) int { return cmp.Compare(number(a), number(b)) })
	var series []figure.Series
	for from := 0; from < len(sorted); {
		to := from + max(1, (len(sorted)-from)/max(1, wanted-len(series)))
		for to < len(sorted) && number(sorted[to]) == number(sorted[to-1]) {
			to++
		}
		low, high := number(sorted[from]), number(sorted[to-1])
		class := figure.Series{Mark: figure.Cloud, Name: fmt.Sprintf("%s %v", what, low)}
		if high > low {
			class.Name = fmt.Sprintf("%s %v to %v", what, low, high)
		}
		for _, v := range sorted[from:to] {
			class.Points = append(class.Points, figure.Point{X: v.X, Y: v.Y})
		}
		series = append(series, class)
		from = to
	}
	if missing.Points != nil {
		missing.Mark, missing.Name = figure.Cloud, "without "+what
		series = append([]figure.Series{missing}, series...)
	}
	return series
}

// byText divides vertices by the texts of an attribute into at most so many classes: the
// most frequent ones each alone, the rest together.
func byText(vertices []query.ProjectedVertex, attribute string, most int) []figure.Series {
	frequency, others := map[string]int{}, 0
	for _, v := range vertices {
		if !v.Value.IsMissing() {
			frequency[v.Value.String()]++
		} else {
			others = 1
		}
	}
	var names []string
	for name := range frequency {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(frequency[b], frequency[a]), cmp.Compare(a, b))
	})
	if len(names)+others > most {
		names = names[:most-1]
	}
	series := make([]figure.Series, len(names)+1)
	for i := range series {
		series[i] = figure.Series{Mark: figure.Cloud, Name: otherValues}
		if i > 0 {
			series[i].Name = attribute + " " + names[i-1]
		}
	}
	for _, v := range vertices {
		at := 0
		if !v.Value.IsMissing() {
			at = slices.Index(names, v.Value.String()) + 1
		}
		series[at].Points = append(series[at].Points, figure.Point{X: v.X, Y: v.Y})
	}
	if series[0].Points == nil {
		return series[1:]
	}
	return series
}
