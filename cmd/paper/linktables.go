package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Names of the files of the tables in Config.Out.
const (
	linkReportName = "links.md"
	linkCSVName    = "links.csv"
)

// linkFigure names one measured number of the comparison of links.
type linkFigure struct {
	graph, method, scorer, measure string // method is "" without an embedding
}

type linkMeasure struct {
	name, title string
	negatives   string // kind of negative pairs; "" for recommendations
	column      string // of the answer
}

func linkMeasures() []linkMeasure {
	return []linkMeasure{
		{"map", "MAP of ten recommendations", "", "map"},
		{"recall", "Recall of ten recommendations", "", "recall"},
		{"auc random", "AUC against random pairs", "random", "auc"},
		{"auc degree", "AUC against pairs drawn by degree", "degree", "auc"},
		{"auc two_hop", "AUC against pairs with a common neighbour", "two_hop", "auc"},
	}
}

// trainedModel is the name of the scorer in rows of a model that TRAIN MODEL would train.
const trainedModel = "model"

// linkResults has the figures of all finished steps.
type linkResults struct {
	graphs  []linkGraph
	methods []linkMethod
	figures map[linkFigure]float64
	scorers map[string][]string // of each method, in the order of the answers
}

// linkResults reads the figures from the journal.
func (e *experiment) linkResults(graphs []linkGraph, methods []linkMethod) *linkResults {
	r := &linkResults{graphs, methods, map[linkFigure]float64{}, map[string][]string{}}
	for _, g := range graphs {
		for _, m := range methods {
			for _, of := range linkMeasures() {
				statement := m.pairs(g.name)
				if of.negatives == "" {
					statement = m.ranks(g.name)
				}
				for _, row := range e.journal.done[statement].rows() {
					kind, _ := row["negatives"].(string)
					value, there := row[of.column].(float64)
					if kind != of.negatives || !there || (row["method"] != nil) != (m.name != "") {
						continue
					}
					scorer := fmt.Sprint(row["scorer"])
					r.figures[linkFigure{g.name, m.name, scorer, of.name}] = value
					if !slices.Contains(r.scorers[m.name], scorer) {
						r.scorers[m.name] = append(r.scorers[m.name], scorer)
					}
				}
			}
		}
	}
	return r
}

// single reports whether a scorer reads the graph or the vectors and learns nothing.
func single(scorer string) bool {
	return scorer != trainedModel && !strings.HasPrefix(scorer, "logistic(")
}

// bestSingle returns the best of the scorers of a method that learn nothing, NaN if there
// is none.
func (r *linkResults) bestSingle(graph, method, measure string) (value float64, name string) {
	value = math.NaN()
	for _, s := range r.scorers[method] {
		if v, ok := r.figures[linkFigure{graph, method, s, measure}]; ok && single(s) && !(v <= value) {
			value, name = v, s
		}
	}
	return value, name
}

// writeLinks writes the tables into the folder, as Markdown and all figures as CSV, and
// returns the Markdown.
func (e *experiment) writeLinks(graphs []linkGraph, methods []linkMethod) (string, error) {
	r := e.linkResults(graphs, methods)
	var text strings.Builder
	text.WriteString("# Links: methods, graphs and protocols\n\nA fifth of the edges is held out, of graphs with times the latest. \"best\" is the highest of the scores of l2, cosine and dot,\nand \"model\" is what TRAIN MODEL makes by default, without an embedding or with that of the method.\nOn er and shuffled nothing but the degrees can be predicted.\n")
	for _, of := range linkMeasures() {
		fmt.Fprintf(&text, "\n## %s\n\n", of.title)
		header := []string{"method", "scorer"}
		for _, g := range graphs {
			header = append(header, g.name)
		}
		writeTable(&text, header, r.lines(of.name))
	}
	text.WriteString("\n## The model and the best single scorer\n\nDifferences of the model to the best of all scorers of the graph and of the method's vectors; above 0 the model is better.\n\n")
	header := []string{"graph", "model", "best by MAP"}
	for _, of := range linkMeasures() {
		header = append(header, of.name)
	}
	writeTable(&text, header, r.margins())
	return text.String(), e.writeBoth(linkReportName, text.String(), linkCSVName, r.records())
}

func (r *linkResults) lines(measure string) [][]string {
	var lines [][]string
	add := func(method, scorer string, value func(graph string) float64) {
		line, any := []string{method, scorer}, false
		for _, g := range r.graphs {
			v := value(g.name)
			any = any || !math.IsNaN(v)
			line = append(line, short(v))
		}
		if any {
			lines = append(lines, line)
		}
	}
	of := func(method, scorer string) func(string) float64 {
		return func(graph string) float64 { return figureOf(r.figures, linkFigure{graph, method, scorer, measure}) }
	}
	for _, m := range r.methods {
		if m.name == "" {
			for _, s := range r.scorers[""] {
				add("", s, of("", s))
			}
			continue
		}
		add(m.name, "best", func(graph string) float64 {
			v, _ := r.bestSingle(graph, m.name, measure)
			return v
		})
		add(m.name, trainedModel, of(m.name, trainedModel))
	}
	return lines
}

// margins returns lines that compare every model with the best single scorer that it
// could use.
func (r *linkResults) margins() [][]string {
	var lines [][]string
	for _, g := range r.graphs {
		for _, m := range r.methods {
			line, known := []string{g.name, cmp.Or(m.name, "no embedding"), ""}, false
			for i, of := range linkMeasures() {
				best, name := r.bestSingle(g.name, "", of.name)
				if v, own := r.bestSingle(g.name, m.name, of.name); !(v <= best) && !math.IsNaN(v) {
					best, name = v, own
				}
				if i == 0 {
					line[2] = name
				}
				margin := figureOf(r.figures, linkFigure{g.name, m.name, trainedModel, of.name}) - best
				known = known || !math.IsNaN(margin)
				line = append(line, signed(margin))
			}
			if known {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// records are the figures as lines of CSV.
func (r *linkResults) records() [][]string {
	records := [][]string{{"graph", "method", "scorer", "measure", "value"}}
	for _, g := range r.graphs {
		for _, m := range r.methods {
			for _, s := range r.scorers[m.name] {
				for _, of := range linkMeasures() {
					if v, ok := r.figures[linkFigure{g.name, m.name, s, of.name}]; ok {
						records = append(records, []string{g.name, m.name, s, of.name, exactly(v)})
					}
				}
			}
		}
	}
	return records
}
