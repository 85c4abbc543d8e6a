package parser

import "pgregory.net/rapid"

// genInto draws whether the rows of a statement go into a file. Those of a single pair do not:
// EXPLAIN of it is an ExplainScore.
func genInto(t *rapid.T, st Statement) Statement {
	score, _ := st.(*Score)
	compute, _ := st.(*Compute)
	if r, _ := ruleOf(st); !r.rows || compute != nil && compute.Background || score != nil && len(score.Pairs) == 1 || rapid.IntRange(0, 3).Draw(t, "into") > 0 {
		return st
	}
	return &IntoFile{Statement: st, File: genValue(aString).Draw(t, "into file"), Options: genOptions(0).Draw(t, "into options")}
}

// genVectors draws a statement about the vectors of vertices.
func genVectors(t *rapid.T) Statement {
	if rapid.Bool().Draw(t, "vector") {
		return &ShowVector{Vertex: genValue(aKey).Draw(t, "vertex"), Embedding: genIdent().Draw(t, "embedding")}
	}
	return &ImportEmbedding{
		File: genValue(aString).Draw(t, "file"), Graph: genIdent().Draw(t, "graph"), Embedding: genIdent().Draw(t, "embedding"),
		Options: genOptions(0).Draw(t, "options"),
	}
}
