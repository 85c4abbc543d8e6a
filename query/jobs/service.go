// Package jobs has the statements about jobs, which run in the background or are interrupted and
// continued, and the one that refreshes all that was computed from a graph.
//
// A [Service] belongs to an open file:
//
//	db, err := query.Open("graphs.ht", nil)
//	job, err := db.Vectors().StartEmbed(ctx, vectors.EmbedRequest{Graph: "social", Name: "spec", Using: vectors.DPSpectral{}})
//	job, err = db.Jobs().Wait(ctx, job.ID)
package jobs

import "heavytail/query/internal/engine"

// Service has the methods of the family on an open file. Programs get it from query.DB.
type Service struct{ db *engine.DB }

// New returns the service of an open file; package query calls it.
func New(db *engine.DB) *Service { return &Service{db} }
