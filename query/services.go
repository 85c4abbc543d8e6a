package query

// Graphs has the statements about graphs, their vertices and their edges.
func (db *DB) Graphs() *graphsService { return &graphsService{db} }

// Measures has the statements that compute measures of vertices and keep them fresh.
func (db *DB) Measures() *measuresService { return &measuresService{db} }

// Vectors has the statements about embeddings, and searches among their vectors.
func (db *DB) Vectors() *vectorsService { return &vectorsService{db} }

// Links has the statements that score and predict links, and about models.
func (db *DB) Links() *linksService { return &linksService{db} }

// Studies has the statements that measure and choose methods.
func (db *DB) Studies() *studiesService { return &studiesService{db} }

// Jobs has the statements about jobs.
func (db *DB) Jobs() *jobsService { return &jobsService{db} }

// Maintenance has the statements about the file.
func (db *DB) Maintenance() *maintenanceService { return &maintenanceService{db} }

type (
	graphsService      struct{ db *DB }
	measuresService    struct{ db *DB }
	vectorsService     struct{ db *DB }
	linksService       struct{ db *DB }
	studiesService     struct{ db *DB }
	jobsService        struct{ db *DB }
	maintenanceService struct{ db *DB }
)
