package option

import (
	"fmt"
	"strings"
)

// Error is an option that is unknown, missing, or wrong.
type Error struct {
	Owner   string // what has the options, such as "method dp_spectral"; it may be empty
	Option  string
	Value   any      // as it was given
	Unknown bool     // Owner has no such option, but those of Known
	Known   []string // the options of Owner, where the option is unknown
	Missing string   // the explanation of an option that must be given; empty where it was
	Type    string   // the type that Value does not have; empty for another mistake
	Choices []string // the texts that are allowed, where Value is none
	Allowed string   // the valid values in words, for a value of the type that is out of range
	Message string   // anything else; it follows the name of the option
	Err     error    // the reason; it may be nil
}

// Error names the option, the value and what is valid.
func (e *Error) Error() string {
	owner := ""
	if e.Owner != "" {
		owner = " of " + e.Owner
	}
	name := "option " + e.Option + owner
	switch {
	case e.Unknown && len(e.Known) == 0:
		return fmt.Sprintf("%s has no options, found %q", e.Owner, e.Option)
	case e.Unknown:
		return fmt.Sprintf("%s has no option %q: expected %s", e.Owner, e.Option, strings.Join(e.Known, ", "))
	case e.Missing != "":
		return fmt.Sprintf("%s is missing: %s", name, e.Missing)
	case e.Message != "":
		return name + " " + e.Message
	case e.Allowed != "":
		return fmt.Sprintf("%s must be %s, not %v", name, e.Allowed, e.Value)
	case e.Err != nil:
		return fmt.Sprintf("%s: %v", name, e.Err)
	}
	var allowed []string
	if e.Type != "" {
		allowed = append(allowed, TypeName(e.Type))
	}
	for _, c := range e.Choices {
		allowed = append(allowed, "'"+c+"'")
	}
	return fmt.Sprintf("%s must be %s, not %v", name, strings.Join(allowed, " or "), e.Value)
}

// Unwrap returns the reason.
func (e *Error) Unwrap() error { return e.Err }
