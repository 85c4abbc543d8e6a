package parser

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

func (n Threshold) String() string { return n.Kind.String() + clause(" ", n.Value) }

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
