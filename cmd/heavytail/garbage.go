package main

import (
	"runtime"
	"runtime/debug"
)

// garbageOf is by how many per cent a heap may grow before the next garbage collection. Most
// memory is a few large arrays without pointers, so a collection takes milliseconds; with Go's
// default of 100 per cent, arrays that a job no longer needs would stay until the heap had
// doubled. So garbage is at most a fifth of the heap, and of more than 640 MiB about 128 MiB.
// A small heap keeps the default: it would be collected from 1 MB on, which takes a third of
// the time of a short command.
func garbageOf(heap uint64) int {
	const (
		small = 32 << 20
		most  = 128 << 20
	)
	if heap < small {
		return 100
	}
	return int(max(5, min(20, most*100/heap)))
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
