package figure

import (
	"fmt"
	"image/color"
	"math"

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
	p.drawAxes(p.drawLabels(p.drawLegend(p.drawTitle(inner))))
}

func white(canvas draw.Canvas) {
	canvas.SetColor(color.White)
	canvas.Fill(canvas.Rectangle.Path())
}

// drawLabels writes the labels of the axes below and next to them, and returns
// the remaining canvas.
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
