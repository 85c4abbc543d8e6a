// Package remote runs statements on a heavytail file that another process has open and serves:
//
//	db, err := remote.Open(ctx, "social.ht")
//	if errors.Is(err, remote.ErrNoServer) {
//		// no process serves it; query.Open opens it
//	}
//	defer db.Close()
//	rows, err := db.Query(ctx, "NEAREST 10 TO $who USING spec", map[string]any{"who": "alice"})
//
// A [DB] has the methods Query and Execute of query.DB, with the same rows, notices, progress and
// errors: errors.As finds *fault.Error with its position, and errors.Is the sentinels of all layers. What is
// different is what the server decides: its limits, whether it may write, and the folder of the files that
// statements name.
package remote
