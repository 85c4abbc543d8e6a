package query

import (
	"heavytail/query/graphs"
	"heavytail/query/jobs"
	"heavytail/query/links"
	"heavytail/query/maintenance"
	"heavytail/query/measures"
	"heavytail/query/studies"
	"heavytail/query/vectors"
)

// Graphs has the statements about graphs, their vertices and their edges.
func (db *DB) Graphs() *graphs.Service { return graphs.New(&db.e) }

// Measures has the statements that compute measures of vertices and keep them fresh.
func (db *DB) Measures() *measures.Service { return measures.New(&db.e) }

// Vectors has the statements about embeddings, and searches among their vectors.
func (db *DB) Vectors() *vectors.Service { return vectors.New(&db.e) }

// Links has the statements that score and predict links, and about models.
func (db *DB) Links() *links.Service { return links.New(&db.e) }

// Studies has the statements that measure and choose methods.
func (db *DB) Studies() *studies.Service { return studies.New(&db.e) }

// Jobs has the statements about jobs.
func (db *DB) Jobs() *jobs.Service { return jobs.New(&db.e) }

// Maintenance has the statements about the file.
func (db *DB) Maintenance() *maintenance.Service { return maintenance.New(&db.e) }
