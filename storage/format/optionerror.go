package format

import (
	"fmt"
	"strings"

	"heavytail/storage/format/internal/delimited"
)

// OptionError reports a value that an option cannot have, either at all or together with other
// options. It wraps ErrOptions.
type OptionError struct {
	// Option is the field of the options in lower_snake, such as "max_line". If several
	// contradict each other, it is one of them.
	Option string
	Value  any // a string or an integer
	// Allowed is the range of allowed values, such as "from 0 to 10". It is empty if Expected
	// lists the values or Conflict is set.
	Allowed  string
	Expected []string // the allowed texts; nil if the option has no such list
	// Conflict is a sentence that names the contradiction with other options. It is empty if
	// the value is wrong on its own.
	Conflict string
}

// Error names the option, the value and what is allowed.
func (e *OptionError) Error() string {
	value := fmt.Sprint(e.Value)
	if text, ok := e.Value.(string); ok {
		value = fmt.Sprintf("%q", text)
	}
	switch {
	case e.Conflict != "":
		return fmt.Sprintf("%v: %s", ErrOptions, e.Conflict)
	case e.Expected != nil:
		return fmt.Sprintf("%v: %s is %s, and must be one of %s", ErrOptions, e.Option, value, strings.Join(e.Expected, ", "))
	}
	return fmt.Sprintf("%v: %s is %s, and must be %s", ErrOptions, e.Option, value, e.Allowed)
}

// Unwrap returns ErrOptions.
func (e *OptionError) Unwrap() error { return ErrOptions }

// optionFaults collects the faults found by a Validate method.
type optionFaults []error

// notNegative refuses a number below 0.
func (f *optionFaults) notNegative(option string, value int64) {
	if value < 0 {
		*f = append(*f, &OptionError{Option: option, Value: value, Allowed: "at least 0"})
	}
}

// within refuses a number outside the range from 0 to most.
func (f *optionFaults) within(option string, value, most int64) {
	if value < 0 || value > most {
		*f = append(*f, &OptionError{Option: option, Value: value, Allowed: fmt.Sprintf("from 0 to %d", most)})
	}
}

// column refuses a number that is not a valid column number.
func (f *optionFaults) column(option, text string) {
	if n, ok := delimited.ColumnNumber(text); ok && (n < 1 || n > maxColumns) {
		*f = append(*f, &OptionError{Option: option, Value: text, Allowed: fmt.Sprintf("the name of a column or a number from 1 to %d", maxColumns)})
	}
}

// conflict refuses an option that contradicts others.
func (f *optionFaults) conflict(option string, value any, format string, args ...any) {
	*f = append(*f, &OptionError{Option: option, Value: value, Conflict: fmt.Sprintf(format, args...)})
}
