package main

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

type row struct {
	table    int // of the paper
	graph    string
	method   string // in the paper; "" if the paper does not have it
	form     string
	call     string             // the method with its options
	measures map[string]float64 // those that are known
	seconds  float64            // that the embedding and the evaluation took
	// processor is the same in processor seconds; 0 where they are not known.
	processor float64
}

// get returns a measure, NaN if it is unknown.
func (r row) get(measure string) float64 { return figureOf(r.measures, measure) }

// rows returns the lines of the tables for which the journal has the steps.
func (e *experiment) rows() []row {
	var list []row
	for _, d := range e.reported() {
		trials := append(d.trials(e.uses), e.tuned(d))
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

// reconstruction returns the line of a trial in Table 2.
func (e *experiment) reconstruction(t trial) []row {
	made, there := e.journal.done[e.maker(t)]
	judged, too := e.journal.done[t.reconstruct()]
	if !there || !too || len(judged.Rows) == 0 {
		return nil
	}
	measures := numbers(judged.rows()[0])
	if graph := e.journal.done[t.graph.load()].rows(); len(graph) > 0 {
		measures[wrongPairs] = wrong(measures, numbers(graph[0])["edges"])
	}
	return []row{{2, t.graph.name, t.method, t.form, t.call, measures, made.Seconds + judged.Seconds, together(made, judged)}}
}

// wrongPairs is the name of the measure that wrong computes.
const wrongPairs = "wrong pairs"

// wrong counts the edges that a reconstruction misses, and its edges that the graph
// does not have.
func wrong(reconstruction map[string]float64, edges float64) float64 {
	joined := reconstruction["edges"]
	both := math.Round(joined * reconstruction["precision"])
	return joined + edges - 2*both
}

// together returns the processor seconds of two steps, 0 if those of one are
// unknown.
func together(a, b entry) float64 {
	if a.Processor == 0 || b.Processor == 0 {
		return 0
	}
	return a.Processor + b.Processor
}

// maker returns the statement that made the embedding of a trial.
func (e *experiment) maker(t trial) string {
	if t.form == asTuned {
		return e.search(t.graph, forReconstruction)
	}
	return t.embed()
}

// classCount is the number of classes in Table 4, which has the largest classes.
const classCount = 7

// classRows returns the line of a trial in Table 4: mean and deviation of the
// accuracy of the largest classes.
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
	return []row{{4, t.graph.name, t.method, t.form, t.call, map[string]float64{meanAccuracy: mean, deviationAccuracy: deviation}, made.Seconds + judged.Seconds, together(made, judged)}}
}

// The scorers of EVALUATE LINKS in the rows of Table 3.
const (
	byDifference = "logistic(difference)"
	byBest       = "logistic(concatenation)"
	byDistance   = "l2"
)

// linkRows returns the lines of a trial in Table 3: by the difference of vectors,
// as in the paper, and by the concatenation of vectors; for unit_ball also by the
// distance alone, which is what it is trained for.
func (e *experiment) linkRows(t trial) []row {
	var list []row
	judged := e.journal.done[t.links()]
	for _, r := range judged.rows() {
		scorer, _ := r["scorer"].(string)
		if scorer == byDifference || scorer == byBest || scorer == byDistance && t.method == unitBall {
			list = append(list, row{3, t.graph.name, t.method, t.form, scorer + " of " + t.call, numbers(r), judged.Seconds, judged.Processor})
		}
	}
	return list
}

// heuristics returns the line of Table 3 for the best scorer that needs no
// embedding.
func (e *experiment) heuristics(d dataset) []row {
	var best []row
	for _, r := range e.anyLinks(d).rows() {
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

// anyLinks returns the first evaluation of links on a graph. All have the same
// scorers without an embedding.
func (e *experiment) anyLinks(d dataset) entry {
	for _, t := range d.trials(e.uses) {
		if judged, there := e.journal.done[t.links()]; there {
			return judged
		}
	}
	return entry{}
}

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
