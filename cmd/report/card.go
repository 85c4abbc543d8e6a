package report

import (
	"fmt"
	"strconv"

	"heavytail/cmd/figure"
	"heavytail/cmd/picture"
	"heavytail/query/graphs"
	"heavytail/query/measures"
	"heavytail/query/parser"
	"heavytail/query/rows"
	"heavytail/storage"
)

func fileFacts(s storage.Stats, graphs int) []tile {
	return []tile{
		{"size", cell{Text: bytesText(s.Bytes)}},
		{"graphs", cellOf(graphs)},
		{"embeddings", cellOf(len(s.Embeddings))},
		{"models", cellOf(len(s.Models))},
		{"created", cellOf(s.Created)},
	}
}

// card returns a block with the answer of DESCRIBE GRAPH, and the most important of its
// figures as tiles.
func (g *graph) card() (block, []tile, error) {
	req := graphs.DescribeGraphRequest{Graph: g.info.Name, Bootstrap: max(0, g.opts.Bootstrap), Seed: g.opts.Seed}
	d, err := g.db.Graphs().Describe(g.ctx, req)
	if err != nil {
		return block{}, nil, err
	}
	tiles := []tile{
		{"vertices", cellOf(d.Vertices)}, {"edges", cellOf(d.Edges)}, {"components", cellOf(d.Components)},
		{"density", cellOf(d.Density)}, {"mean degree", cellOf(d.Degrees.Mean)}, {"largest degree", cellOf(d.Degrees.Max)},
		{"clustering", cellOf(d.Clustering.Average)}, {"assortativity", cellOf(d.Assortativity)},
	}
	g.law = d.PowerLaw
	rows, err := g.db.Answer(g.ctx, "DESCRIBE GRAPH", req)
	if err != nil {
		return block{}, nil, err
	}
	t, err := newTable("All figures of the graph", rows)
	t.Plain, t.Folded = true, true
	b := block{ID: g.id + "-figures", Title: "Figures", Lead: cardLead(d), Tables: []table{t}}
	b.Statement = "DESCRIBE GRAPH " + identText(g.info.Name)
	if req.Bootstrap > 0 {
		b.Statement += fmt.Sprintf(" WITH (bootstrap := %d, seed := %d)", req.Bootstrap, req.Seed)
	}
	b.note(rows.Notices())
	return b, tiles, err
}

// cardLead describes a graph in sentences.
func cardLead(d graphs.GraphDescription) string {
	text := "The edges have neither weights nor timestamps."
	switch {
	case d.Weighted && d.Timed:
		text = "The edges have weights and timestamps."
	case d.Weighted:
		text = "The edges have weights."
	case d.Timed:
		text = "The edges have timestamps."
	}
	if d.Components == 1 {
		text += " The graph is connected."
	} else if d.Vertices > 0 {
		text += fmt.Sprintf(" The largest component has %s of %s.", grouped(int64(d.LargestComponent)), vertices(d.Vertices))
	}
	if d.Isolated > 0 {
		text += fmt.Sprintf(" %s no edges.", plural(int64(d.Isolated), "vertex has", "vertices have"))
	}
	if d.Hub != "" {
		text += fmt.Sprintf(" Most edges, %s, are at vertex %s; half of the vertices have %s or fewer.", grouped(int64(d.Degrees.Max)), d.Hub, grouped(int64(d.Degrees.Median)))
	}
	return text
}

func (g *graph) picture(b *block) error {
	if g.info.Vertices == 0 {
		return nil
	}
	values := make([]storage.Value, len(g.communities.Vertices))
	for i, v := range g.communities.Vertices {
		values[i] = v.Value
	}
	o := picture.NetworkOptions{
		Graph: g.info.Name, Colour: "community", Values: values, Vertices: min(g.opts.Vertices, picture.MostVertices), Edges: g.opts.Edges,
		Labels: 24, Seed: g.opts.Seed,
	}
	if g.opts.Progress != nil {
		o.Progress = func(stage string, done, total int64) {
			g.opts.Progress(rows.Progress{Statement: "REPORT", Stage: stage, Done: done, Total: total, Unit: "passes"})
		}
	}
	n, err := picture.NewNetwork(g.ctx, g.db, o)
	if err != nil {
		return err
	}
	n.Title = "Picture of graph " + g.info.Name
	about := fmt.Sprintf("Linked vertices are near each other, and a vertex is larger the more edges it has. %s and %s are drawn, in the colours of their communities.",
		vertices(len(n.Vertices)), edges(int64(n.EdgesShown)))
	in, err := figure.NewInlineNetwork(n.Network, g.id+"-network", about)
	if err != nil {
		return err
	}
	d := newDrawing(in, networkCaption(n))
	d.Wide = true
	b.Lead = "A force model places linked vertices near each other. The area of a vertex grows with its degree, and colours are communities."
	b.Pictures = []drawing{d}
	return nil
}

// networkCaption describes which vertices and edges the picture leaves out.
func networkCaption(n picture.Network) string {
	text := "All vertices"
	if drawn := len(n.Vertices); drawn < n.Of {
		text = fmt.Sprintf("The %s of %s with most edges", grouped(int64(drawn)), vertices(n.Of))
	}
	if n.LeftOut > 0 {
		text += fmt.Sprintf(" of the largest component (%s of smaller ones left out)", vertices(n.LeftOut))
	}
	if int64(n.EdgesShown) < n.EdgesOf {
		return text + fmt.Sprintf(", with %s of the %s among them: of each vertex the edge to its neighbour of most edges, and a sample of the others.",
			grouped(int64(n.EdgesShown)), edges(n.EdgesOf))
	}
	return text + fmt.Sprintf(" and the %s among them.", edges(n.EdgesOf))
}

// degreeBlock draws the degree distribution with the fitted power law, and the mean
// clustering by degree, and lists how many vertices have each degree.
func (g *graph) degreeBlock(b *block) error {
	if g.info.Edges == 0 {
		b.Failed = "the graph has no edges"
		return nil
	}
	law, own := g.law, picture.WithLaw(picture.Degrees(g.info.Name, g.degrees), g.law)
	if err := g.draw(b, "degrees", figure.DegreeChart("Degree distribution", []figure.Degrees{own}),
		"For each degree the fraction of vertices that have it or a higher one. On logarithmic axes a power law is a straight line."); err != nil {
		return err
	}
	b.Lead = "How many neighbours the vertices have."
	if law != nil {
		b.Lead += fmt.Sprintf(" The power law that fits best has exponent %.2f and describes the %s of degree %d or higher; its distance from them (Kolmogorov–Smirnov) is %.3f.",
			law.Alpha, vertices(law.Tail), law.Xmin, law.KS)
		if law.P < 0.01 {
			b.Lead += " Degrees drawn from such a law are hardly ever as far from it (p below 0.01): the law is ruled out."
		} else if law.P < 0.1 {
			b.Lead += fmt.Sprintf(" Degrees drawn from such a law are rarely as far from it (p %.2f): the law is ruled out.", law.P)
		} else if law.P >= 0.1 {
			b.Lead += fmt.Sprintf(" Degrees drawn from such a law are often as far from it (p %.2f): the law is plausible.", law.P)
		}
	}
	if err := g.clusteringPicture(b); err != nil {
		return err
	}
	t := head("Degrees and their frequencies", "#degree", "#vertices")
	t.Folded = true
	const most = 400 // rows: nobody reads more
	for i, c := range g.degrees {
		if i < most {
			t.add(c.Degree, c.Vertices)
		}
	}
	if left := len(g.degrees) - most; left > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("The table leaves out the %d highest degrees.", left))
	}
	b.Tables = append(b.Tables, t)
	return nil
}

// draw appends a chart to the block.
func (g *graph) draw(b *block, id string, chart figure.Chart, caption string) error {
	in, err := figure.NewInline(chart, g.id+"-"+id, caption)
	if err != nil {
		return err
	}
	b.Pictures = append(b.Pictures, newDrawing(in, caption))
	return nil
}

// clusteringPicture draws the mean clustering of the vertices of each degree.
func (g *graph) clusteringPicture(b *block) error {
	result, err := g.db.Measures().Compute(g.ctx, measures.ComputeRequest{Graph: g.info.Name, Measure: "clustering"})
	if err != nil {
		return err
	}
	s, err := g.db.Graphs().Snapshot(g.ctx, g.info.Name)
	if err != nil {
		return err
	}
	sum := map[int]float64{}
	for v, of := range result.Vertices {
		x, err := strconv.ParseFloat(of.Value.String(), 64)
		if err != nil {
			return fmt.Errorf("clustering of vertex %q is %q: %w", of.Key, of.Value.String(), err)
		}
		sum[s.Graph.Degree(uint32(v))] += x
	}
	line := figure.Series{Mark: figure.Dots}
	for _, c := range g.degrees {
		if c.Degree > 1 && sum[c.Degree] > 0 {
			line.Points = append(line.Points, figure.Point{X: float64(c.Degree), Y: sum[c.Degree] / float64(c.Vertices)})
		}
	}
	if line.Points == nil {
		return nil // without triangles every value is 0
	}
	return g.draw(b, "clustering", figure.Chart{
		Title: "Clustering by degree", X: figure.Axis{Label: "degree d", Log: true}, Y: figure.Axis{Label: "mean clustering of the vertices of degree d", Log: true},
		Series: []figure.Series{line},
	}, "Mean clustering of the vertices of each degree: the fraction of pairs of their neighbours that are neighbours themselves.")
}

// identText returns a name in the syntax of a statement.
func identText(name string) string {
	return parser.Ident{Name: name}.String()
}
