//go:build !linux

package file

// NetworkFS returns "": it cannot detect network file systems on this system.
func NetworkFS(string) string { return "" }
