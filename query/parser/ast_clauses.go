package parser

// This file has the nodes that statements are made of.

// Ident is the name of something: a graph, an embedding, an option, a column.
type Ident struct {
	Range
	Name string // without quotes, as written; names are case-sensitive
}

// Call is a method or generator with its options: dp_spectral(dim := 200). The
// parentheses may be left out where there are no options.
type Call struct {
	Range
	Name    Ident
	Options []Option
}

// Option is name := value, an option or an attribute with its value. Names may
// repeat: that is for the binder to refuse.
type Option struct {
	Range
	Name  Ident
	Value Value
}

// Space is where a search looks: an embedding, alone or under a metric, as
// spec, l2(spec), cosine(spec) or dot(spec).
type Space struct {
	Range
	Metric    *Ident // nil where left out
	Embedding Ident
}

// ThresholdKind says how a Threshold was written.
type ThresholdKind uint8

// The kinds of threshold.
const (
	Auto    ThresholdKind = iota // AUTO, without a value
	Radius                       // RADIUS r
	Epsilon                      // EPSILON ε
)

// Threshold is RADIUS r, EPSILON ε or AUTO.
type Threshold struct {
	Range
	Kind  ThresholdKind
	Value Value // Int, Float or Param; nil for Auto
}

// Pair is ('u', 'v'): two vertices by key.
type Pair struct {
	Range
	U, V Value // each String, Int or Param
}

// Scorer is a link scorer, with the embedding or the model that it reads in
// parentheses: adamic_adar, cosine(spec), model(friends).
type Scorer struct {
	Range
	Name Ident
	Of   *Ident // nil where there are no parentheses
}

// String is a string literal.
type String struct {
	Range
	Value string
}

// Int is an integer literal.
type Int struct {
	Range
	Value int64
}

// Float is a number with a fraction or an exponent. It is finite.
type Float struct {
	Range
	Value float64
}

// Bool is TRUE or FALSE.
type Bool struct {
	Range
	Value bool
}

// Vector is [x, y, …]: at least one number, each finite as float64.
type Vector struct {
	Range
	Values []float64
}

// Missing is MISSING: that there is no value. It stands only where a value is
// set.
type Missing struct{ Range }

// Param is a parameter, $name, whose value comes beside the text.
type Param struct {
	Range
	Name string // without the $
}

// Or is true where any of its terms is. The terms are at least two, and kept in
// one list so that a long chain is no deeper than a short one.
type Or struct {
	Range
	Terms []Expr
}

// And is true where all its terms are. Its terms are at least two.
type And struct {
	Range
	Terms []Expr
}

// Not is true where its term is false.
type Not struct {
	Range
	Term Expr
}

// Operator compares two operands.
type Operator uint8

// The operators. <> and != are the same.
const (
	Equal Operator = iota
	NotEqual
	Less
	LessEqual
	Greater
	GreaterEqual
)

// Compare is left operator right. Which sides are names is for the binder.
type Compare struct {
	Range
	Left  Operand
	Op    Operator
	Right Operand
}

// In is operand [NOT] IN (value, …).
type In struct {
	Range
	Operand Operand
	Not     bool
	Values  []Value // at least one; each String, Int, Float, Bool or Param
}

// IsMissing is operand IS [NOT] MISSING.
type IsMissing struct {
	Range
	Operand Operand
	Not     bool
}

// Flag is a name that stands for true or false by itself, such as linked.
type Flag struct {
	Range
	Name Ident
}

func (String) value()  {}
func (Int) value()     {}
func (Float) value()   {}
func (Bool) value()    {}
func (Vector) value()  {}
func (Missing) value() {}
func (Param) value()   {}

func (Or) expr()        {}
func (And) expr()       {}
func (Not) expr()       {}
func (Compare) expr()   {}
func (In) expr()        {}
func (IsMissing) expr() {}
func (Flag) expr()      {}

func (Ident) operand()  {}
func (String) operand() {}
func (Int) operand()    {}
func (Float) operand()  {}
func (Bool) operand()   {}
func (Param) operand()  {}
