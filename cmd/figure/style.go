package figure

import (
	"image/color"
	"sync"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes, in points. A chart fills a column of a page, and half a screen.
const (
	width, height = 480, 360
	margin        = 10
	textSize      = 10
	titleSize     = 12
	dpi           = 144 // of PNG: 960 by 720 pixels
)

// palette has colours that people with any colour vision can distinguish, on white
// (Okabe and Ito, "Color Universal Design", 2008), without the yellow, which is too
// pale for a line.
var palette = []color.NRGBA{
	{0x00, 0x00, 0x00, 0xff}, // black
	{0xd5, 0x5e, 0x00, 0xff}, // vermilion
	{0x00, 0x72, 0xb2, 0xff}, // blue
	{0x00, 0x9e, 0x73, 0xff}, // green
	{0xcc, 0x79, 0xa7, 0xff}, // purple
	{0xe6, 0x9f, 0x00, 0xff}, // orange
	{0x56, 0xb4, 0xe9, 0xff}, // sky
}

// shapes are the dots of series, in addition to their colours. Eight shapes
// and seven colours have no common factor, so 56 series all look different.
var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{},
	draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{},
}

// rest is the colour of the series of points that are in no other series.
var rest = color.NRGBA{0xa8, 0xa8, 0xa8, 0xff}

// scale has the colours of the ends and the centre of a scale of ordered classes, from
// light to dark: lightness alone distinguishes them.
var scale = []color.NRGBA{
	{0xf3, 0xc3, 0x4f, 0xff},
	{0x2a, 0x9d, 0x8f, 0xff},
	{0x2b, 0x1b, 0x5a, 0xff},
}

func (c Chart) colour(i int) color.NRGBA {
	if c.Series[i].Rest {
		return rest
	}
	if of := c.Series[i].Mark; (of == Nodes || of == Cloud) && !c.Ordered { // black, which is the most striking colour, is the last
		return palette[(i+1)%len(palette)]
	}
	if !c.Ordered {
		return palette[i%len(palette)]
	}
	if len(c.Series) == 1 {
		return scale[len(scale)-1]
	}
	at := float64(i) / float64(len(c.Series)-1) * float64(len(scale)-1)
	low := min(int(at), len(scale)-2)
	return blend(scale[low], scale[low+1], at-float64(low))
}

// blend is the colour at a fraction of the way from a to b.
func blend(a, b color.NRGBA, fraction float64) color.NRGBA {
	mix := func(x, y uint8) uint8 { return uint8(float64(x)*(1-fraction) + float64(y)*fraction + 0.5) }
	return color.NRGBA{mix(a.R, b.R), mix(a.G, b.G), mix(a.B, b.B), 0xff}
}

func (c Chart) glyph(i int) draw.GlyphStyle {
	style := draw.GlyphStyle{Color: c.colour(i), Radius: 2.6, Shape: shapes[i%len(shapes)]}
	switch {
	case c.Ordered || c.Series[i].Rest:
		style.Shape = shapes[0]
	case c.Series[i].Mark == Nodes: // filled shapes, which change when the colours are used up
		style.Shape = shapes[i/len(palette)%3]
	}
	if c.Series[i].Mark == Cloud {
		faint := c.colour(i)
		faint.A = 0xb0
		style.Color, style.Radius, style.Shape = faint, 1.4, shapes[0]
		if i >= len(palette) && !c.Ordered { // the colours are used up
			style.Radius, style.Shape = 1.9, shapes[i/len(palette)%3]
		}
	}
	return style
}

func (c Chart) stroke(i int) draw.LineStyle {
	dashes := [][]vg.Length{nil, {6, 2.5}, {2, 2}, {8, 2.5, 2, 2.5}}
	return draw.LineStyle{Color: c.colour(i), Width: 1.3, Dashes: dashes[i%len(dashes)]}
}

var (
	ink  = color.NRGBA{0x22, 0x22, 0x22, 0xff}
	rule = draw.LineStyle{Color: color.NRGBA{0xe2, 0xe2, 0xe2, 0xff}, Width: 0.5}
)

// sans is the only font that is drawn, and so the only one that is linked: the collection of the
// library has twelve, which take 4 MB.
var sans = font.Font{Typeface: "Liberation", Variant: "Sans"}

// fonts parses the font when the first picture is drawn. The package plot of the library would
// parse all of its fonts at the start of every process.
var fonts = sync.OnceValue(func() *font.Cache {
	face, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		return font.NewCache(nil) // cannot be: the font is a constant, and a test draws it
	}
	return font.NewCache(font.Collection{{Font: sans, Face: face}})
})

func lettering(size vg.Length) text.Style {
	return text.Style{Color: ink, Handler: text.Plain{Fonts: fonts()}, Font: font.From(sans, size)}
}
