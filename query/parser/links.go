package parser

func (p *parser) score() Statement {
	if p.keyword("FILE") {
		return p.scoreFile()
	}
	return p.scorePairs(p.pairs())
}

// Score is SCORE (u, v), … [IN g] WITH scorer, … [WITH (…)].
//
//	score        = "SCORE" pair { "," pair } [ "IN" name ]
//	               "WITH" scorer { "," scorer } [ options ] e.g. SCORE ('alice', 'bob'), (1, 2) IN social WITH adamic_adar, cosine(spec);
type Score struct {
	Range
	Pairs   []Pair // at least one
	Graph   *Ident // nil where left out
	Scorers []Scorer
	Options []Option
}

func (*Score) Heading() string { return "SCORE" }

// scorePairs reads the text behind the pairs.
func (p *parser) scorePairs(pairs []Pair) Statement {
	return &Score{Pairs: pairs, Graph: p.in(), Scorers: after(p, "WITH", p.scorers), Options: p.withOptions(new(Score))}
}

func (s *Score) String() string {
	return "SCORE " + list(s.Pairs) + in(s.Graph) + " WITH " + list(s.Scorers) + withOptions(s.Options)
}

// ScoreFile is SCORE FILE 'pairs' [IN g] WITH scorer, … [INTO FILE 'scores']
// [WITH (…)].
//
//	scorefile    = "SCORE" "FILE" string [ "IN" name ]
//	               "WITH" scorer { "," scorer }
//	               [ "INTO" "FILE" string ] [ options ]     e.g. SCORE FILE 'pairs.csv' IN social WITH jaccard INTO FILE 'scores.csv' WITH (overwrite := true);
type ScoreFile struct {
	Range
	Pairs   Value  // String or Param
	Graph   *Ident // nil where left out
	Scorers []Scorer
	File    Value // String or Param; nil where left out
	Options []Option
}

func (*ScoreFile) Heading() string { return "SCORE FILE" }

func (p *parser) scoreFile() Statement {
	return &ScoreFile{
		Pairs:   p.fileName(),
		Graph:   p.in(),
		Scorers: after(p, "WITH", p.scorers),
		File:    optional(p, "INTO", p.file),
		Options: p.withOptions(new(ScoreFile)),
	}
}

func (s *ScoreFile) String() string {
	return "SCORE FILE " + s.Pairs.String() + in(s.Graph) + " WITH " + list(s.Scorers) + intoFile(s.File) + withOptions(s.Options)
}

// Each names the vertices that a statement answers one after the other: ALL, or those of a
// file of keys.
type Each struct {
	File Value // String or Param; nil for ALL
}

// each reads ALL or FILE behind FOR; nil if neither is there.
//
//	each         = "ALL" | "FILE" string                    e.g. PREDICT 10 LINKS FOR ALL IN social; PREDICT 10 LINKS FOR FILE 'keys.txt' IN social WITH l3;
func (p *parser) each() *Each {
	switch {
	case p.keyword("ALL"):
		return &Each{}
	case p.keyword("FILE"):
		return &Each{File: p.fileName()}
	}
	return nil
}

func (e *Each) String() string {
	if e.File == nil {
		return "ALL"
	}
	return "FILE " + e.File.String()
}

// forWhom is the clause FOR of PREDICT.
func forWhom(key Value, each *Each) string {
	if each != nil {
		return " FOR " + each.String()
	}
	return clause(" FOR ", key)
}

// Predict is PREDICT n LINKS [FOR v | ALL | FILE 'keys'] [IN g] WITH scorer
// [WHERE condition] [ORDER BY a] [WITH (…)], or, to read materialized predictions, PREDICT n LINKS
// FOR v | ALL | FILE 'keys' [IN g] [FROM scorer]. ORDER BY needs FOR v.
//
//	predict      = "PREDICT" integer "LINKS"
//	               [ "FOR" ( key | each ) ] [ "IN" name ]
//	               ( "WITH" scorer [ "AS" "OF" ( string | integer ) ]
//	               [ where ] [ order ] [ options ]
//	               | [ "FROM" scorer ] )                    e.g. PREDICT 5 LINKS FOR 'alice' WITH l3 ORDER BY age; PREDICT 10 LINKS IN mail WITH l3 AS OF '2015-01-01'; PREDICT 20 LINKS FOR 'alice' IN social WITH katz; PREDICT 1000 LINKS WITH cosine(spec) WHERE degree > 2 WITH (near := 100); PREDICT 10 LINKS FOR 'alice' IN social;
type Predict struct {
	Range
	Count   Value    // Int or Param
	For     Value    // a key: String, Int or Param; nil where left out
	Each    *Each    // nil where left out, as at least one of For and Each is
	Graph   *Ident   // nil where left out
	Stored  bool     // of materialized predictions, which needs For or Each; then the fields after Scorer are zero
	Scorer  *Scorer  // nil where left out, which needs Stored
	AsOf    Value    // a time: String, Int or Param; nil where left out
	Where   Expr     // nil where left out
	Order   *Order   // of the links of one vertex; nil where left out
	Options []Option // those of the second WITH
}

func (*Predict) Heading() string { return "PREDICT" }

func (p *parser) predict() Statement {
	s := &Predict{Count: p.count()}
	p.needKeyword("LINKS")
	if p.keyword("FOR") {
		if s.Each = p.each(); s.Each == nil {
			s.For = p.key()
		}
	}
	s.Graph = p.in()
	if !p.keyword("WITH") {
		if s.For == nil && s.Each == nil {
			p.unexpected()
		}
		if s.Stored = true; p.keyword("FROM") {
			s.Scorer = new(p.scorer())
		}
		return s
	}
	s.Scorer = new(p.scorer())
	if p.keyword("AS") {
		p.needKeyword("OF")
		s.AsOf = p.value(aString|anInt, dateText)
	}
	s.Where = p.where()
	if s.For != nil {
		s.Order = p.order()
	}
	s.Options = p.withOptions(s)
	return s
}

func (s *Predict) String() string {
	text := "PREDICT " + s.Count.String() + " LINKS" + forWhom(s.For, s.Each) + in(s.Graph)
	if s.Stored {
		return text + clause(" FROM ", s.Scorer)
	}
	return text + clause(" WITH ", s.Scorer) + clause(" AS OF ", s.AsOf) + where(s.Where) + s.Order.String() + withOptions(s.Options)
}

// Materialize is MATERIALIZE PREDICTIONS FROM scorer IN g [WITH (…)] [IN BACKGROUND].
// The options may also be written before FROM, without WITH and parentheses.
//
//	materialize  = "MATERIALIZE" "PREDICTIONS"
//	               [ option { "," option } ]
//	               "FROM" scorer "IN" name
//	               [ options ] [ background ]               e.g. MATERIALIZE PREDICTIONS FROM model(friends) IN social WITH (top := 50);
type Materialize struct {
	Range
	Scorer     Scorer
	Graph      Ident
	Options    []Option
	Background bool
}

func (*Materialize) Heading() string { return "MATERIALIZE PREDICTIONS" }

func (p *parser) materialize() Statement {
	p.needKeyword("PREDICTIONS")
	s := &Materialize{}
	if !p.keyword("FROM") {
		s.Options = p.options(s.Heading())
		p.needKeyword("FROM")
	}
	s.Scorer = p.scorer()
	s.Graph = p.graphAfter("IN")
	if s.Options == nil {
		s.Options = p.withOptions(s)
	}
	s.Background = p.background()
	return s
}

func (s *Materialize) String() string {
	return "MATERIALIZE PREDICTIONS FROM " + s.Scorer.String() + " IN " + s.Graph.String() + withOptions(s.Options) + background(s.Background)
}

// DropPredictions is DROP PREDICTIONS FROM scorer IN g.
//
//	droppredictions = "DROP" "PREDICTIONS" "FROM" scorer
//	               "IN" name                                e.g. DROP PREDICTIONS FROM model(friends) IN social;
type DropPredictions struct {
	Range
	Scorer Scorer
	Graph  Ident
}

func (*DropPredictions) Heading() string { return "DROP PREDICTIONS" }

func (p *parser) dropPredictions() Statement {
	p.needKeyword("FROM")
	return &DropPredictions{Scorer: p.scorer(), Graph: p.graphAfter("IN")}
}

func (s *DropPredictions) String() string {
	return "DROP PREDICTIONS FROM " + s.Scorer.String() + " IN " + s.Graph.String()
}

// TrainModel is TRAIN MODEL m IN g [USING e | heuristics(name, …), …] [WITH (…)]
// [IN BACKGROUND].
//
//	train        = "TRAIN" "MODEL" name "IN" name
//	               [ "USING" term [ "," term ] ]
//	               [ options ] [ background ]               e.g. TRAIN MODEL friends IN social USING spec, heuristics(adamic_adar, katz) WITH (seed := 1);
type TrainModel struct {
	Range
	Model      Ident
	Graph      Ident
	Embedding  *Ident  // nil where left out
	Heuristics []Ident // nil where heuristics(…) was left out
	Options    []Option
	Background bool
}

func (*TrainModel) Heading() string { return "TRAIN MODEL" }

func (p *parser) train() Statement {
	s := &TrainModel{Model: p.nameAfter("MODEL", newModelName), Graph: p.graphAfter("IN")}
	if p.keyword("USING") {
		for more := true; more && p.err == nil; more = p.sign(",") {
			p.term(s)
		}
	}
	s.Options = p.withOptions(s)
	s.Background = p.background()
	return s
}

// heuristicsWord begins a list of heuristics. It is no keyword: an embedding may
// have this name.
const heuristicsWord = "heuristics"

// term reads an embedding, or heuristics(name, …), each at most once.
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
			case s.Embedding == nil:
				s.Embedding = &n
				return
			}
		}
	}
	if s.Embedding != nil {
		p.unexpected()
		return
	}
	s.Embedding = new(p.embedding())
}

func (s *TrainModel) String() string {
	text := "TRAIN MODEL " + s.Model.String() + " IN " + s.Graph.String()
	word := " USING "
	if s.Embedding != nil {
		text += word + s.Embedding.String()
		word = ", "
	}
	if s.Heuristics != nil {
		text += word + heuristicsWord + "(" + list(s.Heuristics) + ")"
	}
	return text + withOptions(s.Options) + background(s.Background)
}

// DropModel is DROP MODEL m.
//
//	dropmodel    = "DROP" "MODEL" name                      e.g. DROP MODEL friends;
type DropModel struct {
	Range
	Model Ident
}

func (*DropModel) Heading() string { return "DROP MODEL" }

func (p *parser) dropModel() Statement {
	return &DropModel{Model: p.model()}
}

func (s *DropModel) String() string { return "DROP MODEL " + s.Model.String() }

// DescribeModel is DESCRIBE MODEL m.
//
//	describemodel = "DESCRIBE" "MODEL" name                 e.g. DESCRIBE MODEL friends;
type DescribeModel struct {
	Range
	Model Ident
}

func (*DescribeModel) Heading() string { return "DESCRIBE MODEL" }

func (p *parser) describeModel() Statement {
	return &DescribeModel{Model: p.model()}
}

func (s *DescribeModel) String() string { return "DESCRIBE MODEL " + s.Model.String() }
