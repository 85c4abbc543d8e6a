// Package measures has the statements that compute measures of vertices, such as PageRank, store
// them as attributes and keep them fresh.
//
// A [Service] belongs to an open file:
//
//	db, err := query.Open("graphs.ht", nil)
//	ranks, err := db.Measures().Compute(ctx, measures.ComputeRequest{Graph: "social", Measure: "pagerank", As: "rank"})
package measures

import "heavytail/query/internal/engine"

// Service has the methods of the family on an open file. Programs get it from query.DB.
type Service struct{ db *engine.DB }

// New returns the service of an open file; package query calls it.
func New(db *engine.DB) *Service { return &Service{db} }
