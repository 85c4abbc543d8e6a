// Package query is the door to a heavytail file for Go programs, and the
// executor of its language. [DB] has one typed method for every statement;
// [DB.Query] runs a statement from text and calls the same functions.
//
// # A statement is one value
//
// statement.go has the type statement: the description of one statement of the
// language, with the steps that answer it. statements.go lists them all. Each
// statement, or small family, has a file of its name with its description, its
// request, its result and its typed method:
//
//	help     what HELP, completion and the flags of the command line show
//	bind     tree → request; the only step that knows the text
//	resolve  names → catalogue entries; loads neither graphs nor vectors
//	plan     the steps that EXPLAIN prints
//	run      request → result
//	rows     result → rows
//	job      what it is as a job; only where it can run in the background
//
// Take
//
//	NEAREST 2 TO $who USING cosine(spec) WHERE NOT linked
//
// with who = "alice". [DB.Query] has package parser make a *parser.Nearest of the
// text: plain data in which every node knows where it was written. prepare finds
// the statement of that node and binds it to
//
//	NearestRequest{K: 2, Vertex: "alice", Embedding: "spec", Metric: index.Cosine, Where: func…}
//
// The parameter is bound as a value, never as text, and the condition becomes a Go
// function (package where). A Go program makes the same request itself and passes
// it to [DB.Nearest]; from here on both ways are one. resolve finds spec and its
// graph in the catalogue and alice in the table of keys. EXPLAIN stops here and
// prints the plan:
//
//	nearest: 2 by cosine, most similar first, ties by vertex
//	  exact scan: cosine from vertex 'alice', itself left out
//	    filter: during the scan: NOT linked
//	    embedding: spec, generation 1, 4039 × 200, dp_spectral, up to date with graph social
//	    graph: social, version 1, 4039 vertices, 88234 edges
//
// run loads the vectors and the graph, or takes them from the cache, scans, and
// turns vertices back into keys; rows lays the answer out as [Rows]. PROFILE prints
// the plan again with what each step took. A mistake of the user is an [*Error]
// about a piece of the request. The binder has noted which text the piece came
// from, and so the error gets its position.
//
// A call sees one version of every graph and embedding that it loads, whatever is
// written meanwhile. No transaction of the store is open while it computes.
//
// # Rooms
//
// The packages inside know no statement. Each imports only those before it:
//
//	internal/fault    mistakes of users as fields, and names in messages
//	internal/plan     the tree of EXPLAIN and the stopwatch of PROFILE
//	internal/session  one call's view: catalogue entries, cache, graphs, vectors, files, progress, notices
//	internal/bind     values, parameters and options as Go values, with positions
//	internal/where    conditions as functions
//	internal/job      long statements: checkpoints, resuming, the background
//
// The files of this package use each other in the same order, from the base up:
//
//	rows.go, cells.go, helps.go, options.go   values, tables and texts
//	db.go                                     DB, one call, and the interfaces of a statement
//	run.go, stream.go, background.go          a text is run, rows are read, a job is queued
//	statement.go                              the type statement
//	names.go, search.go, scan.go, scorer.go … what several statements share
//	one file per statement
//	statements.go, open.go                    the only files that name all statements
//
// A statement with much work has it in a second file (tune.go, tune_search.go); only
// such pairs use each other both ways, which a test limits.
//
// To add a statement: its node, production and text in one file of package
// parser, its description in one file here, a line in each of the two tables
// (parser/keywords.go, statements.go), and a script in testdata.
//
// # What callers can rely on
//
// A DB is safe for concurrent use. Every call ends within 100 ms after its context.
// Results do not depend on the number of workers, on what is cached, or on
// whether the file was reopened: the golden scripts in testdata run under all
// of these and must print the same text. Ties are in the order in which the
// vertices came into the graph. A call that changes a graph is one transaction,
// done as a whole or not at all. What a call would need beyond
// [Options.MemoryLimit] or [Options.MaxRows] is refused with the figures. Text
// that came from data is escaped in errors; in rows it is as it was stored, for
// whoever prints it to escape.
package query
