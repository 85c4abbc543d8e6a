//go:build unix && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)

package file

// InitialMaps returns the sizes of the map to try, in order. Growing a map makes
// the writer wait for every reader, and new readers wait for the writer, so
// the first size is larger than any expected file; it takes only address
// space. Where the process may use only so many bytes of that, the rest of it needs them.
func InitialMaps(space int64) []int {
	if space < 1<<37 {
		return []int{0}
	}
	return []int{64 << 30, 1 << 30, 0}
}
