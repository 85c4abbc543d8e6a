package figure

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The size of an inline network, whose height follows its shape. Coordinates are whole
// numbers, which keeps the page small.
const inlineNetworkWide, leastNetworkHigh, mostNetworkHigh = 1800, 900, 1600

// NewInlineNetwork draws a network for a page, as NewInline draws a chart. Vertices and
// edges take about ten bytes each. Labels have the class small. Those with room for
// twice the size, as on a phone, also have the class large.
func NewInlineNetwork(n Network, id, about string) (Inline, error) {
	p, err := newPicture(n.chart())
	if err != nil {
		return Inline{}, err
	}
	var b strings.Builder
	high := inlineHeight(n)
	openSVG(&b, inlineNetworkWide, high, id, p.Title, about)
	d := inlineNetwork{n, p, inlinePlaces(n, float64(high)), nil}
	const unit = 2.2 // of the element in a point
	canvas := draw.Canvas{Rectangle: vg.Rectangle{Max: vg.Point{X: inlineNetworkWide / unit, Y: vg.Length(high) / unit}}}
	for _, r := range (drawing{Network: n, canvas: canvas}).radii() {
		d.radius = append(d.radius, unit*r)
	}
	d.edges(&b)
	d.nodes(&b)
	d.labels(&b)
	b.WriteString("</svg>")
	return Inline{b.String(), p.legend(), 0}, nil
}

// inlineNetwork is a network while its SVG is written.
type inlineNetwork struct {
	Network
	picture picture
	at      []vg.Point
	radius  []vg.Length
}

// inlineHeight is the height at which the picture fills the width.
func inlineHeight(n Network) int {
	var xs, ys []float64
	for _, v := range n.Vertices {
		xs, ys = append(xs, v.X), append(ys, v.Y)
	}
	x, y := withoutFew(xs), withoutFew(ys)
	if !(x.max > x.min) {
		return leastNetworkHigh
	}
	return int(min(mostNetworkHigh, max(leastNetworkHigh, inlineNetworkWide*(y.max-y.min)/(x.max-x.min))))
}

// inlinePlaces are the places of the vertices in the element, whose vertical axis points
// down.
func inlinePlaces(n Network, high float64) []vg.Point {
	canvas := draw.Canvas{Rectangle: vg.Rectangle{Min: vg.Point{X: 24, Y: 24}, Max: vg.Point{X: inlineNetworkWide - 24, Y: vg.Length(high - 24)}}}
	at := drawing{Network: n, canvas: canvas}.places()
	for i := range at {
		at[i].X, at[i].Y = vg.Length(math.Round(float64(at[i].X))), vg.Length(math.Round(high-float64(at[i].Y)))
	}
	return at
}

// edges writes the edges in random order, several in one path. A path has so few edges
// that they hardly cross each other: only crossings of different paths are darker.
func (d inlineNetwork) edges(b *strings.Builder) {
	paths := map[string][]int{} // by the class of their colour
	for _, i := range rand.New(rand.NewPCG(1, 0)).Perm(len(d.Edges)) {
		class := d.Vertices[d.Edges[i][0]].Class
		colour := "rest"
		if class == d.Vertices[d.Edges[i][1]].Class && !d.Ordered {
			colour = d.picture.colourClass(class)
		}
		paths[colour] = append(paths[colour], i)
	}
	m := float64(len(d.Edges) + 1)
	fmt.Fprintf(b, `<g class="edges" stroke-opacity="%.3f" stroke-width="%.2f">`, min(0.55, max(0.06, 16/math.Sqrt(m))), min(2, max(0.9, 100/math.Sqrt(m))))
	for _, colour := range slices.Sorted(maps.Keys(paths)) {
		for group := range slices.Chunk(paths[colour], together) {
			fmt.Fprintf(b, `<path class="%s" d="`, colour)
			for _, i := range group {
				from, to := d.at[d.Edges[i][0]], d.at[d.Edges[i][1]]
				fmt.Fprintf(b, "M%d %dL%d %d", int(from.X), int(from.Y), int(to.X), int(to.Y))
			}
			b.WriteString(`"/>`)
		}
	}
	b.WriteString("</g>")
}

// nodes writes the vertices by size, those of one size and colour as one path of strokes
// without length.
func (d inlineNetwork) nodes(b *strings.Builder) {
	type look struct{ size, class int } // the size in tenths
	groups := map[look][]int{}
	for i, v := range d.Vertices {
		key := look{5 * int(math.Round(float64(d.radius[i])*4)), v.Class}
		groups[key] = append(groups[key], i)
	}
	keys := slices.SortedFunc(maps.Keys(groups), func(a, b look) int { return cmp.Or(cmp.Compare(a.size, b.size), cmp.Compare(a.class, b.class)) })
	for _, key := range keys {
		var path strings.Builder
		for _, i := range groups[key] {
			fmt.Fprintf(&path, "M%d %dh0", int(d.at[i].X), int(d.at[i].Y))
		}
		if key.size >= 60 {
			fmt.Fprintf(b, `<path class="node around %s" stroke-width="%s" d="%s"/>`, d.picture.shapeClass(key.class), tenth(float64(key.size)/10+2.4), path.String())
		}
		fmt.Fprintf(b, `<path class="node %s %s" stroke-width="%s" d="%s"/>`, d.picture.colourClass(key.class), d.picture.shapeClass(key.class), tenth(float64(key.size)/10), path.String())
	}
}

// Letters of labels in units of the element, on a page and on a phone.
const smallLetters, largeLetters = 26, 60

// labels writes the labels of vertices, the heaviest first, and leaves out those that
// would hide another label.
func (d inlineNetwork) labels(b *strings.Builder) {
	order := drawing{Network: d.Network}.byWeight()
	var small, large []vg.Rectangle
	fits := func(taken *[]vg.Rectangle, i int, text string, letters float64) bool {
		style := lettering(vg.Length(letters))
		half := style.Width(text)/2 + 4
		foot := d.at[i].Y - d.radius[i] - 5
		box := vg.Rectangle{Min: vg.Point{X: d.at[i].X - half, Y: foot - vg.Length(letters)}, Max: vg.Point{X: d.at[i].X + half, Y: foot + 4}}
		if box.Min.X < 0 || box.Max.X > inlineNetworkWide || box.Min.Y < 0 || slices.ContainsFunc(*taken, func(r vg.Rectangle) bool {
			return r.Min.X < box.Max.X && box.Min.X < r.Max.X && r.Min.Y < box.Max.Y && box.Min.Y < r.Max.Y
		}) {
			return false
		}
		*taken = append(*taken, box)
		return true
	}
	for _, i := range slices.Backward(order) {
		if d.Vertices[i].Label == "" {
			continue
		}
		text := shortened(printable(d.Vertices[i].Label), 24)
		x, y := float64(d.at[i].X), float64(d.at[i].Y-d.radius[i]-5)
		class := ""
		if fits(&large, i, text, largeLetters) {
			class = "large"
		}
		if fits(&small, i, text, smallLetters) {
			inlineLabel(b, "small "+class, x, y, text)
		}
	}
}
