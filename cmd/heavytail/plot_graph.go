package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"heavytail/cmd/figure"
	"heavytail/cmd/picture"
	"heavytail/query"
)

type graphFlags struct {
	output
	colour   string // community, degree, or an attribute
	around   string // the key of a vertex to draw with its surroundings; "" draws the graph
	depth    int    // edges from it
	all      bool
	vertices int
	edges    int
	labels   int
	seed     uint64
}

func newPlotGraph(on plotter) *cobra.Command {
	var flags graphFlags
	cmd := &cobra.Command{
		Use:   "graph FILE [GRAPH]",
		Short: "Draw a graph: its vertices and edges in the plane",
		Long: `Draw the vertices and edges of a graph, or with --around those near one vertex.
Linked vertices are placed near each other by a force model. The area of a vertex grows
with its degree, the vertices of most edges are labelled, and colours show communities,
the degree, or an attribute. Edges within a class have its colour.

Only the largest component is drawn, unless --all is given. In a large graph only the
vertices of highest degree are drawn, and of many edges only a sample, in which every
vertex keeps the edge to its neighbour of highest degree. The same graph, flags and seed
give the same picture. Without --out the positions of the vertices are drawn as text.`,
		Example: `  heavytail plot graph social.ht --out social.svg
  heavytail plot graph social.ht social --color city --labels 20 --out social.png
  heavytail plot graph social.ht --around alice --depth 2 --out alice.svg`,
		Args: between(1, 2, "FILE, and GRAPH if the file has several"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := flags.validate(); err != nil {
				return usageError{err}
			}
			return on(cmd, args[0], &flags.output, func(r *runner) error { return r.plotGraph(flags, args[1:]) })
		},
	}
	addOutput(cmd, &flags.output)
	f := cmd.Flags()
	f.StringVar(&flags.colour, "color", "community", "what the colours show: community, degree, or an attribute")
	f.StringVar(&flags.around, "around", "", "key of a vertex, to draw only those near it")
	f.IntVar(&flags.depth, "depth", 1, "how many edges away they are at most, with --around")
	f.BoolVar(&flags.all, "all", false, "draw all components of the graph")
	f.IntVar(&flags.vertices, "vertices", 20_000, fmt.Sprintf("vertices to draw at most, those of most edges; up to %d", picture.MostVertices))
	f.IntVar(&flags.edges, "edges", 60_000, "edges to draw at most")
	f.IntVar(&flags.labels, "labels", 12, "vertices to label, those of most edges")
	f.Uint64Var(&flags.seed, "seed", 0, "seed of the layout")
	return cmd
}

func (f graphFlags) validate() error {
	switch {
	case f.vertices < 1 || f.vertices > picture.MostVertices:
		return fmt.Errorf("--vertices is %d, and must be from 1 to %d", f.vertices, picture.MostVertices)
	case f.edges < 0 || f.labels < 0:
		return errors.New("--edges and --labels must not be negative")
	case f.depth < 1:
		return fmt.Errorf("--depth is %d, and must be at least 1", f.depth)
	}
	return nil
}

func (r *runner) plotGraph(flags graphFlags, names []string) error {
	name, err := r.graphNamed(names)
	if err != nil {
		return err
	}
	n, err := picture.NewNetwork(r.ctx, r.db, picture.NetworkOptions{
		Graph: name, Colour: flags.colour, Around: flags.around, Depth: flags.depth, All: flags.all,
		Vertices: flags.vertices, Edges: flags.edges, Labels: flags.labels, Seed: flags.seed, Progress: r.progress("PLOT", "passes"),
	})
	if errors.Is(err, picture.ErrEmpty) {
		return fmt.Errorf("nothing to draw: %w", err)
	}
	if err != nil {
		return err
	}
	r.status.Clear()
	if n.LeftOut > 0 {
		fmt.Fprintf(r.std.err, "notice: %s of other components left out; --all draws them\n", count(n.LeftOut, "vertex"))
	}
	if drawn := len(n.Vertices); drawn < n.Of {
		more := ""
		if flags.vertices < picture.MostVertices {
			more = "; --vertices draws more"
		}
		fmt.Fprintf(r.std.err, "notice: the %d of %d vertices with most edges drawn%s\n", drawn, n.Of, more)
	}
	n.Size = flags.size
	if n.Title = flags.title; n.Title == "" {
		n.Title = fmt.Sprintf("%s: %s, %s", name, count(len(n.Vertices), "vertex"), count(int(n.EdgesOf), "edge"))
		if flags.around != "" {
			n.Title = fmt.Sprintf("%s around %s: %s, %s", name, flags.around, count(len(n.Vertices), "vertex"), count(int(n.EdgesOf), "edge"))
		}
	}
	return r.put(flags.output, func(w io.Writer) error { return figure.WriteNetworkText(w, n.Network) },
		func(w io.Writer, format figure.Format) error { return figure.WriteNetwork(w, n.Network, format) })
}

// progress shows the progress of work that is not a statement.
func (r *runner) progress(what, unit string) func(stage string, done, total int64) {
	began := time.Now()
	return func(stage string, done, total int64) {
		r.status.Progress(query.Progress{Statement: what, Stage: stage, Done: done, Total: total, Unit: unit, Elapsed: time.Since(began)})
	}
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
