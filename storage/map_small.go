//go:build !(unix && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x))

package storage

// initialMaps are the sizes of the map to try, in turn: only the file itself.
// On Windows bbolt extends the file to the size of the map, and 32 bits have no
// address space to spare.
var initialMaps = [...]int{0}
