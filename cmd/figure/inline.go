package figure

import (
	"encoding/xml"
	"fmt"
	"image/color"
	"strings"
	"unicode/utf8"
)

// Inline is a picture for a page of HTML: an SVG element, and the legend as a list that
// the page lays out. Colours are variables that InlineStyle sets, so that a picture is
// light or dark like its page. Its only texts are those of the chart, escaped.
type Inline struct {
	SVG     string
	Legend  []LegendEntry
	Outside int // points of robust axes that are drawn at the frame
}

// LegendEntry is a series in a legend.
type LegendEntry struct {
	Name   string
	Sample string // an SVG element that looks like the series
}

// The size of an inline chart in units of about a pixel, and its frame. Texts are still
// readable on a phone, where the chart is a quarter smaller.
const (
	inlineWide, inlineHigh = 440, 300
	inlineLeft, inlineTop  = 46, 26
	inlineRight, inlineLow = 8, 40
)

// NewInline draws a chart for a page. id begins the identifiers in the element, and about
// is its description for screen readers. The error is ErrEmpty.
func NewInline(c Chart, id, about string) (Inline, error) {
	p, err := newPicture(c)
	if err != nil {
		return Inline{}, err
	}
	var b strings.Builder
	openSVG(&b, inlineWide, inlineHigh, id, p.Title, about)
	p.inlineAxes(&b)
	for i, s := range p.Series {
		if len(s.Points) > 0 {
			p.inlineSeries(&b, i, s)
		}
	}
	b.WriteString("</svg>")
	return Inline{b.String(), p.legend(), p.outside}, nil
}

// openSVG begins an element with its title and description.
func openSVG(b *strings.Builder, wide, high int, id, title, about string) {
	fmt.Fprintf(b, `<svg class="figure" viewBox="0 0 %d %d" role="img" aria-labelledby="%s-title %s-about"><title id="%s-title">%s</title><desc id="%s-about">%s</desc>`,
		wide, high, id, id, id, escaped(title), id, escaped(about))
}

func escaped(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(printable(text))) // a Builder does not fail
	return b.String()
}

// inlineAxes draws rules, ticks and labels. The label of the vertical axis is horizontal,
// above the axis.
func (p picture) inlineAxes(b *strings.Builder) {
	left, right, top, bottom := inlineLeft, inlineWide-inlineRight, inlineTop, inlineHigh-inlineLow
	var rules, texts strings.Builder
	for _, t := range p.Chart.X.ticks(p.x) {
		at, _ := p.place(Point{t.at, p.y.min})
		if t.label != "" {
			fmt.Fprintf(&rules, "M%s %dV%d", tenth(at), top, bottom)
			fmt.Fprintf(&texts, `<text x="%s" y="%d" text-anchor="middle">%s</text>`, tenth(at), bottom+15, t.label)
		}
	}
	for _, t := range p.Chart.Y.ticks(p.y) {
		_, at := p.place(Point{p.x.min, t.at})
		if t.label != "" {
			fmt.Fprintf(&rules, "M%d %sH%d", left, tenth(at), right)
			fmt.Fprintf(&texts, `<text x="%d" y="%s" dy=".35em" text-anchor="end">%s</text>`, left-6, tenth(at), t.label)
		}
	}
	fmt.Fprintf(b, `<path class="rule" d="%s"/><path class="axis" d="M%d %dV%dH%d"/>%s`, rules.String(), left, top, bottom, right, texts.String())
	below := inlineHigh - 6
	if p.Chart.X.Bare {
		below = bottom + 18
	}
	fmt.Fprintf(b, `<text class="axis-label" x="%d" y="%d" text-anchor="middle">%s</text>`, (left+right)/2, below, escaped(p.Chart.X.Label))
	fmt.Fprintf(b, `<text class="axis-label" x="2" y="12">%s</text>`, escaped(p.Chart.Y.Label))
}

// place returns the coordinates of a point in the element.
func (p picture) place(at Point) (x, y float64) {
	x = inlineLeft + p.Chart.X.fraction(p.x, at.X)*(inlineWide-inlineLeft-inlineRight)
	y = inlineHigh - inlineLow - p.Chart.Y.fraction(p.y, at.Y)*(inlineHigh-inlineTop-inlineLow)
	return x, y
}

// tenth returns a coordinate with one digit after the point, or none if that digit is 0.
func tenth(v float64) string { return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0") }

// inlineSeries draws a series: lines as one path, and dots as one path of strokes without
// length, which their caps make round or square.
func (p picture) inlineSeries(b *strings.Builder, i int, s Series) {
	var line, dots strings.Builder
	last := ""
	for j, point := range s.Points {
		x, y := p.place(point)
		at := tenth(x) + " " + tenth(y)
		if at == last {
			continue // at the same place as the last point
		}
		last = at
		command := "L"
		if j == 0 {
			command = "M"
		}
		line.WriteString(command + at)
		dots.WriteString("M" + at + "h0")
	}
	colour := p.colourClass(i)
	if s.Mark == Line || s.Mark == Stroke {
		fmt.Fprintf(b, `<path class="line %s dash%d" d="%s"/>`, colour, i%4, line.String())
	}
	switch s.Mark {
	case Cloud:
		fmt.Fprintf(b, `<path class="cloud %s %s" d="%s"/>`, colour, p.shapeClass(i), dots.String())
	case Line, Dots, Nodes:
		fmt.Fprintf(b, `<path class="dots %s %s" d="%s"/>`, colour, p.shapeClass(i), dots.String())
	}
}

func (c Chart) colourClass(i int) string {
	switch {
	case c.Series[i].Rest:
		return "rest"
	case c.Ordered && len(c.Series) == 1:
		return fmt.Sprintf("q%d", scaleSteps-1)
	case c.Ordered:
		return fmt.Sprintf("q%d", (i*(scaleSteps-1)+(len(c.Series)-1)/2)/(len(c.Series)-1))
	case c.Series[i].Mark == Nodes || c.Series[i].Mark == Cloud: // black is the last colour that is used
		return fmt.Sprintf("s%d", (i+1)%len(palette))
	}
	return fmt.Sprintf("s%d", i%len(palette))
}

// shapeClass is the class of the shape of series i. In charts of lines and dots every other
// series is square; in clouds and networks those series are square for which there are no
// colours left.
func (c Chart) shapeClass(i int) string {
	mark := c.Series[i].Mark
	if many := mark == Cloud || mark == Nodes; !c.Ordered && (!many && i%2 == 1 || many && i/len(palette)%2 == 1 && !c.Series[i].Rest) {
		return "square"
	}
	return "round"
}

// legend returns the legend of an inline picture: the series with names.
func (p picture) legend() []LegendEntry {
	var list []LegendEntry
	for i, s := range p.Series {
		if len(s.Points) == 0 || s.Name == "" {
			continue
		}
		colour := p.colourClass(i)
		sample := ""
		if s.Mark == Line || s.Mark == Stroke {
			sample = fmt.Sprintf(`<path class="line %s dash%d" d="M1 6H25"/>`, colour, i%4)
		}
		if s.Mark != Stroke {
			large := "" // without a line, so that the shape is seen
			if s.Mark == Cloud || s.Mark == Nodes {
				large = " large"
			}
			sample += fmt.Sprintf(`<path class="dots%s %s %s" d="M13 6h0"/>`, large, colour, p.shapeClass(i))
		}
		list = append(list, LegendEntry{s.Name, `<svg class="sample" viewBox="0 0 26 12" aria-hidden="true">` + sample + `</svg>`})
	}
	return list
}

// scaleSteps is how many colours the scale of ordered classes has in a page.
const scaleSteps = 8

// darkPalette has the colours of palette in lighter shades, for a dark page.
var darkPalette = []color.NRGBA{
	{0xe8, 0xe8, 0xe8, 0xff}, {0xff, 0x8b, 0x3d, 0xff}, {0x5a, 0xb0, 0xf0, 0xff}, {0x2f, 0xc9, 0x97, 0xff},
	{0xe3, 0x9b, 0xc6, 0xff}, {0xf2, 0xbd, 0x42, 0xff}, {0x9c, 0xd8, 0xff, 0xff},
}

// InlineStyle returns the style sheet of inline pictures. It sets the colours of the
// series, once for light pages and once for dark ones. The page must set the other colours:
// --ink for texts, --soft for labels, --rule for rules, and --paper for the background.
func InlineStyle() string {
	var b strings.Builder
	variables := func(series []color.NRGBA, grey string, ends []color.NRGBA) {
		for i, c := range series {
			fmt.Fprintf(&b, "--s%d:%s;", i, hex(c))
		}
		for i := range scaleSteps {
			at := float64(i) / (scaleSteps - 1) * float64(len(ends)-1)
			low := min(int(at), len(ends)-2)
			fmt.Fprintf(&b, "--q%d:%s;", i, hex(blend(ends[low], ends[low+1], at-float64(low))))
		}
		fmt.Fprintf(&b, "--rest:%s", grey)
	}
	b.WriteString(":root{")
	variables(palette, hex(rest), scale)
	b.WriteString("}\n@media screen and (prefers-color-scheme:dark){:root{")
	variables(darkPalette, "#7d858e", []color.NRGBA{{0x4a, 0x4f, 0xa8, 0xff}, {0x2a, 0xb5, 0xa5, 0xff}, {0xff, 0xdf, 0x80, 0xff}})
	b.WriteString("}}\n")
	for i := range palette {
		fmt.Fprintf(&b, ".figure .s%d,.sample .s%d{stroke:var(--s%d)}\n", i, i, i)
	}
	for i := range scaleSteps {
		fmt.Fprintf(&b, ".figure .q%d,.sample .q%d{stroke:var(--q%d)}\n", i, i, i)
	}
	b.WriteString(inlineRules)
	return b.String()
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// inlineRules are the parts of InlineStyle without colours of their own.
const inlineRules = `.figure .rest,.sample .rest{stroke:var(--rest)}
.figure,.sample{overflow:visible}
.figure path,.sample path{fill:none}
.figure text{fill:var(--soft);font-size:12px}
.figure .axis-label{fill:var(--ink)}
.figure .rule{stroke:var(--rule);stroke-width:.75}
.figure .axis{stroke:var(--soft);stroke-width:1}
.line{stroke-width:1.75;stroke-linejoin:round}
.dash1{stroke-dasharray:7 3}.dash2{stroke-dasharray:2.5 2.5}.dash3{stroke-dasharray:9 3 2.5 3}
.dots{stroke-width:5.2}.dots.square{stroke-width:4}
.dots.large{stroke-width:10}.dots.large.square{stroke-width:8}
.round{stroke-linecap:round}.square{stroke-linecap:square}
.cloud{stroke-width:3;stroke-opacity:.62}
.node.around{stroke:var(--paper)}
.label{paint-order:stroke;stroke:var(--paper);stroke-width:6px;stroke-linejoin:round;stroke-opacity:.85}
.figure .label{fill:var(--ink);font-size:26px}
@media (max-width:600px){.figure .label{display:none}.figure .label.large{display:inline;font-size:60px}}
`

// inlineLabel writes a text over a picture, with an outline in the colour of the
// background.
func inlineLabel(b *strings.Builder, class string, x, y float64, text string) {
	fmt.Fprintf(b, `<text class="label %s" x="%s" y="%s" text-anchor="middle">%s</text>`, class, tenth(x), tenth(y), escaped(text))
}

func shortened(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}
