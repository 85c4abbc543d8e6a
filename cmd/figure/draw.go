package figure

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// picture is a chart whose points are all inside its axes, with the ranges of
// the axes.
type picture struct {
	Chart
	x, y    span
	outside int // points that robust axes have moved to the frame
}

// newPicture prepares a chart for drawing.
func newPicture(c Chart) (picture, error) {
	c, x, y, outside, err := c.visible()
	if outside > 0 {
		c.Title += fmt.Sprintf(" (%d outside, drawn at the frame)", outside)
	}
	return picture{c, x, y, outside}, err
}

// draw fills a canvas: title, legend, and below them the axes.
func (p picture) draw(canvas draw.Canvas) {
	white(canvas)
	inner := draw.Crop(canvas, margin, -margin, margin, -margin)
	p.axes().Draw(p.drawLabels(p.drawLegend(p.drawTitle(inner))))
}

// white clears a canvas.
func white(canvas draw.Canvas) {
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
}

// drawLabels writes the labels of the axes below and next to them, and returns
// the remaining canvas. The library would reserve space for the label of a
// logarithmic axis in the wrong place.
func (p picture) drawLabels(c draw.Canvas) draw.Canvas {
	style := lettering(textSize)
	style.XAlign = text.XCenter
	room := style.FontExtents().Height + 6
	rest := draw.Crop(c, room, 0, room, 0)
	c.FillText(style, vg.Point{X: rest.Center().X, Y: c.Min.Y + style.FontExtents().Descent}, fit(p.Chart.X.Label, style, rest.Max.X-rest.Min.X))
	style.Rotation, style.YAlign = math.Pi/2, text.YTop
	c.FillText(style, vg.Point{X: c.Min.X, Y: rest.Center().Y}, fit(p.Chart.Y.Label, style, rest.Max.Y-rest.Min.Y))
	return rest
}

// drawTitle writes the title and returns the canvas below it.
func (p picture) drawTitle(c draw.Canvas) draw.Canvas {
	if p.Title == "" {
		return c
	}
	style := lettering(titleSize)
	style.YAlign = text.YTop
	c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y}, fit(p.Title, style, c.Max.X-c.Min.X))
	return draw.Crop(c, 0, 0, 0, -(style.FontExtents().Height + 4))
}

// Places within an entry of the legend.
const (
	sampleWidth = 26 // of the piece of line before a name
	sampleGap   = 5
	entryGap    = 16 // between entries of a row
)

// drawLegend writes the names of the series in rows, as many to a row as fit,
// and returns the canvas below them.
func (p picture) drawLegend(c draw.Canvas) draw.Canvas {
	if len(p.Series) == 1 && p.Series[0].Name == "" {
		return c
	}
	style := lettering(textSize)
	style.YAlign = text.YCenter
	row := style.FontExtents().Height + 3
	x, y := c.Min.X, c.Max.Y-row/2
	for i, s := range p.Series {
		name := fit(s.Name, style, c.Max.X-c.Min.X-sampleWidth-sampleGap)
		wide := sampleWidth + sampleGap + style.Width(name)
		if x > c.Min.X && x+wide > c.Max.X {
			x, y = c.Min.X, y-row
		}
		p.drawSample(c, i, vg.Point{X: x, Y: y})
		c.FillText(style, vg.Point{X: x + sampleWidth + sampleGap, Y: y}, name)
		x += wide + entryGap
	}
	return draw.Crop(c, 0, 0, 0, y-row/2-4-c.Max.Y)
}

// drawSample draws a piece of series i from a point to the right.
func (p picture) drawSample(c draw.Canvas, i int, from vg.Point) {
	mark := p.Series[i].Mark
	if mark == Line || mark == Stroke {
		c.StrokeLine2(p.stroke(i), from.X, from.Y, from.X+sampleWidth, from.Y)
	}
	if mark == Stroke {
		return
	}
	dot := p.glyph(i)
	dot.Radius, dot.Color = 2.6, p.colour(i)
	c.DrawGlyphNoClip(dot, vg.Point{X: from.X + sampleWidth/2, Y: from.Y})
}

// fit cuts a text to a width.
func fit(s string, style text.Style, most vg.Length) string {
	if style.Width(s) <= most {
		return s
	}
	letters := []rune(s)
	for len(letters) > 0 && style.Width(string(letters)+"…") > most {
		letters = letters[:len(letters)-1]
	}
	return string(letters) + "…"
}

// axes is the plot without title and legend.
func (p picture) axes() *plot.Plot {
	axes := plot.New()
	axes.BackgroundColor = nil
	p.setAxis(&axes.X, p.Chart.X, p.x)
	p.setAxis(&axes.Y, p.Chart.Y, p.y)
	axes.Add(p)
	return axes
}

// setAxis sets the range, ticks and font of an axis of the library.
func (p picture) setAxis(axis *plot.Axis, a Axis, s span) {
	axis.Min, axis.Max = s.min, s.max
	axis.Padding = 0
	axis.Color, axis.Tick.Color = ink, ink
	axis.Tick.Width = 0.5
	axis.Scale = scaling{a}
	axis.Tick.Marker = plot.TickerFunc(func(min, max float64) []plot.Tick { return libraryTicks(a.ticks(span{min, max})) })
	plain := lettering(textSize)
	axis.Tick.Label.Color, axis.Tick.Label.Handler, axis.Tick.Label.Font = plain.Color, plain.Handler, plain.Font
}

// scaling makes an Axis a plot.Normalizer of the library.
type scaling struct{ axis Axis }

// Normalize implements plot.Normalizer.
func (s scaling) Normalize(min, max, x float64) float64 { return s.axis.fraction(span{min, max}, x) }

func libraryTicks(list []tick) []plot.Tick {
	ticks := make([]plot.Tick, len(list))
	for i, t := range list {
		ticks[i] = plot.Tick{Value: t.at, Label: t.label}
	}
	return ticks
}

// Plot implements plot.Plotter: rules at the ticks with texts, and the series.
func (p picture) Plot(c draw.Canvas, axes *plot.Plot) {
	toX, toY := axes.Transforms(&c)
	for _, t := range p.Chart.X.ticks(p.x) {
		if t.label != "" {
			c.StrokeLine2(rule, toX(t.at), c.Min.Y, toX(t.at), c.Max.Y)
		}
	}
	for _, t := range p.Chart.Y.ticks(p.y) {
		if t.label != "" {
			c.StrokeLine2(rule, c.Min.X, toY(t.at), c.Max.X, toY(t.at))
		}
	}
	for i, s := range p.Series {
		points := make([]vg.Point, len(s.Points))
		for j, point := range s.Points {
			points[j] = vg.Point{X: toX(point.X), Y: toY(point.Y)}
		}
		if s.Mark == Line || s.Mark == Stroke {
			c.StrokeLines(p.stroke(i), points)
		}
		if s.Mark == Stroke {
			continue
		}
		for _, point := range points {
			c.DrawGlyphNoClip(p.glyph(i), point)
		}
	}
}
