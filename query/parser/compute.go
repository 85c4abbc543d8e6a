package parser

// Compute is COMPUTE measure(…) IN g [FROM v, …] [AS a] [WITH (…)] [IN BACKGROUND].
//
//	compute      = "COMPUTE" call "IN" name [ "FROM" keys ]
//	               [ "AS" name ] [ options ] [ background ] e.g. COMPUTE pagerank(damping := 0.85) IN social AS rank;
type Compute struct {
	Range
	Measure    Call
	Graph      Ident
	From       []Value // as Key of NewVertex; nil where left out
	As         *Ident  // an attribute; nil where left out
	Options    []Option
	Background bool
}

// Heading is COMPUTE.
func (*Compute) Heading() string { return "COMPUTE" }

func (p *parser) compute() Statement {
	s := &Compute{Measure: p.call(measureName), Graph: p.graphAfter("IN")}
	if p.keyword("FROM") {
		s.From = p.keys()
	}
	if p.keyword("AS") {
		as := p.name(newAttributeName)
		s.As = &as
	}
	s.Options = p.withOptions(s)
	s.Background = p.background()
	return s
}

func (s *Compute) String() string {
	text := "COMPUTE " + s.Measure.String() + " IN " + s.Graph.String()
	if s.From != nil {
		text += " FROM " + list(s.From)
	}
	if s.As != nil {
		text += " AS " + s.As.String()
	}
	return text + withOptions(s.Options) + background(s.Background)
}

// EstimateCompute is ESTIMATE in front of a Compute.
//
//	estimatecompute = "ESTIMATE" compute                    e.g. ESTIMATE COMPUTE betweenness IN social;
type EstimateCompute struct{ Compute }

// Heading is ESTIMATE COMPUTE.
func (*EstimateCompute) Heading() string { return "ESTIMATE COMPUTE" }

func (p *parser) estimateCompute() Statement {
	return &EstimateCompute{*p.compute().(*Compute)}
}

func (s *EstimateCompute) String() string { return "ESTIMATE " + s.Compute.String() }
