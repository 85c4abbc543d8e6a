package parser

import "pgregory.net/rapid"

// genInto draws whether something is done with the rows of a statement, and which clauses say it.
// Those of a single pair have none: EXPLAIN of it is an ExplainScore.
func genInto(t *rapid.T, st Statement) Statement {
	score, _ := st.(*Score)
	r, _ := ruleOf(st)
	if !r.rows || score != nil && len(score.Pairs) == 1 || rapid.IntRange(0, 2).Draw(t, "into") > 0 {
		return st
	}
	s := &Tail{Statement: st, Offset: genLimit(t)}
	if rapid.Bool().Draw(t, "chosen") {
		s.Columns, s.Distinct = rapid.SliceOfN(genIdent(), 1, 3).Draw(t, "columns"), rapid.Bool().Draw(t, "distinct")
	}
	switch of := st.(type) {
	case *ShowEdges:
		s.Where = genEdgesWhere(t)
	case *CountVertices:
		if of.By != nil || of.With != nil {
			s.Where = genWhere(t)
		}
	case *CountEdges:
		if of.By != nil || of.With != nil {
			s.Where = genWhere(t)
		}
	default:
		s.Where = genWhere(t)
	}
	s.Order, s.Limit = genOrder(t), genLimit(t)
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

func genEvaluateTest(t *rapid.T) Statement {
	s := &EvaluateTest{Graph: genMaybe(t), Options: genOptions(0).Draw(t, "options")}
	if s.Edges = genMaybe(t); s.Edges == nil {
		s.File = genValue(aString).Draw(t, "file")
	}
	if s.Against = genMaybe(t); s.Against == nil {
		s.AgainstFile = genValue(aString).Draw(t, "against")
	}
	for range rapid.IntRange(0, 2).Draw(t, "scorers") {
		s.Scorers = append(s.Scorers, Scorer{Name: genIdent().Draw(t, "scorer"), Of: genMaybe(t)})
	}
	return s
}
