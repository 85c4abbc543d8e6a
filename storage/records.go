package storage

import (
	"cmp"
	"fmt"
	"heavytail/storage/format"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/gather"
	"heavytail/storage/internal/tree"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// graphRecord is the catalogue entry of a graph as it is stored, under its
// name. Every change of it, and of what it refers to, has a version of its own.
type graphRecord struct {
	ID       uint64 `msgpack:"id"`
	Version  uint64 `msgpack:"version"`
	Object   uint64 `msgpack:"object"` // keys and arcs; 0 where there are no vertices
	Vertices uint64 `msgpack:"vertices"`
	Edges    uint64 `msgpack:"edges"`
	Created  int64  `msgpack:"created"`  // nanoseconds of Unix time
	Modified int64  `msgpack:"modified"` // nanoseconds of Unix time
	Source   string `msgpack:"source"`

	Slots         uint64            `msgpack:"slots"` // live and empty ones
	Attributes    []attributeRecord `msgpack:"attributes"`
	NextAttribute uint16            `msgpack:"next_attribute"`  // ids are never used twice
	Weighted      uint64            `msgpack:"weighted"`        // edges whose weight is not 1
	Timed         uint64            `msgpack:"timed"`           // edges that have a timestamp
	Times         format.TimeForm   `msgpack:"times,omitempty"` // how they are written
}

// same reports whether both are one version of one graph.
func (r *graphRecord) same(other *graphRecord) bool {
	return r.ID == other.ID && r.Version == other.Version
}

// attributeRecord is one attribute of the vertices of a graph as it is stored.
type attributeRecord struct {
	ID     uint16 `msgpack:"id"`
	Name   string `msgpack:"name"`
	Type   Type   `msgpack:"type"`
	Values uint64 `msgpack:"values"` // vertices that have one

	// Computed is nil where the values came from outside.
	Computed *computedRecord `msgpack:"computed,omitempty"`
}

func (a attributeRecord) attribute() Attribute { return Attribute{Name: a.Name, Type: a.Type} }

func graphInfo(r *graphRecord, name string) GraphInfo {
	info := GraphInfo{
		Name: name, ID: r.ID, Version: r.Version, Vertices: int(r.Vertices), Edges: int64(r.Edges),
		Created: time.Unix(0, r.Created), Modified: time.Unix(0, r.Modified), Source: r.Source,
		Deleted: int(r.Slots - r.Vertices), Weighted: r.Weighted > 0, Timed: r.Timed > 0,
	}
	if info.Timed {
		info.Times = r.Times
	}
	for _, a := range r.Attributes {
		info.Attributes = append(info.Attributes, a.attribute())
		info.Values = append(info.Values, int(a.Values))
		info.Computed = append(info.Computed, computed(a.Computed))
	}
	return info
}

// validate refuses counts that a file of size bytes cannot hold, because later code
// allocates by them: a slot takes at least a byte, a vertex two and an arc one.
func (r *graphRecord) validate(size int64) error {
	if r.ID == 0 || r.Version == 0 || r.Slots > block.MaxVertices || r.Vertices > r.Slots || (r.Object == 0) != (r.Slots == 0) ||
		r.Slots > uint64(size) || r.Vertices > uint64(size)/2 || r.Edges > uint64(size)/2 || (r.Vertices == 0 && r.Edges > 0) ||
		r.Weighted > r.Edges || r.Timed > r.Edges || r.Times > format.TimeClocks {
		return fault.Record("catalogue entry of a graph: id %d, version %d, object %d, %d vertices in %d slots, %d edges, %d with weights, %d with timestamps",
			r.ID, r.Version, r.Object, r.Vertices, r.Slots, r.Edges, r.Weighted, r.Timed)
	}
	return r.validateAttributes()
}

// gave sets how timestamps are written, after some were added to a graph; before is how
// many it had. The first ones determine whether they are dates; numbers that are added
// later are then Unix seconds.
func (r *graphRecord) gave(times gather.Times, before uint64) {
	switch {
	case r.Timed > 0 && before > 0:
	case r.Timed > 0 && times.Dates && !times.Numbers:
		r.Times = format.TimeDates
	default:
		r.Times = format.TimeNumbers
	}
	if r.Times == format.TimeDates && times.Clocks {
		r.Times = format.TimeClocks
	}
}

// validateAttributes verifies that names and numbers are distinct.
func (r *graphRecord) validateAttributes() error {
	ids, names := make(map[uint16]bool, len(r.Attributes)), make(map[string]bool, len(r.Attributes))
	for _, a := range r.Attributes {
		if err := a.attribute().Validate(); err != nil {
			return fault.Record("%v", err)
		}
		if ids[a.ID] || names[a.Name] || a.ID >= r.NextAttribute || a.Values > r.Vertices {
			return fault.Record("attribute %q has the number %d and %d values, and the next number is %d", fault.Clip(a.Name), a.ID, a.Values, r.NextAttribute)
		}
		ids[a.ID], names[a.Name] = true, true
	}
	return nil
}

// findAttribute returns the number of an attribute in r.Attributes, -1 where
// there is none of this name.
func (r *graphRecord) findAttribute(name string) int {
	return slices.IndexFunc(r.Attributes, func(a attributeRecord) bool { return a.Name == name })
}

// addAttribute enters a new attribute and returns its number in r.Attributes.
func (r *graphRecord) addAttribute(a Attribute) (int, error) {
	if err := a.Validate(); err != nil {
		return 0, err
	}
	if r.NextAttribute == math.MaxUint16 {
		return 0, fmt.Errorf("attribute %q: more than %d attributes: %w", fault.Clip(a.Name), r.NextAttribute, ErrLimit)
	}
	// The list may be shared with another copy of the record.
	list := r.Attributes[:len(r.Attributes):len(r.Attributes)]
	r.Attributes = append(list, attributeRecord{ID: r.NextAttribute, Name: a.Name, Type: a.Type})
	r.NextAttribute++
	return len(list), nil
}

// copied is a copy of a list, and nil for every empty one, so that its record has the same bytes.
func copied[T any](list []T) []T { return append([]T(nil), list...) }

// settingRecord is a Setting as it is stored.
type settingRecord struct {
	Name  string `msgpack:"name"`
	Value string `msgpack:"value"`
}

// computedRecord is how the values of an attribute were computed.
type computedRecord struct {
	Method  string          `msgpack:"method"`
	Options []settingRecord `msgpack:"options"`
	Version uint64          `msgpack:"version"`
	Created int64           `msgpack:"created"` // nanoseconds of Unix time
}

func record(c *Computed) *computedRecord {
	if c == nil {
		return nil
	}
	return &computedRecord{Method: c.Method, Options: settingsAs[settingRecord](c.Options), Version: c.GraphVersion, Created: c.Created.UnixNano()}
}

func computed(r *computedRecord) *Computed {
	if r == nil {
		return nil
	}
	return &Computed{Method: r.Method, Options: settingsAs[Setting](r.Options), GraphVersion: r.Version, Created: time.Unix(0, r.Created)}
}

// settingsAs converts settings to or from what is stored of them; nil for none.
func settingsAs[B, A Setting | settingRecord](list []A) []B {
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

// validate refuses counts that cannot be, because later code allocates by them.
func (r *embeddingRecord) validate(size int64) error {
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

func describeGraph(name string) string { return fmt.Sprintf("graph %q", name) }

func describeEmbedding(name string) string { return fmt.Sprintf("embedding %q", name) }

func describeAttribute(graph, name string) string {
	return fmt.Sprintf("%s, attribute %q", describeGraph(graph), name)
}

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

// changeLogPart names the change log in faults.
const changeLogPart = "change log"
