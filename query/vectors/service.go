// Package vectors has the statements about embeddings: they compute, refresh and verify them, list
// their generations, index them, search among their vectors and reconstruct graphs from them.
//
// A [Service] belongs to an open file:
//
//	db, err := query.Open("graphs.ht", nil)
//	made, err := db.Vectors().Embed(ctx, vectors.EmbedRequest{Graph: "social", Name: "spec", Using: vectors.DPSpectral{Dim: 128}})
//	near, err := db.Vectors().Nearest(ctx, vectors.NearestRequest{Embedding: "spec", Vertex: "alice", K: 10})
package vectors

import "heavytail/query/internal/engine"

// Service has the methods of the family on an open file. Programs get it from query.DB.
type Service struct{ db *engine.DB }

// New returns the service of an open file; package query calls it.
func New(db *engine.DB) *Service { return &Service{db} }
