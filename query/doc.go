// Package query opens a heavytail file, and answers questions about its graphs:
//
//	db, err := query.Open("social.ht", nil) // makes the file if there is none
//	if err != nil {
//		return err
//	}
//	defer db.Close()
//	_, err = db.Graphs().Import(ctx, graphs.ImportRequest{Graph: "social", Path: "edges.csv"})
//	_, err = db.Vectors().Embed(ctx, vectors.EmbedRequest{Graph: "social", Name: "spec", Using: vectors.DPSpectral{Dim: 64}})
//	near, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{Embedding: "spec", Vertex: "alice", K: 10})
//	for _, n := range near.Neighbors {
//		fmt.Println(n.Vertex, n.Value)
//	}
//
// Every statement of the language is a method of a family, with a request and a result:
//
//	db.Graphs()       create, derive, generate, import, export, change, list, describe
//	db.Measures()     measures of vertices, such as pagerank and communities
//	db.Vectors()      embed, refresh, index, search, reconstruct
//	db.Links()        score, predict, models
//	db.Studies()      evaluate, tune, export pairs
//	db.Jobs()         what runs for long
//	db.Maintenance()  check, compact, back up, recover
//
// [DB.Query] runs a statement from text, with values for its parameters, and calls the same functions:
//
//	rows, err := db.Query(ctx, "NEAREST 10 TO $who USING spec", map[string]any{"who": "alice"})
//
// Package heavytail/query/driver is for programs with database/sql. What several families share is in the packages
// rows (answers), fault (errors), where (conditions), catalogue (lists) and files (exports).
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
