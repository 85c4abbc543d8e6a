// Package engine answers statements, of which it knows none. A Statement describes one: how its
// node in the syntax tree becomes the request of its typed method, which catalogue entries the
// request names, the plan, and the answer. The engine takes a text or a request through these
// steps to rows, or queues it as a job; and it has what statements of several families share:
// positions of mistakes, names, options, order, streams of rows, EXPLAIN, PROFILE and INTO FILE.
//
// A Call is one call of a method: the view of the file that package session gives, with the
// position of each piece of the request in its text. A DB is the open file as all calls share it.
//
// # The house
//
// The families are packages. Each imports only families before it:
//
//	maintenance  check, compact, backup, recover, the space of the file
//	measures     COMPUTE, and what keeps stored measures fresh
//	graphs       create, derive, generate, import, export, change, list, describe
//	vectors      embed, refresh, index, search, reconstruct
//	links        score, predict, models
//	studies      evaluate, tune, export pairs
//	jobs         jobs, and REFRESH ALL
//
// What callers meet in several families is in rows, fault, where, plan, help,
// catalogue and files. Below the families are inner packages: engine has the way of
// every statement and knows none; session is one call's view of the file; conditions, entries,
// scan, export, textfile, indexes, methods, search, sweep and scoring have what
// several families share.
//
// # A statement is one value
//
// A Statement describes one statement of the language by the steps that
// answer it. It has a file in the package of its family, with its request,
// result and typed method, and a line in Statements of the family:
//
//	Help     what HELP, completion and the flags of the command line show
//	Schema   the options, built when they are used or described
//	Bind     syntax tree → request; the only step that uses the text
//	Resolve  names → catalogue entries; loads neither graphs nor vectors
//	Plan     the steps that EXPLAIN prints
//	Run      request → result
//	Table    result → rows with the columns of Help, or Rows for other columns
//	Job      the description of the background job, for statements that can be one
//
// Take
//
//	NEAREST 2 TO $who USING cosine(spec) WHERE NOT linked
//
// with who = "alice". query.DB.Query passes the text to package parser, which returns
// a *parser.Nearest: plain data in which every node has its position in the text.
// Binder.Prepare finds the statement of that node, and bindNearest binds it to
//
//	vectors.NearestRequest{K: 2, Vertex: "alice", Embedding: "spec", Metric: index.Cosine, Where: func…}
//
// The parameter is bound as a value, never as text, and the condition becomes a Go
// function (where.Candidate → bool). A Go program makes the same request itself and passes
// it to Nearest of vectors.Service; all further steps are the same for both.
// resolveNearest finds spec and its graph in the catalogue and alice in the table of
// keys. EXPLAIN stops here and prints the plan:
//
//	nearest: 2 by cosine, most similar first, ties by vertex
//	  exact scan: cosine from vertex 'alice', itself left out
//	    filter: during the scan: NOT linked
//	    embedding: spec, generation 1, 4039 × 200, dp_spectral, up to date with graph social
//	    graph: social, version 1, 4039 vertices, 88234 edges
//
// runNearest loads the vectors and the graph, or takes them from the cache, scans, and
// turns vertices back into keys; Rows converts the answer into rows.Rows. PROFILE
// prints the plan again with the rows and seconds of each step. A mistake of the
// user is a *fault.Error about a piece of the request; its position is that of the
// text from which the binder took the piece.
//
// The calls in their order, each indented below its caller:
//
//	DB.Query, DB.Run            query
//	  Binder.Prepare            engine: the statement of the node
//	    bindNearest             vectors
//	    Statement.Find          engine; also refuses writes to a read-only file
//	      resolveNearest        vectors; search.ResolveSearch, which WITHIN shares
//	  Call.Execute              engine; or queues a job, with IN BACKGROUND
//	    runNearest              vectors; find, which answers the search
//	    SearchResult.rows       vectors
//
// The calls of engine are the same for all statements. A typed method takes a shorter
// way: Nearest calls Statement.Answer, which calls Find and Run.
//
// A call sees one version of every graph and embedding that it loads, even if
// other calls write meanwhile. No transaction of the store is open while it
// computes.
package engine
