package parser

// Nearest is NEAREST k TO v | (v, …) USING space [FRESH] [EXACT] [WHERE condition]
// [ORDER BY a].
//
//	nearest      = "NEAREST" integer
//	               "TO" ( vertex | "(" key { "," key } ")" )
//	               "USING" space [ "FRESH" ] [ "EXACT" ]
//	               [ where ] [ order ]                      e.g. NEAREST 10 TO 'alice' USING cosine(spec) WHERE NOT linked ORDER BY age DESC; NEAREST 5 TO ('alice', 107) USING spec;
type Nearest struct {
	Range
	Count    Value   // Int or Param
	To       Value   // String (a key), Int (its decimal text is the key), Vector or Param; nil where there are Examples
	Examples []Value // keys: String, Int or Param; nil where there is To
	Using    Space
	Fresh    bool // bring the embedding up to date first
	Exact    bool
	Where    Expr   // nil where left out
	Order    *Order // of the k vertices; nil where left out
}

func (*Nearest) Heading() string { return "NEAREST" }

func (p *parser) nearest() Statement {
	count := p.count()
	p.advise("NEAREST 10 TO v USING embedding finds the 10 nearest vertices")
	if p.keyword("FOR") {
		return p.nearestFor(count)
	}
	s := &Nearest{Count: count}
	p.needKeyword("TO")
	if p.sign("(") {
		s.Examples = p.keys()
		p.needSign(")")
	} else {
		s.To = p.vertex()
	}
	s.Using = p.usingSpace()
	s.Fresh = p.keyword("FRESH")
	s.Exact = p.keyword("EXACT")
	s.Where = p.where()
	s.Order = p.order()
	return s
}

func (s *Nearest) String() string {
	to := "(" + list(s.Examples) + ")"
	if s.To != nil {
		to = s.To.String()
	}
	return "NEAREST " + s.Count.String() + " TO " + to + " USING " + s.Using.String() +
		given(s.Fresh, " FRESH") + given(s.Exact, " EXACT") + where(s.Where) + s.Order.String()
}

// NearestFor is NEAREST k FOR ALL | FILE 'keys' USING space [EXACT] [WHERE condition]
// [WITH (…)].
//
//	nearestfor   = "NEAREST" integer
//	               "FOR" each
//	               "USING" space [ "EXACT" ] [ where ]
//	               [ options ]                              e.g. NEAREST 10 FOR ALL USING cosine(spec) WHERE NOT linked; NEAREST 5 FOR FILE 'keys.txt' USING spec WITH (count := 100);
type NearestFor struct {
	Range
	Count   Value // Int or Param
	Each    Each
	Using   Space
	Exact   bool
	Where   Expr // nil where left out
	Options []Option
}

func (*NearestFor) Heading() string { return "NEAREST" }

// nearestFor reads the text behind FOR.
func (p *parser) nearestFor(count Value) Statement {
	s := &NearestFor{Count: count}
	if each := p.each(); each != nil {
		s.Each = *each
	} else {
		p.unexpected()
	}
	s.Using = p.usingSpace()
	s.Exact = p.keyword("EXACT")
	s.Where = p.where()
	s.Options = p.withOptions(s)
	return s
}

func (s *NearestFor) String() string {
	return "NEAREST " + s.Count.String() + " FOR " + s.Each.String() + " USING " + s.Using.String() + given(s.Exact, " EXACT") + where(s.Where) + withOptions(s.Options)
}

// Within is WITHIN threshold OF v USING space [EXACT] [WHERE condition] [ORDER BY a]
// [LIMIT n].
//
//	within       = "WITHIN" threshold "OF" vertex
//	               "USING" space [ "EXACT" ] [ where ]
//	               [ order ] [ "LIMIT" integer ]            e.g. WITHIN EPSILON 0.45 OF 107 USING spec ORDER BY degree LIMIT 100;
type Within struct {
	Range
	Threshold Threshold // never Auto
	Of        Value     // as To of Nearest
	Using     Space
	Exact     bool
	Where     Expr   // nil where left out
	Order     *Order // of the vertices that LIMIT keeps; nil where left out
	Limit     Value  // Int or Param; nil where left out
}

func (*Within) Heading() string { return "WITHIN" }

func (p *parser) within() Statement {
	return &Within{
		Threshold: p.threshold(false),
		Of:        after(p, "OF", p.vertex),
		Using:     p.usingSpace(),
		Exact:     p.keyword("EXACT"),
		Where:     p.where(),
		Order:     p.order(),
		Limit:     p.limit(),
	}
}

func (s *Within) String() string {
	return "WITHIN " + s.Threshold.String() + " OF " + s.Of.String() + " USING " + s.Using.String() +
		given(s.Exact, " EXACT") + where(s.Where) + s.Order.String() + limit(s.Limit)
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
