package parser

// EvaluateLinks is EVALUATE LINKS IN g [USING method(…), …] [WITH (…)].
//
//	evaluatelinks = "EVALUATE" "LINKS" "IN" name
//	               [ "USING" call { "," call } ] [ options ] e.g. EVALUATE LINKS IN social USING dp_spectral(dim := 64), deepwalk WITH (share := 0.1);
type EvaluateLinks struct {
	Range
	Graph   Ident
	Methods []Call
	Options []Option
}

// Heading is EVALUATE LINKS.
func (*EvaluateLinks) Heading() string { return "EVALUATE LINKS" }

func (p *parser) evaluateLinks() Statement {
	s := &EvaluateLinks{Graph: p.graphAfter("IN"), Methods: p.usingMethods()}
	s.Options = p.withOptions(s)
	return s
}

func (s *EvaluateLinks) String() string {
	return "EVALUATE LINKS IN " + s.Graph.String() + usingMethods(s.Methods) + withOptions(s.Options)
}

func (p *parser) usingMethods() []Call {
	if !p.keyword("USING") {
		return nil
	}
	return separated(p, func() Call { return p.call(methodName) })
}

func usingMethods(methods []Call) string {
	if len(methods) == 0 {
		return ""
	}
	return " USING " + list(methods)
}

// EvaluateLabels is EVALUATE LABELS 'attribute' OF e [WITH (…)].
//
//	evaluatelabels = "EVALUATE" "LABELS" string "OF" name
//	               [ options ]                              e.g. EVALUATE LABELS 'area' OF spec;
type EvaluateLabels struct {
	Range
	Attribute Value // String or Param
	Embedding Ident
	Options   []Option
}

// Heading is EVALUATE LABELS.
func (*EvaluateLabels) Heading() string { return "EVALUATE LABELS" }

func (p *parser) evaluateLabels() Statement {
	s := &EvaluateLabels{Attribute: p.value(aString, attributeText)}
	p.needKeyword("OF")
	s.Embedding = p.embedding()
	s.Options = p.withOptions(s)
	return s
}

func (s *EvaluateLabels) String() string {
	return "EVALUATE LABELS " + s.Attribute.String() + " OF " + s.Embedding.String() + withOptions(s.Options)
}

// EvaluateParameters is EVALUATE PARAMETERS IN g USING method(…) [WITH (…)].
//
//	evaluateparameters = "EVALUATE" "PARAMETERS" "IN" name
//	               "USING" call [ options ]                 e.g. EVALUATE PARAMETERS IN social USING dp_spectral(dim := 64);
type EvaluateParameters struct {
	Range
	Graph   Ident
	Method  Call
	Options []Option
}

// Heading is EVALUATE PARAMETERS.
func (*EvaluateParameters) Heading() string { return "EVALUATE PARAMETERS" }

func (p *parser) evaluateParameters() Statement {
	s := &EvaluateParameters{Graph: p.graphAfter("IN"), Method: p.usingCall(methodName)}
	s.Options = p.withOptions(s)
	return s
}

func (s *EvaluateParameters) String() string {
	return "EVALUATE PARAMETERS IN " + s.Graph.String() + " USING " + s.Method.String() + withOptions(s.Options)
}

// EvaluateReconstruction is EVALUATE RECONSTRUCTION OF e [WITH (…)].
//
//	evaluatereconstruction = "EVALUATE" "RECONSTRUCTION" "OF" name
//	               [ options ]                              e.g. EVALUATE RECONSTRUCTION OF spec;
type EvaluateReconstruction struct {
	Range
	Embedding Ident
	Options   []Option
}

// Heading is EVALUATE RECONSTRUCTION.
func (*EvaluateReconstruction) Heading() string { return "EVALUATE RECONSTRUCTION" }

func (p *parser) evaluateReconstruction() Statement {
	p.needKeyword("OF")
	s := &EvaluateReconstruction{Embedding: p.embedding()}
	s.Options = p.withOptions(s)
	return s
}

func (s *EvaluateReconstruction) String() string {
	return "EVALUATE RECONSTRUCTION OF " + s.Embedding.String() + withOptions(s.Options)
}
