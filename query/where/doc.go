// Package where has the arguments of conditions. A condition of a request is a function of a
// [Candidate], which is a vertex, or of an [EdgeCandidate]:
//
//	db, err := query.Open("graphs.ht", nil)
//	hubs, err := db.Graphs().CountVertices(ctx, graphs.CountVerticesRequest{Graph: "social",
//		Where: func(v where.Candidate) bool { return v.Degree >= 100 }})
package where
