package query

import "heavytail/query/internal/bind"

// Help describes one statement. The table of all of them is Helps; HELP, the
// completion of a shell and the documentation read it.
type Help struct {
	Statement string // the keywords that begin it
	Syntax    string
	Summary   string // one line
	Columns   string // of the result; empty where there is none
	Options   []OptionInfo
	Example   string // a statement that parses
}

// OptionInfo describes one option of a statement, of an embedding method or of a
// generator: its name, type, default as the language writes it, allowed texts, and
// one line of explanation.
type OptionInfo = bind.OptionInfo
