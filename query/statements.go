package query

import (
	"slices"

	"heavytail/query/graphs"
	"heavytail/query/help"
	"heavytail/query/internal/cells"
	"heavytail/query/internal/engine"
	"heavytail/query/jobs"
	"heavytail/query/links"
	"heavytail/query/maintenance"
	"heavytail/query/measures"
	"heavytail/query/rows"
	"heavytail/query/studies"
	"heavytail/query/vectors"
)

// statements lists the statements of the language by families, in the order in which HELP shows
// them.
func statements() []engine.Described {
	return slices.Concat(
		graphs.Statements(), measures.Statements(), vectors.Statements(), links.Statements(), studies.Statements(),
		jobs.Statements(), maintenance.Statements(), engine.Statements(), []engine.Described{show, helpStatement})
}

// Helps describes every statement of the language, by families.
func Helps() []help.Statement { return helpsOf(statements()) }

// HelpOn returns the rows of HELP for a topic, which needs no database; without words it
// returns the list of the statements. If there is no such topic, the error is an *Error that
// names the nearest one.
func HelpOn(words ...string) (*rows.Rows, error) {
	t, err := helpOn(Helps(), words)
	if err != nil {
		return nil, err
	}
	return cells.RowsOf(t.columns, t.rows), nil
}
