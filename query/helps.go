package query

import "heavytail/query/internal/bind"

// Help describes one statement. Helps returns the list for all statements,
// which HELP, the completion of the shell and the manual use.
type Help struct {
	Statement string // the keywords with which it begins
	Syntax    string
	Summary   string // one line
	Columns   string // columns of the result; empty if it has none
	Options   []OptionInfo
	Example   string // a complete statement
}

// OptionInfo describes one option of a statement, of an embedding method or of a
// generator: its name, type, default as the language writes it, allowed texts, and
// one line of explanation.
type OptionInfo = bind.OptionInfo
