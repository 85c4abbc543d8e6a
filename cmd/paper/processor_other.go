//go:build !unix

package paper

// processorSeconds is 0, because it is not known what the process has taken of the
// processor.
func processorSeconds() float64 { return 0 }
