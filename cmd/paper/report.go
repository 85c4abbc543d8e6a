package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"unicode/utf8"
)

type column struct {
	title, measure string
	paper          bool // the paper prints it, too
	count          bool // a whole number
}

type tableOf struct {
	number  int
	title   string
	columns []column
	wins    []string // a row wins if all these measures are above the paper's
	note    string
}

func tablesOf() []tableOf {
	return []tableOf{
		{2, "Reconstruction of degrees", []column{
			{"ε", "epsilon", false, false}, {"Pearson", "pearson", true, false}, {"Spearman", "spearman", true, false}, {"Kendall", "kendall", true, false},
			{"KS", "ks", false, false}, {"α", "alpha", false, false}, {"precision", "precision", false, false}, {"recall", "recall", false, false},
			{"wrong pairs", wrongPairs, false, true},
		}, []string{"pearson", "spearman"},
			"All measures of a row are at one ε. In the form \"paper\" ε is from the grid of 0.01, elsewhere from quantiles of the\ndistances; it is the least edge probability 1/(1+e^distance), of which the paper prints one minus the value for most rows.\nRows of unit_ball are at distance 1. Wrong pairs are edges that are missing and pairs without an edge that are joined."},
		{3, "Link prediction", []column{
			{"precision", "precision", true, false}, {"recall", "recall", true, false}, {"F1", "f1", true, false}, {"AUC", "auc", false, false}, {"hits@100", "hits", false, false},
		}, []string{"f1"},
			"A tenth of the edges is held out, and the rest is embedded; the paper trains and tests on pairs of the graph that it\nhas embedded. As many pairs without an edge are to be distinguished from the edges that were held out."},
		{4, "Classes of vertices", []column{
			{"mean accuracy", meanAccuracy, true, false}, {"deviation", deviationAccuracy, true, false},
		}, []string{meanAccuracy},
			"Accuracy of the seven classes with the most vertices, of vertices that were not trained on, their half; the paper has seven\nresearch areas of another sample. The deviation is that between the classes."},
	}
}

// write writes the tables into the folder, as Markdown and as CSV, and returns the
// Markdown.
func (e *experiment) write() (string, error) {
	rows := e.rows()
	report := e.markdown(rows)
	return report, e.writeBoth(reportName, report, csvName, e.records(rows))
}

// writeBoth writes a report of Markdown and a table of CSV into the folder.
func (e *experiment) writeBoth(name, report, csv string, records [][]string) error {
	err := os.WriteFile(e.path(name), []byte(report), 0o600)
	if err == nil {
		err = writeRecords(e.path(csv), records)
	}
	if err != nil {
		return fmt.Errorf("paper: %w", err)
	}
	return nil
}

func (e *experiment) markdown(rows []row) string {
	var text strings.Builder
	text.WriteString("# The tables of \"Representation Learning for Scale-free Networks\", repeated\n\n")
	text.WriteString("In brackets the figures of the paper. A row that beats is above them in every measure that counts for its table: a row in\nthe form \"paper\" above the same method, any other above the best of all methods, which need not be one method.\n\n")
	for _, d := range e.reported() {
		fmt.Fprintf(&text, "- %s: %s.\n", d.name, d.note)
	}
	fmt.Fprintf(&text, "- %s\n", private)
	for _, t := range tablesOf() {
		var lines [][]string
		for _, r := range rows {
			if r.table == t.number {
				lines = append(lines, e.cells(t, r))
			}
		}
		if len(lines) == 0 {
			continue
		}
		fmt.Fprintf(&text, "\n## Table %d: %s\n\n%s\n\n", t.number, t.title, t.note)
		writeTable(&text, t.header(), lines)
	}
	text.WriteString("\n## What beats the paper\n\n")
	text.WriteString(e.verdicts(rows))
	text.WriteString(lawsText(rows))
	text.WriteString(e.leftOut())
	return text.String()
}

func (t tableOf) header() []string {
	titles := []string{"graph", "method", "form"}
	for _, c := range t.columns {
		titles = append(titles, c.title)
	}
	return append(titles, "seconds", "processor s", "beats", "made with")
}

func (e *experiment) cells(t tableOf, r row) []string {
	line := []string{r.graph, r.method, r.form}
	for _, c := range t.columns {
		cell := short(r.get(c.measure))
		if c.count && cell != "" {
			cell = strconv.FormatFloat(r.get(c.measure), 'f', 0, 64)
		}
		if c.paper {
			if paper := e.against(t, r, c.measure); !math.IsNaN(paper) {
				cell += fmt.Sprintf(" (%.2f)", paper)
			}
		}
		line = append(line, cell)
	}
	beats := ""
	switch e.beats(t, r) {
	case won:
		beats = "yes"
	case lost:
		beats = "no"
	}
	processor := ""
	if r.processor > 0 {
		processor = strconv.FormatFloat(r.processor, 'f', 1, 64)
	}
	return append(line, strconv.FormatFloat(r.seconds, 'f', 1, 64), processor, beats, r.call)
}

// short is a number with three digits, or nothing.
func short(v float64) string {
	if math.IsNaN(v) {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// signed writes a difference, and nothing if it is not known.
func signed(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf("%+.3f", x)
}

// exactly writes a figure with all its digits, and nothing if it is not known.
func exactly(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// against returns the figure of the paper with which a row is compared.
func (e *experiment) against(t tableOf, r row, measure string) float64 {
	if r.form == asPaper {
		return e.figures.of(t.number, inPaper(r.graph), r.method, measure)
	}
	return e.figures.best(t.number, inPaper(r.graph), measure)
}

// outcome is how a row compares with the paper.
type outcome uint8

const (
	unknown outcome = iota // the paper has no figure
	lost
	won
)

// beats compares a row with the figures of the paper.
func (e *experiment) beats(t tableOf, r row) outcome {
	result := won
	for _, measure := range t.wins {
		ours, paper := r.get(measure), e.against(t, r, measure)
		if math.IsNaN(paper) {
			return unknown
		}
		if !(ours > paper) {
			result = lost
		}
	}
	return result
}

// verdicts lists for each table and graph the row with the largest margin over the
// best figures of the paper, and whether the row beats them.
func (e *experiment) verdicts(rows []row) string {
	var lines [][]string
	for _, t := range tablesOf() {
		for _, d := range e.reported() {
			best, margin := e.nearest(t, d, rows)
			if math.IsInf(margin, -1) {
				continue
			}
			verdict := "no"
			if margin > 0 {
				verdict = "yes"
			}
			var ours, paper []string
			for _, measure := range t.wins {
				ours = append(ours, short(best.get(measure)))
				paper = append(paper, fmt.Sprintf("%.2f", e.figures.best(t.number, inPaper(d.name), measure)))
			}
			lines = append(lines, []string{strconv.Itoa(t.number), d.name, strings.Join(t.wins, " / "),
				strings.Join(ours, " / "), strings.Join(paper, " / "), verdict, best.form, best.call})
		}
	}
	var text strings.Builder
	writeTable(&text, []string{"table", "graph", "measure", "best of ours", "best of the paper", "beats", "form", "made with"}, lines)
	return text.String()
}

// mostAlpha is the largest exponent of a law that describes a whole network: by a
// law with exponent 6, one vertex in a thousand has at least four times the least
// degree of the law. Laws with larger exponents describe hubs of nearly one degree.
const mostAlpha = 6

// lawsText describes how far the degrees of reconstructions are from power laws on
// average. The paper gives only averages.
func lawsText(rows []row) string {
	var parts []string
	for _, form := range []string{asPaper, asDefault, asTuned} {
		var all, broad []float64
		for _, r := range rows {
			ks := r.get("ks")
			if r.table != 2 || r.form != form || r.method == le || r.method == deepWalk || math.IsNaN(ks) {
				continue
			}
			all = append(all, ks)
			if r.get("alpha") <= mostAlpha {
				broad = append(broad, ks)
			}
		}
		if len(all) == 0 {
			continue
		}
		mean, _ := spread(all)
		part := fmt.Sprintf("%.3f in the form %s (%d reconstructions", mean, form, len(all))
		if len(broad) > 0 {
			mean, _ = spread(broad)
			part += fmt.Sprintf(", %.3f in the %d with α up to %d", mean, len(broad), mostAlpha)
		}
		parts = append(parts, part+")")
	}
	if parts == nil {
		return ""
	}
	return "\nThe mean distance KS of the reconstructed degrees from a power law of their own, over all graphs and penalised\nmethods, is " +
		strings.Join(parts, ", ") + "; the paper's is 0.115. A law\nwith a larger α holds for hubs of nearly one degree and for nothing else.\n"
}

// nearest returns the row of a graph with the largest margin, and that margin. The
// margin of a row is its least difference from the best figures of the paper.
// Without a row it is minus infinity.
func (e *experiment) nearest(t tableOf, d dataset, rows []row) (best row, margin float64) {
	margin = math.Inf(-1)
	for _, r := range rows {
		if r.table != t.number || r.graph != d.name {
			continue
		}
		least := math.Inf(1)
		for _, measure := range t.wins {
			least = min(least, r.get(measure)-e.figures.best(t.number, inPaper(d.name), measure))
		}
		if least > margin {
			best, margin = r, least
		}
	}
	return best, margin
}

// writeTable writes a table of Markdown whose columns are aligned.
func writeTable(text *strings.Builder, header []string, lines [][]string) {
	widths := make([]int, len(header))
	for _, line := range append([][]string{header}, lines...) {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	write := func(line []string) {
		for i, cell := range line {
			text.WriteString("| " + cell + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+1))
		}
		text.WriteString("|\n")
	}
	write(header)
	for _, w := range widths {
		text.WriteString("|" + strings.Repeat("-", w+2))
	}
	text.WriteString("|\n")
	for _, line := range lines {
		write(line)
	}
}

// records has a line of CSV for every number of every row, with the number of the
// paper.
func (e *experiment) records(rows []row) [][]string {
	lines := [][]string{{"table", "graph", "method", "form", "made_with", "measure", "value", "paper", "seconds"}}
	for _, t := range tablesOf() {
		for _, r := range rows {
			if r.table != t.number {
				continue
			}
			for _, c := range t.columns {
				lines = append(lines, []string{strconv.Itoa(t.number), r.graph, r.method, r.form, r.call, c.measure,
					exactly(r.get(c.measure)), exactly(e.against(t, r, c.measure)), exactly(r.seconds)})
			}
		}
	}
	return lines
}
