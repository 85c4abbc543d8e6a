package parser

import "pgregory.net/rapid"

// genInto draws whether something is done with the rows of a statement, and which clauses say it.
// Those of a single pair have none: EXPLAIN of it is an ExplainScore.
func genInto(t *rapid.T, st Statement) Statement {
	score, _ := st.(*Score)
	r, form := ruleOf(st)
	if !r.rows || inBackground(st) || score != nil && len(score.Pairs) == 1 || rapid.IntRange(0, 2).Draw(t, "into") > 0 {
		return st
	}
	s := &Tail{Statement: st, Offset: genLimit(t)}
	owns := func(words string) bool { return s.has(words, form.leads()) }
	if !owns("COLUMNS") && rapid.Bool().Draw(t, "chosen") {
		s.Columns = rapid.SliceOfN(genIdent(), 1, 3).Draw(t, "columns")
	}
	if !owns("WHERE") {
		s.Where = genWhere(t)
	}
	if predict, is := st.(*Predict); !owns("ORDER BY") && (!is || predict.Stored || predict.For == nil) {
		s.Order = genOrder(t)
	}
	if !owns("LIMIT") {
		s.Limit = genLimit(t)
	}
	if rapid.Bool().Draw(t, "file") {
		s.File, s.Options = genValue(aString).Draw(t, "into file"), genOptions(0).Draw(t, "into options")
	}
	if s.Columns == nil && s.Where == nil && s.Order == nil && s.Limit == nil && s.Offset == nil && s.File == nil {
		return st
	}
	return s
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

// withoutTail is the statement whose rows a Tail takes.
func withoutTail(s Statement) Statement {
	if tail, is := s.(*Tail); is {
		return tail.Statement
	}
	return s
}
