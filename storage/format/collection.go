package format

import (
	"bytes"
	"slices"
	"strings"

	"heavytail/storage/format/internal/decimal"
)

// Network collections describe their files in comments above the edges. SNAP writes "# Directed
// graph …" and "# Nodes: 5 Edges: 4"; KONECT writes "% sym unweighted" and "% 4 5 5", the
// number of edges and the numbers of vertices on each side.

// konectWeights are the kinds of weights of KONECT. All but the first have weights in the
// third column.
var konectWeights = []string{"unweighted", "positive", "posweighted", "signed", "multisigned", "weighted", "multiweighted", "dynamic"}

// konectNames returns the column names of a KONECT file and the kind of its edges (sym, asym or
// bip), both read from its first comment. For any other comment it returns nil. The third
// column of an unweighted network is a constant.
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

// declared reads what a comment above the edges declares about the graph. If the comment is the
// first one of a KONECT file, it returns the names of the columns.
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

// declare records the numbers of vertices and edges if both are valid.
func (p *parser) declare(vertices, edges []byte) {
	if n, m, ok := decimal.Counts(vertices, edges); ok {
		p.stats.DeclaredVertices, p.stats.DeclaredEdges = n, m
	}
}
