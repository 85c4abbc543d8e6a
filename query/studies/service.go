// Package studies has the statements that measure methods on a graph and choose among them: they
// evaluate predictions of links and of labels, vary and tune options, and export pairs for other
// programs.
//
// A [Service] belongs to an open file:
//
//	db, err := query.Open("graphs.ht", nil)
//	scores, err := db.Studies().EvaluateLinks(ctx, studies.EvaluateLinksRequest{Graph: "social"})
package studies

import "heavytail/query/internal/engine"

// Service has the methods of the family on an open file. Programs get it from query.DB.
type Service struct{ db *engine.DB }

// New returns the service of an open file; package query calls it.
func New(db *engine.DB) *Service { return &Service{db} }
