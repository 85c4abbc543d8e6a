package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"heavytail/cmd/figure"
	"heavytail/query"
	"heavytail/query/parser"
	"heavytail/repl"
)

// newPlot is the command above those that draw.
func newPlot(std streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plot degrees|parameters|projection FILE …",
		Short: "Draw degrees, studies of parameters, or an embedding",
		Long: `Draw degree distributions, how a reconstruction depends on the parameters of a
method, or an embedding in two dimensions: as lines of text, or with --out as a
picture. The form of a picture follows from the ending of its name, .svg or .png.`,
		Example: `  heavytail plot degrees social.ht social spec --out degrees.svg
  heavytail plot parameters social.ht social --vary beta --out beta.png
  heavytail plot projection social.ht spec`,
		Args: exactly(1, "one of: degrees, parameters, projection"),
		RunE: func(_ *cobra.Command, args []string) error {
			return usageError{fmt.Errorf("unknown plot %q: expected degrees, parameters or projection", args[0])}
		},
	}
	cmd.AddCommand(newPlotDegrees(std), newPlotParameters(std), newPlotProjection(std))
	return cmd
}

// picture is where a chart goes, as flags say.
type picture struct {
	out   string // a file; "" is text on standard output
	title string // in place of the usual one
}

// addPicture gives a command the flags of a picture.
func addPicture(cmd *cobra.Command, p *picture) {
	cmd.Flags().StringVar(&p.out, "out", "", "picture to make, ending in .svg or .png; a file of that name is replaced")
	cmd.Flags().StringVar(&p.title, "title", "", "title of the chart")
	must(cmd.RegisterFlagCompletionFunc("out", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"svg", "png"}, cobra.ShellCompDirectiveFilterFileExt
	}))
}

// check refuses the name of a picture that cannot be made, before anything is
// computed for it.
func (p picture) check() error {
	if p.out == "" {
		return nil
	}
	if _, err := figure.FormatOf(p.out); err != nil {
		return usageError{fmt.Errorf("--out %q ends neither in .svg nor in .png", p.out)}
	}
	if info, err := os.Stat(p.out); err == nil && info.IsDir() {
		return fmt.Errorf("--out %q is a folder", p.out)
	}
	probe, err := os.CreateTemp(filepath.Dir(p.out), ".heavytail-*")
	var failed *os.PathError // whose path is not the one that was given
	if errors.As(err, &failed) {
		err = fmt.Errorf("--out %q: %w", p.out, failed.Err)
	}
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// noPoint says why a chart has no point, if that is what went wrong.
func noPoint(err error, why string) error {
	if errors.Is(err, figure.ErrEmpty) {
		return errors.New("nothing to draw: " + why)
	}
	return err
}

// draw writes a chart to where it goes.
func (r *runner) draw(p picture, chart figure.Chart) error {
	if p.title != "" {
		chart.Title = p.title
	}
	r.status.Clear()
	var content bytes.Buffer
	if p.out == "" {
		if err := figure.WriteText(&content, chart); err != nil {
			return err
		}
		return writeText(r.std.out, content.String())
	}
	format, err := figure.FormatOf(p.out)
	if err == nil {
		err = figure.Write(&content, chart, format)
	}
	if err != nil {
		return err
	}
	return replaceFile(p.out, content.Bytes())
}

// replaceFile writes a file that appears when it is complete.
func replaceFile(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

// noteAll prints notices as statements do.
func (r *runner) noteAll(notices []query.Notice) {
	r.status.Clear()
	for _, n := range notices {
		fmt.Fprintf(r.std.err, "notice: %s\n", parser.Escape(n.String()))
	}
}

// runPlot opens the file at path for reading and calls f.
func runPlot(cmd *cobra.Command, std streams, path string, p picture, f func(*runner) error) error {
	if err := p.check(); err != nil {
		return err
	}
	return runOn(cmd, std, path, query.Options{ReadOnly: true, NoCreate: true}, string(repl.Table), f)
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
