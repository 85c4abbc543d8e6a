package main

import (
	"runtime"
	"runtime/debug"
)

// garbage is by how many per cent a large heap may grow before the next garbage collection,
// unless GOGC sets another value. Most memory is a few large arrays without pointers, so a
// collection takes milliseconds; with Go's default of 100 per cent, arrays that a job no
// longer needs would stay until the heap had doubled. A small heap keeps the default: it would
// be collected from 1 MB on, which takes a third of the time of a short command.
const (
	garbage   = 25
	largeHeap = 32 << 20
)

// collectLargeHeap sets garbage once a collection leaves a large heap. A value that nothing
// refers to tells when a collection has ended.
func collectLargeHeap() {
	runtime.AddCleanup(new([64]byte), func(struct{}) {
		var stats runtime.MemStats
		if runtime.ReadMemStats(&stats); stats.HeapAlloc < largeHeap {
			collectLargeHeap()
			return
		}
		debug.SetGCPercent(garbage)
	}, struct{}{})
}
