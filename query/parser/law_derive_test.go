package parser

import "pgregory.net/rapid"

// genEdgesWhere draws a condition on edges, with conditions on their ends in it.
func genEdgesWhere(t *rapid.T) Expr {
	e := genWhere(t)
	if rapid.Bool().Draw(t, "no ends") {
		return e
	}
	ends := Ends{Both: rapid.Bool().Draw(t, "both"), Term: genExpr(2).Draw(t, "ends")}
	if e == nil {
		return Not{Term: ends}
	}
	return Or{Terms: []Expr{ends, And{Terms: []Expr{genExpr(1).Draw(t, "beside"), ends}}}}
}

// genDerived draws a graph that is made from others.
func genDerived(t *rapid.T) Statement {
	s := &DeriveGraph{Graph: genIdent().Draw(t, "graph"), How: rapid.SampledFrom([]Derivation{Subgraph, Component, Ego, Sample, NullModel, Forest, Union, NearestGraph, Undirected, Reversed}).Draw(t, "how")}
	if s.How == NearestGraph {
		using := genSpace().Draw(t, "using")
		s.Count, s.Using, s.Mutual = genValue(anInt).Draw(t, "count"), &using, rapid.Bool().Draw(t, "mutual")
		return s
	}
	s.Of = []Ident{genIdent().Draw(t, "of")}
	switch s.How {
	case Subgraph:
		if s.Where = genEdgesWhere(t); s.Where == nil {
			s.Where = genExpr(3).Draw(t, "where")
		}
		return s
	case Forest:
		return s
	case Component:
		if rapid.Bool().Draw(t, "from") {
			s.From = genValue(aKey).Draw(t, "key")
		}
		return s
	case Ego:
		if s.From = genValue(aKey).Draw(t, "key"); rapid.Bool().Draw(t, "within") {
			s.Within = genValue(anInt).Draw(t, "edges")
		}
		return s
	case Undirected, Reversed:
		return s
	case Union:
		s.Of = append(s.Of, rapid.SliceOfN(genIdent(), 1, 3).Draw(t, "others")...)
	}
	s.Options = genOptions(0).Draw(t, "options")
	return s
}

// genRename draws a new name for something.
func genRename(t *rapid.T) Statement {
	s := &Rename{What: rapid.SampledFrom([]Renamed{RenamedGraph, RenamedEmbedding, RenamedModel, RenamedAttribute}).Draw(t, "what"), Name: genIdent().Draw(t, "name"), To: genIdent().Draw(t, "to")}
	if s.What == RenamedAttribute {
		graph := genIdent().Draw(t, "graph")
		s.Graph = &graph
	}
	return s
}

// genPaths draws several paths between two vertices.
func genPaths(t *rapid.T) Statement {
	return &Paths{
		Count: genValue(anInt).Draw(t, "count"), From: genValue(aKey).Draw(t, "from"), To: genValue(aKey).Draw(t, "to"), Graph: genMaybe(t),
		ByWeight: rapid.Bool().Draw(t, "weight"), Options: genOptions(0).Draw(t, "options"),
	}
}
