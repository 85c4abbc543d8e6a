//go:build !unix

package main

// processorSeconds returns 0: on this system the processor time of the process is
// unknown.
func processorSeconds() float64 { return 0 }
