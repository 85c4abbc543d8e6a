// Package graphs has the statements about graphs, their vertices and their edges: they create,
// derive, generate, import and export, change, list, count and describe them.
//
// A [Service] belongs to an open file:
//
//	db, err := query.Open("graphs.ht", nil)
//	info, err := db.Graphs().Import(ctx, graphs.ImportRequest{Path: "edges.txt", Graph: "social"})
//	near, err := db.Graphs().Neighbors(ctx, graphs.NeighborsRequest{Graph: "social", Vertex: "alice"})
package graphs

import "heavytail/query/internal/engine"

// Service has the methods of the family on an open file. Programs get it from query.DB.
type Service struct{ db *engine.DB }

// New returns the service of an open file; package query calls it.
func New(db *engine.DB) *Service { return &Service{db} }
