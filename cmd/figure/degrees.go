package figure

// Degrees is the number of vertices of a graph for each degree.
type Degrees struct {
	Name   string
	Counts []Count // ascending by degree, each degree once
	Law    []Point // degrees with the fraction of vertices that a fitted law predicts at or above; may be nil
	Says   string  // name of the law in the legend
}

// Count is a number of vertices of one degree.
type Count struct {
	Degree   int
	Vertices int64
}

// DegreeChart draws degree distributions on logarithmic axes: for each degree
// the fraction of vertices that have it or a higher one. There a power law is
// a straight line without any binning (Clauset, Shalizi and Newman 2009,
// section 2). Vertices without edges count in the fractions but are not drawn.
func DegreeChart(title string, graphs []Degrees) Chart {
	chart := Chart{
		Title: title,
		X:     Axis{Label: "degree d", Log: true},
		Y:     Axis{Label: "fraction of vertices of degree d or higher", Log: true},
	}
	for _, g := range graphs {
		chart.Series = append(chart.Series, Series{Name: g.Name, Mark: Dots, Points: tail(g.Counts)})
	}
	for _, g := range graphs {
		if g.Law != nil {
			chart.Series = append(chart.Series, Series{Name: g.Says, Mark: Stroke, Points: g.Law})
		}
	}
	return chart
}

// tail returns for each positive degree the fraction of vertices with at least
// that degree.
func tail(counts []Count) []Point {
	all := int64(0)
	for _, c := range counts {
		all += c.Vertices
	}
	var points []Point
	above := all
	for _, c := range counts {
		if c.Degree > 0 && above > 0 {
			points = append(points, Point{float64(c.Degree), float64(above) / float64(all)})
		}
		above -= c.Vertices
	}
	return points
}
