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
	if !p.named() {
		return c
	}
	style := lettering(textSize)
	style.YAlign = text.YCenter
	row := style.FontExtents().Height + 3
	x, y := c.Min.X, c.Max.Y-row/2
	for i, s := range p.Series {
		if s.Name == "" {
			continue
		}
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

// Sizes of an axis, in points.
const (
	lineWidth  = 0.5
	tickLength = 8 // half of it for a tick without a text
	labelGap   = 3 // kept free between the texts and the ticks of the vertical axis
)

// scaled is an axis with its ticks and their texts.
type scaled struct {
	Axis
	span
	marks []tick
	style text.Style
	size  vg.Point // largest width and height of a text
}

func newScaled(a Axis, s span, x text.XAlignment, y text.YAlignment) scaled {
	l := scaled{Axis: a, span: s, marks: a.ticks(s), style: lettering(textSize)}
	l.style.XAlign, l.style.YAlign = x, y
	for _, t := range l.marks {
		if t.label != "" {
			size := l.style.Rectangle(t.label).Size()
			l.size.X, l.size.Y = max(l.size.X, size.X), max(l.size.Y, size.Y)
		}
	}
	return l
}

// at is the position of a value as a fraction of the axis.
func (l scaled) at(v float64) float64 { return l.fraction(l.span, v) }

// end returns the end of an axis that begins at start, so that the texts, which are centred at
// their ticks, reach no farther than most. size is the length of a text along the axis.
func (l scaled) end(start, most vg.Length, size func(vg.Point) vg.Length) vg.Length {
	end, farthest := most, most
	for _, t := range l.marks {
		at := vg.Length(l.at(t.at))
		if t.label == "" || at > 1 {
			continue
		}
		half := size(l.style.Rectangle(t.label).Size()) / 2
		if reach := start + at*(most-start) + half; reach > farthest {
			farthest, end = reach, start+(most-half-start)/at
		}
	}
	return end
}

// drawAxes draws the axes, with their ticks, and within them the series.
func (p picture) drawAxes(c draw.Canvas) {
	x := newScaled(p.Chart.X, p.x, text.XCenter, text.YTop)
	y := newScaled(p.Chart.Y, p.y, text.XRight, text.YCenter)
	left, below := vg.Length(lineWidth)/2, vg.Length(lineWidth)/2
	if len(y.marks) > 0 {
		left += tickLength
		if y.size.X > 0 {
			left += y.size.X + labelGap
		}
	}
	if len(x.marks) > 0 {
		below += tickLength + x.size.Y
	}
	inner := draw.Crop(c, left, 0, below, 0)
	inner.Max.X = x.end(inner.Min.X, c.Max.X, func(size vg.Point) vg.Length { return size.X })
	inner.Max.Y = y.end(inner.Min.Y, c.Max.Y, func(size vg.Point) vg.Length { return size.Y })
	x.drawBelow(inner, c.Min.Y)
	y.drawLeft(inner, c.Min.X)
	p.drawSeries(inner, x, y)
}

// axisLine is the style of axes and ticks.
var axisLine = draw.LineStyle{Color: ink, Width: lineWidth}

// drawBelow draws a horizontal axis below the canvas of the series, its texts from bottom on.
func (l scaled) drawBelow(c draw.Canvas, bottom vg.Length) {
	descent := l.style.FontExtents().Descent
	for _, t := range l.marks {
		if x := c.X(l.at(t.at)); t.label != "" && c.ContainsX(x) {
			c.FillText(l.style, vg.Point{X: x, Y: bottom + l.size.Y + descent}, t.label)
		}
	}
	line := bottom + lineWidth/2
	if len(l.marks) > 0 {
		line = bottom + l.size.Y + tickLength
	}
	for _, t := range l.marks {
		if x := c.X(l.at(t.at)); c.ContainsX(x) {
			c.StrokeLine2(axisLine, x, line-t.length(), x, line)
		}
	}
	c.StrokeLine2(axisLine, c.Min.X, line, c.Max.X, line)
}

// drawLeft draws a vertical axis left of the canvas of the series, its texts from left on.
func (l scaled) drawLeft(c draw.Canvas, left vg.Length) {
	descent := l.style.FontExtents().Descent
	line, texts := left, false
	for _, t := range l.marks {
		if y := c.Y(l.at(t.at)); t.label != "" && c.ContainsY(y) {
			c.FillText(l.style, vg.Point{X: left + l.size.X, Y: y + descent}, t.label)
			texts = true
		}
	}
	if texts {
		line += l.size.X + l.style.Width(" ")
	}
	if len(l.marks) > 0 {
		line += tickLength
	}
	for _, t := range l.marks {
		if y := c.Y(l.at(t.at)); c.ContainsY(y) {
			c.StrokeLine2(axisLine, line-t.length(), y, line, y)
		}
	}
	c.StrokeLine2(axisLine, line, c.Min.Y, line, c.Max.Y)
}

func (t tick) length() vg.Length {
	if t.label == "" {
		return tickLength / 2
	}
	return tickLength
}

// drawSeries draws rules at the ticks with texts, and the series.
func (p picture) drawSeries(c draw.Canvas, x, y scaled) {
	for _, t := range x.marks {
		if at := c.X(x.at(t.at)); t.label != "" {
			c.StrokeLine2(rule, at, c.Min.Y, at, c.Max.Y)
		}
	}
	for _, t := range y.marks {
		if at := c.Y(y.at(t.at)); t.label != "" {
			c.StrokeLine2(rule, c.Min.X, at, c.Max.X, at)
		}
	}
	for i, s := range p.Series {
		points := make([]vg.Point, len(s.Points))
		for j, point := range s.Points {
			points[j] = vg.Point{X: c.X(x.at(point.X)), Y: c.Y(y.at(point.Y))}
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
