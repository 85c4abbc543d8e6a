// Package query is the Go API of a heavytail file, and executes the statement
// language. [DB] has one typed method for every statement; [DB.Query] runs a
// statement from text and calls the same functions.
//
// # A statement is one value
//
// The type statement (statement.go) describes one statement of the language by
// the steps that answer it. statements.go lists them all. Each statement, or
// small family of statements, has a file of the same name with its
// description, request, result and typed method:
//
//	help     what HELP, completion and the flags of the command line show
//	options  the options in that help, made when they are used
//	bind     syntax tree → request; the only step that uses the text
//	resolve  names → catalogue entries; loads neither graphs nor vectors
//	plan     the steps that EXPLAIN prints
//	run      request → result
//	table    result → rows with the columns of help, or rows for other columns
//	job      the description of the background job, for statements that can be one
//
// Take
//
//	NEAREST 2 TO $who USING cosine(spec) WHERE NOT linked
//
// with who = "alice". [DB.Query] passes the text to package parser, which returns
// a *parser.Nearest: plain data in which every node has its position in the text.
// binder.prepare finds the statement of that node, and bindNearest binds it to
//
//	NearestRequest{K: 2, Vertex: "alice", Embedding: "spec", Metric: index.Cosine, Where: func…}
//
// The parameter is bound as a value, never as text, and the condition becomes a Go
// function (package where). A Go program makes the same request itself and passes
// it to [DB.Nearest]; all further steps are the same for both. resolveNearest finds
// spec and its graph in the catalogue and alice in the table of keys. EXPLAIN stops
// here and prints the plan:
//
//	nearest: 2 by cosine, most similar first, ties by vertex
//	  exact scan: cosine from vertex 'alice', itself left out
//	    filter: during the scan: NOT linked
//	    embedding: spec, generation 1, 4039 × 200, dp_spectral, up to date with graph social
//	    graph: social, version 1, 4039 vertices, 88234 edges
//
// runNearest loads the vectors and the graph, or takes them from the cache, scans, and
// turns vertices back into keys; rows converts the answer into [Rows]. PROFILE
// prints the plan again with the rows and seconds of each step. A mistake of the
// user is an [*Error] about a piece of the request; its position is that of the
// text from which the binder took the piece.
//
// The calls in their order, each indented below its caller:
//
//	DB.Query, DB.Run                  statement.go
//	  binder.prepare                  the statement of the node
//	    statement.prepare
//	      bindNearest                 nearest.go
//	      statement.find              also refuses writes to a read-only file
//	        resolveNearest            nearest.go; resolveSearch, which WITHIN shares, is in search.go
//	  prepared.exec                   or queue, with IN BACKGROUND
//	    runNearest                    nearest.go; call.find, which answers the search, is in search_run.go
//	    SearchResult.rows             search.go
//
// The calls in statement.go are the same for all statements. A typed method takes a shorter
// way: DB.Nearest calls statement.answer, which calls find and run.
//
// A call sees one version of every graph and embedding that it loads, even if
// other calls write meanwhile. No transaction of the store is open while it
// computes.
//
// # Rooms
//
// The internal packages do not depend on any statement. Each imports only
// packages that are listed before it:
//
//	internal/fault    errors of users as structs with fields, and the form of names in messages
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
//	stream.go, background.go                  rows that are made while they are read; running as a job
//	statement.go                              the type statement, and its way from a text or a request to rows
//	names.go, scan.go, search.go, scorer.go … what several statements share
//	one file per statement
//	statements.go, open.go                    the only files that name all statements
//
// A statement with a long computation has a second file for it (tune.go,
// tune_search.go). Only such pairs of files use each other; a test limits their
// number.
//
// To add a statement: its node, production and text in one file of package
// parser, its description in one file here, a line in each of the two tables
// (parser/keywords.go, statements.go), and a script in testdata.
//
// # What callers can rely on
//
// A DB is safe for concurrent use. Every call ends within 100 ms after its context.
// Results do not depend on the number of workers, on what is cached, or on whether
// the file was reopened: the golden scripts in testdata run under all of these and
// must print the same text. Ties are in the order in which the vertices came into
// the graph. A call that changes a graph is one transaction, done as a whole or not
// at all. A call that would exceed [Options.MemoryLimit] or [Options.MaxRows] fails
// with an error that has the need and the limit. Text from data is escaped in
// errors; in rows it is unchanged, and the program that prints it must escape it.
package query
