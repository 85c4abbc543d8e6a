package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"heavytail/cmd/figure"
	"heavytail/cmd/placement"
	"heavytail/query"
	"heavytail/storage"
	"heavytail/storage/csr"
)

// graphFlags are the flags of plot graph.
type graphFlags struct {
	picture
	colour   string // community, degree, or an attribute
	around   string // the key of a vertex; "" draws the graph
	within   int    // edges from it
	all      bool
	vertices int
	edges    int
	labels   int
	seed     uint64
}

// Limits of plot graph: more is neither seen nor drawn in a minute.
const (
	mostVertices = 100_000
	mostNodes    = 12 // classes in the legend
)

// newPlotGraph is the command that draws a graph.
func newPlotGraph(std streams) *cobra.Command {
	var flags graphFlags
	cmd := &cobra.Command{
		Use:   "graph FILE [GRAPH]",
		Short: "Draw a graph: its vertices and edges in the plane",
		Long: `Draw the vertices and edges of a graph, or with --around those near one vertex.
Linked vertices are placed near each other by a force model. The area of a vertex grows
with its degree, the vertices of most edges are labelled, and colours show communities,
the degree, or an attribute. Edges within a class have its colour.

The largest component is drawn, unless --all asks for all of them. Of a large graph the
vertices of most edges are drawn, and of many edges a sample in which every vertex keeps
the one to its neighbour of most edges. The same graph, flags and seed give the same
picture. Without --out the places of the vertices are drawn as text.`,
		Example: `  heavytail plot graph social.ht --out social.svg
  heavytail plot graph social.ht social --color city --labels 20 --out social.png
  heavytail plot graph social.ht --around alice --within 2 --out alice.svg`,
		Args: between(1, 2, "FILE, and GRAPH where the file has several"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.validate(); err != nil {
				return usageError{err}
			}
			return runPlot(cmd, std, args[0], flags.picture, func(r *runner) error { return r.plotGraph(flags, args[1:]) })
		},
	}
	addPicture(cmd, &flags.picture)
	f := cmd.Flags()
	f.StringVar(&flags.colour, "color", "community", "what the colours show: community, degree, or an attribute")
	f.StringVar(&flags.around, "around", "", "key of a vertex, to draw only those near it")
	f.IntVar(&flags.within, "within", 1, "how many edges away they are at most, with --around")
	f.BoolVar(&flags.all, "all", false, "draw all components of the graph")
	f.IntVar(&flags.vertices, "vertices", 20_000, fmt.Sprintf("vertices to draw at most, those of most edges; up to %d", mostVertices))
	f.IntVar(&flags.edges, "edges", 60_000, "edges to draw at most")
	f.IntVar(&flags.labels, "labels", 12, "vertices to label, those of most edges")
	f.Uint64Var(&flags.seed, "seed", 0, "of the placement")
	return cmd
}

func (f graphFlags) validate() error {
	switch {
	case f.vertices < 1 || f.vertices > mostVertices:
		return fmt.Errorf("--vertices is %d, and must be from 1 to %d", f.vertices, mostVertices)
	case f.edges < 0 || f.labels < 0:
		return errors.New("--edges and --labels must not be negative")
	case f.within < 1:
		return fmt.Errorf("--within is %d, and must be at least 1", f.within)
	}
	return nil
}

// plotGraph draws a graph.
func (r *runner) plotGraph(flags graphFlags, names []string) error {
	name, err := r.graphNamed(names)
	if err != nil {
		return err
	}
	s, err := r.db.Snapshot(r.ctx, name)
	if err != nil {
		return err
	}
	values, err := r.graphValues(name, flags.colour, s.Graph.Vertices())
	if err != nil {
		return err
	}
	chosen, err := r.chosenVertices(s, flags)
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		return errors.New("nothing to draw: the graph has no vertices")
	}
	g, began := s.Graph.Induced(chosen), time.Now()
	at, err := placement.Place(r.ctx, g, placement.Options{Seed: flags.seed, Progress: func(stage string, done, total int64) {
		r.status.Progress(query.Progress{Statement: "PLOT", Stage: stage, Done: done, Total: total, Unit: "passes", Elapsed: time.Since(began)})
	}})
	if err != nil {
		return err
	}
	n := network(s, g, chosen, at, values, flags)
	if n.Title = flags.title; n.Title == "" {
		n.Title = fmt.Sprintf("%s: %s, %s", name, count(g.Vertices(), "vertex"), count(int(g.Edges()), "edge"))
		if flags.around != "" {
			n.Title = fmt.Sprintf("%s around %s: %s, %s", name, flags.around, count(g.Vertices(), "vertex"), count(int(g.Edges()), "edge"))
		}
	}
	return r.put(flags.picture, func(w io.Writer) error { return figure.WriteNetworkText(w, n) },
		func(w io.Writer, format figure.Format) error { return figure.WriteNetwork(w, n, format) })
}

// graphNamed returns the graph that arguments name, or the only one of the file.
func (r *runner) graphNamed(names []string) (string, error) {
	if len(names) > 0 {
		return names[0], nil
	}
	graphs, err := r.db.Graphs(r.ctx)
	if err != nil {
		return "", err
	}
	if len(graphs) != 1 {
		return "", usageError{fmt.Errorf("the file has %s: name the one to draw", count(len(graphs), "graph"))}
	}
	return graphs[0].Name, nil
}

// graphValues returns what the colours show of each vertex; nil for the degree.
func (r *runner) graphValues(graph, colour string, n int) ([]storage.Value, error) {
	if colour == "degree" {
		return nil, nil
	}
	graphs, err := r.db.Graphs(r.ctx)
	if err != nil {
		return nil, err
	}
	stored := false
	for _, g := range graphs {
		for _, a := range g.Attributes {
			stored = stored || g.Name == graph && a.Name == colour
		}
	}
	values := make([]storage.Value, 0, n)
	if colour == "community" && !stored {
		result, err := r.db.Compute(r.ctx, query.ComputeRequest{Graph: graph, Measure: "community"})
		for _, v := range result.Vertices {
			values = append(values, v.Value)
		}
		return values, err
	}
	for row, err := range r.db.EachVertex(r.ctx, query.VerticesRequest{Graph: graph, Attributes: []string{colour}}) {
		if err != nil {
			return nil, err
		}
		values = append(values, row.Values[0])
	}
	return values, nil
}

// chosenVertices are the vertices to draw, ascending.
func (r *runner) chosenVertices(s *storage.Snapshot, flags graphFlags) (chosen []uint32, err error) {
	switch {
	case flags.around != "":
		centre, known := s.Vertex(flags.around)
		if !known { // the error has the nearest key
			_, err := r.db.Neighbors(r.ctx, query.NeighborsRequest{Graph: s.Info.Name, Vertex: flags.around, Limit: 1})
			return nil, err
		}
		chosen = nearby(s.Graph, centre, flags.within)
	case flags.all || s.Graph.Vertices() == 0:
		for v := range s.Graph.Vertices() {
			chosen = append(chosen, uint32(v))
		}
	default:
		components := s.Graph.Components()
		chosen = components.Vertices()[0]
		if left := s.Graph.Vertices() - len(chosen); left > 0 {
			fmt.Fprintf(r.std.err, "notice: %s of other components left out; --all draws them\n", count(left, "vertex"))
		}
	}
	if len(chosen) > flags.vertices {
		fmt.Fprintf(r.std.err, "notice: the %d of %d vertices with most edges drawn; --vertices draws more\n", flags.vertices, len(chosen))
		byDegree := slices.Clone(chosen)
		slices.SortStableFunc(byDegree, func(a, b uint32) int { return cmp.Compare(s.Graph.Degree(b), s.Graph.Degree(a)) })
		if flags.around != "" { // the centre is always there
			centre, _ := s.Vertex(flags.around)
			byDegree = slices.Insert(slices.DeleteFunc(byDegree, func(v uint32) bool { return v == centre }), 0, centre)
		}
		chosen = byDegree[:flags.vertices]
		slices.Sort(chosen)
	}
	return chosen, nil
}

// nearby are the vertices at most so many edges from one, ascending.
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

// network is the picture of the chosen vertices of a graph, which are g alone.
func network(s *storage.Snapshot, g *csr.Graph, chosen []uint32, at []placement.Point, values []storage.Value, flags graphFlags) figure.Network {
	n := figure.Network{Vertices: make([]figure.Node, len(chosen)), Edges: shownEdges(g, flags.edges, flags.seed)}
	// Classes divides points, so each vertex is a point at its number.
	numbered := make([]query.ProjectedVertex, len(chosen))
	for i, v := range chosen {
		degree := s.Graph.Degree(v)
		n.Vertices[i] = figure.Node{X: at[i].X, Y: at[i].Y, Weight: float64(degree)}
		numbered[i] = query.ProjectedVertex{Degree: degree, X: float64(i)}
		if values != nil {
			numbered[i].Value = values[v]
		}
	}
	var series []figure.Series
	switch {
	case values == nil:
		series, n.Ordered = classes(numbered, "")
	case flags.colour == "community":
		series = byText(numbered, flags.colour, mostNodes)
	default:
		if series, n.Ordered = classes(numbered, flags.colour); !n.Ordered {
			series = byText(numbered, flags.colour, mostNodes)
		}
	}
	if n.Rest = !n.Ordered && len(series) > 1 && series[0].Name == otherValues; n.Rest {
		series = append(series[1:], series[0])
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
	for _, i := range byDegree[:min(flags.labels, len(byDegree))] {
		n.Vertices[i].Label = s.Key(chosen[i])
	}
	if centre, _ := s.Vertex(flags.around); flags.around != "" {
		if i, found := slices.BinarySearch(chosen, centre); found {
			n.Vertices[i].Label = flags.around
		}
	}
	return n
}

// shownEdges are the edges of a graph, or at most so many of them: first those of each
// vertex to its neighbour of the largest degree, then a sample of all others.
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
