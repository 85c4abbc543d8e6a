package engine

import (
	"errors"
	"io"

	"heavytail/embedding/option"
	"heavytail/query/fault"
	"heavytail/query/internal/lists"
	"heavytail/query/internal/rowfile"
	"heavytail/query/internal/session"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/graphfile"
)

// RowsRequest asks to write the rows of a statement to a file.
type RowsRequest struct {
	text      string // of the statement
	Path      string
	Overwrite bool
	Format    string // name of a format; empty chooses by the ending of path
}

// WrittenRows is the answer of INTO FILE.
type WrittenRows struct {
	path string
	rows int64
}

// IntoFileFields are the options of a statement that writes rows into a file.
func IntoFileFields[O any](overwrite func(*O) *bool, form func(*O) *string) option.Schema[O] {
	return option.Schema[O]{OverwriteField(overwrite), FormField(lists.Map(rowfile.Forms(), func(f rowfile.Form) string { return f.Name }), form)}
}

// ResolveIntoFile finds the format of the file, and checks that it can be written.
func ResolveIntoFile(c *Call, req RowsRequest) (form rowfile.Form, err error) {
	if err := c.CheckPath(req.Path, fault.Into); err != nil {
		return form, err
	}
	if form, err = RowForm(req); err != nil {
		return form, err
	}
	return form, CheckFile(c, form.Columnar, req.Path, req.Overwrite)
}

// RowForm returns the format that the option or the ending of the file selects. A missing
// or unknown ending is an error, because there is no default format for rows.
func RowForm(req RowsRequest) (rowfile.Form, error) {
	if form, found := rowfile.FormOf(req.Path); found && req.Format == "" {
		return form, nil
	}
	var endings []string
	for _, f := range rowfile.Forms() {
		if req.Format == f.Name {
			return f, nil
		}
		endings = append(endings, f.Endings...)
	}
	if format.Ending(req.Path) == "" {
		return rowfile.Form{}, fault.New(fault.Into, "the name of file %s has no ending from which the format follows", fault.Quote(req.Path)).
			WithExpected(endings...).WithOption("to choose the form", FormOption, "")
	}
	return rowfile.Form{}, session.EndingMistake(fault.Into, &format.EndingError{Name: req.Path, Ending: format.Ending(req.Path), Known: endings}).
		WithOption("to choose the form", FormOption, "")
}

// writeRows writes the rows while they are made, so that a stream takes no memory. The
// file appears when it is complete.
func writeRows(c *Call, req RowsRequest, form rowfile.Form, rows *rows.Rows) (written WrittenRows, err error) {
	defer rows.Close()
	written.path = req.Path
	err = c.WriteFile(req.Path, req.Overwrite, func(out io.Writer) error {
		if rows.IsContinued() {
			form = form.Headless()
		}
		w := rowfile.New(out, form, rows.Columns(), rowfile.TypesOf(rows.ColumnTypes()), []columnar.Note{{Key: "heavytail.statement", Text: req.text}})
		for rows.Next() {
			if err := w.Row(rows.Row()); err != nil {
				return err
			}
			if written.rows++; written.rows%1024 == 0 && c.Ctx.Err() != nil {
				return c.Ctx.Err()
			}
		}
		if err := rows.Err(); err != nil {
			return err
		}
		return w.Close()
	})
	if errors.Is(err, format.ErrValue) {
		err = fault.New(fault.Into, "%v", err).WithRemedy("a text format such as CSV accepts values of several types in a column")
	}
	return written, err
}

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

// CheckFile returns an Error for a file that cannot be written, in a columnar format if it has one.
func CheckFile(c *Call, form format.Columnar, path string, overwrite bool) error {
	if form != "" {
		if err := session.CheckColumnar(form, path, fault.Into); err != nil {
			return err
		}
	}
	return c.CheckOutput(path, overwrite, fault.Into)
}

// KeysEnding is appended to the name of a file whose rows have numbers, such as a matrix, to
// name the file of their keys.
const KeysEnding = ".keys"

// KeysOption is the option that names the file of keys of a file that has none.
const KeysOption = "keys"

// NoKeys is the value of the option keys for numbers instead of keys.
const NoKeys = "none"

// KeyList reads a file of keys into memory.
func KeyList(c *Call, path string) (*format.KeyList, error) {
	in, size, err := c.OpenInput(path, fault.File)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	opts := format.VectorOptions{Name: session.InputName(path), Size: size, MaxBytes: max(1, c.DB.Opts.MemoryLimit/8)}
	return graphfile.ReadKeyList(c.Ctx, in, opts)
}
