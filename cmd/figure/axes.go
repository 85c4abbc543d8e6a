package figure

import (
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

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
