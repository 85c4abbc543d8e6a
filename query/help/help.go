// Package help has the descriptions of statements and options, from which HELP, completion, the
// manual and the flags of commands are made. They need no file:
//
//	for _, s := range query.Helps() {
//		fmt.Println(s.Statement, s.Summary)
//	}
package help

// Statement describes one statement. query.Helps returns the list for all statements,
// which HELP, the completion of the shell and the manual use.
type Statement struct {
	Statement string // the keywords with which it begins
	Syntax    string
	Summary   string // one line
	Columns   string // columns of the result; empty if it has none
	Options   []Option
	Example   string // a complete statement
}

// Option describes one option of a statement, of an embedding method or of a
// generator.
type Option struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`    // "int", "float", "text", "bool" or "column": a text, or a number from 1 on
	Default string   `json:"default"` // in the language; empty where the option must be given
	Choices []string `json:"choices"` // the texts that are allowed, besides numbers where the type is one; nil for any text
	Doc     string   `json:"doc"`     // explanation in one line
}

// String returns the option with its default, in the form of the language.
func (o Option) String() string {
	if o.Default == "" {
		return o.Name
	}
	return o.Name + " := " + o.Default
}
