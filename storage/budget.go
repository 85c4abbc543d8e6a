package storage

import (
	"fmt"
	"math"

	"heavytail/storage/csr"
)

// MemoryError says that an import needs more memory than its
// ImportOptions.MemoryLimit. It answers errors.Is for ErrLimit.
type MemoryError struct {
	What  string // what needs it, such as "the keys of 12000 vertices"
	Need  int64  // bytes, of all that the import holds at that time
	Limit int64  // bytes
}

// Error names the need and the limit.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("importing %s takes %d bytes, and MemoryLimit is %d", e.What, e.Need, e.Limit)
}

// Is reports whether target is ErrLimit.
func (e *MemoryError) Is(target error) bool { return target == ErrLimit }

const (
	// leastImport is what an import may take whatever its limit is: reading and
	// writing take about as much anyway.
	leastImport    = 16 << 20
	defaultImport  = 8 << 30 // 400 million edges between 50 million vertices
	defaultImport4 = 1 << 30 // where addresses have four bytes
)

// importLimit is the limit that an import keeps.
func importLimit(limit int64) int64 {
	switch {
	case limit > 0:
		return max(limit, leastImport)
	case math.MaxInt == math.MaxInt32:
		return defaultImport4
	}
	return defaultImport
}

// budget says when an import is to count its memory again.
type budget struct {
	limit  int64
	next   int   // at so many vertices
	unseen int64 // bytes of values since the last time
}

// bytes is the memory of the values of an attribute, twice where they are texts
// of several values.
func (c *rawColumn) bytes() int64 {
	return 4*int64(cap(c.codes)) + c.texts.Bytes() + c.table.Bytes() + 2*c.joinedBytes
}

func (l *importList) columnBytes() int64 {
	sum := int64(0)
	for _, c := range l.columns {
		sum += c.bytes()
	}
	return sum
}

// checkBudget counts what the list holds.
func (l *importList) checkBudget() error {
	n := l.Keys.Len()
	l.budget.next, l.budget.unseen = n+n/16+1024, 0
	// Later, every attribute is a list of values beside its texts.
	need := l.Interner.Bytes() + 2*l.columnBytes() + l.pile.bytes()
	if need <= l.budget.limit {
		return nil
	}
	what := fmt.Sprintf("the keys of the first %d vertices", n)
	if len(l.columns) > 0 {
		what += " and their attributes"
	}
	return &MemoryError{What: what, Need: need, Limit: l.budget.limit}
}

// graphBytes is the memory of a graph, csr.Graph, of which n and edges are known.
func graphBytes(n int, edges int64, weighted, timed bool) int64 {
	each := int64(4)
	if weighted {
		each += 4
	}
	if timed {
		each += 8
	}
	return 8*int64(n) + 2*edges*each
}

func bytesOfGraph(g *csr.Graph) int64 {
	if g == nil {
		return 0
	}
	return graphBytes(g.Vertices(), g.Edges(), g.Weights != nil, g.Times != nil)
}

// orderBytes is what sorting the keys takes, per vertex, and more than what the
// rows of a graph take while they are filled.
const orderBytes = 36

// held is the memory of the import beside the edges it has read and the graph
// that is to be made of them.
func (i *importer) held() int64 {
	sum := i.old.keys.Bytes() + i.contents.keys.Bytes() + bytesOfGraph(i.old.graph) + 2*i.list.columnBytes()
	if i.old.keys.Len() > 0 {
		sum += i.list.Keys.Bytes() + 4*int64(i.list.Keys.Len())
	}
	for _, c := range i.old.columns {
		sum += c.Bytes()
	}
	return sum + orderBytes*int64(i.contents.keys.Len())
}

// enough makes sure that there is memory for a graph of so many edges beside what
// the import holds.
func (i *importer) enough(edges int64, weighted, timed bool) error {
	n := i.contents.keys.Len()
	need := i.held() + i.list.pile.bytes() + graphBytes(n, edges, weighted, timed)
	if need > i.list.budget.limit {
		return &MemoryError{What: fmt.Sprintf("a graph of %d vertices and %d edges", n, edges), Need: need, Limit: i.list.budget.limit}
	}
	return nil
}
