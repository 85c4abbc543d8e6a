package paper

import (
	"math"
	"strings"
)

// row is a line of one of the tables.
type row struct {
	table    int // of the paper
	graph    string
	method   string // in the paper; "" for what the paper does not have
	form     string
	call     string             // what it was made with
	measures map[string]float64 // those that are known
	seconds  float64            // that the embedding and the evaluation took
}

// get is a measure, NaN where it is not known.
func (r row) get(measure string) float64 {
	if v, ok := r.measures[measure]; ok {
		return v
	}
	return math.NaN()
}

// rows are the lines of the tables that the journal has the steps of.
func (e *experiment) rows() []row {
	var list []row
	for _, d := range e.graphs {
		for _, t := range e.trials(d) {
			list = append(list, e.reconstruction(t)...)
		}
		for _, t := range e.trials(d) {
			list = append(list, e.linkRows(t)...)
		}
		list = append(list, e.heuristics(d)...)
	}
	return list
}

// reconstruction is the line of Table 2 of a trial.
func (e *experiment) reconstruction(t trial) []row {
	made, there := e.journal.done[t.embed()]
	judged, too := e.journal.done[t.reconstruct()]
	if !there || !too || len(judged.Rows) == 0 {
		return nil
	}
	return []row{{2, t.graph.name, t.method, t.form, t.call, numbers(judged.rows()[0]), made.Seconds + judged.Seconds}}
}

// Scorers of EVALUATE LINKS that have learned, and what the forms of Table 3 are
// called by.
const (
	byDifference = "logistic(difference)"
	byBest       = "logistic(concatenation)"
)

// linkRows are the lines of Table 3 of a trial: by the difference of vectors, as
// in the paper, and by the feature that does not depend on the order of a pair.
func (e *experiment) linkRows(t trial) []row {
	var list []row
	judged := e.journal.done[t.links()]
	for _, r := range judged.rows() {
		scorer, _ := r["scorer"].(string)
		if scorer == byDifference || scorer == byBest {
			list = append(list, row{3, t.graph.name, t.method, t.form, scorer + " of " + t.call, numbers(r), judged.Seconds})
		}
	}
	return list
}

// heuristics is the line of Table 3 of the best scorer that needs no embedding.
func (e *experiment) heuristics(d dataset) []row {
	var best []row
	for _, r := range e.journal.done[e.trials(d)[0].links()].rows() {
		scorer, _ := r["scorer"].(string)
		switch scorer {
		case "l2", "cosine", "dot", "probability":
			continue
		}
		line := row{table: 3, graph: d.name, form: "no embedding", call: scorer, measures: numbers(r)}
		if !strings.HasPrefix(scorer, "logistic") && (best == nil || line.get("f1") > best[0].get("f1")) {
			best = []row{line}
		}
	}
	return best
}

// numbers are the columns of an answer that are numbers.
func numbers(answer map[string]any) map[string]float64 {
	list := map[string]float64{}
	for name, value := range answer {
		switch v := value.(type) {
		case float64:
			list[name] = v
		case int64:
			list[name] = float64(v)
		}
	}
	return list
}
