package parser

// Generate is GENERATE generator(…) INTO g.
//
//	generate     = "GENERATE" call "INTO" name              e.g. GENERATE preferential_attachment(n := 10000, m := 40) INTO synthetic;
type Generate struct {
	Range
	Generator Call
	Graph     Ident
}

func (*Generate) Heading() string { return "GENERATE" }

func (p *parser) generate() Statement {
	return &Generate{Generator: p.call(generatorName), Graph: p.nameAfter("INTO", newGraphName)}
}

func (s *Generate) String() string {
	return "GENERATE " + s.Generator.String() + " INTO " + s.Graph.String()
}
