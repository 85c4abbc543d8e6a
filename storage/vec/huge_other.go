//go:build !linux

package vec

// adviseHuge does nothing: huge pages are not supported here.
func adviseHuge([]byte) {}
