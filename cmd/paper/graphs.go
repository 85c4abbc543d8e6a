package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrGraph is returned for a graph that is not known.
var ErrGraph = errors.New("paper: unknown graph")

// dataset is a graph of the experiments.
type dataset struct {
	name   string // in the store
	title  string // in the paper; "" if it is not there
	file   string // in the folder of the data; "" if make has a statement
	make   string // the statement that generates the graph
	labels string // a file with a vertex and one of its classes a line, or ""
	timed  bool   // the third column of the file is a time, and the latest edges are held out
	large  bool   // left out by -quick
	size   size
	note   string // how the graph differs from that of the paper

	// What the paper says about β is that its best value varies from graph to graph; these
	// are the values that are tried, fewer on large graphs. dims, if any, are the dimensions
	// of the paper's study of parameters.
	betas []float64
	dims  []int
	dim   int // of all other experiments of the paper; 0 is 200
}

// size is about how many thousand vertices and edges a graph has, for the estimate of the
// remaining time.
type size struct{ vertices, edges float64 }

// datasets lists the graphs: those of the paper's Table 1 that are available, and others,
// small ones first.
func datasets() []dataset {
	all, some := []float64{0.25, 0.5, 1, 1.5, 2, 2.5, 3}, []float64{0.5, 1.5, 2.5}
	dims := []int{8, 16, 32, 64, 128, 200, 256}
	attached := func(name string, m int) string {
		return fmt.Sprintf("GENERATE preferential_attachment(n := 10000, m := %d, seed := 1) INTO %s", m, name)
	}
	return []dataset{
		{name: "cora", file: "cora.txt", labels: "cora-labels.txt", size: size{2.7, 5}},
		{name: "collegemsg", file: "CollegeMsg.txt.gz", timed: true, size: size{1.9, 14}},
		{name: "coauthor", title: "Coauthor", file: "ca-GrQc.txt.gz", size: size{5.2, 14}, betas: all,
			note: "ca-GrQc of SNAP; the paper counts each edge twice"},
		{name: "facebook", title: "Facebook", file: "ego-facebook.txt.gz", size: size{4, 88}, betas: all, dims: dims,
			note: "ego-Facebook of SNAP"},
		{name: "synthetic", title: "Synthetic", make: attached("synthetic", 40), size: size{10, 398}, betas: all, dims: dims,
			note: "preferential attachment, 10,000 vertices that bring 40 edges each, about the edges that the paper counts"},
		{name: "synthetic20", title: "Synthetic", make: attached("synthetic20", 20), size: size{10, 200}, betas: some, large: true,
			note: "the same with 20 edges each, which counted twice are the 399,580 of the paper"},
		{name: "blogcatalog", file: "blogcatalog.csv.gz", labels: "blogcatalog-labels.csv.gz", size: size{10, 334}},
		{name: "mathoverflow", file: "sx-mathoverflow.txt.gz", timed: true, large: true, size: size{25, 188}},
		{name: "citation", title: "Citation", file: "dblp.txt.gz", labels: "dblp-labels.txt.gz", large: true, size: size{51, 128}, betas: []float64{1.5},
			note: "another sample of the same source (AMiner) with research areas, the nearest that is public; it has a third of the edges"},
		{name: "epinions", file: "soc-Epinions1.txt.gz", large: true, size: size{76, 406}},
		{name: "twitter", title: "Twitter", file: "ego-twitter.txt.gz", large: true, size: size{81, 1342}, betas: []float64{1.5},
			note: "ego-Twitter of SNAP as an undirected graph; the paper counts directed edges"},
	}
}

// private is the graph of the paper that is not available.
const private = "Mobile"

// graphNames lists the names of graphs: all, or those of the paper.
func graphNames(graphs []dataset) []string {
	var names []string
	for _, d := range graphs {
		names = append(names, d.name)
	}
	return names
}

// ofPaper keeps the graphs that the paper has.
func ofPaper(graphs []dataset) []dataset {
	return slices.DeleteFunc(slices.Clone(graphs), func(d dataset) bool { return d.title == "" })
}

// load returns the statement that imports or generates the graph, with $file for
// the file of the graph.
func (d dataset) load() string {
	text := cmp.Or(d.make, "IMPORT $file INTO "+d.name)
	if d.timed {
		text += " WITH (time := 3)"
	}
	return text
}

// costs guesses processor seconds: of an embedding, and of one comparison of all pairs.
func (d dataset) cost(call string) float64 {
	method, _, _ := strings.Cut(call, "(")
	switch {
	case strings.Contains(method, "walk") || method == "node2vec":
		return 1.4 * d.size.vertices
	case method == "unit_ball":
		return 0.3*d.size.vertices + 0.2*d.size.edges
	}
	return 0.1 + 0.2*d.size.vertices
}

func (d dataset) pairCost() float64 { return 0.2 + d.size.vertices*d.size.vertices/100 }

// nulled reports whether links are measured on a null graph, too.
func (d dataset) nulled() bool { return d.size.vertices < 6 }
