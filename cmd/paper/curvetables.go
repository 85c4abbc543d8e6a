package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"heavytail/cmd/figure"
)

// Names of the files of the tables in Config.Out.
const (
	curveReportName = "curve.md"
	curveCSVName    = "curve.csv"
)

// curveFigures returns the figures of a point, nil if it is not measured yet.
func (e *experiment) curveFigures(p curvePoint) map[string]float64 {
	rows := e.journal.done[p.name()].rows()
	if len(rows) == 0 {
		return nil
	}
	return numbers(rows[0])
}

// writeCurve writes the tables and the picture into the folder, and returns the tables.
func (e *experiment) writeCurve(graphs []curveGraph, points []curvePoint) (string, error) {
	var text strings.Builder
	text.WriteString(`# unit_ball over anchor, dim, start and margin

P, S, precision, recall and wrong pairs are of all pairs at radius 1. AUC and AP are of a fifth of the edges, which the
embedding was trained without, by the distance, against random pairs and against pairs drawn by degree; of a start alone by
the best of distance, cosine and dot product. Labels are micro-F1 of a logistic regression that knows 10 and 50 % of them.
`)
	records := [][]string{append([]string{"graph", "dim", "start", "anchor", "margin", "processor"}, curveColumns...)}
	for _, g := range graphs {
		lines, of := e.curveLines(g, points)
		records = append(records, of...)
		if lines != nil {
			fmt.Fprintf(&text, "\n## %s\n\n", g.name)
			writeTable(&text, []string{"dim", "start", "anchor", "margin", "P / S", "precision / recall", "wrong pairs", "AUC random / degree", "AP random / degree", "labels 10 / 50 %", "processor seconds"}, lines)
		}
	}
	text.WriteString("\n## Settings by their worst graph\n\nThe worst of all measured graphs: of P and S, of the AUC against random and degree-corrected pairs less that of the start alone,\nand of labels less those of the start alone. The AUC of a random start is compared with deepwalk.\n\n")
	writeTable(&text, []string{"dim", "start", "anchor", "margin", "graphs", "P, S", "AUC random", "AUC degree", "labels"}, e.worstOf(points))
	if err := e.writeBoth(curveReportName, text.String(), curveCSVName, records); err != nil {
		return text.String(), err
	}
	return text.String(), e.drawCurve(points)
}

// curveLines returns the lines of a graph in the tables, and those in the file of CSV.
func (e *experiment) curveLines(g curveGraph, points []curvePoint) (lines, records [][]string) {
	for _, p := range points {
		m := e.curveFigures(p)
		if p.graph.name != g.name || m == nil {
			continue
		}
		processor := e.journal.done[p.name()].Processor
		lines = append(lines, append(p.cells(), figuresOf(m, processor)...))
		record := append([]string{g.name}, append(p.cells(), exactly(processor))...)
		for _, c := range curveColumns {
			record = append(record, exactly(figureOf(m, c)))
		}
		records = append(records, record)
	}
	return lines, records
}

func (s setting) cells() []string {
	if s.alone() {
		return []string{strconv.Itoa(s.dim), s.start + " alone", "", ""}
	}
	anchor := fmt.Sprint(s.anchor)
	if s.start == randomStart {
		anchor = ""
	}
	return []string{strconv.Itoa(s.dim), s.start, anchor, fmt.Sprint(s.margin)}
}

func figuresOf(m map[string]float64, processor float64) []string {
	pair := func(a, b string, digits int) string {
		x, y := figureOf(m, a), figureOf(m, b)
		if math.IsNaN(x) && math.IsNaN(y) {
			return ""
		}
		return fmt.Sprintf("%.*f / %.*f", digits, x, digits, y)
	}
	wrong := ""
	if n, there := m["wrong pairs"]; there {
		wrong = strconv.FormatFloat(n, 'f', 0, 64)
	}
	return []string{pair("pearson", "spearman", 4), pair("precision", "recall", 3), wrong,
		pair("auc random", "auc degree", 3), pair("ap random", "ap degree", 3), pair("labels 10", "labels 50", 3), fmt.Sprintf("%.1f", processor)}
}

// worstOf returns a line for each setting with its worst figures over the graphs on which
// the setting and the method that it is compared with are measured.
func (e *experiment) worstOf(points []curvePoint) [][]string {
	type worst struct {
		graphs  int
		figures [4]float64 // NaN if there is none
	}
	found := map[setting]*worst{}
	var order []setting
	for _, p := range points {
		m := e.curveFigures(p)
		if p.alone() || m == nil {
			continue
		}
		with := p
		with.setting = p.reference()
		if p.start == randomStart {
			with.start = "deepwalk"
		}
		ref := e.curveFigures(with)
		if ref == nil {
			continue
		}
		w := found[p.setting]
		if w == nil {
			w = &worst{figures: [4]float64{math.NaN(), math.NaN(), math.NaN(), math.NaN()}}
			found[p.setting], order = w, append(order, p.setting)
		}
		less := func(name string) float64 { return figureOf(m, name) - figureOf(ref, name) }
		w.graphs++
		for i, x := range []float64{
			lower(figureOf(m, "pearson"), figureOf(m, "spearman")), less("auc random"), less("auc degree"), lower(less("labels 10"), less("labels 50")),
		} {
			w.figures[i] = lower(w.figures[i], x)
		}
	}
	var lines [][]string
	for _, s := range order {
		w := found[s]
		line := append(s.cells(), strconv.Itoa(w.graphs), fmt.Sprintf("%.4f", w.figures[0]))
		for _, x := range w.figures[1:] {
			line = append(line, signed(x))
		}
		lines = append(lines, line)
	}
	return lines
}

// lower returns the lower of two figures, of which one may be unknown.
func lower(a, b float64) float64 {
	if math.IsNaN(a) || b < a {
		return b
	}
	return a
}

// drawCurve draws the AUC of hidden links against the anchor, for every graph with 128
// dimensions, the usual margin and the start deepwalk.
func (e *experiment) drawCurve(points []curvePoint) error {
	chart := figure.Chart{
		Title: "unit_ball from deepwalk: hidden links against the anchor", X: figure.Axis{Label: "anchor λ"}, Y: figure.Axis{Label: "AUC less that of deepwalk alone"},
	}
	at := map[string]int{}
	for _, p := range points {
		m := e.curveFigures(p)
		if p.start != "deepwalk" || p.margin != usualMargin || p.dim != 128 || m == nil {
			continue
		}
		start := p
		start.setting = p.reference()
		ref := e.curveFigures(start)
		if ref == nil {
			continue
		}
		if _, there := at[p.graph.name]; !there {
			at[p.graph.name] = len(chart.Series)
			chart.Series = append(chart.Series, figure.Series{Name: p.graph.name})
		}
		line := &chart.Series[at[p.graph.name]]
		line.Points = append(line.Points, figure.Point{X: p.anchor, Y: figureOf(m, "auc random") - figureOf(ref, "auc random")})
	}
	for _, line := range chart.Series { // the points are in the order of their measurement
		slices.SortFunc(line.Points, func(a, b figure.Point) int { return cmp.Compare(a.X, b.X) })
	}
	return e.picture("curve", chart)
}
