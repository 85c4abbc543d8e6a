package picture

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"

	"heavytail/cmd/figure"
	"heavytail/cmd/placement"
	"heavytail/query"
	"heavytail/query/graphs"
	"heavytail/query/measures"
	"heavytail/query/vectors"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// MostVertices is the largest number of vertices of a picture: more cannot be
// distinguished, and placing them takes more than a minute.
const MostVertices = 100_000

// smallGraph is the number of vertices up to which all may be labelled, hubs or not.
const smallGraph = 60

// ErrEmpty is returned for a graph without vertices.
var ErrEmpty = errors.New("the graph has no vertices")

// NetworkOptions set what a picture of a graph shows.
type NetworkOptions struct {
	Graph    string
	Colour   string // what the colours show: community, degree, or an attribute
	Around   string // key of a vertex, to draw only those near it; "" draws the graph
	Depth    int    // the largest distance from Around, in edges
	All      bool   // draw all components; without it the largest
	Vertices int    // the most to draw, those of highest degree; from 1 to MostVertices
	Edges    int    // the most to draw; every vertex keeps the edge to its neighbour of highest degree
	Labels   int    // vertices to label, those of highest degree
	Seed     uint64 // of the placement

	// Values are the values that the colours show, one for each vertex, if the caller has
	// them; nil queries them.
	Values []storage.Value

	category bool // the values are numbers of classes
	// Progress, if not nil, is that of placement.Options.
	Progress func(stage string, done, total int64)
}

// Network is a network with what was left out of it.
type Network struct {
	figure.Network
	Of         int   // number of vertices to choose from: of the largest component, of all, or near Around
	LeftOut    int   // vertices of other components
	EdgesShown int   // edges in the picture
	EdgesOf    int64 // edges among its vertices
}

// NewNetwork draws a graph, without a title. Errors are those of the database, which
// suggest the nearest name for an unknown one, ErrEmpty, and that of ctx.
func NewNetwork(ctx context.Context, db *query.DB, o NetworkOptions) (Network, error) {
	s, err := db.Graphs().Snapshot(ctx, o.Graph)
	if err != nil {
		return Network{}, err
	}
	if o.Values == nil {
		if o.Values, err = valuesOf(ctx, db, o.Graph, o.Colour, s.Graph.Vertices()); err != nil {
			return Network{}, err
		}
	}
	chosen, n, err := chosenVertices(ctx, db, s, o)
	if err != nil {
		return Network{}, err
	}
	if len(chosen) == 0 {
		return Network{}, ErrEmpty
	}
	if o.category = o.Colour == "community"; !o.category {
		if o.category, err = IsCategory(ctx, db, o.Graph, o.Colour); err != nil {
			return Network{}, err
		}
	}
	g := s.Graph.Induced(chosen)
	at, err := placement.Place(ctx, g, placement.Options{Seed: o.Seed, Progress: o.Progress})
	if err != nil {
		return Network{}, err
	}
	n.Network = network(s, g, chosen, at, o)
	n.EdgesShown, n.EdgesOf = len(n.Edges), g.Edges()
	return n, nil
}

// valuesOf returns the value of each vertex that the colours show; nil for the degree.
func valuesOf(ctx context.Context, db *query.DB, graph, colour string, n int) ([]storage.Value, error) {
	if colour == "degree" {
		return nil, nil
	}
	list, err := db.Graphs().List(ctx)
	if err != nil {
		return nil, err
	}
	stored := slices.ContainsFunc(list, func(g storage.GraphInfo) bool {
		return g.Name == graph && slices.ContainsFunc(g.Attributes, func(a storage.Attribute) bool { return a.Name == colour })
	})
	values := make([]storage.Value, 0, n)
	if colour == "community" && !stored {
		result, err := db.Measures().Compute(ctx, measures.ComputeRequest{Graph: graph, Measure: "community"})
		for _, v := range result.Vertices {
			values = append(values, v.Value)
		}
		return values, err
	}
	for row, err := range db.Graphs().EachVertex(ctx, graphs.VerticesRequest{Graph: graph, Attributes: []string{colour}}) {
		if err != nil {
			return nil, err
		}
		values = append(values, row.Values[0])
	}
	return values, nil
}

// chosenVertices returns the vertices to draw in ascending order, and in n from how
// many they were chosen.
func chosenVertices(ctx context.Context, db *query.DB, s *storage.Snapshot, o NetworkOptions) (chosen []uint32, n Network, err error) {
	centre, known := s.Vertex(o.Around)
	switch {
	case o.Around != "" && !known: // the error has the nearest key
		_, err := db.Graphs().Neighbors(ctx, graphs.NeighborsRequest{Graph: s.Info.Name, Vertex: o.Around, Limit: 1})
		return nil, n, err
	case o.Around != "":
		chosen = nearby(s.Graph, centre, o.Depth)
	case o.All || s.Graph.Vertices() == 0:
		for v := range s.Graph.Vertices() {
			chosen = append(chosen, uint32(v))
		}
	default:
		chosen = s.Graph.Components().Vertices()[0]
		n.LeftOut = s.Graph.Vertices() - len(chosen)
	}
	if n.Of = len(chosen); n.Of <= o.Vertices {
		return chosen, n, nil
	}
	slices.SortStableFunc(chosen, func(a, b uint32) int { return cmp.Compare(s.Graph.Degree(b), s.Graph.Degree(a)) })
	if o.Around != "" { // the centre is always drawn
		chosen = slices.Insert(slices.DeleteFunc(chosen, func(v uint32) bool { return v == centre }), 0, centre)
	}
	chosen = chosen[:o.Vertices]
	slices.Sort(chosen)
	return chosen, n, nil
}

// nearby returns the vertices at a distance of at most within edges, in ascending
// order.
func nearby(g *csr.Graph, from uint32, within int) []uint32 {
	seen, reached := map[uint32]bool{from: true}, []uint32{from}
	for begin := 0; within > 0 && begin < len(reached); within-- {
		end := len(reached)
		for _, v := range reached[begin:end] {
			for _, u := range g.Neighbors(v) {
				if !seen[u] {
					seen[u] = true
					reached = append(reached, u)
				}
			}
		}
		begin = end
	}
	slices.Sort(reached)
	return reached
}

// network returns the picture of the chosen vertices; g is the subgraph of these
// vertices.
func network(s *storage.Snapshot, g *csr.Graph, chosen []uint32, at []placement.Point, o NetworkOptions) figure.Network {
	n := figure.Network{Vertices: make([]figure.Node, len(chosen)), Edges: shownEdges(g, o.Edges, o.Seed)}
	// classes divides points into series, so each vertex becomes a point whose X is its
	// number.
	numbered := make([]vectors.ProjectedVertex, len(chosen))
	for i, v := range chosen {
		degree := s.Graph.Degree(v)
		n.Vertices[i] = figure.Node{X: at[i].X, Y: at[i].Y, Weight: float64(degree)}
		numbered[i] = vectors.ProjectedVertex{Degree: degree, X: float64(i)}
		if o.Values != nil {
			numbered[i].Value = o.Values[v]
		}
	}
	var series []figure.Series
	switch {
	case o.Values == nil:
		series, n.Ordered = classes(numbered, "")
	case o.category:
		series = communities(numbered, o.Colour)
	default:
		series, n.Ordered = classes(numbered, o.Colour)
	}
	if !n.Ordered {
		series = restLast(series)
		n.Rest = series[len(series)-1].Rest
	}
	for class, points := range series {
		n.Classes = append(n.Classes, points.Name)
		for _, p := range points.Points {
			n.Vertices[int(p.X)].Class = class
		}
	}
	byDegree := make([]int, len(chosen))
	for i := range byDegree {
		byDegree[i] = i
	}
	slices.SortStableFunc(byDegree, func(a, b int) int { return cmp.Compare(n.Vertices[b].Weight, n.Vertices[a].Weight) })
	mean := 2 * float64(g.Edges()) / float64(len(chosen))
	for _, i := range byDegree[:min(o.Labels, len(byDegree))] {
		if len(chosen) <= smallGraph || n.Vertices[i].Weight >= 2*mean { // a hub
			n.Vertices[i].Label = s.Key(chosen[i])
		}
	}
	if centre, _ := s.Vertex(o.Around); o.Around != "" {
		if i, found := slices.BinarySearch(chosen, centre); found {
			n.Vertices[i].Label = o.Around
		}
	}
	return n
}

// shownEdges returns the edges of a graph, but no more than most: first the edge of
// each vertex to its neighbour of highest degree, then a sample of all others.
func shownEdges(g *csr.Graph, most int, seed uint64) [][2]int32 {
	var first, others [][2]int32
	best := make([]uint32, g.Vertices())
	for v := range best {
		for i, u := range g.Neighbors(uint32(v)) {
			if i == 0 || g.Degree(u) > g.Degree(best[v]) {
				best[v] = u
			}
		}
	}
	for v := range best {
		for _, u := range g.Neighbors(uint32(v)) {
			if u <= uint32(v) {
				continue
			}
			e := [2]int32{int32(v), int32(u)}
			if best[v] == u || best[u] == uint32(v) {
				first = append(first, e)
			} else {
				others = append(others, e)
			}
		}
	}
	if len(first)+len(others) <= most {
		return append(first, others...)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	random.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
	return append(first, others...)[:most]
}
