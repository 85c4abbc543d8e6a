package gather

import (
	"fmt"
	"runtime"
	"runtime/metrics"
	"unsafe"

	"heavytail/storage/csr"
	"heavytail/storage/internal/block"
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

// LeastLimit is the smallest limit.
const LeastLimit = 16 << 20

// readingBytes are what reading takes beside the list: blocks of the text, edges on their way to the
// buffer, buffers of temporary files, and garbage.
const readingBytes = 16 << 20

// batchPart is the part of the limit that one transaction of an import writes at most. Its pages take
// three times as much.
const batchPart = 32

// workBytes are what reading and writing take, which is part of the limit: the list and the graph get
// the rest. Below 32 MiB they take more than is counted.
func workBytes(limit int64) int64 {
	return min(limit/2, readingBytes+3*min(limit/batchPart, 8<<20))
}

// limitOf is the effective limit of an import for a given one; 0 means that none was given. The
// default of 8 GiB is enough for 400 million edges between 50 million vertices.
func limitOf(limit int64) int64 {
	if limit <= 0 {
		limit = memory.Limit()
	}
	return max(limit, LeastLimit)
}

// graphBytes is the memory of a csr.Graph or a csr.Directed of n vertices.
func graphBytes(n int, edges int64, weighted, timed, directed bool) int64 {
	each := int64(4)
	if weighted {
		each += 4
	}
	if timed {
		each += 8
	}
	if directed {
		n *= 2
	}
	return 8*int64(n) + 2*edges*each
}

func bytesOfGraph(g *csr.Graph, d *csr.Directed) int64 {
	switch {
	case d != nil:
		return graphBytes(d.Vertices(), d.Arcs(), d.Out.Weights != nil, d.Out.Times != nil, true)
	case g != nil:
		return graphBytes(g.Vertices(), g.Edges(), g.Weights != nil, g.Times != nil, false)
	}
	return 0
}

// orderBytes is the memory per vertex for sorting the keys. Filling the rows of a graph takes at most
// 32 bytes.
const orderBytes = 36

// collect collects the garbage of the heap if it would take more than a limit together with bytes
// that are about to be allocated: the lists that a larger one replaced and the tables that are no
// longer needed are as large as what follows, and a collection that starts with the allocation frees
// them too late. It leaves small allocations to the runtime.
func collect(further, limit int64) {
	if further < limit/32 {
		return
	}
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	if metrics.Read(heap); int64(heap[0].Value.Uint64())+further > limit {
		runtime.GC()
	}
}

// mostTableBytes is the most memory of a key table per key, and valueBytes that of a parsed value.
const (
	mostTableBytes = 43
	valueBytes     = int64(unsafe.Sizeof(block.Value{}))
)
