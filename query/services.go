package query

import "heavytail/query/internal/engine"

// Graphs has the statements about graphs, their vertices and their edges.
func (db *DB) Graphs() *graphsService { return &graphsService{&db.e} }

// Measures has the statements that compute measures of vertices and keep them fresh.
func (db *DB) Measures() *measuresService { return &measuresService{&db.e} }

// Vectors has the statements about embeddings, and searches among their vectors.
func (db *DB) Vectors() *vectorsService { return &vectorsService{&db.e} }

// Links has the statements that score and predict links, and about models.
func (db *DB) Links() *linksService { return &linksService{&db.e} }

// Studies has the statements that measure and choose methods.
func (db *DB) Studies() *studiesService { return &studiesService{&db.e} }

// Jobs has the statements about jobs.
func (db *DB) Jobs() *jobsService { return &jobsService{&db.e} }

// Maintenance has the statements about the file.
func (db *DB) Maintenance() *maintenanceService { return &maintenanceService{&db.e} }

type (
	graphsService      struct{ db *engine.DB }
	measuresService    struct{ db *engine.DB }
	vectorsService     struct{ db *engine.DB }
	linksService       struct{ db *engine.DB }
	studiesService     struct{ db *engine.DB }
	jobsService        struct{ db *engine.DB }
	maintenanceService struct{ db *engine.DB }
)
