package generate

import (
	"errors"
	"fmt"
)

// ErrOptions is wrapped by every error of Validate.
var ErrOptions = errors.New("invalid options")

// OptionError is a fault of one option of a model.
type OptionError struct {
	Model  string // such as "erdos renyi"
	Option string // such as "p"; empty if the fault is not of a single option
	// Part is the faulty part of the option, such as "entry 2 of row 1"; empty for an option that
	// is a single value.
	Part    string
	Found   any    // the value
	Allowed string // what the value must be, such as "from 0 to 1"
}

// Error names the model, the option, the value and the allowed values.
func (e *OptionError) Error() string {
	return fmt.Sprintf("%v: %s: %s", ErrOptions, e.Model, e.Reason(e.Option))
}

// Reason describes the fault, with a given name for the option.
func (e *OptionError) Reason(option string) string {
	subject := option
	switch {
	case e.Option == "":
		subject = e.Part
	case e.Part != "":
		subject = e.Part + " of " + option
	}
	return fmt.Sprintf("%s is %v, and must be %s", subject, e.Found, e.Allowed)
}

// Unwrap returns ErrOptions.
func (e *OptionError) Unwrap() error { return ErrOptions }
