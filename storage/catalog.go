package storage

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/graphs"
	"heavytail/storage/internal/tree"
)

// findEmbedding returns the catalogue entry of an embedding, or of a generation of
// one, as resolveEmbedding finds it, with possible counts.
func findEmbedding(t *tree.Tx, name string) (*embeddingRecord, error) {
	r, err := resolveEmbedding(t, name)
	if err != nil {
		return nil, err
	}
	return r, fault.Corrupt(t.Path, describeEmbedding(name), r.Validate(graphs.Bound(t)))
}

// resolveEmbedding returns the catalogue entry that a name means: of an embedding, of a past
// generation of one, or of the embedding whose present generation it is.
func resolveEmbedding(t *tree.Tx, name string) (*embeddingRecord, error) {
	r := &embeddingRecord{name: name}
	found, err := t.Get(block.EmbeddingsName, []byte(name), r)
	r.name = name // get may have copied an entry that it remembers
	if found || err != nil {
		return r, fault.Corrupt(t.Path, describeEmbedding(name), err)
	}
	base, generation, ok := splitGeneration(name)
	if !ok {
		return nil, &NotFoundError{Kind: "embedding", Name: name}
	}
	found, err = t.Get(block.EmbeddingsName, []byte(base), r)
	r.name = base
	switch {
	case err != nil:
		return nil, fault.Corrupt(t.Path, describeEmbedding(base), err)
	case !found:
		return nil, &NotFoundError{Kind: "embedding", Name: name}
	case r.Generation == generation && !r.Past:
		return r, nil
	}
	known, err := past(t, base)
	return nil, errors.Join(err, &NotFoundError{Kind: "embedding", Name: name, Of: base, Generations: append(known, r.Generation)})
}

// keptGenerations is how many generations of an embedding there are at most: the
// present one and the one before, so that the two can be compared.
const keptGenerations = 2

// past lists the numbers of the past generations of an embedding, ascending.
func past(t *tree.Tx, name string) ([]uint64, error) {
	b, err := t.Top(block.EmbeddingsName)
	if err != nil {
		return nil, err
	}
	var list []uint64
	prefix := name + "@"
	cursor := b.Cursor()
	for key, _ := cursor.Seek([]byte(prefix)); strings.HasPrefix(string(key), prefix); key, _ = cursor.Next() {
		if base, generation, ok := splitGeneration(string(key)); ok && base == name {
			r, err := findEmbedding(t, string(key))
			if err != nil {
				return nil, err
			}
			if r.Past {
				list = append(list, generation)
			}
		}
	}
	slices.Sort(list)
	return list, nil
}

// putEmbedding writes the entry of an embedding back under the name that it has in the
// catalogue, whatever name it was found by.
func putEmbedding(t *tree.Tx, r *embeddingRecord) error {
	return t.Put(block.EmbeddingsName, []byte(r.name), r)
}

func graphInfo(r *graphs.Record, name string) GraphInfo {
	info := GraphInfo{
		Name: name, ID: r.ID, Version: r.Version, Vertices: int(r.Vertices), Directed: r.Directed, Edges: int64(r.Edges), Arcs: int64(r.Arcs),
		Created: time.Unix(0, r.Created), Modified: time.Unix(0, r.Modified), Source: r.Source,
		Deleted: int(r.Slots - r.Vertices), Weighted: r.Weighted > 0, Timed: r.Timed > 0,
	}
	if info.Timed {
		info.Times = r.Times
	}
	for _, a := range r.Attributes {
		info.Attributes = append(info.Attributes, a.Attribute())
		info.Values = append(info.Values, int(a.Values))
		info.Computed = append(info.Computed, computed(a.Computed))
	}
	for _, a := range r.EdgeAttributes {
		info.EdgeAttributes = append(info.EdgeAttributes, a.Attribute())
		info.EdgeValues = append(info.EdgeValues, int64(a.Values))
	}
	return info
}

// copied is a copy of a list, and nil for every empty one, so that its record has the same bytes.
func copied[T any](list []T) []T { return append([]T(nil), list...) }

func record(c *Computed) *graphs.ComputedRecord {
	if c == nil {
		return nil
	}
	return &graphs.ComputedRecord{Method: c.Method, Options: settingsAs[graphs.Setting](c.Options), Version: c.GraphVersion, Created: c.Created.UnixNano()}
}

func computed(r *graphs.ComputedRecord) *Computed {
	if r == nil {
		return nil
	}
	return &Computed{Method: r.Method, Options: settingsAs[Setting](r.Options), GraphVersion: r.Version, Created: time.Unix(0, r.Created)}
}

// settingsAs converts settings to or from what is stored of them; nil for none.
func settingsAs[B, A Setting | graphs.Setting](list []A) []B {
	var converted []B
	for _, s := range list {
		converted = append(converted, B(s))
	}
	return converted
}

// embeddingRecord is the catalogue entry of an embedding as it is stored, under
// its name.
type embeddingRecord struct {
	name string // key of the entry in the catalogue; not stored in the record

	Graph        string          `msgpack:"graph"`
	GraphID      uint64          `msgpack:"graph_id"`
	GraphVersion uint64          `msgpack:"graph_version"`
	Generation   uint64          `msgpack:"generation"`
	Object       uint64          `msgpack:"object"` // the rows; 0 where there are none
	ChunkRows    uint64          `msgpack:"chunk_rows"`
	Vertices     uint64          `msgpack:"vertices"`
	Slots        uint64          `msgpack:"slots"` // of the graph, live and empty; 0 if none was empty
	Dim          uint64          `msgpack:"dim"`
	Method       string          `msgpack:"method"`
	Options      []Setting       `msgpack:"options"`
	Seed         uint64          `msgpack:"seed"`
	Kernel       string          `msgpack:"kernel"`
	Eigenvalues  []float64       `msgpack:"eigenvalues"`
	Residuals    []float64       `msgpack:"residuals"`
	Components   int64           `msgpack:"components"`
	Iterations   int64           `msgpack:"iterations"`
	Seconds      float64         `msgpack:"seconds"`
	Created      int64           `msgpack:"created"` // nanoseconds of Unix time
	Stats        []Setting       `msgpack:"stats"`
	State        tree.BlobRecord `msgpack:"state"` // what a refresh needs in addition to the rows
	Stateless    bool            `msgpack:"stateless"`
	Past         bool            `msgpack:"past"` // an older generation; see generations.go
	AutoChanges  uint64          `msgpack:"auto_changes"`
	AutoEvery    int64           `msgpack:"auto_every"`  // nanoseconds
	Coordinates  int64           `msgpack:"coordinates"` // when they were made, nanoseconds of Unix time; 0 means Created
}

// info is the entry as the caller gets it; slots are those of the vertices.
func (r *embeddingRecord) info(slots block.SlotMap) EmbeddingInfo {
	made := cmp.Or(r.Coordinates, r.Created)
	return EmbeddingInfo{
		slots: slots, Coordinates: time.Unix(0, made),
		Name: r.name, Graph: r.Graph, GraphID: r.GraphID, GraphVersion: r.GraphVersion, Generation: r.Generation,
		Method: r.Method, Options: copied(r.Options), Seed: r.Seed, Kernel: r.Kernel,
		Vertices: int(r.Vertices), Dim: int(r.Dim), Eigenvalues: slices.Clone(r.Eigenvalues), Residuals: slices.Clone(r.Residuals),
		Components: int(r.Components), Iterations: int(r.Iterations), Seconds: r.Seconds,
		Created: time.Unix(0, r.Created), Stats: copied(r.Stats),
		StateBytes: int64(r.State.Size), Stateless: r.Stateless, Past: r.Past, Auto: AutoRefresh{Changes: int(r.AutoChanges), Every: time.Duration(r.AutoEvery)},
	}
}

// Validate refuses counts that cannot be, because later code allocates by them.
func (r *embeddingRecord) Validate(size int64) error {
	rows := r.Object != 0
	if r.AutoChanges > block.MaxVertices || r.AutoEvery < 0 {
		return fault.Record("embedding that is refreshed after %d changes, every %d ns", r.AutoChanges, r.AutoEvery)
	}
	if r.GraphID == 0 || r.Generation == 0 || r.Vertices > block.MaxVertices || r.Dim > block.MaxDim ||
		rows != (r.Vertices > 0 && r.Dim > 0) || (rows && (r.ChunkRows == 0 || r.ChunkRows > block.MaxChunk)) ||
		(r.Dim > 0 && r.Vertices > uint64(size)/4/r.Dim) ||
		(r.Slots != 0 && (r.Slots <= r.Vertices || r.Slots > uint64(size) || !rows)) {
		return fault.Record("catalogue entry of an embedding: generation %d, object %d, %d × %d values in chunks of %d rows, %d slots",
			r.Generation, r.Object, r.Vertices, r.Dim, r.ChunkRows, r.Slots)
	}
	// Readers do not allocate by the size of the state, so it needs no bound: if most
	// of it is lost, the rows must stay readable.
	return r.State.Validate(math.MaxInt64)
}

func unixNano(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixNano()
}

func fromUnixNano(n int64) time.Time {
	if n == 0 {
		return time.Time{}
	}
	return time.Unix(0, n)
}

func describeEmbedding(name string) string { return fmt.Sprintf("embedding %q", name) }

func generationName(name string, generation uint64) string {
	return name + "@" + strconv.FormatUint(generation, 10)
}

// splitGeneration splits the name of a generation, and reports whether it is one.
func splitGeneration(name string) (base string, generation uint64, ok bool) {
	at := strings.LastIndexByte(name, '@')
	if at < 1 {
		return name, 0, false
	}
	generation, err := strconv.ParseUint(name[at+1:], 10, 64)
	return name[:at], generation, err == nil && generation > 0 && generationName(name[:at], generation) == name
}

// statePart names the state of an embedding in faults.
const statePart = "state"

// viewed is view for an f that has a result.
func viewed[T any](ctx context.Context, db *DB, f func(t *tree.Tx) (T, error)) (result T, err error) {
	err = db.file.View(ctx, func(t *tree.Tx) (err error) {
		result, err = f(t)
		return err
	})
	return result, err
}

// viewGraph runs f in a read transaction, with the catalogue entry of a graph.
func viewGraph[T any](ctx context.Context, db *DB, graph string, f func(t *tree.Tx, r *graphs.Record) (T, error)) (T, error) {
	return viewed(ctx, db, func(t *tree.Tx) (result T, err error) {
		r, err := graphs.Find(t, graph)
		if err != nil {
			return result, err
		}
		return f(t, r)
	})
}
