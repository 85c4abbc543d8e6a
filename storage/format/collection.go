package format

import (
	"bytes"
	"slices"
	"strings"
)

// Collections of networks say in comments above the edges what follows. SNAP writes
// "# Directed graph …" and "# Nodes: 5 Edges: 4"; KONECT writes "% sym unweighted" and
// "% 4 5 5", the numbers of edges and of vertices of both sides.

// konectWeights are the kinds of weights of KONECT. All but the first have weights in the
// third column.
var konectWeights = []string{"unweighted", "positive", "posweighted", "signed", "multisigned", "weighted", "multiweighted", "dynamic"}

// konectNames returns the names of the columns of a file of KONECT by its first comment,
// without what it begins with, or nil for any other comment. The third column of an
// unweighted network is a constant.
func konectNames(comment []byte) (names []string, kind string) {
	words := strings.Fields(string(bytes.TrimLeft(comment, "%")))
	if !bytes.HasPrefix(comment, []byte("%")) || len(words) != 2 || !slices.Contains([]string{"sym", "asym", "bip"}, words[0]) {
		return nil, ""
	}
	switch slices.Index(konectWeights, words[1]) {
	case -1:
		return nil, ""
	case 0:
		return []string{"source", "target", "constant", "time"}, words[0]
	}
	return []string{"source", "target", "weight", "time"}, words[0]
}

// declared takes what a comment above the edges declares of the graph, and the names of
// the columns where it is that of a collection.
func (p *parser) declared(comment []byte) (names []string) {
	if names, kind := konectNames(comment); names != nil {
		p.stats.Directed = p.stats.Directed || kind == "asym"
		p.first.konect, p.first.bipartite = true, kind == "bip"
		return names
	}
	words := bytes.Fields(bytes.TrimLeft(comment, "#% \t"))
	is := func(i int, word string) bool { return bytes.EqualFold(words[i], []byte(word)) }
	switch {
	case len(words) >= 2 && is(0, "directed") && (is(1, "graph") || is(1, "graph:")):
		p.stats.Directed = true
	case len(words) == 4 && is(0, "nodes:") && is(2, "edges:"):
		p.declare(words[1], words[3])
	case p.first.konect && len(words) >= 2 && len(words) <= 3 && p.stats.DeclaredEdges == 0:
		p.declare(words[1], words[0])
	}
	return nil
}

// declare notes the numbers of vertices and edges, if both are such.
func (p *parser) declare(vertices, edges []byte) {
	n, okN := parseCount(vertices)
	m, okM := parseCount(edges)
	if okN && okM {
		p.stats.DeclaredVertices, p.stats.DeclaredEdges = n, m
	}
}
