package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrGraph is returned for a name that is not that of a graph of the paper, or of
// a graph that is not available.
var ErrGraph = errors.New("paper: unknown graph")

// dataset is a graph of the paper's Table 1.
type dataset struct {
	name            string  // in the paper; in lower case in the store
	vertices, edges int64   // as the paper counts them
	file            string  // in the folder of the data; "" if the graph is generated
	attach          int     // edges of each new vertex, if the graph is generated
	labels          string  // a file with a vertex and its class a line, or ""
	studied         bool    // the paper studies parameters on it
	ball            float64 // processor seconds that unit_ball takes with its defaults
	note            string  // how the graph differs from that of the paper
}

// datasets lists the graphs that are available, the small ones first.
func datasets() []dataset {
	return []dataset{
		{name: "Coauthor", vertices: 5242, edges: 28980, file: "ca-GrQc.txt.gz", ball: 2,
			note: "ca-GrQc of SNAP; the paper counts each edge twice"},
		{name: "Facebook", vertices: 4039, edges: 88234, file: "ego-facebook.txt.gz", ball: 5, studied: true,
			note: "ego-Facebook of SNAP"},
		{name: "Synthetic", vertices: 10000, edges: 399580, attach: 40, ball: 90, studied: true,
			note: "preferential attachment with n = 10,000 and m = 40, which has about the edges that the paper counts"},
		{name: synthetic20, vertices: 10000, edges: 399580, attach: 20, ball: 60,
			note: "the same with m = 20, whose edges counted twice are exactly the 399,580 of the paper"},
		{name: "Citation", vertices: 48521, edges: 357235, file: "dblp.txt.gz", labels: "dblp-labels.txt.gz", ball: 90,
			note: "the academic network of AMiner with research areas, the nearest that is public: it has a third of the edges"},
		{name: "Twitter", vertices: 81306, edges: 1768149, file: "ego-twitter.txt.gz", ball: 1400,
			note: "ego-Twitter of SNAP as an undirected graph; the paper counts directed edges"},
	}
}

// synthetic20 is the name of a second variant of the graph that the paper
// generates.
const synthetic20 = "Synthetic20"

func inPaper(graph string) string {
	if graph == synthetic20 {
		return "Synthetic"
	}
	return graph
}

// private is a note on the graph that is not available.
const private = "Mobile, the paper's graph of calls, is private to a company and not available."

// Graphs lists the names of the graphs of the experiments.
func Graphs() []string { return namesOf(datasets(), dataset.stored) }

func namesOf[T any](graphs []T, name func(T) string) []string {
	var names []string
	for _, g := range graphs {
		names = append(names, name(g))
	}
	return names
}

func (d dataset) stored() string { return strings.ToLower(d.name) }

func choose(names []string) ([]dataset, error) { return chosen(names, datasets(), dataset.stored) }

// chosen returns the graphs with the given names, or all graphs if there are no
// names.
func chosen[T any](names []string, all []T, name func(T) string) ([]T, error) {
	known := namesOf(all, name)
	for _, asked := range names {
		if !slices.Contains(known, strings.ToLower(asked)) {
			return nil, fmt.Errorf("%w %q: expected %s", ErrGraph, asked, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(g T) bool {
		return len(names) > 0 && !slices.ContainsFunc(names, func(asked string) bool { return strings.ToLower(asked) == name(g) })
	}), nil
}

// load returns the statement that imports or generates the graph, with $file for
// the file of the graph.
func (d dataset) load() string {
	if d.file == "" {
		return fmt.Sprintf("GENERATE preferential_attachment(n := %d, m := %d, seed := 1) INTO %s", d.vertices, d.attach, d.stored())
	}
	return "IMPORT $file INTO " + d.stored()
}
