package main

import (
	"runtime"
	"runtime/debug"

	"heavytail/query/maintenance"
)

// garbageOf is by how many per cent a heap may grow before the next garbage collection, so that
// garbage is at most [query.Garbage]. Most memory is a few large arrays without pointers, so a
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
