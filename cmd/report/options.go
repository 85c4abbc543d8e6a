package report

import (
	"errors"

	"heavytail/query"
)

// Part is a part of the page of a graph. The figures of the graph are always there.
type Part string

// The parts, in the order of the page.
const (
	Picture     Part = "picture"
	Degrees     Part = "degrees"
	Embeddings  Part = "embeddings"
	Links       Part = "links"
	Measures    Part = "measures"
	Communities Part = "communities"
	Work        Part = "work" // what is stale, and the jobs
)

// Parts returns all parts.
func Parts() []Part {
	return []Part{Picture, Degrees, Embeddings, Links, Measures, Communities, Work}
}

// ErrNoGraphs is returned for a file without graphs.
var ErrNoGraphs = errors.New("the file has no graphs")

// Options of Write. The zero value is valid.
type Options struct {
	Title  string   // "" is the name of the file
	Date   string   // of the page, as it is shown; "" shows none
	Graphs []string // nil is all of the file, by name
	Skip   []Part   // left out
	// Full computes also what takes minutes: reconstructions of graphs with more than
	// 20,000 vertices, and the prediction of links in graphs with more than 200,000 edges.
	Full bool
	// Using are methods with their options as statements have them, whose embeddings predict
	// links, next to the scorers of the graph.
	Using []string
	// Bootstrap is that of DescribeGraphRequest; 0 is 100, and a negative number none.
	Bootstrap int
	Seed      uint64 // of everything that is drawn
	Vertices  int    // in a picture at most; 0 is 5,000
	Edges     int    // in a picture at most; 0 is 15,000

	Progress func(query.Progress) // of the picture; statements have their own
}

func (o Options) withDefaults() Options {
	if o.Bootstrap == 0 {
		o.Bootstrap = 100
	}
	if o.Vertices == 0 {
		o.Vertices = 5_000
	}
	if o.Edges == 0 {
		o.Edges = 15_000
	}
	return o
}
