package parser

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
