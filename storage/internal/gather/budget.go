package gather

import (
	"fmt"

	"heavytail/storage/csr"
	"heavytail/storage/internal/fault"
	"heavytail/storage/internal/memory"
)

// MemoryError reports that an import needs more memory than its limit. errors.Is(err,
// fault.ErrLimit) holds.
type MemoryError struct {
	What  string // what needs it, such as "the keys of 12000 vertices"
	Need  int64  // bytes that the import would hold at that time
	Limit int64  // bytes
}

// Error names the need and the limit.
func (e *MemoryError) Error() string {
	return fmt.Sprintf("importing %s takes %d bytes, and MemoryLimit is %d", e.What, e.Need, e.Limit)
}

// Is reports whether target is ErrLimit.
func (e *MemoryError) Is(target error) bool { return target == fault.ErrLimit }

// LeastLimit is the smallest limit: reading and writing take about this much.
const LeastLimit = 16 << 20

// limitOf is the effective limit of an import for a given one; 0 means that none was given. The
// default of 8 GiB is enough for 400 million edges between 50 million vertices.
func limitOf(limit int64) int64 {
	if limit <= 0 {
		limit = memory.Limit()
	}
	return max(limit, LeastLimit)
}

// graphBytes is the memory of a csr.Graph of n vertices.
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

// orderBytes is the memory per vertex for sorting the keys. Filling the rows of a graph takes at most
// 32 bytes.
const orderBytes = 36
