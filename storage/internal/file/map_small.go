//go:build !(unix && (amd64 || arm64 || loong64 || mips64 || mips64le || ppc64 || ppc64le || riscv64 || s390x))

package file

// InitialMaps returns the sizes of the map to try, in order: only the file itself.
// On Windows bbolt extends the file to the size of the map, and 32-bit systems
// lack the address space.
func InitialMaps(int64) []int { return []int{0} }
