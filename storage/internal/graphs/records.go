package graphs

import (
	"fmt"
	"math"
	"slices"

	"heavytail/storage/format"
	"heavytail/storage/internal/block"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/gather"
)

// Record is the catalogue entry of a graph as it is stored, under its
// name. Every change of it, and of what it refers to, has a version of its own.
type Record struct {
	ID       uint64 `msgpack:"id"`
	Version  uint64 `msgpack:"version"`
	Object   uint64 `msgpack:"object"` // keys and arcs; 0 where there are no vertices
	Vertices uint64 `msgpack:"vertices"`
	Edges    uint64 `msgpack:"edges"`
	Created  int64  `msgpack:"created"`  // nanoseconds of Unix time
	Modified int64  `msgpack:"modified"` // nanoseconds of Unix time
	Source   string `msgpack:"source"`

	Slots         uint64            `msgpack:"slots"` // live and empty ones
	Attributes    []AttributeRecord `msgpack:"attributes"`
	NextAttribute uint16            `msgpack:"next_attribute"`  // ids are never used twice
	Weighted      uint64            `msgpack:"weighted"`        // edges whose weight is not 1
	Timed         uint64            `msgpack:"timed"`           // edges that have a timestamp
	Times         format.TimeForm   `msgpack:"times,omitempty"` // how they are written

	// A directed graph has Arcs edges, of which Weighted have a weight other than 1 and Timed a
	// timestamp; Edges is then the number of edges of its undirected view.
	Directed bool   `msgpack:"directed,omitempty"`
	Arcs     uint64 `msgpack:"arcs,omitempty"`
}

// Count is the number of edges, which those of a directed graph are by source and target.
func (r *Record) Count() uint64 {
	if r.Directed {
		return r.Arcs
	}
	return r.Edges
}

// Counts are the numbers for reading the arcs.
func (r *Record) Counts() block.Counts {
	return block.Counts{Directed: r.Directed, Edges: r.Edges, Arcs: r.Arcs, Weighted: r.Weighted, Timed: r.Timed}
}

// Same reports whether both are one version of one graph.
func (r *Record) Same(other *Record) bool {
	return r.ID == other.ID && r.Version == other.Version
}

// AttributeRecord is one attribute of the vertices of a graph as it is stored.
type AttributeRecord struct {
	ID     uint16     `msgpack:"id"`
	Name   string     `msgpack:"name"`
	Type   block.Type `msgpack:"type"`
	Values uint64     `msgpack:"values"` // vertices that have one

	// Computed is nil where the values came from outside.
	Computed *ComputedRecord `msgpack:"computed,omitempty"`
}

// Attribute returns the name and the type.
func (a AttributeRecord) Attribute() block.Attribute {
	return block.Attribute{Name: a.Name, Type: a.Type}
}

// Validate refuses counts that a file of size bytes cannot hold, because later code
// allocates by them: a slot takes at least a byte, a vertex two and an arc one.
func (r *Record) Validate(size int64) error {
	if r.ID == 0 || r.Version == 0 || r.Slots > block.MaxVertices || r.Vertices > r.Slots || (r.Object == 0) != (r.Slots == 0) ||
		r.Slots > uint64(size) || r.Vertices > uint64(size)/2 || r.Edges > uint64(size)/2 || (r.Vertices == 0 && r.Edges > 0) ||
		r.Weighted > r.Count() || r.Timed > r.Count() || r.Times > format.TimeClocks ||
		r.Arcs > 2*r.Edges || r.Directed && r.Arcs < r.Edges || !r.Directed && r.Arcs > 0 {
		return fault.Record("catalogue entry of a graph: id %d, version %d, object %d, %d vertices in %d slots, %d edges and %d directed ones, %d with weights, %d with timestamps",
			r.ID, r.Version, r.Object, r.Vertices, r.Slots, r.Edges, r.Arcs, r.Weighted, r.Timed)
	}
	return r.validateAttributes()
}

// Gave sets how timestamps are written, after some were added to a graph; before is how
// many it had. The first ones determine whether they are dates; numbers that are added
// later are then Unix seconds.
func (r *Record) Gave(times gather.Times, before uint64) {
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
func (r *Record) validateAttributes() error {
	ids, names := make(map[uint16]bool, len(r.Attributes)), make(map[string]bool, len(r.Attributes))
	for _, a := range r.Attributes {
		if err := a.Attribute().Validate(); err != nil {
			return fault.Record("%v", err)
		}
		if ids[a.ID] || names[a.Name] || a.ID >= r.NextAttribute || a.Values > r.Vertices {
			return fault.Record("attribute %q has the number %d and %d values, and the next number is %d", fault.Clip(a.Name), a.ID, a.Values, r.NextAttribute)
		}
		ids[a.ID], names[a.Name] = true, true
	}
	return nil
}

// FindAttribute returns the number of an attribute in r.Attributes, -1 where
// there is none of this name.
func (r *Record) FindAttribute(name string) int {
	return slices.IndexFunc(r.Attributes, func(a AttributeRecord) bool { return a.Name == name })
}

// AddAttribute enters a new attribute and returns its number in r.Attributes.
func (r *Record) AddAttribute(a block.Attribute) (int, error) {
	if err := a.Validate(); err != nil {
		return 0, err
	}
	if r.NextAttribute == math.MaxUint16 {
		return 0, fmt.Errorf("attribute %q: more than %d attributes: %w", fault.Clip(a.Name), r.NextAttribute, fault.ErrLimit)
	}
	// The list may be shared with another copy of the record.
	list := r.Attributes[:len(r.Attributes):len(r.Attributes)]
	r.Attributes = append(list, AttributeRecord{ID: r.NextAttribute, Name: a.Name, Type: a.Type})
	r.NextAttribute++
	return len(list), nil
}

// Setting is a named value, as it is stored.
type Setting struct {
	Name  string `msgpack:"name"`
	Value string `msgpack:"value"`
}

// ComputedRecord is how the values of an attribute were computed.
type ComputedRecord struct {
	Method  string    `msgpack:"method"`
	Options []Setting `msgpack:"options"`
	Version uint64    `msgpack:"version"`
	Created int64     `msgpack:"created"` // nanoseconds of Unix time
}

// DescribeGraph names a graph in faults.
func DescribeGraph(name string) string { return fmt.Sprintf("graph %q", name) }

// DescribeAttribute names an attribute in faults.
func DescribeAttribute(graph, name string) string {
	return fmt.Sprintf("%s, attribute %q", DescribeGraph(graph), name)
}

// ChangeLogPart names the change log in faults.
const ChangeLogPart = "change log"
