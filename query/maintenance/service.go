// Package maintenance has the statements about the file itself: they check, measure, compact, copy
// and recover it.
//
// A [Service] belongs to an open file:
//
//	db, err := query.Open("graphs.ht", nil)
//	report, err := db.Maintenance().Check(ctx)
package maintenance

import "heavytail/query/internal/engine"

// Service has the methods of the family on an open file. Programs get it from query.DB.
type Service struct{ db *engine.DB }

// New returns the service of an open file; package query calls it.
func New(db *engine.DB) *Service { return &Service{db} }
