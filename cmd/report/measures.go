package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"heavytail/cmd/figure"
	"heavytail/cmd/picture"
	"heavytail/query/graphs"
	"heavytail/query/measures"
	"heavytail/storage"
)

// Limits of what the page shows of measures, attributes and communities.
const (
	topVertices    = 10
	mostCharts     = 6  // of attributes
	mostValues     = 12 // of a text attribute
	mostCommunity  = 12
	mostAttributes = 40
)

// measureBlock shows the vertices of highest degree with their measures, and the
// attributes with their distributions and highest values.
func (g *graph) measureBlock(b *block) error {
	if g.info.Vertices == 0 {
		return nil
	}
	b.Lead = "The vertices with most edges, and the attributes and measures that the file has of all vertices."
	top, err := g.topByDegree()
	if err != nil {
		return err
	}
	b.Tables = append(b.Tables, top)
	attributes, err := g.db.Graphs().Attributes(g.ctx, g.info.Name)
	if err != nil || len(attributes) == 0 {
		return err
	}
	b.Statement = "SHOW ATTRIBUTES IN " + identText(g.info.Name)
	if left := len(attributes) - mostAttributes; left > 0 {
		b.Notes = append(b.Notes, fmt.Sprintf("%d more attributes are left out.", left))
		attributes = attributes[:mostAttributes]
	}
	list := head("Attributes", "attribute", "type", "computed as", "#vertices", "#missing", "#lowest", "#mean", "#highest", "state")
	for i, a := range attributes {
		if err := g.attribute(b, &list, i, a); err != nil {
			return err
		}
	}
	b.Tables = slices.Insert(b.Tables, 1, list)
	return nil
}

// topByDegree returns the vertices of highest degree with measures that are fast to
// compute.
func (g *graph) topByDegree() (table, error) {
	t := head("The vertices with most edges", "vertex", "#degree", "#PageRank", "#core", "#community")
	top, err := g.db.Graphs().Vertices(g.ctx, graphs.VerticesRequest{Graph: g.info.Name, OrderBy: "degree", Descending: true, Limit: topVertices})
	if err != nil {
		return t, err
	}
	values := map[string]map[string]storage.Value{}
	for _, measure := range []string{"pagerank", "core"} {
		result, err := g.db.Measures().Compute(g.ctx, measures.ComputeRequest{Graph: g.info.Name, Measure: measure})
		if err != nil {
			return t, err
		}
		values[measure] = map[string]storage.Value{}
		for _, v := range result.Vertices {
			values[measure][v.Key] = v.Value
		}
	}
	for _, v := range top.Vertices {
		t.add(v.Vertex, v.Degree, values["pagerank"][v.Vertex], values["core"][v.Vertex], g.community[v.Vertex])
	}
	return t, nil
}

// attribute appends an attribute to the list, and shows its values.
func (g *graph) attribute(b *block, list *table, i int, a graphs.AttributeSummary) error {
	made, age := "", ""
	if a.Computed != nil {
		made, age = methodText(a.Computed.Method, a.Computed.Options), state(a.Behind, a.Changed, a.Unknown)
	}
	numbers, err := g.numbers(a)
	if err != nil {
		return err
	}
	line := []any{a.Name, a.Type.String(), made, a.Vertices, a.Missing, nil, nil, nil, age}
	if len(numbers) > 0 {
		r, err := g.db.Graphs().CountVertices(g.ctx, graphs.CountVerticesRequest{Graph: g.info.Name, With: []graphs.Figure{
			{Function: graphs.FigureMin, Of: a.Name}, {Function: graphs.FigureMean, Of: a.Name}, {Function: graphs.FigureMax, Of: a.Name},
		}})
		if err != nil {
			return err
		}
		for j, v := range r.Figures[0] {
			line[5+j] = v
		}
	}
	list.add(line...)
	switch {
	case a.Vertices == 0:
		return nil
	case len(numbers) > 0:
		return g.numberAttribute(b, i, a.Name, numbers)
	}
	return g.textAttribute(b, a.Name)
}

// numbers returns the values of a numeric attribute, and nil for any other attribute.
func (g *graph) numbers(a graphs.AttributeSummary) ([]float64, error) {
	if name := a.Type.String(); name != "integer" && name != "float" {
		return nil, nil
	}
	var list []float64
	for row, err := range g.db.Graphs().EachVertex(g.ctx, graphs.VerticesRequest{Graph: g.info.Name, Attributes: []string{a.Name}}) {
		if err != nil {
			return nil, err
		}
		if x, err := strconv.ParseFloat(row.Values[0].String(), 64); err == nil && !row.Values[0].IsMissing() {
			list = append(list, x)
		}
	}
	return list, nil
}

// numberAttribute draws the distribution of an attribute, and lists its highest values.
func (g *graph) numberAttribute(b *block, i int, name string, values []float64) error {
	if len(b.Pictures) < mostCharts {
		about := fmt.Sprintf("Distribution of %s over %s.", name, vertices(len(values)))
		if err := g.draw(b, fmt.Sprintf("attribute%d", i), picture.Distribution(name, values), about); err != nil {
			return err
		}
	}
	top, err := g.db.Graphs().Vertices(g.ctx, graphs.VerticesRequest{Graph: g.info.Name, Attributes: []string{name}, OrderBy: name, Descending: true, Limit: topVertices})
	if err != nil {
		return err
	}
	t := head("Highest values of "+name, "vertex", "#"+name, "#degree")
	t.Folded = true
	for _, v := range top.Vertices {
		if !v.Values[0].IsMissing() {
			t.add(v.Vertex, v.Values[0], v.Degree)
		}
	}
	b.Tables = append(b.Tables, t)
	return nil
}

// textAttribute lists the most frequent values of an attribute.
func (g *graph) textAttribute(b *block, name string) error {
	r, err := g.db.Graphs().CountVertices(g.ctx, graphs.CountVerticesRequest{Graph: g.info.Name, By: name})
	if err != nil {
		return err
	}
	t := head("Values of "+name, name, "#vertices")
	t.Folded = true
	for i, v := range r.Values {
		if i == mostValues {
			t.Caption = fmt.Sprintf("The %d most frequent of %s values of %s", mostValues, grouped(int64(len(r.Values))), name)
			break
		}
		value := valueCell(v.Value)
		if v.Value.IsMissing() {
			value.Text = "(none)"
		}
		count := cellOf(v.Vertices)
		count.Bar = float64(v.Vertices) / float64(max(1, r.Vertices))
		t.add(value, count)
	}
	b.Tables = append(b.Tables, t)
	return nil
}

type group struct {
	label          storage.Value
	size           int
	inside, across int64 // edges
	hub            string
	degree         int // of the hub
}

// communityBlock shows the largest communities.
func (g *graph) communityBlock(b *block) error {
	if g.info.Edges == 0 {
		return nil
	}
	groups, err := g.groups()
	if err != nil {
		return err
	}
	b.Lead = "Groups of vertices with more edges inside than between them, by the Leiden method."
	b.Statement = "COMPUTE community IN " + identText(g.info.Name)
	b.note(g.communities.Notices)
	t := head("Communities", "community", "#vertices", "#edges inside", "#edges to others", "#fraction inside", "vertex of most edges", "#its degree")
	if len(groups) > mostCommunity {
		t.Caption = fmt.Sprintf("The %d largest of %s communities", mostCommunity, grouped(int64(len(groups))))
	}
	var sizes []figure.Point
	for i, c := range groups {
		sizes = append(sizes, figure.Point{X: float64(i + 1), Y: float64(c.size)})
		if i >= mostCommunity {
			continue
		}
		size := cellOf(c.size)
		size.Bar = float64(c.size) / float64(g.info.Vertices)
		t.add(cell{Text: c.label.String()}, size, c.inside, c.across, float64(c.inside)/float64(max(1, c.inside+c.across)), c.hub, c.degree)
	}
	b.Tables = []table{t}
	if len(groups) < 3 {
		return nil
	}
	return g.draw(b, "communities-sizes", figure.Chart{
		Title: "Sizes of the communities", X: figure.Axis{Label: "rank", Log: true}, Y: figure.Axis{Label: "vertices", Log: true},
		Series: []figure.Series{{Mark: figure.Dots, Points: sizes}},
	}, "Sizes of the communities, from the largest.")
}

// groups returns the communities, the largest first; ties are in ascending order of the
// label.
func (g *graph) groups() ([]*group, error) {
	s, err := g.db.Graphs().Snapshot(g.ctx, g.info.Name)
	if err != nil {
		return nil, err
	}
	all := map[storage.Value]*group{}
	of := make([]*group, s.Graph.Vertices())
	for v := range of {
		key := s.Key(uint32(v))
		label := g.community[key]
		if all[label] == nil {
			all[label] = &group{label: label}
		}
		c := all[label]
		of[v] = c
		c.size++
		if degree := s.Graph.Degree(uint32(v)); c.size == 1 || degree > c.degree {
			c.hub, c.degree = key, degree
		}
	}
	for v, c := range of {
		for _, u := range s.Graph.Neighbors(uint32(v)) {
			switch {
			case of[u] != c:
				c.across++
			case int(u) > v:
				c.inside++
			}
		}
	}
	return slices.SortedFunc(maps.Values(all), func(x, y *group) int {
		a, _ := strconv.ParseInt(x.label.String(), 10, 64)
		b, _ := strconv.ParseInt(y.label.String(), 10, 64)
		return cmp.Or(cmp.Compare(y.size, x.size), cmp.Compare(a, b))
	}), nil
}
