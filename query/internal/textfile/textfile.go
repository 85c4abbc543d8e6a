package textfile

import (
	"errors"
	"slices"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/internal/bind"
	"heavytail/query/internal/engine"
	"heavytail/storage/format"
)

// FormatMistake converts the error of package format for an invalid option to an
// Error, and returns other errors unchanged.
func FormatMistake(err error) error {
	var refused *format.OptionError
	if !errors.As(err, &refused) {
		return err
	}
	name, value := refused.Option, bind.Describe(refused.Value)
	if text, ok := refused.Value.(string); ok {
		value = fault.QuoteKey(text)
	}
	if name == "layout" {
		name = engine.FormOption // the name of the option in statements
	}
	e := fault.OfOption(name, "is %s, and must be %s", value, refused.Allowed)
	switch {
	case refused.Conflict != "":
		e.Option, e.Message = "", refused.Conflict
	case refused.Expected != nil:
		e.Message, e.Expected = "is "+value, refused.Expected
	}
	e.Err = errors.Join(fault.ErrInvalid, err)
	return e
}

// PairsFields are the options of statements that read a file of pairs.
func PairsFields[O any](header func(*O) *format.HeaderMode, separator func(*O) *string) option.Schema[O] {
	modes := slices.DeleteFunc(format.HeaderModes(), func(mode string) bool { return mode == format.HeaderCounts.String() })
	return Fields("whether the first line has column names (names or TRUE) or is a pair (none or FALSE)", modes, header, separator)
}

// Fields are the options of statements that read a text in columns, whose first line may be what modes say.
func Fields[O any](doc string, modes []string, header func(*O) *format.HeaderMode, separator func(*O) *string) option.Schema[O] {
	return option.Schema[O]{
		option.Parsed("header", doc, header, format.ParseHeader, format.HeaderMode.String).Among(modes),
		option.String("separator", "what separates columns: auto, whitespace, tab, comma, semicolon or bar", separator).OrElse("auto"),
	}
}

// NoteComments reports lines of a list of edges that were taken as comments although they are
// not above it.
func NoteComments(c *engine.Call, late int64) {
	if late > 0 {
		c.Notice("%s left out as a comment that could be an edge: keys that begin with # or %% need quotes, in a file with commas or tabs",
			fault.Count(late, "line"))
	}
}
