//go:build !linux

package vec

// adviseHuge does nothing: large pages are not asked for here.
func adviseHuge([]float32) {}
