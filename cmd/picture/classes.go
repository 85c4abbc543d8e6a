package picture

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"heavytail/cmd/figure"
	"heavytail/query/vectors"
)

// classes divides vertices into series, by an attribute or by degree, and reports whether
// the series are in ascending order.
func classes(vertices []vectors.ProjectedVertex, attribute string) (series []figure.Series, ordered bool) {
	if attribute == "" {
		return byNumber(vertices, "degree", func(v vectors.ProjectedVertex) float64 { return float64(v.Degree) }), true
	}
	number := func(v vectors.ProjectedVertex) float64 {
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
	if texts == 0 && numbers > 0 && len(different) > MostClasses {
		return byNumber(vertices, attribute, number), true
	}
	return byText(vertices, attribute, MostClasses, 0), false
}

// otherValues is the name of the class of all values that have no class of their own.
const otherValues = "other values"

// MostClasses is the largest number of values of an attribute that have a class of their
// own: with more, the colours cannot be found in the legend.
const MostClasses = 12

// byNumber divides vertices into classes of about equal size by a number, in
// ascending order. Equal numbers are in one class.
func byNumber(vertices []vectors.ProjectedVertex, what string, number func(vectors.ProjectedVertex) float64) []figure.Series {
	const wanted = 5
	var missing figure.Series
	var sorted []vectors.ProjectedVertex
	for _, v := range vertices {
		if math.IsNaN(number(v)) {
			missing.Points = append(missing.Points, figure.Point{X: v.X, Y: v.Y})
			continue
		}
		sorted = append(sorted, v)
	}
	slices.SortStableFunc(sorted, func(a, b vectors.ProjectedVertex) int { return cmp.Compare(number(a), number(b)) })
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

// byText divides vertices by the texts of an attribute. The most frequent texts, at most
// so many, have a class each; all others, and those of fewer than least vertices, are
// together in one class.
func byText(vertices []vectors.ProjectedVertex, attribute string, most, least int) []figure.Series {
	frequency, others := map[string]int{}, 0
	for _, v := range vertices {
		if !v.Value.IsMissing() {
			frequency[v.Value.String()]++
		} else {
			others = 1
		}
	}
	var names []string
	for name, n := range frequency {
		if n < least {
			others = 1
			continue
		}
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		x, errX := strconv.Atoi(a)
		y, errY := strconv.Atoi(b)
		if errX != nil || errY != nil {
			x, y = 0, 0 // at least one is not a number
		}
		return cmp.Or(cmp.Compare(frequency[b], frequency[a]), cmp.Compare(x, y), cmp.Compare(a, b))
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

// leastCommunity is the number by which the vertices are divided for the size of the
// smallest community with a colour.
const leastCommunity = 500

// communities divides vertices by their community. The largest have a class each; those of
// less than one in leastCommunity vertices, and all beyond MostClasses, are together in the
// last one.
func communities(vertices []vectors.ProjectedVertex, attribute string) []figure.Series {
	series := restLast(byText(vertices, attribute, MostClasses, len(vertices)/leastCommunity))
	missing := slices.ContainsFunc(vertices, func(v vectors.ProjectedVertex) bool { return v.Value.IsMissing() })
	if last := len(series) - 1; last >= 0 && series[last].Rest && !missing {
		series[last].Name = "smaller communities"
		if last == 0 {
			series[last].Name = "small communities"
		}
	}
	return series
}

// restLast moves the class of all other values to the end, and makes it grey.
func restLast(series []figure.Series) []figure.Series {
	if len(series) == 0 || series[0].Name != otherValues {
		return series
	}
	series[0].Rest = true
	return append(series[1:], series[0])
}
