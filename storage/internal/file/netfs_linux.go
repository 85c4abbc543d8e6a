package file

import "golang.org/x/sys/unix"

// NetworkFS names the network file system that has a path, or returns "". File
// systems in user space count, because most of them are accessed over a
// network and none guarantees coherent maps and locks.
func NetworkFS(path string) string {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return "" // opening the file will report the error
	}
	return NetworkName(uint32(s.Type))
}

// NetworkName names the kind of file system by its number.
func NetworkName(kind uint32) string {
	return map[uint32]string{
		0x6969: "NFS", 0x517b: "SMB", 0xff534d42: "SMB", 0xfe534d42: "SMB", 0x65735546: "FUSE", 0x5346414f: "AFS", 0x00c36400: "Ceph",
	}[kind]
}
