package query

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
	graphsService      struct{ db *engineDB }
	measuresService    struct{ db *engineDB }
	vectorsService     struct{ db *engineDB }
	linksService       struct{ db *engineDB }
	studiesService     struct{ db *engineDB }
	jobsService        struct{ db *engineDB }
	maintenanceService struct{ db *engineDB }
)
