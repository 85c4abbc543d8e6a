package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"heavytail/cmd/figure"
	"heavytail/query/graphs"
	"heavytail/query/studies"
	"heavytail/query/vectors"
)

// This file makes the paper's figures 1 and 3. Steps compute their data, and the
// pictures are drawn from the journal.

// degreesOf returns the steps for figure 1: the degrees of a graph, and of its
// reconstructions without the penalty and with it.
func (e *experiment) degreesOf(d dataset) [][]step {
	counts := step{graph: d, kind: Plots, statement: "degrees of graph " + d.stored(), about: "its degrees", cost: 0.1,
		answer: func(ctx context.Context) ([]string, [][]any, error) {
			degrees, err := e.db.Graphs().Degrees(ctx, d.stored())
			return []string{"degree", "vertices"}, degreeRows(degrees), err
		}}
	groups := [][]step{{counts}}
	for _, t := range e.drawn(d) {
		groups = append(groups, []step{t.making(), {
			graph: d, kind: Plots, statement: "degrees of reconstruction " + t.name(), about: "degrees of the reconstruction by " + t.method, cost: 2 * d.pairCost(),
			answer: func(ctx context.Context) ([]string, [][]any, error) {
				r, err := e.db.Vectors().ReconstructedDegrees(ctx, vectors.EvaluateReconstructionRequest{Embedding: t.name()})
				return []string{"degree", "vertices"}, degreeRows(r.Degrees), err
			},
		}})
	}
	return groups
}

// drawn returns the trials whose reconstructions are in figure 1: LE in the form
// of the paper, as in the paper's figure, and the penalised methods with their
// defaults.
func (e *experiment) drawn(d dataset) []trial {
	var list []trial
	for _, t := range d.trials(e.uses) {
		if t.method == le && t.form == asPaper || t.form == asDefault && t.method != le {
			list = append(list, t)
		}
	}
	return list
}

func degreeRows(degrees []graphs.DegreeCount) [][]any {
	var rows [][]any
	for _, c := range degrees {
		rows = append(rows, []any{float64(c.Degree), float64(c.Vertices)})
	}
	return rows
}

// studied returns the names of the lines of figure 3, and their methods with the
// options that are not varied.
func studied() []struct{ name, call string } {
	return []struct{ name, call string }{
		{"dp_spectral, degree", "dp_spectral(normalization := 'degree')"},
		{"dp_spectral, strength", "dp_spectral(normalization := 'strength')"},
		{"dp_walker", "dp_walker"},
	}
}

// studies returns the steps for figure 3, which has only some of the graphs.
func (e *experiment) studies(d dataset) [][]step {
	if !d.studied {
		return nil
	}
	var groups [][]step
	for _, s := range studied() {
		method, _, _ := strings.Cut(s.call, "(")
		for _, v := range studies.DefaultVariations(method) {
			groups = append(groups, []step{{
				graph: d, kind: Plots, statement: study(d, s.call, v.Option),
				about: fmt.Sprintf("reconstructions by %s against %s", s.name, v.Option),
				cost:  float64(len(v.Values)) * (trial{use: use{call: s.call}, graph: d}.cost() + d.pairCost()),
			}})
		}
	}
	return groups
}

// study returns the statement of a study at the usual values of an option.
func study(d dataset, call, option string) string {
	method, _, _ := strings.Cut(call, "(")
	var values []string
	for _, v := range studies.DefaultVariations(method) {
		for _, value := range v.Values {
			if v.Option == option {
				values = append(values, fmt.Sprint(value))
			}
		}
	}
	return fmt.Sprintf("EVALUATE PARAMETERS IN %s USING %s WITH (%s := '%s')", d.stored(), call, option, strings.Join(values, ", "))
}

func (e *experiment) draw() error {
	for _, d := range e.reported() {
		if err := e.drawDegrees(d); err != nil {
			return err
		}
		for _, v := range studies.DefaultVariations("dp_spectral") {
			if err := e.drawStudy(d, v.Option); err != nil {
				return err
			}
		}
	}
	return nil
}

// drawDegrees draws figure 1 of a graph.
func (e *experiment) drawDegrees(d dataset) error {
	list := []figure.Degrees{{Name: d.name, Counts: e.counts("degrees of graph " + d.stored())}}
	for _, t := range e.drawn(d) {
		if counts := e.counts("degrees of reconstruction " + t.name()); counts != nil {
			list = append(list, figure.Degrees{Name: fmt.Sprintf("%s, %s", t.method, t.form), Counts: counts})
		}
	}
	return e.picture("degrees-"+d.stored(), figure.DegreeChart("Degrees of "+d.name+" and of its reconstructions", list))
}

// counts returns the degrees in the answer of a step.
func (e *experiment) counts(statement string) []figure.Count {
	var counts []figure.Count
	for _, r := range e.journal.done[statement].rows() {
		n := numbers(r)
		counts = append(counts, figure.Count{Degree: int(n["degree"]), Vertices: int64(n["vertices"])})
	}
	return counts
}

func (e *experiment) drawStudy(d dataset, option string) error {
	labels := map[string]string{
		"dim": "dimension k", "beta": "degree penalty β", "scale": "scale γ, power of the eigenvalues", "row_scale": "row scale δ, power of the degrees",
	}
	chart := figure.Chart{Title: d.name + ": reconstruction against " + option, X: figure.Axis{Label: labels[option]}, Y: figure.Axis{Label: "Pearson's r of degrees"}}
	for _, s := range studied() {
		line := figure.Series{Name: s.name}
		for _, r := range e.journal.done[study(d, s.call, option)].rows() {
			n := row{measures: numbers(r)}
			line.Points = append(line.Points, figure.Point{X: n.get("value"), Y: n.get("pearson")})
		}
		if line.Points != nil {
			chart.Series = append(chart.Series, line)
		}
	}
	return e.picture(strings.ReplaceAll("parameters-"+d.stored()+"-"+option, "_", "-"), chart)
}

// picture writes a chart as SVG and as PNG, unless it has no points yet.
func (e *experiment) picture(name string, chart figure.Chart) error {
	for _, format := range figure.Formats() {
		var content bytes.Buffer
		err := figure.Write(&content, chart, format)
		if errors.Is(err, figure.ErrEmpty) {
			return nil
		}
		if err == nil {
			err = os.WriteFile(e.path(name+"."+string(format)), content.Bytes(), 0o600)
		}
		if err != nil {
			return fmt.Errorf("paper: picture: %w", err)
		}
	}
	return nil
}
