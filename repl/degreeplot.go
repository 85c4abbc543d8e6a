package repl

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/guptarohit/asciigraph"
	"heavytail/query/graphs"
	"heavytail/query/parser"
)

// DegreeSeries is the degree distribution of one graph in a DegreePlot.
type DegreeSeries struct {
	Name   string
	Counts []graphs.DegreeCount // ascending by degree
}

// The plot fits a terminal of 80 columns and 24 rows with its labels.
const (
	plotWidth  = 60
	plotHeight = 14
)

// DegreePlot draws degree distributions on logarithmic axes, as lines of text:
// for each degree the fraction of vertices that have that degree or a higher
// one. A power law is a straight line there, and unlike a plot of the counts
// it needs no bins (Clauset, Shalizi and Newman 2009, section 2). Vertices
// without edges count in the fractions but have no position on the axis. With
// colour the lines are distinguished by colour, without by their marks. Series
// without edges are omitted; if no vertex has two neighbours, a line says that
// there is nothing to draw.
func DegreePlot(w io.Writer, series []DegreeSeries, colour bool) error {
	highest := 0
	for _, s := range series {
		if last := len(s.Counts) - 1; last >= 0 {
			highest = max(highest, s.Counts[last].Degree)
		}
	}
	if highest < 2 {
		_, err := fmt.Fprintln(w, "no vertex has two neighbours: there are no degrees to plot")
		return err
	}
	var lines [][]float64
	var names []string
	for _, s := range series {
		if last := len(s.Counts) - 1; last >= 0 && s.Counts[last].Degree > 0 {
			lines = append(lines, logTail(s.Counts, math.Log10(float64(highest))))
			names = append(names, parser.Escape(s.Name))
		}
	}
	plot := asciigraph.PlotMany(lines, plotOptions(names, highest, colour)...) + "\n"
	if !colour {
		plot += markLegend(names)
	}
	_, err := io.WriteString(w, plot)
	return err
}

// marks draw the lines if there are no colours.
const marks = "*+ox"

// markLegend lists which mark draws which series: the legend of the library is
// always in colour.
func markLegend(names []string) string {
	legend := strings.Repeat(" ", 8)
	for i, name := range names {
		legend += fmt.Sprintf("   %c %s", marks[i%len(marks)], name)
	}
	return legend + "\n"
}

// plotOptions sets up axes and legend.
func plotOptions(names []string, highest int, colour bool) []asciigraph.Option {
	power := func(x float64) float64 { return math.Pow(10, x) }
	options := []asciigraph.Option{
		asciigraph.Width(plotWidth),
		asciigraph.Height(plotHeight),
		asciigraph.UpperBound(0),
		asciigraph.XAxisRange(0, math.Log10(float64(highest))),
		asciigraph.XAxisTickCount(6),
		asciigraph.XAxisValueFormatter(func(x float64) string { return strconv.Itoa(int(math.Round(power(x)))) }),
		asciigraph.YAxisValueFormatter(func(y float64) string { return fmt.Sprintf("%.3g%%", 100*power(y)) }),
		asciigraph.Caption("vertices of this degree or higher (fraction of all, against the degree)"),
	}
	if colour {
		return append(options, asciigraph.SeriesLegends(names...),
			asciigraph.SeriesColors(asciigraph.Default, asciigraph.Green, asciigraph.Red, asciigraph.Blue))
	}
	sets := make([]asciigraph.CharSet, len(names))
	for i := range sets {
		sets[i] = asciigraph.CreateCharSet(marks[i%len(marks) : i%len(marks)+1])
	}
	return append(options, asciigraph.SeriesChars(sets...))
}

// logTail returns, for plotWidth degrees spaced evenly in the logarithm from 1
// to 10^top, the logarithm of the fraction of vertices of that degree or
// higher; NaN, a gap in the plot, if there are none.
func logTail(counts []graphs.DegreeCount, top float64) []float64 {
	all := int64(0)
	for _, c := range counts {
		all += c.Vertices
	}
	line := make([]float64, plotWidth)
	above, next := all, 0
	for i := range line {
		// A rounding error must not push the last point past the last degree.
		degree := math.Pow(10, top*float64(i)/float64(plotWidth-1)) * (1 - 1e-12)
		for next < len(counts) && float64(counts[next].Degree) < degree {
			above -= counts[next].Vertices
			next++
		}
		line[i] = math.NaN()
		if above > 0 {
			line[i] = math.Log10(float64(above) / float64(all))
		}
	}
	return line
}
