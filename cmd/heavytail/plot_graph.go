package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
	"heavytail/cmd/figure"
	"heavytail/cmd/picture"
	"heavytail/query/rows"
)

type graphFlags struct {
	output
	picture.NetworkOptions
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
	f.StringVar(&flags.Colour, "color", "community", "what the colours show: community, degree, or an attribute")
	f.StringVar(&flags.Around, "around", "", "key of a vertex, to draw only those near it")
	f.IntVar(&flags.Depth, "depth", 1, "how many edges away they are at most, with --around")
	f.BoolVar(&flags.All, "all", false, "draw all components of the graph")
	f.IntVar(&flags.Vertices, "vertices", 20_000, fmt.Sprintf("vertices to draw at most, those of most edges; up to %d", picture.MostVertices))
	f.IntVar(&flags.Edges, "edges", 60_000, "edges to draw at most")
	f.IntVar(&flags.Labels, "labels", 12, "vertices to label, those of most edges")
	f.Uint64Var(&flags.Seed, "seed", 0, "seed of the layout")
	return cmd
}

func (f graphFlags) validate() error {
	switch {
	case f.Vertices < 1 || f.Vertices > picture.MostVertices:
		return fmt.Errorf("--vertices is %d, and must be from 1 to %d", f.Vertices, picture.MostVertices)
	case f.Edges < 0 || f.Labels < 0:
		return errors.New("--edges and --labels must not be negative")
	case f.Depth < 1:
		return fmt.Errorf("--depth is %d, and must be at least 1", f.Depth)
	}
	return nil
}

func (r *runner) plotGraph(flags graphFlags, names []string) (err error) {
	if flags.Graph, err = r.graphNamed(names); err != nil {
		return err
	}
	flags.Progress = r.progress("PLOT", "passes")
	n, err := picture.NewNetwork(r.ctx, r.db, flags.NetworkOptions)
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
		if flags.Vertices < picture.MostVertices {
			more = "; --vertices draws more"
		}
		fmt.Fprintf(r.std.err, "notice: the %d of %d vertices with most edges drawn%s\n", drawn, n.Of, more)
	}
	n.Size = flags.size
	if n.Title = flags.title; n.Title == "" {
		n.Title = fmt.Sprintf("%s: %s, %s", flags.Graph, count(len(n.Vertices), "vertex"), count(int(n.EdgesOf), "edge"))
		if flags.Around != "" {
			n.Title = fmt.Sprintf("%s around %s: %s, %s", flags.Graph, flags.Around, count(len(n.Vertices), "vertex"), count(int(n.EdgesOf), "edge"))
		}
	}
	return r.put(flags.output, func(w io.Writer) error { return figure.WriteNetworkText(w, n.Network) },
		func(w io.Writer, format figure.Format) error { return figure.WriteNetwork(w, n.Network, format) })
}

// progress shows the progress of work that is not a statement.
func (r *runner) progress(what, unit string) func(stage string, done, total int64) {
	began := time.Now()
	return func(stage string, done, total int64) {
		r.status.Progress(rows.Progress{Statement: what, Stage: stage, Done: done, Total: total, Unit: unit, Elapsed: time.Since(began)})
	}
}

// graphNamed returns the graph that arguments name, or the only one of the file.
func (r *runner) graphNamed(names []string) (string, error) {
	if len(names) > 0 {
		return names[0], nil
	}
	graphs, err := r.db.Graphs().List(r.ctx)
	if err != nil {
		return "", err
	}
	if len(graphs) != 1 {
		return "", usageError{fmt.Errorf("the file has %s: name the one to draw", count(len(graphs), "graph"))}
	}
	return graphs[0].Name, nil
}
