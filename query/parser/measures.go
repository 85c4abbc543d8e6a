package parser

// Compute is COMPUTE measure(…) IN g [FROM v, …] [AS a] [WITH (…)] [IN BACKGROUND].
type Compute struct {
	Range
	Measure    Call
	Graph      Ident
	From       []Value // as Key of NewVertex; nil where left out
	As         *Ident  // an attribute; nil where left out
	Options    []Option
	Background bool
}

// EstimateCompute is ESTIMATE in front of a Compute.
type EstimateCompute struct{ Compute }
