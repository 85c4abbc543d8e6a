// Package help has the descriptions of statements and options, from which HELP, completion, the
// manual and the flags of commands are made. They need no file:
//
//	for _, s := range query.Helps() {
//		fmt.Println(s.Statement, s.Summary)
//	}
package help

import "heavytail/embedding/option"

// Statement describes one statement. query.Helps returns the list for all statements,
// which HELP, the completion of the shell and the manual use.
type Statement struct {
	Statement string // the keywords with which it begins
	Syntax    string
	Clauses   string // that may be behind it; empty if it does not answer with rows
	Summary   string // one sentence of at most 25 words
	Detail    string // what else there is to say; whole sentences
	Words     string // further words by which a search finds it, with blanks between them
	Columns   string // columns of the result; empty if it has none
	Options   []option.Info
	Example   string // a complete statement; that of the rule of the parser if it has one
}

// About is the summary and the details as sentences, with the first letter as it is.
func (s Statement) About() string {
	if s.Detail == "" {
		return s.Summary + "."
	}
	return s.Summary + ". " + s.Detail + "."
}
