package paper

import (
	"cmp"
	"math"
	"slices"
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
	for _, d := range e.reported() {
		trials := append(e.trials(d), e.tuned(d))
		for _, t := range trials {
			list = append(list, e.reconstruction(t)...)
			list = append(list, e.classRows(t)...)
		}
		if t, known := e.tunedLinks(d); known {
			trials[len(trials)-1] = t
		}
		for _, t := range trials {
			list = append(list, e.linkRows(t)...)
		}
		list = append(list, e.heuristics(d)...)
	}
	return list
}

// reconstruction is the line of Table 2 of a trial.
func (e *experiment) reconstruction(t trial) []row {
	made, there := e.journal.done[e.maker(t)]
	judged, too := e.journal.done[t.reconstruct()]
	if !there || !too || len(judged.Rows) == 0 {
		return nil
	}
	return []row{{2, t.graph.name, t.method, t.form, t.call, numbers(judged.rows()[0]), made.Seconds + judged.Seconds}}
}

// maker is the statement that made the embedding of a trial.
func (e *experiment) maker(t trial) string {
	if t.form == asTuned {
		return e.search(t.graph, forReconstruction)
	}
	return t.embed()
}

// classCount is how many classes Table 4 is about: those of the most vertices.
const classCount = 7

// classRows is the line of Table 4 of a trial: mean and deviation of the accuracy
// of the largest classes.
func (e *experiment) classRows(t trial) []row {
	made, there := e.journal.done[e.maker(t)]
	judged := e.journal.done[t.classes()]
	if !there || t.graph.labels == "" || len(judged.Rows) == 0 {
		return nil
	}
	classes := judged.rows()
	slices.SortStableFunc(classes, func(a, b map[string]any) int {
		return cmp.Compare(numbers(b)["test"], numbers(a)["test"])
	})
	var accuracies []float64
	for _, c := range classes[:min(len(classes), classCount)] {
		accuracies = append(accuracies, numbers(c)["accuracy"])
	}
	mean, deviation := spread(accuracies)
	return []row{{4, t.graph.name, t.method, t.form, t.call, map[string]float64{meanAccuracy: mean, deviationAccuracy: deviation}, made.Seconds + judged.Seconds}}
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
