package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"heavytail/cmd/figure"
	"heavytail/query/studies"
	"heavytail/query/vectors"
)

type studyFlags struct {
	output
	using   []string // methods in the language
	vary    string   // an option, perhaps with its values
	measure string
}

// measures are the quantities that a study can plot.
var measures = []struct {
	name, label string
	of          func(studies.ParameterPoint) float64
}{
	{"pearson", "Pearson's r of degrees", func(p studies.ParameterPoint) float64 { return p.Pearson }},
	{"spearman", "Spearman's ρ of degrees", func(p studies.ParameterPoint) float64 { return p.Spearman }},
	{"kendall", "Kendall's τ of degrees", func(p studies.ParameterPoint) float64 { return p.Kendall }},
	{"f1", "F1 of edges", func(p studies.ParameterPoint) float64 { return p.F1 }},
	{"h3", "H3: mean of r, ρ and F1", func(p studies.ParameterPoint) float64 { return p.H3 }},
	{"null_h3", "H3 of the lengths alone", func(p studies.ParameterPoint) float64 { return p.Null.H3 }},
	{"ks", "distance of degrees from a power law (KS)", func(p studies.ParameterPoint) float64 { return p.KS() }},
}

func measureNames() []string {
	var names []string
	for _, m := range measures {
		names = append(names, m.name)
	}
	return names
}

// axisLabels are the labels of the horizontal axis for some options.
var axisLabels = map[string]string{
	"dim": "dimension k", "beta": "degree penalty β", "scale": "scale γ, power of the eigenvalues", "row_scale": "row scale δ, power of the degrees",
}

func newPlotParameters(on plotter) *cobra.Command {
	var flags studyFlags
	cmd := &cobra.Command{
		Use:   "parameters FILE GRAPH --vary OPTION[=VALUES]",
		Short: "Draw how a reconstruction depends on a parameter of the methods",
		Long: `Embed a graph with one option at a number of values, and draw how well the best
reconstruction of each reproduces the degrees. One solve serves all values of dim,
scale and row_scale.

--using names a method with its fixed options, as EMBED takes it, and may be
repeated: each is a line. Nothing is stored.`,
		Example: `  heavytail plot parameters social.ht social --vary dim
  heavytail plot parameters social.ht social --vary beta=0,0.5,1,1.5,2 --using "dp_spectral(normalization := 'degree')" --using dp_walker --out beta.svg`,
		ValidArgsFunction: completeGraphs,
		Args:              exactly(2, "FILE and GRAPH"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(measureNames(), flags.measure) {
				return usageError{fmt.Errorf("--measure is %q: expected %s", flags.measure, strings.Join(measureNames(), ", "))}
			}
			requests, err := flags.requests(args[1])
			if err != nil {
				return usageError{err}
			}
			return on(cmd, args[0], &flags.output, func(r *runner) error { return r.plotParameters(flags, requests) })
		},
	}
	addOutput(cmd, &flags.output)
	f := cmd.Flags()
	f.StringVar(&flags.vary, "vary", "", "option to vary, such as dim or beta=0,0.5,1; without values its usual ones")
	f.StringArrayVar(&flags.using, "using", []string{"dp_spectral"}, "method with its fixed options; may be repeated")
	f.StringVar(&flags.measure, "measure", "pearson", "what is drawn: "+strings.Join(measureNames(), ", "))
	must(cmd.RegisterFlagCompletionFunc("measure", cobra.FixedCompletions(measureNames(), cobra.ShellCompDirectiveNoFileComp)))
	must(cmd.RegisterFlagCompletionFunc("vary", cobra.FixedCompletions([]string{"dim", "beta", "scale", "row_scale"}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// requests are the studies that the flags ask for, one for each method.
func (f studyFlags) requests(graph string) ([]studies.EvaluateParametersRequest, error) {
	option, values, err := f.variation()
	if err != nil {
		return nil, err
	}
	var list []studies.EvaluateParametersRequest
	for _, text := range f.using {
		req, err := methodOf(text)
		if err != nil {
			return nil, err
		}
		req.Graph = graph
		vary := studies.Variation{Option: option, Values: values}
		if values == nil {
			usual := studies.DefaultVariations(req.Method)
			i := slices.IndexFunc(usual, func(v studies.Variation) bool { return v.Option == option })
			if i < 0 {
				return nil, fmt.Errorf("--vary %s has no usual values with %s: expected some, as in --vary %s=1,2", option, req.Method, option)
			}
			vary = usual[i]
		}
		req.Vary = []studies.Variation{vary}
		list = append(list, req)
	}
	return list, nil
}

// variation reads --vary.
func (f studyFlags) variation() (option string, values []float64, err error) {
	option, list, given := strings.Cut(f.vary, "=")
	if option == "" {
		return "", nil, errors.New("expected --vary OPTION, such as --vary dim or --vary beta=0,0.5,1")
	}
	if !given {
		return option, nil, nil
	}
	for _, text := range strings.Split(list, ",") {
		value, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return "", nil, fmt.Errorf("--vary %s: %q is no number", f.vary, text)
		}
		values = append(values, value)
	}
	slices.Sort(values)
	return option, values, nil
}

// methodOf reads a method with options as EMBED takes it.
func methodOf(text string) (studies.EvaluateParametersRequest, error) {
	method, settings, err := vectors.ParseMethod(text)
	if err != nil {
		return studies.EvaluateParametersRequest{}, fmt.Errorf("--using %q is no method with its options, such as dp_spectral(beta := 0.5): %w", text, err)
	}
	return studies.EvaluateParametersRequest{Method: method, Settings: settings}, nil
}

// plotParameters runs studies and draws them in one chart.
func (r *runner) plotParameters(flags studyFlags, requests []studies.EvaluateParametersRequest) error {
	option := requests[0].Vary[0].Option
	measure := measures[slices.Index(measureNames(), flags.measure)]
	chart := figure.Chart{
		Title: fmt.Sprintf("Reconstruction of %s against %s", requests[0].Graph, option),
		X:     figure.Axis{Label: option},
		Y:     figure.Axis{Label: measure.label},
	}
	if label, known := axisLabels[option]; known {
		chart.X.Label = label
	}
	for i, req := range requests {
		result, err := r.db.Studies().EvaluateParameters(r.ctx, req)
		if err != nil {
			return err
		}
		line := figure.Series{Name: flags.using[i]}
		for _, p := range result.Points {
			line.Points = append(line.Points, figure.Point{X: p.Value, Y: measure.of(p)})
		}
		chart.Series = append(chart.Series, line)
		r.noteAll(result.Notices)
	}
	return noPoint(r.draw(flags.output, chart), flags.measure+" is not defined for any of the values")
}
