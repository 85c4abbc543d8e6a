package picture

import (
	"math"
	"slices"

	"heavytail/cmd/figure"
)

// Distribution is the chart of the values that vertices have in an attribute, as a
// histogram of up to 24 bars drawn as their outline. If all values are positive and the
// largest is more than 20 times the median, the chart has logarithmic axes instead, like
// that of a degree distribution: for each value the fraction of values that are equal or
// larger. Values that are not finite are left out.
func Distribution(name string, values []float64) figure.Chart {
	values = slices.DeleteFunc(slices.Clone(values), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	slices.Sort(values)
	c := figure.Chart{Title: "Distribution of " + name, X: figure.Axis{Label: name}, Series: []figure.Series{{Mark: figure.Stroke}}}
	n := len(values)
	if n == 0 {
		return c
	}
	if values[0] > 0 && values[n-1] > 20*values[n/2] {
		c.X.Log, c.Y = true, figure.Axis{Label: "fraction of values at or above", Log: true}
		for i, x := range values {
			if i == 0 || x > values[i-1] {
				c.Series[0].Points = append(c.Series[0].Points, figure.Point{X: x, Y: float64(n-i) / float64(n)})
			}
		}
		return c
	}
	c.Y.Label = "vertices"
	c.Series[0].Points = histogram(values)
	return c
}

// histogram returns the outline of the bars for values in ascending order: one bar for
// each value if they are a few whole numbers, and otherwise 24 bars of equal width.
func histogram(values []float64) []figure.Point {
	const most = 24
	low, high := values[0], values[len(values)-1]
	width, bars := (high-low)/most, most
	whole := !slices.ContainsFunc(values, func(x float64) bool { return x != math.Trunc(x) })
	switch {
	case whole && high-low < most:
		low, width, bars = low-0.5, 1, int(high-low)+1
	case !(width > 0):
		low, width, bars = low-0.5, 1, 1
	}
	counts := make([]int, bars)
	for _, x := range values {
		counts[min(bars-1, int((x-low)/width))]++
	}
	points := []figure.Point{{X: low}}
	for i, count := range counts {
		points = append(points, figure.Point{X: low + width*float64(i), Y: float64(count)}, figure.Point{X: low + width*float64(i+1), Y: float64(count)})
	}
	return append(points, figure.Point{X: low + width*float64(bars)})
}
