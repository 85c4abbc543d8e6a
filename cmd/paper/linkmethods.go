package main

import "fmt"

type linkGraph struct {
	name  string
	file  string // in the folder of the data; "" if a statement makes the graph
	make  string // the statement that makes the graph; "" if it has a file
	of    string // the graph that it is made from, or ""
	timed bool   // the third column of the file is a time, and the latest edges are held out
	large bool   // has too many vertices for a method that computes an entry for each pair of them
	cost  float64
}

// linkGraphs lists the graphs, those of quick runs first.
func linkGraphs() []linkGraph {
	return []linkGraph{
		{name: "cora", file: "cora.txt", cost: 1},
		{name: "grqc", file: "ca-GrQc.txt.gz", cost: 2},
		{name: "collegemsg", file: "CollegeMsg.txt.gz", timed: true, cost: 1},
		{name: "er", make: "GENERATE erdos_renyi(n := 2000, m := 20000, seed := 1) INTO er", cost: 2},
		{name: "shuffled", make: "CREATE GRAPH shuffled AS NULL OF grqc WITH (seed := 1)", of: "grqc", cost: 2},
		{name: "facebook", file: "ego-facebook.txt.gz", cost: 5},
		{name: "pa", make: "GENERATE preferential_attachment(n := 4000, m := 10, seed := 1) INTO pa", cost: 4},
		{name: "blogcatalog", file: "blogcatalog.csv.gz", cost: 40},
		{name: "mathoverflow", file: "sx-mathoverflow.txt.gz", timed: true, cost: 60},
		{name: "dblp", file: "dblp.txt.gz", cost: 60},
		{name: "epinions", file: "soc-Epinions1.txt.gz", large: true, cost: 100},
		{name: "twitter", file: "ego-twitter.txt.gz", large: true, cost: 200},
	}
}

// quickLinkGraphs is the number of graphs of a quick run.
const quickLinkGraphs = 7

// LinkGraphs lists the names of the graphs of RunLinks.
func LinkGraphs() []string { return namesOf(linkGraphs(), linkGraph.stored) }

func (g linkGraph) stored() string { return g.name }

// linkMethod is an embedding of the comparison; the one without a name is no embedding.
type linkMethod struct {
	name, call string
	everyPair  bool    // computes an entry for each pair of vertices, and is left out on large graphs
	cost       float64 // relative to the other methods
}

func linkMethods() []linkMethod {
	list := []linkMethod{{cost: 1}}
	for _, m := range []linkMethod{{name: "fastrp", cost: 1}, {name: "prone", cost: 2}, {name: "netmf", everyPair: true, cost: 3}, {name: "laplacian_eigenmaps", cost: 2}, {name: "dp_spectral", cost: 2},
		{name: "unit_ball", cost: 10}, {name: "deepwalk", cost: 20}, {name: "dp_walker", cost: 20}} {
		m.call = m.name + "(dim := 64)"
		list = append(list, m)
	}
	return list
}

// ranks and pairs return the statements that measure a method on a graph.
func (m linkMethod) ranks(graph string) string { return m.statement(graph, "ranking := 10") }
func (m linkMethod) pairs(graph string) string {
	return m.statement(graph, "negatives := 'random, degree, two_hop'")
}

func (m linkMethod) statement(graph, protocol string) string {
	if m.name == "" {
		return fmt.Sprintf("EVALUATE LINKS IN %s WITH (%s, model := TRUE, seed := 1)", graph, protocol)
	}
	return fmt.Sprintf("EVALUATE LINKS IN %s USING %s WITH (%s, scorers := 'l2, cosine, dot', model := TRUE, seed := 1)", graph, m.call, protocol)
}
