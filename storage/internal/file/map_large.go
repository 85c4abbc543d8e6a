//go:build unix && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)

package file

// InitialMaps are the sizes of the map to try, in order. Growing a map makes
// the writer wait for every reader, and new readers wait for the writer, so
// the first size is larger than any expected file; it takes only address
// space.
var InitialMaps = [...]int{64 << 30, 1 << 30, 0}
