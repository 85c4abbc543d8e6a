package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"heavytail/cmd/figure"
	"heavytail/cmd/picture"
	"heavytail/embedding/evaluate"
	"heavytail/query"
	"heavytail/query/catalogue"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/query/vectors"
	"heavytail/repl"
	"heavytail/storage"
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
		ValidArgsFunction: completeGraphs,
		Args:              between(2, math.MaxInt, "FILE and at least one NAME"),
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

// plotInShell is what .plot of a shell calls: the command plot on the shell's database.
func plotInShell(std streams, db *query.DB, status *repl.Status) func(context.Context, io.Writer, []string) error {
	return func(ctx context.Context, out io.Writer, args []string) error {
		std := streams{in: std.in, out: out, err: std.err}
		return plotOpened(ctx, std, args, func(cmd *cobra.Command, _ string, p *output, f func(*runner) error) error {
			if err := p.check(); err != nil {
				return err
			}
			return f(&runner{cmd, cmd.Context(), db, std, status, repl.Table})
		})
	}
}

// plotOpened runs the command plot on a database that is open. The first argument is the kind of picture, and there is
// no FILE.
func plotOpened(ctx context.Context, std streams, args []string, on plotter) error {
	cmd := newPlot(on)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetOut(std.out)
	cmd.SetErr(std.err)
	cmd.SetFlagErrorFunc(badFlag)
	cmd.SetArgs(append([]string{args[0], ""}, args[1:]...)) // in place of FILE
	err := cmd.ExecuteContext(ctx)
	var wrong wrongArguments
	if errors.As(err, &wrong) {
		if _, others, ok := strings.Cut(wrong.expected, "and "); ok { // FILE is the one that is open
			return wrongArguments{others, wrong.found - 1}
		}
	}
	return err
}

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
		ValidArgsFunction: completeGraphs,
		Args:              between(1, 2, "FILE, and GRAPH if the file has several"),
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

type projectionFlags struct {
	output
	vectors.ProjectionRequest
	points int
	layout textFlag
}

func newPlotProjection(on plotter) *cobra.Command {
	var flags projectionFlags
	cmd := &cobra.Command{
		Use:   "projection FILE EMBEDDING",
		Short: "Draw an embedding in two dimensions",
		Long: `Draw the vectors of an embedding in the plane: vertices with near vectors are near
each other, as UMAP places them, or with --layout pca at their first two principal
components. Colours are those of the degree of the vertices or of an attribute: shades of
one scale for numbers, and a colour for each of the most frequent texts, communities or
components. More than 100000 vertices are drawn by their principal components.

If the embedding placed the components of its graph apart, only the largest component
is drawn, unless --all is given.`,
		Example: `  heavytail plot projection social.ht spec
  heavytail plot projection social.ht spec --color city --out spec.png`,
		Args: exactly(2, "FILE and EMBEDDING"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.points < 1 {
				return usageError{errors.New("expected --points of 1 or more")}
			}
			flags.Embedding = args[1]
			return on(cmd, args[0], &flags.output, func(r *runner) error { return r.plotProjection(flags) })
		},
	}
	addOutput(cmd, &flags.output)
	f := cmd.Flags()
	f.StringVar(&flags.Attribute, "color", "", "attribute that the colours show; the degree by default")
	f.BoolVar(&flags.All, "all", false, "draw all components of the graph")
	flags.layout = textFlag{"neighbors", []string{"neighbors", "pca"}}
	f.Var(&flags.layout, "layout", "how places are chosen: neighbors, pca")
	f.IntVar(&flags.points, "points", 20_000, "vertices to draw at most, evenly from all of them")
	return cmd
}

func (r *runner) plotProjection(flags projectionFlags) error {
	result, err := r.db.Vectors().Projection(r.ctx, flags.ProjectionRequest)
	if err != nil {
		return err
	}
	r.noteAll(result.Notices)
	options := picture.ProjectionOptions{Embedding: flags.Embedding, Attribute: flags.Attribute, Most: flags.points}
	info, err := r.db.Vectors().Describe(r.ctx, flags.Embedding)
	if err != nil {
		return err
	}
	if options.Category, err = picture.IsCategory(r.ctx, r.db, info.Graph, flags.Attribute); err != nil {
		return err
	}
	if flags.layout.text == "neighbors" {
		options.Near, err = picture.ByNeighbors(r.ctx, r.db, flags.Embedding, &result, r.progress("PLOT", "passes"))
		if err != nil {
			return err
		}
		r.status.Clear()
	}
	chart, drawn := picture.Projection(options, result)
	if drawn < len(result.Vertices) {
		fmt.Fprintf(r.std.err, "notice: %d of %d vertices drawn; --points draws more\n", drawn, len(result.Vertices))
	}
	return r.draw(flags.output, chart)
}

type linkFlags struct {
	output
	studies.EvaluateLinksRequest
	curve     string
	using     []string // methods in the language
	models    []string
	negatives string
}

// linkCurves are the kinds of curves that plot links draws.
var linkCurves = []string{"roc", "precision-recall", "calibration"}

func newPlotLinks(on plotter) *cobra.Command {
	var flags linkFlags
	cmd := &cobra.Command{
		Use:   "links FILE [GRAPH]",
		Short: "Draw how well the links of a graph are predicted",
		Long: `Hold out edges of a graph as EVALUATE LINKS does, score them and pairs without an edge,
and draw the ROC curves of the scorers, or with --curve precision-recall those of precision
and recall. --using names a method with its options, as EMBED takes it, and may be
repeated: its scorers and models are drawn too. Nothing is stored.

With --curve calibration nothing is held out: the stored models of the graph are drawn,
the probability that they predict against the fraction of edges on the pairs that were
hidden from their training.`,
		Example: `  heavytail plot links social.ht social --scorers common_neighbors,l3 --out roc.svg
  heavytail plot links social.ht social --curve precision-recall --using "dp_spectral(dim := 32)"
  heavytail plot links social.ht social --curve calibration`,
		ValidArgsFunction: completeGraphs,
		Args:              between(1, 2, "FILE, and GRAPH if the file has several"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(linkCurves, flags.curve) {
				return usageError{fmt.Errorf("--curve is %q: expected %s", flags.curve, strings.Join(linkCurves, ", "))}
			}
			req, err := flags.request()
			if err != nil {
				return usageError{err}
			}
			return on(cmd, args[0], &flags.output, func(r *runner) error { return r.plotLinks(flags, req, args[1:]) })
		},
	}
	addOutput(cmd, &flags.output)
	f := cmd.Flags()
	f.StringVar(&flags.curve, "curve", "roc", "what is drawn: "+strings.Join(linkCurves, ", "))
	f.StringArrayVar(&flags.using, "using", nil, "method with its options; may be repeated")
	f.StringSliceVar(&flags.Scorers, "scorers", nil, "comma-separated scorers to draw; all by default")
	f.StringSliceVar(&flags.models, "models", nil, "models to draw with --curve calibration; all of the graph by default")
	f.StringVar(&flags.negatives, "negatives", "random", "pairs without an edge to compare with: random, degree or two_hop")
	f.Float64Var(&flags.Share, "share", 0, "fraction of the edges to hold out; 0.2 by default")
	f.BoolVar(&flags.Latest, "latest", false, "hold out the edges with the latest timestamps")
	f.Uint64Var(&flags.Seed, "seed", 0, "seed of the edges and pairs that are drawn")
	must(cmd.RegisterFlagCompletionFunc("curve", cobra.FixedCompletions(linkCurves, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// curveSteps is how many steps a curve has: a picture shows no more.
const curveSteps = 200

// request is the evaluation that the flags ask for, without the graph.
func (f linkFlags) request() (studies.EvaluateLinksRequest, error) {
	req := f.EvaluateLinksRequest
	req.CurveSteps, req.Negatives = curveSteps, []evaluate.Negatives{evaluate.Negatives(f.negatives)}
	for _, text := range f.using {
		m, err := methodOf(text)
		if err != nil {
			return req, err
		}
		req.Methods = append(req.Methods, studies.LinkMethod{Method: m.Method, Settings: m.Settings})
	}
	return req, nil
}

// plotLinks draws the curves of a link evaluation, or the calibration of models.
func (r *runner) plotLinks(flags linkFlags, req studies.EvaluateLinksRequest, names []string) (err error) {
	if req.Graph, err = r.graphNamed(names); err != nil {
		return err
	}
	if flags.curve == "calibration" {
		return r.plotCalibration(flags, req.Graph)
	}
	result, err := r.db.Studies().EvaluateLinks(r.ctx, req)
	if err != nil {
		return err
	}
	r.noteAll(result.Notices)
	chart := picture.ROC
	if flags.curve == "precision-recall" {
		chart = picture.PrecisionRecall
	}
	drawn := chart(result, req.Negatives[0])
	drawn.Title = req.Graph + ": " + drawn.Title
	return noPoint(r.draw(flags.output, drawn), "no pair has a score")
}

// plotCalibration draws the calibration of all models of a graph, or of those that
// the flags name.
func (r *runner) plotCalibration(flags linkFlags, graph string) error {
	all, err := r.db.Links().Models(r.ctx)
	if err != nil {
		return err
	}
	var models []storage.ModelInfo
	for _, m := range all {
		if m.Graph == graph && (flags.models == nil || slices.Contains(flags.models, m.Name)) {
			models = append(models, m.ModelInfo)
		}
	}
	for _, name := range flags.models {
		if _, err := r.db.Links().DescribeModel(r.ctx, name); err != nil { // the error suggests the nearest name
			return err
		}
		if !slices.ContainsFunc(models, func(m storage.ModelInfo) bool { return m.Name == name }) {
			return fmt.Errorf("model %q is of another graph than %q", name, graph)
		}
	}
	if len(models) == 0 {
		return errors.New("nothing to draw: the graph has no models; TRAIN MODEL makes one")
	}
	return r.draw(flags.output, picture.Calibration(models))
}
