package fault

import (
	"errors"
	"strings"
)

// Words are the names that a program uses for options and fields in errors. The zero
// Words are the names of the options of statements and of the fields of Options, as
// in Error.
type Words struct {
	// Option returns the name of an option of a statement, such as "--dim" for "dim",
	// or "" where the program has none for it. Nil has none.
	Option func(name string) string
	// Field returns the name of a field of Options, such as "--memory-limit" for
	// "MemoryLimit", or "" where the program has none for it. Nil has none.
	Field func(name string) string
	// Bare leaves out the statement and the position in its text, for a program whose
	// user did not write the statement.
	Bare bool
}

// Message is err.Error() in these words.
func (w Words) Message(err error) string {
	switch e := err.(type) {
	case worded:
		return e.in(w)
	case interface{ Unwrap() []error }:
		return w.joined(err, e.Unwrap())
	}
	return err.Error()
}

// worded is an error that can be written with different Words.
type worded interface{ in(w Words) string }

// continued is the error of work that can be continued.
type continued interface{ remedy(w Words) string }

// joined writes errors that errors.Join has joined, a line each.
func (w Words) joined(err error, list []error) string {
	if err.Error() != errors.Join(list...).Error() {
		return err.Error() // it has words of its own between its parts
	}
	lines := make([]string, len(list))
	for i, e := range list {
		lines[i] = w.Message(e)
	}
	return strings.Join(lines, "\n")
}

// Remedy is the clause that says how to continue what an error has stopped, in these
// words; empty where nothing can be continued.
func (w Words) Remedy(err error) string {
	var stopped continued
	if errors.As(err, &stopped) {
		return stopped.remedy(w)
	}
	return ""
}

// option names an option in a sentence.
func (w Words) option(name string) string {
	if w.Option != nil {
		if own := w.Option(name); own != "" {
			return own
		}
	}
	return "option " + name
}

// set names an option in a clause that says how to set it. Without a value it is left
// to the user.
func (w Words) set(name, value string) string {
	if w.Option != nil {
		if own := w.Option(name); own != "" {
			return own // what is advised are flags without a value
		}
	}
	if value == "" {
		return "the option " + name
	}
	return "the option " + name + " := " + value
}

func (w Words) field(name string) string {
	if w.Field != nil {
		if own := w.Field(name); own != "" {
			return own
		}
	}
	return name
}
