package parser

// Reconstruct is RECONSTRUCT e threshold [INTO GRAPH h | INTO FILE 'file']
// [WITH (…)]. At most one of Graph and File is set.
//
//	reconstruct  = "RECONSTRUCT" name
//	               ( threshold | "AUTO" )
//	               [ "INTO" ( "GRAPH" name
//	                        | "FILE" string ) ]
//	               [ options ]                              e.g. RECONSTRUCT spec AUTO INTO GRAPH again WITH (grid := 'paper');
type Reconstruct struct {
	Range
	Embedding Ident
	Threshold Threshold
	Graph     *Ident // nil where left out
	File      Value  // String or Param; nil where left out
	Options   []Option
}

func (*Reconstruct) Heading() string { return "RECONSTRUCT" }

func (p *parser) reconstruct() Statement {
	s := &Reconstruct{Embedding: p.embedding(), Threshold: p.threshold(true)}
	if p.keyword("INTO") {
		if p.keyword("GRAPH") {
			s.Graph = new(p.name(newGraphName))
		} else {
			s.File = p.file()
		}
	}
	s.Options = p.withOptions(s)
	return s
}

func (s *Reconstruct) String() string {
	return "RECONSTRUCT " + s.Embedding.String() + " " + s.Threshold.String() + clause(" INTO GRAPH ", s.Graph) + intoFile(s.File) + withOptions(s.Options)
}
