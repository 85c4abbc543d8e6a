package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"heavytail/cmd/figure"
	"heavytail/query"
)

// newPlot is the command above those that draw.
func newPlot(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plot degrees|parameters|projection|graph FILE …",
		Short: "Draw degrees, studies of parameters, an embedding, or a graph",
		Long: `Draw degree distributions, how a reconstruction depends on the parameters of a
method, an embedding in two dimensions, or a graph itself: as lines of text, or with --out as a
picture. The form of a picture follows from the ending of its name: .svg, .png or .pdf.`,
		Example: `  heavytail plot degrees social.ht social spec --out degrees.svg
  heavytail plot parameters social.ht social --vary beta --out beta.png
  heavytail plot projection social.ht spec
  heavytail plot graph social.ht --out social.svg`,
		Args: exactly(1, "one of: degrees, parameters, projection, graph"),
		RunE: func(_ *cobra.Command, args []string) error {
			return usageError{fmt.Errorf("unknown plot %q: expected degrees, parameters, projection or graph", args[0])}
		},
	}
	cmd.AddCommand(newPlotDegrees(std), newPlotParameters(std), newPlotProjection(std), newPlotGraph(std))
	return cmd
}

// newPlotDegrees is the command that draws degree distributions.
func newPlotDegrees(std streams) *cobra.Command {
	var p picture
	cmd := &cobra.Command{
		Use:   "degrees FILE NAME…",
		Short: "Draw the degrees of graphs, and of reconstructions from embeddings",
		Long: `Draw degree distributions on logarithmic axes, where a power law is a straight
line. NAME is a graph, or an embedding: for that the degrees of its best
reconstruction are drawn, with the ε at which the degrees correlate best.`,
		Example: `  heavytail plot degrees social.ht social
  heavytail plot degrees social.ht social spec plain --out degrees.svg`,
		Args: atLeast(2, "FILE and at least one NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runPlot(cmd, std, args[0], p, func(r *runner) error { return r.plotDegrees(p, args[1:]) })
		},
	}
	addPicture(cmd, &p)
	return cmd
}

// plotDegrees draws the degrees of graphs and embeddings.
func (r *runner) plotDegrees(p picture, names []string) error {
	var list []figure.Degrees
	embeddings, err := r.db.Embeddings(r.ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		line := figure.Degrees{Name: name}
		var counts []query.DegreeCount
		if isEmbedding(embeddings, name) {
			result, err := r.db.ReconstructedDegrees(r.ctx, query.EvaluateReconstructionRequest{Embedding: name})
			if err != nil {
				return err
			}
			line.Name = fmt.Sprintf("%s at ε %.3f", name, result.Point.Epsilon)
			counts = result.Degrees
			r.noteAll(result.Notices)
		} else if counts, err = r.db.Degrees(r.ctx, name); err != nil {
			return err
		}
		for _, c := range counts {
			line.Counts = append(line.Counts, figure.Count{Degree: c.Degree, Vertices: c.Vertices})
		}
		list = append(list, line)
	}
	return noPoint(r.draw(p, figure.DegreeChart("Degree distributions", list)), "no vertex has an edge")
}

func isEmbedding(list []query.EmbeddingSummary, name string) bool {
	for _, e := range list {
		if e.Name == name {
			return true
		}
	}
	return false
}

// atLeast requires n arguments or more, described by what.
func atLeast(n int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < n {
			return usageError{fmt.Errorf("expected %s, found %s", what, count(len(args), "argument"))}
		}
		return nil
	}
}
