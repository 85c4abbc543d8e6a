package query

import (
	"cmp"
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

// statements lists the statements of the language, in the order in which HELP shows them.
func statements() []engine.Described {
	all := slices.Concat(
		graphs.Statements(), measures.Statements(), vectors.Statements(), links.Statements(), studies.Statements(),
		jobs.Statements(), maintenance.Statements(), engine.Statements(), []engine.Described{show, helpStatement})
	order := helpOrder()
	place := func(s engine.Described) int { return slices.Index(order, s.Describe().Statement) }
	slices.SortStableFunc(all, func(a, b engine.Described) int { return cmp.Compare(place(a), place(b)) })
	return all
}

// helpOrder has the statements in the order in which a user needs them.
func helpOrder() []string {
	return []string{
		"CREATE GRAPH", "ALTER", "DROP GRAPH", "DROP ATTRIBUTE", "DROP EMBEDDING",
		"INSERT VERTEX", "INSERT EDGE", "UPDATE VERTEX", "UPDATE VERTICES", "UPDATE EDGE", "DELETE VERTEX", "DELETE VERTICES", "DELETE EDGE", "DELETE EDGES FILE",
		"IMPORT", "IMPORT VERTICES", "IMPORT EMBEDDING", "EXPORT GRAPH", "EXPORT VERTICES", "EXPORT WALKS", "EXPORT EMBEDDING", "EXPORT PAIRS", "GENERATE",
		"DESCRIBE GRAPH", "DESCRIBE VERTEX", "DESCRIBE EMBEDDING", "DESCRIBE MODEL", "SHOW", "SHOW VERTICES", "SHOW EDGES", "SHOW NEIGHBORS", "PATH", "SHOW ATTRIBUTES", "COUNT VERTICES",
		"COMPUTE", "ESTIMATE COMPUTE", "EMBED", "ESTIMATE EMBED", "CREATE INDEX", "DROP INDEX",
		"REFRESH", "REFRESH MEASURE", "REFRESH PREDICTIONS", "REFRESH ALL", "ALTER EMBEDDING", "VERIFY", "SHOW GENERATIONS", "SHOW VECTOR", "DIFF",
		"NEAREST", "WITHIN", "RECONSTRUCT", "EVALUATE RECONSTRUCTION", "EVALUATE PARAMETERS", "EVALUATE LABELS", "EVALUATE LINKS",
		"TUNE", "TRAIN MODEL", "MATERIALIZE PREDICTIONS", "DROP PREDICTIONS", "DROP MODEL",
		"SCORE", "SCORE FILE", "PREDICT",
		"CANCEL JOB", "RESUME JOB", "WAIT JOB", "DROP JOB",
		"CHECK", "COMPACT", "BACKUP", "RECOVER",
		"INTO FILE", "EXPLAIN", "EXPLAIN SCORE", "PROFILE",
		"HELP",
	}
}

// Helps describes every statement of the language, in the order in which a user
// needs them.
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
