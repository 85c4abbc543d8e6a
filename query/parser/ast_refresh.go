package parser

// Refresh is REFRESH e [WITH (…)] [IN BACKGROUND].
type Refresh struct {
	Range
	Embedding  Ident
	Options    []Option
	Background bool
}

// AutoRefresh is ALTER EMBEDDING e AUTO REFRESH AFTER n CHANGES | EVERY 'time' | OFF.
type AutoRefresh struct {
	Range
	Embedding Ident
	Changes   Value // nil where it is not given
	Every     Value // nil where it is not given; both are for OFF
}

// Verify is VERIFY e [WITH (…)] [IN BACKGROUND].
type Verify struct {
	Range
	Embedding  Ident
	Options    []Option
	Background bool
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
func (*AutoRefresh) statement()     {}
func (*ShowGenerations) statement() {}
func (*Diff) statement()            {}
