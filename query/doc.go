// Package query is the door to a heavytail file for Go programs, and the
// executor of its language. [DB] has one typed method for every statement;
// [DB.Query] runs a statement from text and calls the same method.
//
// # One statement, step by step
//
// Take
//
//	NEAREST 2 TO $who USING cosine(spec) WHERE NOT linked
//
// with who = "alice". [DB.Query] takes it through four steps, each in the files
// of its name.
//
// Parse (package parser): the text becomes a *parser.Nearest, plain data in
// which every node knows where it was written. Nothing is looked up. Mistakes
// of the grammar end here, as *parser.Error.
//
// Bind (bind*.go, where.go, settings.go, resolve.go): the tree becomes a typed
// request, here
//
//	NearestRequest{K: 2, Vertex: "alice", Embedding: "spec", Metric: index.Cosine, Where: func…}
//
// The parameter is bound as a value, never as text. The condition becomes a Go
// function (where.go, truth.go); the attributes that it reads go into the
// request. Then the request is resolved, as it is when a Go program makes it:
// spec is found in the catalogue, its vectors, its graph and the attributes
// are loaded, or taken from the cache (cache.go, spaces.go, columns.go), or, by
// the first plain searches, left in the file (placed.go), and
// alice becomes vertex 17. All mistakes of
// the user end here, as [*Error], with what was found, what was expected, and
// the nearest known name. Resolving says which piece of the request is wrong;
// bind remembers which text the piece came from, and so gives it a position.
//
// Plan (plan.go, steps*.go): the bound statement says in which steps it will be
// answered. This cannot fail. EXPLAIN stops here and prints the tree:
//
//	nearest: 2 by cosine, most similar first, ties by vertex
//	  exact scan: cosine from vertex 'alice', itself left out
//	    filter: during the scan: NOT linked
//	    embedding: spec, generation 1, 4039 × 200, dp_spectral, up to date with graph social
//	    graph: social, version 1, 4039 vertices, 88234 edges
//
// Execute (exec*.go): the statement calls the method of its meaning, the body of
// [DB.Nearest] in search.go, which scans the vectors and turns vertices back
// into keys, and lays the result out as [Rows]. PROFILE prints the plan again
// with what each step took.
//
// A call sees one version of every graph and embedding that it touches: what it
// has resolved once stays pinned until the call ends, whatever others write
// meanwhile. No transaction of the store is open while it computes.
//
// # Where things are
//
// The methods, their requests and results stand in one file for each group of
// statements: graphs.go, update.go, import.go, export.go, walks.go, generate.go,
// describe.go, vertices.go, embed.go, search.go, reconstruct.go, evaluate.go,
// evaluate_links.go, evaluate_labels.go, tune.go, refresh.go, diff.go, index.go, score.go, scorefile.go, predict.go, show.go,
// stats.go, upkeep.go and help.go. jobrun.go runs statements as jobs, of which jobspecs.go has
// the kinds; db.go opens, closes and frames calls; files.go
// is the only file that opens other files than the store; progress.go computes
// rates and remaining times, once for all.
//
// To add a statement: its node in package parser, a case in bind.go, its
// request and method in the file of its group, its binding, exec and plan in
// the bind, exec and steps files of its group, its line in the table of
// helps.go, and a script in testdata.
//
// # What callers can rely on
//
// A DB is safe for concurrent use. Every call heeds its context within 100 ms.
// Results do not depend on the number of workers, on what is cached, or on
// whether the file was reopened: the golden scripts in testdata run under all
// of these and must print the same text. Ties are in the order in which the
// vertices came into the graph. A call that changes a graph is one transaction,
// done as a whole or not at all. What a call would need beyond
// [Options.MemoryLimit] or [Options.MaxRows] is refused with the figures. Text
// that came from data is escaped in errors; in rows it is as it was stored, for
// whoever prints it to escape.
package query
