package parser

import "strings"

// Score is SCORE (u, v), … [IN g] WITH scorer, … [WITH (…)].
type Score struct {
	Range
	Pairs   []Pair // at least one
	Graph   *Ident // nil where left out
	Scorers []Scorer
	Options []Option
}

// ScoreFile is SCORE FILE 'pairs' [IN g] WITH scorer, … [INTO FILE 'scores']
// [WITH (…)].
type ScoreFile struct {
	Range
	Pairs   Value  // String or Param
	Graph   *Ident // nil where left out
	Scorers []Scorer
	File    Value // String or Param; nil where left out
	Options []Option
}

// whom is a vertex, or several as an Each.
func whom(all **Each, one *Value) own {
	return own{"( each | key )", "ALL | FILE 'keys' | vertex", func(p *parser) bool {
		if *all = p.all(); *all == nil {
			*one = p.key()
		}
		return true
	}, func() string {
		if *all != nil {
			return (*all).String()
		}
		return behind("", *one)
	}, true}
}

// Predict is PREDICT n LINKS [FOR v | ALL | FILE 'keys'] [IN g] WITH scorer
// [AS OF time] [WITH (…)], or, to read materialized predictions, PREDICT n LINKS FOR v | ALL | FILE
// 'keys' [IN g] [FROM scorer].
type Predict struct {
	Range
	Count   Value    // Int or Param
	For     Value    // a key: String, Int or Param; nil where left out
	Each    *Each    // nil where left out, as at least one of For and Each is
	Graph   *Ident   // nil where left out
	Stored  bool     // of materialized predictions, which needs For or Each; then the fields after Scorer are zero
	Scorer  *Scorer  // nil where left out, which needs Stored
	AsOf    Value    // a time: String, Int or Param; nil where left out
	Options []Option // those of the second WITH
}

// Materialize is MATERIALIZE PREDICTIONS FROM scorer IN g [WITH (…)] [IN BACKGROUND].
// The options may also be written before FROM, without WITH and parentheses.
type Materialize struct {
	Range
	Scorer     Scorer
	Graph      Ident
	Options    []Option
	Background bool
}

// DropPredictions is DROP PREDICTIONS FROM scorer IN g.
type DropPredictions struct {
	Range
	Scorer Scorer
	Graph  Ident
}

// TrainModel is TRAIN MODEL m IN g [USING e, … | heuristics(name, …), …] [WITH (…)]
// [IN BACKGROUND].
type TrainModel struct {
	Range
	Model      Ident
	Graph      Ident
	Embeddings []Ident // none where left out
	Heuristics []Ident // nil where heuristics(…) was left out
	Options    []Option
	Background bool
}

// heuristicsWord begins a list of heuristics. It is no keyword: an embedding may
// have this name.
const heuristicsWord = "heuristics"

// features are the terms of a model.
func features(s *TrainModel) own {
	return own{`[ "USING" term [ "," term ] ]`, "[USING embedding | heuristics(scorer, …), …]", func(p *parser) bool {
		if p.keyword("USING") {
			for more := true; more && p.err == nil; more = p.sign(",") {
				p.term(s)
			}
		}
		return true
	}, func() string {
		var terms []string
		for _, e := range s.Embeddings {
			terms = append(terms, e.String())
		}
		if s.Heuristics != nil {
			terms = append(terms, heuristicsWord+"("+joined(s.Heuristics)+")")
		}
		if terms == nil {
			return ""
		}
		return "USING " + strings.Join(terms, ", ")
	}, false}
}

// mayScorers is WITH and scorers, which may be left out. Behind WITH there may be options instead: options
// is then the next clause.
func mayScorers(to *[]Scorer, options *[]Option) own {
	all := some("", scorer, to)
	return own{`[ "WITH" ` + all.syntax(notation{grammar: true}) + " ]", "[WITH " + scorer.shown + ", …]", func(p *parser) bool {
		switch {
		case !p.keyword("WITH"):
		case p.sign("("):
			*options = p.options(p.heading)
			p.needSign(")")
		default:
			all.read(p)
		}
		return true
	}, func() string {
		if *to == nil {
			return ""
		}
		return "WITH " + joined(*to)
	}, false}
}

// optionsFrom is FROM, with options before it that have neither WITH nor parentheses.
func optionsFrom(to *[]Option) own {
	return own{`[ option { "," option } ] "FROM"`, "FROM", func(p *parser) bool {
		if !p.keyword("FROM") {
			*to = p.options(p.heading)
			p.needKeyword("FROM")
		}
		return true
	}, func() string { return "FROM" }, false}
}

// term reads an embedding, or heuristics(name, …), the latter at most once.
//
//	term         = name
//	             | "heuristics" "(" name { "," name } ")"   e.g. TRAIN MODEL friends IN social USING heuristics(jaccard) IN BACKGROUND;
func (p *parser) term(s *TrainModel) {
	if s.Heuristics == nil {
		p.expect(heuristicsText)
		if p.err == nil && p.tok.Kind == KindWord && p.tok.Text == heuristicsWord {
			n := p.name(embeddingName)
			switch {
			case p.sign("("):
				s.Heuristics = separated(p, func() Ident { return p.name(heuristicName) })
				p.needSign(")")
				return
			default:
				s.Embeddings = append(s.Embeddings, n)
				return
			}
		}
	}
	s.Embeddings = append(s.Embeddings, p.embedding())
}

// DropModel is DROP MODEL m.
type DropModel struct {
	Range
	Model Ident
}

// DescribeModel is DESCRIBE MODEL m [ALL].
type DescribeModel struct {
	Range
	Model Ident
	All   bool
}
