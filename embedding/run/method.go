package run

import (
	"context"
	"io"
	"strconv"

	"heavytail/embedding"
	"heavytail/embedding/option"
	"heavytail/storage"
	"heavytail/storage/csr"
	"heavytail/storage/vec"
)

// Method describes an embedding method.
type Method struct {
	Name    string        `json:"name"`
	Summary string        `json:"summary"` // one line
	Words   string        `json:"-"`       // further words by which a search finds it
	Walks   bool          `json:"walks"`   // learns from walks, which the function Walks gives
	Instead string        `json:"instead"` // the answer of the function Instead
	Options []option.Info `json:"options"`
}

// algorithm is a method that can be run. The function algorithms has the only
// list of them.
type algorithm struct {
	Method
	// prepare checks the given options and adds the defaults.
	prepare func(options []option.Given) (prepared, error)
}

// prepared is a method with its options after defaults.
type prepared struct {
	given   []option.Given    // those that were given, in the order of the method
	options []storage.Setting // all of them, in canonical text
	run     computation
	renew   renewal  // nil for a method whose refresh is a full run
	walk    sampling // nil for a method without walks
	// bytes estimates the memory of run in addition to the graph, with the result, and
	// sampler that of walk.
	bytes, sampler func(g *csr.Graph) int64
	// seconds estimates the time of run on this machine.
	seconds func(ctx context.Context, g *csr.Graph, req Request) (float64, error)
	// follows says that run, walk and seconds need Request.Directed.
	follows bool
	// solved are the options of a method that solves for eigenvectors; nil
	// for other methods.
	solved *embedding.SpectralOptions
}

// computation returns the vectors, and the part of their record that depends on the
// method. From the request it takes only what does not change the vectors.
type computation func(ctx context.Context, g *csr.Graph, req Request) (outcome, error)

// outcome is what a method computed.
type outcome struct {
	vectors *vec.Matrix
	info    storage.EmbeddingInfo // the fields that depend on the method
	state   func(io.Writer) error // writes the state that a renewal needs in addition to the vectors
}

// renewal updates vectors for a graph that has changed.
type renewal func(ctx context.Context, g *csr.Graph, workers int, r renewing) (outcome, embedding.RefreshStats, error)

type renewing struct {
	info      storage.EmbeddingInfo
	read      func() (*vec.Matrix, error)                   // reads the rows; the matrix is the caller's
	scan      func(f func(row int, vector []float32)) error // calls f for each row, ascending, without memory for them
	state     io.Reader
	from      []uint32 // for each vertex of the graph, the row of its vector, or storage.NoRow
	touched   []uint32 // vertices that were added or whose edges changed
	turn      int      // number of earlier generations
	tolerance float64  // tolerance of residuals; 0 is the default
	progress  func(stage string, done, total int64)
	stored    Stored // for a full run that begins with a stored embedding
}

// rows returns the old vector of each vertex of the graph, and which vertices have none.
func (r renewing) rows() (old *vec.Matrix, added []bool, err error) {
	vectors, err := r.read()
	if err != nil {
		return nil, nil, err
	}
	added = make([]bool, len(r.from))
	same := len(r.from) == vectors.Rows
	for v, row := range r.from {
		added[v] = row == storage.NoRow
		same = same && row == uint32(v)
	}
	if same {
		return vectors, added, nil
	}
	old = vec.NewMatrix(len(r.from), vectors.Dim)
	for v, row := range r.from {
		if !added[v] {
			copy(old.Row(v), vectors.Row(int(row)))
		}
	}
	return old, added, nil
}

// before calls f for each vertex of the graph that has an old vector, ascending.
func (r renewing) before(f func(v int, old []float32)) error {
	v := 0 // vertices ascend with their rows
	return r.scan(func(row int, vector []float32) {
		for v < len(r.from) && (r.from[v] == storage.NoRow || int(r.from[v]) < row) {
			v++
		}
		if v < len(r.from) && int(r.from[v]) == row {
			f(v, vector)
		}
	})
}

// sampling returns the walks that a method learns from.
type sampling func(ctx context.Context, g *csr.Graph, req Request) (embedding.Walks, error)

// method returns the algorithm with options of type O: complete sets their
// defaults, and with returns the prepared method.
func method[O any](name, summary string, schema option.Schema[O], validate func(O) error, complete func(O) O, with func(O) prepared) algorithm {
	schema = schema.WithDefaults(complete(*new(O)))
	return algorithm{Method{Name: name, Summary: summary, Options: schema.Infos()}, func(options []option.Given) (prepared, error) {
		o, given, err := schema.BindValid("method "+name, options, validate)
		if err != nil {
			return prepared{}, err
		}
		o = complete(o)
		p := with(o)
		p.given, p.options = given, schema.Settings(o)
		return p, nil
	}}
}

// found adds words by which a search finds the method.
func (a algorithm) found(words string) algorithm {
	a.Words = words
	return a
}

// weighted records, for a graph with weights, whether the weights were used. They are
// not used if all are equal or the option weights is false.
func weighted(g *csr.Graph, used bool) []storage.Setting {
	if !g.Weighted() {
		return nil
	}
	return []storage.Setting{{Name: "weighted", Value: strconv.FormatBool(used)}}
}

// notesOf records the notes of a solver.
func notesOf(notes []string) []storage.Setting {
	var list []storage.Setting
	for _, note := range notes {
		list = append(list, storage.Setting{Name: "note", Value: note})
	}
	return list
}

// Request asks for an embedding of a snapshot of a graph.
type Request struct {
	Name    string // of the embedding
	Method  string // one of Methods
	Options []option.Given
	// Directed is the directed graph whose undirected view is embedded. Only a method that Follows needs it.
	Directed *csr.Directed
	Workers  int // goroutines; 0 is GOMAXPROCS
	Progress func(stage string, done, total int64)

	// Stateless stores the vectors alone, so that every refresh of them runs in full.
	Stateless bool

	Checkpoints embedding.Checkpoints

	// Stored reads the embedding that a method is to begin with. Embed sets it.
	Stored Stored

	// Computed, if not nil, receives the vectors before they are stored, and returns the
	// indexes that are stored with them. It is not called if the embedding already has
	// these vectors. An error ends the computation.
	Computed func(vectors *vec.Matrix) ([]storage.NewIndex, error)
}

// Stored reads a stored embedding of the graph that is embedded. The entry is that of
// the generation, and from has, for each vertex of the graph, the row of its vector, or
// storage.NoRow.
type Stored func(ctx context.Context, name string) (info storage.EmbeddingInfo, rows *vec.Matrix, from []uint32, err error)
