package parser

// Refresh is REFRESH e [WITH (…)].
type Refresh struct {
	Range
	Embedding Ident
	Options   []Option
}

// Verify is VERIFY e [WITH (…)].
type Verify struct {
	Range
	Embedding Ident
	Options   []Option
}

// ShowGenerations is SHOW GENERATIONS OF e.
type ShowGenerations struct {
	Range
	Embedding Ident
}

// Diff is DIFF e@1, e@2 [LIMIT n].
type Diff struct {
	Range
	Before, After Ident
	Limit         Value // nil for the default
}

func (*Refresh) statement()         {}
func (*Verify) statement()          {}
func (*ShowGenerations) statement() {}
func (*Diff) statement()            {}
