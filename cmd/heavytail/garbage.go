package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"heavytail/query"
	"heavytail/query/maintenance"
	"heavytail/storage"
)

const (
	// programPages is the largest part of the memory of the process that the runtime of Go does not
	// count: pages of the program itself, which come from its file.
	programPages = 33 << 20
	// programBytes is what the process takes without a graph.
	programBytes = 32 << 20
)

// limitMemory makes the limit of memory that of the process: it counts what the program takes, and has
// the runtime collect garbage before the process takes more. It sets the limit where the options have
// none. A limit of the environment (GOMEMLIMIT)
// stays if it is smaller. Only a program may do this, not a library: the limit is that of the process.
func limitMemory(options *query.Options) {
	if options.MemoryLimit == 0 {
		options.MemoryLimit = storage.DefaultMemoryLimit()
	}
	limit := options.MemoryLimit
	options.ProgramBytes = programBytes
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), max(limit-programPages, limit*2/5)))
}

// garbageOf is by how many per cent a heap may grow before the next garbage collection, so that
// garbage is at most [maintenance.Garbage]. Most memory is a few large arrays without pointers, so a
// collection takes milliseconds; with Go's default of 100 per cent, arrays that a job no longer needs
// would stay until the heap had doubled.
func garbageOf(heap uint64) int {
	used := max(1, int64(heap))
	return int((100*maintenance.Garbage(used) + used/2) / used)
}

// limitGarbage sets GOGC to garbageOf the heap after each collection; percent is its present
// value. The cleanup of an unreachable value runs after a collection.
func limitGarbage(percent int) {
	runtime.AddCleanup(new([64]byte), func(before int) {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		now := garbageOf(stats.HeapAlloc)
		if now != before {
			debug.SetGCPercent(now)
		}
		limitGarbage(now)
	}, percent)
}

// leastSpace is the least address space with which statements run: the runtime reserves most of it.
const leastSpace = 3 << 29

// checkSpace returns an error if the process may use too little address space. Without it an allocation
// would end the process with a trace.
func checkSpace(space int64) error {
	if space >= leastSpace {
		return nil
	}
	return fmt.Errorf("the address space is limited to %d MiB (ulimit -v), and heavytail needs %d: raise the limit, or limit memory by --memory-limit or a control group", space>>20, leastSpace>>20)
}
