// Package links has the statements that score pairs of vertices, predict links, store predictions,
// and train models that give the probability of a link.
//
// A [Service] belongs to an open file:
//
//	db, err := query.Open("graphs.ht", nil)
//	likely, err := db.Links().Predict(ctx, links.PredictRequest{Graph: "social", Vertex: "alice", K: 10,
//		With: catalogue.Scorer{Name: "resource_allocation"}})
package links

import "heavytail/query/internal/engine"

// Service has the methods of the family on an open file. Programs get it from query.DB.
type Service struct{ db *engine.DB }

// New returns the service of an open file; package query calls it.
func New(db *engine.DB) *Service { return &Service{db} }
