package query

import (
	"errors"
	"heavytail/query/fault"
	"heavytail/query/help"
	"heavytail/query/internal/rowfile"
	"heavytail/query/internal/session"
	"heavytail/query/parser"
	"heavytail/query/plan"
	"heavytail/query/rows"
	"heavytail/storage/format"
	"io"
)

// rowsRequest asks to write the rows of a statement to a file. There is no typed method
// for it, because programs have the rows themselves.
type rowsRequest struct {
	operation        // bound and resolved
	text      string // of the statement
	path      string
	overwrite bool
	format    string // name of a format; empty chooses by the ending of path
}

type writtenRows struct {
	path string
	rows int64
}

var intoFile = &statement[*parser.IntoFile, rowsRequest, rowfile.Form, writtenRows]{
	Help: help.Statement{
		Statement: "INTO FILE", Syntax: "INTO FILE 'file' [WITH (option := value, …)]",
		Summary: "at the end of a statement that returns rows (SHOW, DESCRIBE, COUNT, COMPUTE, NEAREST, WITHIN, SCORE, PREDICT, EVALUATE, DIFF), writes its rows into a file, by its ending as CSV, TSV, JSON, NDJSON, Markdown or Parquet; text is compressed if the name ends in .gz or .zst",
		Columns: "file, rows",
		Example: "NEAREST 100 TO 'alice' USING spec INTO FILE 'near.parquet'",
	},
	Options: intoFileOptions,
	Bind: func(b *binder, s *parser.IntoFile) rowsRequest {
		inner, err := b.Prepare(s.Statement)
		b.Fail(err)
		req := rowsRequest{operation: inner, text: s.Statement.String(), path: b.Text(fault.Into, s.File)}
		set := b.Settings("INTO FILE", intoFileOptions(), s.Options)
		req.overwrite, req.format = set.Bool("overwrite"), unlessAuto(set.Text("format"))
		return req
	},
	Resolve: resolveIntoFile,
	Plan: func(req rowsRequest, form rowfile.Form) *plan.Plan {
		return writtenFile(form.Title, req.path, req.operation.Plan())
	},
	Run:   runIntoFile,
	Table: func(_ rowsRequest, w writtenRows) [][]rows.Value { return [][]rows.Value{{w.path, w.rows}} },
	Reads: true, // the inner statement decides whether the store is written
}

func intoFileOptions() []help.Option {
	return []help.Option{overwriteOption(), formatOption(ofEach(rowfile.Forms(), func(f rowfile.Form) string { return f.Name }))}
}

func resolveIntoFile(c *call, req rowsRequest) (form rowfile.Form, err error) {
	if err := c.CheckPath(req.path, fault.Into); err != nil {
		return form, err
	}
	if form, err = rowForm(req); err != nil {
		return form, err
	}
	return form, checkFile(c, form.Name, req.path, req.overwrite)
}

// rowForm returns the format that the option or the ending of the file selects. A missing
// or unknown ending is an error, because there is no default format for rows.
func rowForm(req rowsRequest) (rowfile.Form, error) {
	var endings []string
	for _, f := range rowfile.Forms() {
		if req.format == f.Name || req.format == "" && format.Ending(req.path) == f.Ending {
			return f, nil
		}
		endings = append(endings, f.Ending)
	}
	if format.Ending(req.path) == "" {
		return rowfile.Form{}, fault.New(fault.Into, "the name of file %s has no ending from which the format follows", fault.Quote(req.path)).
			WithExpected(endings...).WithOption("to choose the form", "format", "")
	}
	return rowfile.Form{}, session.EndingMistake(fault.Into, &format.EndingError{Name: req.path, Ending: format.Ending(req.path), Known: endings}).
		WithOption("to choose the form", "format", "")
}

// parquetTypes are the types of columns as those of a file; a column without a type takes that of
// its values.
func parquetTypes(columns []rows.ColumnType) []format.Type {
	types := make([]format.Type, len(columns))
	for i, c := range columns {
		if c.Type != 0 {
			types[i] = format.Type(c.Type.String())
		}
	}
	return types
}

// runIntoFile writes the rows while they are made, so that a stream takes no memory. The
// file appears when it is complete.
func runIntoFile(c *call, req rowsRequest, form rowfile.Form) (written writtenRows, err error) {
	rows, err := req.operation.Exec(c)
	if err != nil {
		return written, err
	}
	defer rows.Close()
	written.path = req.path
	err = c.WriteFile(req.path, req.overwrite, func(out io.Writer) error {
		w := rowfile.New(out, form, rows.Columns(), parquetTypes(rows.ColumnTypes()), []format.Note{{Key: "heavytail.statement", Text: req.text}})
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
