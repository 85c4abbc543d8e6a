package repl

import (
	"context"
	"errors"
	"io"

	"heavytail/query/fault"
)

// Config sets what to run and where the results go.
type Config struct {
	DB  Database
	In  io.Reader // the script
	Out io.Writer // rows
	// Status shows progress, notices and errors.
	Status *Status
	// Name is the name of the script in errors, such as its file name. If it
	// is empty, errors have only the number of the line, which is enough for a statement
	// on a command line.
	Name string
	// Format is how rows are written; empty means Table.
	Format Format
	// ReadOnly makes statements that write an error, also where the file is open for writing.
	ReadOnly bool
	// Stdin is what IMPORT '-' reads; nil for query.Options.Input.
	Stdin io.Reader
	// Params are the values of $name in every statement.
	Params map[string]any
	// KeepGoing runs the statements after a failed one, too. By default they
	// do not run, since they often depend on it.
	KeepGoing bool
	// Timer prints after each statement how many seconds it took.
	Timer bool
	// Words has the names by which the user of the program knows options and limits, such
	// as flags.
	Words fault.Words
	// Manual returns a page of the manual of the program as a terminal shows it, and for ""
	// the list of its pages. It is nil if there is no manual.
	Manual func(page string, on Terminal) (string, error)
	// Plots are the kinds of pictures that Plot draws; one is degrees. .plot calls Plot with all
	// arguments, and with degrees before them if they do not begin with a kind. Without Plot it
	// is an error.
	Plots []string
	Plot  func(ctx context.Context, out io.Writer, args []string) error
}

// Validate returns all errors of the configuration, joined.
func (c *Config) Validate() error {
	var faults []error
	check := func(bad bool, message string) {
		if bad {
			faults = append(faults, errors.New(message))
		}
	}
	check(c.DB == nil, "DB is missing")
	check(c.In == nil, "In is missing")
	check(c.Out == nil, "Out is missing")
	check(c.Status == nil, "Status is missing")
	if _, err := ParseFormat(string(c.Format)); c.Format != "" && c.Format != Arrow && err != nil {
		faults = append(faults, err)
	}
	return errors.Join(faults...)
}
