package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// This file measures unit_ball over its options: what they do to reconstructions, to
// hidden links and to labels.

// Names of files of RunCurve in Config.Out; curvetables.go has the others.
const (
	curveStoreName   = "curve.ht"
	curveJournalName = "curve.ndjson"
)

// RunCurve measures unit_ball over anchor, dim, start and margin, and returns the tables
// as Markdown. A point is one choice of these on one graph: an embedding of the whole
// graph for reconstruction and labels, and another one of the graph without a fifth of its
// edges, which are to be predicted. Every finished point is one line of the journal in the
// folder config.Out, and the same call continues after the finished ones. It uses these
// fields of config: Data, Out, Graphs (names of CurveGraphs; empty means all), Quick (no
// large graphs), Progress and Log. Errors are those of Run.
func RunCurve(ctx context.Context, config Config) (report string, err error) {
	graphs, err := chooseCurveGraphs(config)
	if err != nil {
		return "", err
	}
	return runCurve(ctx, config, graphs, curvePoints(graphs))
}

func chooseCurveGraphs(config Config) ([]curveGraph, error) {
	graphs, err := chosen(config.Graphs, curveGraphs(), curveGraph.stored)
	return slices.DeleteFunc(graphs, func(g curveGraph) bool { return config.Quick && g.large }), err
}

func runCurve(ctx context.Context, config Config, graphs []curveGraph, points []curvePoint) (report string, err error) {
	e := &experiment{config: config}
	for _, g := range graphs {
		if err := e.need(g.name, g.file, g.labels); err != nil {
			return "", err
		}
	}
	return e.runAt(ctx, curveStoreName, curveJournalName, func() []step { return e.curveSteps(points) },
		func() (string, error) { return e.writeCurve(graphs, points) })
}

// curveSteps lists the steps: the graph and its labels before its first point.
func (e *experiment) curveSteps(points []curvePoint) []step {
	var list []step
	for _, p := range points {
		g := dataset{name: p.graph.name, file: p.graph.file, labels: p.graph.labels}
		list = append(list, e.loading(g)...)
		list = append(list, step{graph: g, statement: p.name(), about: p.call(), cost: p.cost(),
			answer: func(ctx context.Context) ([]string, [][]any, error) { return e.measureCurve(ctx, p) }})
	}
	return firsts(list)
}

func (e *experiment) measureCurve(ctx context.Context, p curvePoint) ([]string, [][]any, error) {
	m := map[string]float64{}
	if _, err := e.answers(ctx, fmt.Sprintf("EMBED %s USING %s AS point_%s", p.graph.name, p.call(), p.graph.name)); err != nil {
		return nil, nil, err
	}
	if err := errors.Join(e.curveDegrees(ctx, p, m), e.curveLinks(ctx, p, m), e.curveLabels(ctx, p, m)); err != nil {
		return nil, nil, err
	}
	row := make([]any, len(curveColumns))
	for i, c := range curveColumns {
		row[i] = figureOf(m, c)
	}
	return curveColumns, [][]any{row}, nil
}

// curveDegrees measures the reconstruction at radius 1, for which unit_ball is trained.
func (e *experiment) curveDegrees(ctx context.Context, p curvePoint, m map[string]float64) error {
	if p.alone() {
		return nil
	}
	rows, err := e.answers(ctx, fmt.Sprintf("RECONSTRUCT point_%s RADIUS 1", p.graph.name))
	if err != nil || len(rows) == 0 {
		return err
	}
	found := numbers(rows[0])
	for _, name := range []string{"pearson", "spearman", "precision", "recall"} {
		m[name] = figureOf(found, name)
	}
	if loaded := e.journal.done["IMPORT $file INTO "+p.graph.name].rows(); len(loaded) > 0 {
		m["wrong pairs"] = wrong(found, numbers(loaded[0])["edges"])
	}
	return nil
}

// curveLinks measures how a fifth of the edges is predicted: by the distance, and of the
// start alone by the best of distance, cosine and dot product.
func (e *experiment) curveLinks(ctx context.Context, p curvePoint, m map[string]float64) error {
	scorers := "l2"
	if p.alone() {
		scorers = "l2, cosine, dot"
	}
	rows, err := e.answers(ctx, fmt.Sprintf("EVALUATE LINKS IN %s USING %s WITH (negatives := 'random, degree', scorers := '%s', latest := FALSE, seed := 1)",
		p.graph.name, p.call(), scorers))
	for _, r := range rows {
		if scorer := fmt.Sprint(r["scorer"]); !slices.Contains(strings.Split(scorers, ", "), scorer) {
			continue
		}
		found, kind := numbers(r), fmt.Sprint(r["negatives"])
		for short, column := range map[string]string{"auc ": "auc", "ap ": "average_precision"} {
			if old, there := m[short+kind]; !there || found[column] > old {
				m[short+kind] = found[column]
			}
		}
	}
	return err
}

// curveLabels measures how classes are predicted from a tenth and a half of them.
func (e *experiment) curveLabels(ctx context.Context, p curvePoint, m map[string]float64) error {
	if p.graph.labels == "" {
		return nil
	}
	rows, err := e.answers(ctx, fmt.Sprintf("EVALUATE LABELS '%s' OF point_%s WITH (fractions := '0.1, 0.5', seeds := 3, separator := '%s')",
		classAttribute, p.graph.name, classSeparator))
	for _, r := range rows {
		found := numbers(r)
		m[fmt.Sprintf("labels %.0f", 100*found["fraction"])] = found["micro_f1"]
	}
	return err
}

// answers runs a statement and returns its rows.
func (e *experiment) answers(ctx context.Context, statement string) ([]map[string]any, error) {
	var done entry
	err := e.ask(ctx, step{statement: statement}, &done)
	return done.rows(), err
}
