package engine

import (
	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
)

// OverwriteField is the option of every statement that writes a file.
func OverwriteField[O any](at func(*O) *bool) option.Field[O] {
	return option.Bool(session.OverwriteOption, "replace a file that exists", at)
}

// FormOption is the name of the option of FormField, for remedies.
const FormOption = "format"

// FormField is the option for the form of a file; an empty text goes by the ending of its name.
func FormField[O any](names []string, at func(*O) *string) option.Field[O] {
	return option.Auto(FormOption, "form of the file; auto goes by the ending of its name", names, at)
}

// WrittenFile is the last step of a statement that writes a file.
func WrittenFile(title, path string, input *plan.Plan) *plan.Plan {
	return plan.Result(title, "to "+fault.Quote(path), input)
}

// CheckFile returns an Error for a file that cannot be written in a format.
func CheckFile(c *Call, format, path string, overwrite bool) error {
	if format == "parquet" {
		if err := session.CheckParquet(path, fault.Into); err != nil {
			return err
		}
	}
	return c.CheckOutput(path, overwrite, fault.Into)
}
