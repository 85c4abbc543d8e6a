package query

import (
	"io/fs"
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

// families lists the families in the order in which HELP shows them.
func families() []family {
	return []family{
		{"graphs", graphs.Statements()}, {"measures", measures.Statements()}, {"vectors", vectors.Statements()},
		{"links", links.Statements()}, {"studies", studies.Statements()}, {"jobs", jobs.Statements()},
		{"store", slices.Concat(maintenance.Statements(), engine.Statements(), []engine.Described{show, helpStatement(families)})},
	}
}

// statements lists the statements of the language by families.
func statements() (list []engine.Described) {
	for _, f := range families() {
		list = append(list, f.statements...)
	}
	return list
}

// Helps describes every statement of the language, by families.
func Helps() []help.Statement { return helpsOf(families()...) }

// HelpOn returns the rows of HELP for a topic, which needs no database; without words it
// returns what most begin with and the groups of statements. Words that name nothing are searched,
// also in the pages of a manual, files *.md, if that is not nil. If nothing is found, the error is an
// *Error that names the nearest topic.
func HelpOn(manual fs.FS, words ...string) (*rows.Rows, error) {
	t, err := helpOn(families(), manual, words)
	if err != nil {
		return nil, err
	}
	r := cells.RowsOf([]string{"item", "text"}, t.rows)
	if t.notice != "" {
		r.SetNotices([]rows.Notice{{Text: t.notice}})
	}
	return r, nil
}
