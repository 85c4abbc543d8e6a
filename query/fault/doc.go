// Package fault has the errors of mistakes in statements and requests. An [Error] has the piece of
// the request that is wrong, its position in the text, what was found and expected, the nearest
// known name and the remedy:
//
//	db, err := query.Open("graphs.ht", nil)
//	_, err = db.Vectors().Nearest(ctx, vectors.NearestRequest{Embedding: "sepc", Vertex: "alice", K: 10})
//	if mistake, ok := errors.AsType[*fault.Error](err); ok {
//		fmt.Println(mistake.Message, mistake.Nearest) // the nearest name is spec
//	}
//
// The package also formats names and amounts in messages, and escapes text from data so that it
// cannot control a terminal.
package fault
