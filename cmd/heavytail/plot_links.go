package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"heavytail/cmd/picture"
	"heavytail/embedding/evaluate"
	"heavytail/query/studies"
	"heavytail/storage"
)

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
		Args: between(1, 2, "FILE, and GRAPH if the file has several"),
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
