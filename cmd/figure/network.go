package figure

import (
	"cmp"
	"image/color"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Network is a picture of vertices and edges in the plane.
type Network struct {
	Title    string
	Vertices []Node
	Edges    [][2]int32 // numbers of vertices
	Classes  []string   // of the vertices, in the order of the legend
	// Ordered reports that the classes are in the order of a quantity, as in Chart.
	Ordered bool
	Rest    bool // the last class has the vertices that are in no other class

	Size Size // the zero value is the usual one, one and a half times that of a chart
}

// Node is a vertex of a Network.
type Node struct {
	X, Y   float64
	Weight float64 // sets the area; heavier vertices are drawn over lighter ones
	Class  int     // number in Classes
	Label  string  // may be empty; labels without room are left out, those of less weight first
}

// nodeScale is the usual size of the picture of a network relative to that of a chart: a
// network shows more.
const nodeScale = 1.5

// chart returns a chart with the vertices as series, for the legend and for text.
func (n Network) chart() Chart {
	c := Chart{Title: n.Title, X: Axis{Bare: true}, Y: Axis{Bare: true}, Ordered: n.Ordered, Size: n.Size.scaled(nodeScale)}
	for i, name := range n.Classes {
		c.Series = append(c.Series, Series{Name: name, Mark: Nodes, Rest: n.Rest && i == len(n.Classes)-1})
	}
	for _, v := range n.Vertices {
		s := &c.Series[v.Class]
		s.Points = append(s.Points, Point{v.X, v.Y})
	}
	return c
}

// WriteNetwork draws a network into w. The errors are those of Write.
func WriteNetwork(w io.Writer, n Network, format Format) error {
	p, err := newPicture(n.chart())
	if err != nil {
		return err
	}
	return writeCanvas(w, format, p.Size, func(c draw.Canvas) {
		white(c)
		inner := draw.Crop(c, margin, -margin, margin, -margin)
		drawing{n, p, p.drawLegend(p.drawTitle(inner))}.draw()
	})
}

// WriteNetworkText draws the vertices of a network into w as lines of text.
func WriteNetworkText(w io.Writer, n Network) error { return WriteText(w, n.chart()) }

// drawing is a network while it is drawn on a canvas.
type drawing struct {
	Network
	picture picture
	canvas  draw.Canvas
}

func (d drawing) draw() {
	at := d.places()
	d.drawEdges(at)
	order := d.byWeight()
	radius := d.radii()
	for _, i := range order {
		d.drawNode(at[i], radius[i], d.Vertices[i].Class)
	}
	d.drawLabels(at, radius, order)
}

// places returns the places of the vertices on the canvas. Both axes have one scale. The
// few outermost vertices are moved to the edge of the picture, so that they do not squeeze
// all others.
func (d drawing) places() []vg.Point {
	xs, ys := make([]float64, len(d.Vertices)), make([]float64, len(d.Vertices))
	for i, v := range d.Vertices {
		xs[i], ys[i] = v.X, v.Y
	}
	x, y := withoutFew(xs), withoutFew(ys)
	box := draw.Crop(d.canvas, 12, -12, 12, -12)
	size := box.Size()
	scale := math.Inf(1)
	if x.max > x.min {
		scale = float64(size.X) / (x.max - x.min)
	}
	if y.max > y.min {
		scale = min(scale, float64(size.Y)/(y.max-y.min))
	}
	if math.IsInf(scale, 1) {
		scale = 1
	}
	centre := box.Center()
	at := make([]vg.Point, len(d.Vertices))
	for i, v := range d.Vertices {
		at[i] = vg.Point{
			X: min(box.Max.X, max(box.Min.X, centre.X+vg.Length(scale*(v.X-(x.min+x.max)/2)))),
			Y: min(box.Max.Y, max(box.Min.Y, centre.Y+vg.Length(scale*(v.Y-(y.min+y.max)/2)))),
		}
	}
	return at
}

// withoutFew returns the span of values. If the few outermost values on a side make the
// span much wider, they are left out.
func withoutFew(values []float64) span {
	const outside, wider = 0.002, 1.25
	slices.Sort(values)
	last := len(values) - 1
	cut := int(outside * float64(len(values)))
	all, most := span{values[0], values[last]}, span{values[cut], values[last-cut]}
	if all.max-all.min > wider*(most.max-most.min) {
		return most
	}
	return all
}

// byWeight returns the vertices, the lightest first.
func (d drawing) byWeight() []int {
	order := make([]int, len(d.Vertices))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(d.Vertices[a].Weight, d.Vertices[b].Weight) })
	return order
}

// radii returns the radii of the vertices. The area grows with the weight. The more
// vertices there are, the smaller they are, so that together they cover only a small part
// of the canvas. If all weights are low, no vertex is a hub, and all are small.
func (d drawing) radii() []vg.Length {
	const hub, covered = 30, 0.1
	n := float64(len(d.Vertices))
	least := min(3, max(0.5, 40/math.Sqrt(n)))
	most := min(12, max(5, 220/math.Sqrt(n)))
	largest := 0.0
	for _, v := range d.Vertices {
		largest = max(largest, v.Weight)
	}
	if n > 40 { // in a small picture the largest vertex is large
		largest = max(largest, hub)
	}
	squares := make([]float64, len(d.Vertices))
	sum := 0.0
	for i, v := range d.Vertices {
		squares[i] = least*least + v.Weight/max(largest, 1e-300)*(most*most-least*least)
		sum += squares[i]
	}
	size := d.canvas.Size()
	shrunk := math.Sqrt(min(1, covered*float64(size.X*size.Y)/(math.Pi*sum)))
	radii := make([]vg.Length, len(d.Vertices))
	for i, square := range squares {
		radii[i] = vg.Length(max(0.4, shrunk*math.Sqrt(square)))
	}
	return radii
}

// together is how many edges are in one path: enough to keep the file small, and so few
// that they hardly cross each other, since crossings within a path are not darker.
const together = 24

// drawEdges draws the edges, each in the colour of its ends if both are in the same class.
func (d drawing) drawEdges(at []vg.Point) {
	order := rand.New(rand.NewPCG(1, 0)).Perm(len(d.Edges)) // the edges of a path should be far apart
	paths := make([]vg.Path, len(d.Classes)+1)
	count := make([]int, len(paths))
	d.canvas.SetLineWidth(vg.Length(min(0.6, max(0.25, 30/math.Sqrt(float64(len(order)+1))))))
	stroke := func(class int) {
		if count[class] > 0 {
			d.canvas.SetColor(d.edgeColour(class))
			d.canvas.Stroke(paths[class])
			paths[class], count[class] = nil, 0
		}
	}
	for _, i := range order {
		e := d.Edges[i]
		class := d.Vertices[e[0]].Class
		if class != d.Vertices[e[1]].Class || d.Ordered {
			class = len(d.Classes)
		}
		paths[class].Move(at[e[0]])
		paths[class].Line(at[e[1]])
		if count[class]++; count[class] == together {
			stroke(class)
		}
	}
	for class := range paths {
		stroke(class)
	}
}

// edgeColour returns the colour of edges within a class, or of edges between classes. The
// more edges there are, the fainter they are.
func (d drawing) edgeColour(class int) color.NRGBA {
	shade := color.NRGBA{0x60, 0x60, 0x60, 0xff}
	if class < len(d.Classes) {
		shade = d.picture.colour(class)
	}
	shade.A = uint8(255 * min(0.55, max(0.05, 14/math.Sqrt(float64(len(d.Edges)+1)))))
	return shade
}

// drawNode draws a vertex, with a white outline if it is large enough.
func (d drawing) drawNode(at vg.Point, radius vg.Length, class int) {
	glyph := d.picture.glyph(class)
	glyph.Radius = radius
	if radius >= 1.2 {
		around := glyph
		around.Radius, around.Color = radius+0.5, color.White
		d.canvas.DrawGlyphNoClip(around, at)
	}
	d.canvas.DrawGlyphNoClip(glyph, at)
}

// drawLabels writes labels above the vertices, the heaviest vertices first. It leaves out
// labels that would overlap another label or the border of the picture.
func (d drawing) drawLabels(at []vg.Point, radius []vg.Length, order []int) {
	style := lettering(textSize - 1)
	style.XAlign = text.XCenter
	var taken []vg.Rectangle
	for _, i := range slices.Backward(order) {
		label := fit(printable(d.Vertices[i].Label), style, 120)
		if d.Vertices[i].Label == "" {
			continue
		}
		foot := vg.Point{X: at[i].X, Y: at[i].Y + radius[i] + 2}
		half, high := style.Width(label)/2, style.FontExtents().Ascent
		box := vg.Rectangle{Min: vg.Point{X: foot.X - half - 1.5, Y: foot.Y - 1}, Max: vg.Point{X: foot.X + half + 1.5, Y: foot.Y + high}}
		c := d.canvas.Rectangle
		if box.Min.X < c.Min.X || box.Max.X > c.Max.X || box.Max.Y > c.Max.Y || slices.ContainsFunc(taken, func(r vg.Rectangle) bool {
			return r.Min.X < box.Max.X && box.Min.X < r.Max.X && r.Min.Y < box.Max.Y && box.Min.Y < r.Max.Y
		}) {
			continue
		}
		taken = append(taken, box)
		d.canvas.SetColor(color.NRGBA{0xff, 0xff, 0xff, 0xc8})
		d.canvas.Fill(box.Path())
		d.canvas.FillText(style, foot, label)
	}
}
