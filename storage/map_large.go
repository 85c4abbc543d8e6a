//go:build unix && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x)

package storage

// initialMaps are the sizes of the map to try, in turn. A map that must grow
// makes the writer wait for every reader and new readers wait behind it, so the
// first one is larger than any file we expect; it is address space only.
var initialMaps = [...]int{64 << 30, 1 << 30, 0}
