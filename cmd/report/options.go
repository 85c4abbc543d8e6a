package report

import (
	"cmp"
	"errors"

	"heavytail/query/rows"
)

// Part is a part of the page of a graph. The page always has the figures of a graph,
// which are no Part.
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
	Date   string   // shown on the page as it is; "" shows none
	Graphs []string // nil is all of the file, by name
	Skip   []Part   // left out
	// Full includes computations that take minutes: reconstructions of graphs with more than
	// 20,000 vertices, and the prediction of links in graphs with more than 200,000 edges.
	Full bool
	// Using are methods with their options in the syntax of statements. Their embeddings
	// predict links and are compared with the scorers of the graph.
	Using []string
	// Bootstrap is that of DescribeGraphRequest; 0 is 100, and a negative number none.
	Bootstrap int
	Seed      uint64 // of every random choice
	Vertices  int    // the most in a picture; 0 means 5,000
	Edges     int    // the most in a picture; 0 means 15,000

	Progress func(rows.Progress) // of the picture; statements have their own
}

func (o Options) withDefaults() Options {
	o.Bootstrap = cmp.Or(o.Bootstrap, 100)
	o.Vertices = cmp.Or(o.Vertices, 5_000)
	o.Edges = cmp.Or(o.Edges, 15_000)
	return o
}
