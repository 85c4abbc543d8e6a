package figure

import (
	"errors"
	"math"
	"slices"

	"heavytail/query/parser"
)

// ErrEmpty is returned for a chart without a point that can be drawn.
var ErrEmpty = errors.New("figure: there is no point to draw")

// Chart is a picture of series on two axes.
type Chart struct {
	Title  string // one line; cut if it is too long
	X, Y   Axis
	Series []Series // in the order of the legend; what comes later is drawn over what came before

	// Ordered reports that the series are classes of one quantity in ascending
	// order: they take shades of one scale, from light to dark, and one shape.
	Ordered bool

	Size Size // the zero value is the usual one
}

// Axis describes one axis.
type Axis struct {
	Label string // what is measured, with its unit
	Log   bool   // a logarithmic axis, for positive values only
	Bare  bool   // without ticks, for coordinates whose values mean nothing

	From, To float64 // the range that the axis shows at least; ignored unless To > From
	// Robust draws the few outermost points at the frame, so that all others have room, and
	// gives their number in the title. See robust.
	Robust bool
}

// Mark is how the points of a series are drawn.
type Mark uint8

const (
	Line   Mark = iota // points joined by a line in their order
	Dots               // single points
	Cloud              // very many points: small and translucent
	Nodes              // vertices of a network: circles, unless there are more series than colours
	Stroke             // a line without dots, such as a law next to what was measured
)

// Series are points that belong together. Points that are not finite, or not
// positive on a logarithmic axis, are left out.
type Series struct {
	Name   string // in the legend, which has no series without a name
	Mark   Mark
	Points []Point
	Rest   bool // the series of points that are in no class, drawn in grey
}

// Point is a point in the units of the axes.
type Point struct{ X, Y float64 }

type span struct{ min, max float64 }

// visible returns the chart without points outside its axes and without
// unprintable characters, the ranges of the remaining points, and how many points robust
// axes have moved to the frame. Series keep their indices, and so their colours, even if
// they lose all of their points.
func (c Chart) visible() (_ Chart, x, y span, outside int, err error) {
	x, y = span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	c.Title, c.X.Label, c.Y.Label = printable(c.Title), printable(c.X.Label), printable(c.Y.Label)
	kept := make([]Series, len(c.Series))
	for i, s := range c.Series {
		kept[i] = Series{Name: printable(s.Name), Mark: s.Mark, Rest: s.Rest}
		for _, p := range s.Points {
			if c.X.takes(p.X) && c.Y.takes(p.Y) {
				kept[i].Points = append(kept[i].Points, p)
				x.include(p.X)
				y.include(p.Y)
			}
		}
	}
	c.Series = kept
	if x.min > x.max {
		return c, x, y, 0, ErrEmpty
	}
	x, y = c.X.shown(x, c.Series, func(p Point) float64 { return p.X }), c.Y.shown(y, c.Series, func(p Point) float64 { return p.Y })
	return c, x, y, clamp(c.Series, x, y), nil
}

// clamp moves points outside of the ranges to the nearest end of the range, and counts
// them.
func clamp(series []Series, x, y span) (outside int) {
	for _, s := range series {
		for i, p := range s.Points {
			if at := (Point{min(x.max, max(x.min, p.X)), min(y.max, max(y.min, p.Y))}); at != p {
				s.Points[i] = at
				outside++
			}
		}
	}
	return outside
}

// shown returns the range of an axis for points within a span.
func (a Axis) shown(s span, series []Series, of func(Point) float64) span {
	if a.To > a.From {
		s.include(a.From)
		s.include(a.To)
	}
	if a.Robust && !a.Log {
		s = robust(s, series, of)
	}
	return a.widen(s)
}

// robust returns a span without outliers. An outlier is farther from the central 98
// percent of the points than the width of their range. Fewer than 100 points have no
// outliers.
func robust(s span, series []Series, of func(Point) float64) span {
	var values []float64
	for _, one := range series {
		for _, p := range one.Points {
			values = append(values, of(p))
		}
	}
	slices.Sort(values)
	cut := len(values) / 100
	low, high := values[cut], values[len(values)-1-cut]
	if !(high > low) {
		return s
	}
	return span{max(s.min, low-(high-low)), min(s.max, high+(high-low))}
}

// printable escapes a text as for a terminal: control characters, which XML forbids and
// terminals obey, marks of direction, which reorder the letters around them, and invalid
// UTF-8. It cuts texts that are wider than any picture.
func printable(text string) string {
	const longest = 200 // letters
	letters := []rune(parser.Escape(text))
	return string(letters[:min(len(letters), longest)])
}

func (s *span) include(v float64) { s.min, s.max = min(s.min, v), max(s.max, v) }

// most limits the values that are drawn, so that computations with two of
// them, and with the margin, stay finite.
const most = 1e300

// takes reports whether a value can be drawn on the axis.
func (a Axis) takes(v float64) bool {
	return math.Abs(v) <= most && (!a.Log || v >= 1/most)
}

// widen adds a margin around values, so that no point lies on the frame, and
// gives a range of one value a positive width.
func (a Axis) widen(s span) span {
	const margin = 0.04 // of the range, on either side
	if a.Log {
		low, high := math.Log10(s.min), math.Log10(s.max)
		room := max(margin*(high-low), 0.05)
		return span{math.Pow(10, max(low-room, -307)), math.Pow(10, min(high+room, 307))}
	}
	room := margin * (s.max - s.min)
	if room <= 1e-9*max(math.Abs(s.min), math.Abs(s.max)) {
		room = max(0.05*math.Abs(s.max), 1e-9)
	}
	return span{s.min - room, s.max + room}
}

// fraction is the position of a value on an axis of this range, from 0 to 1.
func (a Axis) fraction(s span, v float64) float64 {
	if a.Log {
		low := math.Log(s.min)
		return (math.Log(v) - low) / (math.Log(s.max) - low)
	}
	return (v - s.min) / (s.max - s.min)
}

// Size is the size of a picture. Texts, lines and dots keep theirs, so that a larger
// picture has more room.
type Size struct {
	Width, Height float64 // in points, 1/72 of an inch; 0 is 480 and 360
	DPI           int     // pixels of PNG for each inch; 0 is 144
}

// named reports whether a series has a name, so that there is a legend.
func (c Chart) named() bool {
	return slices.ContainsFunc(c.Series, func(s Series) bool { return s.Name != "" })
}
