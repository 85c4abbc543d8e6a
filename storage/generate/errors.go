package generate

import (
	"errors"
	"fmt"
)

// ErrOptions is wrapped by every fault that a Validate reports.
var ErrOptions = errors.New("invalid options")

// OptionError is a fault of one option of a model.
type OptionError struct {
	Model  string // such as "erdos renyi"
	Option string // such as "p"; empty where no single option is at fault
	// Part is what of the option is at fault, such as "entry 2 of row 1"; empty for
	// an option that is a single value.
	Part    string
	Found   any    // the value
	Allowed string // what the value must be, such as "from 0 to 1"
}

// Error names the model, the option, the value and what is allowed.
func (e *OptionError) Error() string {
	return fmt.Sprintf("%v: %s: %s", ErrOptions, e.Model, e.Reason(e.Option))
}

// Reason says what is wrong about the option, under the name that the reader knows it by.
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
