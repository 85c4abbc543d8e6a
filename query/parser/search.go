package parser

// Nearest is NEAREST k TO v | (v, …) USING space [FRESH] [EXACT] [WITH (…)], or NEAREST k FOR ALL |
// FILE 'keys' USING space [FRESH] [EXACT] [WITH (…)].
type Nearest struct {
	Range
	Count    Value   // Int or Param
	To       Value   // String (a key), Int (its decimal text is the key), Vector or Param; nil where there are Examples or Each
	Examples []Value // keys: String, Int or Param; nil where there is To or Each
	Each     *Each   // nil where there is To or Examples
	Using    Space
	Fresh    bool // bring the embedding up to date first
	Exact    bool
	Options  []Option
}

// Within is WITHIN threshold OF v USING space [EXACT].
type Within struct {
	Range
	Threshold Threshold // never Auto
	Of        Value     // as To of Nearest
	Using     Space
	Exact     bool
}

// Threshold is RADIUS r, EPSILON ε or AUTO.
//
//	threshold    = ( "RADIUS" | "EPSILON" ) number          e.g. WITHIN RADIUS 0.35 OF 'alice' USING spec;
type Threshold struct {
	Range
	Kind  ThresholdKind
	Value Value // Int, Float or Param; nil for Auto
}

// ThresholdKind is the keyword of a Threshold.
type ThresholdKind uint8

// The kinds of threshold.
const (
	Auto    ThresholdKind = iota // AUTO, without a value
	Radius                       // RADIUS r
	Epsilon                      // EPSILON ε
)

// threshold reads RADIUS r, EPSILON ε or, where it is allowed, AUTO.
func (p *parser) threshold(auto bool) Threshold {
	n := Threshold{}
	begin := p.tok.Start
	switch {
	case p.keyword("RADIUS"):
		n.Kind, n.Value = Radius, p.value(aNumber, numberText)
	case p.keyword("EPSILON"):
		n.Kind, n.Value = Epsilon, p.value(aNumber, numberText)
	case auto && p.keyword("AUTO"):
		n.Kind = Auto
	default:
		p.unexpected()
	}
	n.Range = p.since(begin)
	return n
}

func (n Threshold) String() string { return n.Kind.String() + behind(" ", n.Value) }

// String returns AUTO, RADIUS or EPSILON.
func (k ThresholdKind) String() string {
	switch k {
	case Radius:
		return "RADIUS"
	case Epsilon:
		return "EPSILON"
	}
	return "AUTO"
}

// Reconstruct is RECONSTRUCT e threshold [INTO GRAPH h | INTO FILE 'file']
// [WITH (…)]. At most one of Graph and File is set.
type Reconstruct struct {
	Range
	Embedding Ident
	Threshold Threshold
	Graph     *Ident // nil where left out
	File      Value  // String or Param; nil where left out
	Options   []Option
}

// examples are the vertices of a Nearest in parentheses.
func examples(s *Nearest) own {
	return own{`"(" key { "," key } ")"`, "(vertex, …)", func(p *parser) bool {
		if !p.sign("(") {
			return false
		}
		s.Examples = separated(p, p.key)
		p.needSign(")")
		return true
	}, func() string {
		if s.Examples == nil {
			return ""
		}
		return "(" + joined(s.Examples) + ")"
	}, true}
}
