package parser

// Source is the text of one statement and where it starts in the text or script
// that it came from. All positions count from the beginning of that script.
type Source struct {
	Text string
	Pos  Pos // the zero Pos where the text stands alone
}

// Parse reads the one statement of a text, with or without its semicolon. The
// error is an *Error.
func Parse(text string) (Statement, error) { return Source{Text: text}.Parse() }

// Parse reads the one statement of the source, with or without its semicolon.
// The error is an *Error.
func (s Source) Parse() (Statement, error) {
	return nil, &Error{Range: Range{start, start}, Message: "not built yet"}
}

// ParseScript reads all statements of a text. It stops at the first error, an
// *Error, and returns the statements before it.
func ParseScript(text string) ([]Statement, error) { return nil, nil }
