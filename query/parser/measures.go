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

func (*Compute) Heading() string { return "COMPUTE" }

func (p *parser) compute() Statement {
	return &Compute{
		Measure:    p.call(measureName),
		Graph:      p.graphAfter("IN"),
		From:       optional(p, "FROM", p.keys),
		As:         optionalName(p, "AS", func() Ident { return p.name(newAttributeName) }),
		Options:    p.withOptions(new(Compute)),
		Background: p.background(),
	}
}

func (s *Compute) String() string {
	return "COMPUTE " + s.Measure.String() + " IN " + s.Graph.String() + listClause(" FROM ", s.From) + clause(" AS ", s.As) +
		withOptions(s.Options) + background(s.Background)
}

// EstimateCompute is ESTIMATE in front of a Compute.
//
//	estimatecompute = "ESTIMATE" compute                    e.g. ESTIMATE COMPUTE betweenness IN social;
type EstimateCompute struct{ Compute }

func (*EstimateCompute) Heading() string { return "ESTIMATE COMPUTE" }

func (p *parser) estimateCompute() Statement {
	return &EstimateCompute{*p.compute().(*Compute)}
}

func (s *EstimateCompute) String() string { return "ESTIMATE " + s.Compute.String() }
