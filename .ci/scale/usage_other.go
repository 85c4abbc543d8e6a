//go:build !unix

package main

// usage returns zeros: the processor time and the resident set are unknown.
func usage() (seconds float64, peak int64) { return 0, 0 }
