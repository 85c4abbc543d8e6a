package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"heavytail/cmd/figure"
	"heavytail/cmd/picture"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/vectors"
	"heavytail/repl"

	"github.com/spf13/cobra"
)

var plotKinds = []string{"degrees", "parameters", "projection", "graph", "links"}

func newPlot(on plotter) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plot degrees|parameters|projection|graph|links FILE …",
		Short: "Draw degrees, studies of parameters, an embedding, a graph, or link prediction",
		Long: `Draw degree distributions, how a reconstruction depends on the parameters of a
method, an embedding in two dimensions, a graph itself, or how well its links are predicted:
as lines of text, or with --out as a picture. The ending of its name decides the form of
the picture: .svg, .png or .pdf.`,
		Example: `  heavytail plot degrees social.ht social spec --out degrees.svg
  heavytail plot parameters social.ht social --vary beta --out beta.png
  heavytail plot projection social.ht spec
  heavytail plot graph social.ht --out social.svg
  heavytail plot links social.ht --curve roc --out roc.pdf`,
		Args: exactly(1, "one of: "+strings.Join(plotKinds, ", ")),
		RunE: func(_ *cobra.Command, args []string) error {
			return usageError{fmt.Errorf("unknown plot %q: expected %s", args[0], strings.Join(plotKinds, ", "))}
		},
	}
	cmd.AddCommand(newPlotDegrees(on), newPlotParameters(on), newPlotProjection(on), newPlotGraph(on), newPlotLinks(on))
	return cmd
}

type degreeFlags struct {
	output
	law bool
}

func newPlotDegrees(on plotter) *cobra.Command {
	var flags degreeFlags
	cmd := &cobra.Command{
		Use:   "degrees FILE NAME…",
		Short: "Draw the degrees of graphs, and of reconstructions from embeddings",
		Long: `Draw degree distributions on logarithmic axes, where a power law is a straight
line. NAME is a graph, or an embedding: for that the degrees of its best
reconstruction are drawn, with the ε at which the degrees correlate best. A line shows
the power law that is fitted to the degrees of a graph.`,
		Example: `  heavytail plot degrees social.ht social
  heavytail plot degrees social.ht social spec plain --out degrees.svg --size 600x400`,
		Args: between(2, math.MaxInt, "FILE and at least one NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return on(cmd, args[0], &flags.output, func(r *runner) error { return r.plotDegrees(flags, args[1:]) })
		},
	}
	addOutput(cmd, &flags.output)
	cmd.Flags().BoolVar(&flags.law, "law", true, "draw the fitted power law")
	return cmd
}

func (r *runner) plotDegrees(flags degreeFlags, names []string) error {
	var list []figure.Degrees
	embeddings, err := r.db.Vectors().List(r.ctx)
	if err != nil {
		return err
	}
	for _, name := range names {
		if slices.ContainsFunc(embeddings, func(e catalogue.EmbeddingSummary) bool { return e.Name == name }) {
			result, err := r.db.Vectors().ReconstructedDegrees(r.ctx, vectors.EvaluateReconstructionRequest{Embedding: name})
			if err != nil {
				return err
			}
			list = append(list, picture.Reconstructed(name, result))
			r.noteAll(result.Notices)
			continue
		}
		counts, err := r.db.Graphs().Degrees(r.ctx, name)
		if err != nil {
			return err
		}
		line := picture.Degrees(name, counts)
		if flags.law {
			law, err := picture.FitLaw(r.ctx, counts)
			if err != nil {
				return err
			}
			line = picture.WithLaw(line, law)
		}
		list = append(list, line)
	}
	return noPoint(r.draw(flags.output, figure.DegreeChart("Degree distributions", list)), "no vertex has an edge")
}

// plotInShell is what .plot of a shell calls: the command plot on the shell's database. The
// first argument is the kind of picture, and there is no FILE.
func plotInShell(std streams, db *query.DB, status *repl.Status) func(context.Context, io.Writer, []string) error {
	return func(ctx context.Context, out io.Writer, args []string) error {
		std := streams{in: std.in, out: out, err: std.err}
		cmd := newPlot(func(cmd *cobra.Command, _ string, p *output, f func(*runner) error) error {
			if err := p.check(); err != nil {
				return err
			}
			return f(&runner{cmd, cmd.Context(), db, std, status, repl.Table})
		})
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetOut(out)
		cmd.SetErr(std.err)
		cmd.SetFlagErrorFunc(badFlag)
		cmd.SetArgs(append([]string{args[0], ""}, args[1:]...)) // in place of FILE
		err := cmd.ExecuteContext(ctx)
		var wrong wrongArguments
		if errors.As(err, &wrong) {
			if _, others, ok := strings.Cut(wrong.expected, "and "); ok { // FILE is that of the shell
				return wrongArguments{others, wrong.found - 1}
			}
		}
		return err
	}
}
