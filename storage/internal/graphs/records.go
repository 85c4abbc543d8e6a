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

	EdgeAttributes    []AttributeRecord `msgpack:"edge_attributes,omitempty"`
	NextEdgeAttribute uint16            `msgpack:"next_edge_attribute,omitempty"`
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

// EdgeArc is the arc that the values of an edge belong to, of which the two ends are given as they
// were written.
func (r *Record) EdgeArc(source, target uint32) block.Arc {
	if r.Directed {
		return block.NewArc(source, target)
	}
	return block.NewArc(min(source, target), max(source, target))
}

// Same reports whether both are one version of one graph.
func (r *Record) Same(other *Record) bool {
	return r.ID == other.ID && r.Version == other.Version
}

// AttributeRecord is one attribute of the vertices or of the edges of a graph as it is stored.
type AttributeRecord struct {
	ID     uint16     `msgpack:"id"`
	Name   string     `msgpack:"name"`
	Type   block.Type `msgpack:"type"`
	Values uint64     `msgpack:"values"` // vertices or edges that have one

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
	if err := validate[uint32](r, r.Vertices); err != nil {
		return err
	}
	return validate[block.Arc](r, r.Count())
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

// Schema is the attributes of the vertices or of the edges of a record, and the number that the next
// one gets.
type Schema struct {
	List  *[]AttributeRecord
	next  *uint16
	Check func(block.Attribute) error // an error if no graph can have the attribute
}

// SchemaOf is the attributes of the vertices of a record, or of its edges.
func SchemaOf[P block.Place](r *Record) Schema {
	if any(P(0)) == any(block.Arc(0)) {
		return Schema{&r.EdgeAttributes, &r.NextEdgeAttribute, block.Attribute.ValidateEdge}
	}
	return Schema{&r.Attributes, &r.NextAttribute, block.Attribute.Validate}
}

// validate verifies that names and numbers are distinct, of attributes that no more than most
// vertices or edges can have.
func validate[P block.Place](r *Record, most uint64) error {
	s := SchemaOf[P](r)
	ids, names := make(map[uint16]bool, len(*s.List)), make(map[string]bool, len(*s.List))
	for _, a := range *s.List {
		if err := s.Check(a.Attribute()); err != nil {
			return fault.Record("%v", err)
		}
		if ids[a.ID] || names[a.Name] || a.ID >= *s.next || a.Values > most {
			return fault.Record("attribute %q has the number %d and %d values, and the next number is %d", fault.Clip(a.Name), a.ID, a.Values, *s.next)
		}
		ids[a.ID], names[a.Name] = true, true
	}
	return nil
}

// FindAttribute is Find for the attributes of the vertices.
func (r *Record) FindAttribute(name string) int { return SchemaOf[uint32](r).Find(name) }

// Find returns the number of an attribute in the list, -1 where there is none of this name.
func (s Schema) Find(name string) int {
	return slices.IndexFunc(*s.List, func(a AttributeRecord) bool { return a.Name == name })
}

// Add enters a new attribute and returns its number in the list.
func (s Schema) Add(a block.Attribute) (int, error) {
	if err := s.Check(a); err != nil {
		return 0, err
	}
	if *s.next == math.MaxUint16 {
		return 0, fmt.Errorf("attribute %q: more than %d attributes: %w", fault.Clip(a.Name), *s.next, fault.ErrLimit)
	}
	// The list may be shared with another copy of the record.
	list := (*s.List)[:len(*s.List):len(*s.List)]
	*s.List = append(list, AttributeRecord{ID: *s.next, Name: a.Name, Type: a.Type})
	*s.next++
	return len(list), nil
}

// Own makes the list one that no other copy of the record shares, and returns it.
func (s Schema) Own() []AttributeRecord {
	*s.List = slices.Clone(*s.List)
	return *s.List
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

// DescribeAttribute names an attribute of vertices in faults.
func DescribeAttribute(graph, name string) string { return DescribeValues[uint32](graph, name) }

// DescribeValues names an attribute of vertices or of edges in faults.
func DescribeValues[P block.Place](graph, name string) string {
	return DescribeGraph(graph) + ", " + NameValues[P](name)
}

// NameValues names an attribute of a known graph.
func NameValues[P block.Place](name string) string {
	if any(P(0)) == any(block.Arc(0)) {
		return fmt.Sprintf("attribute %q of edges", name)
	}
	return fmt.Sprintf("attribute %q", name)
}

// ChangeLogPart names the change log in faults.
const ChangeLogPart = "change log"
