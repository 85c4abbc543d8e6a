package storage

import "golang.org/x/sys/unix"

// networkFS names the network file system that holds a path, or returns "". File
// systems in user space count, because most of them are reached over a network
// and none promises coherent maps and locks.
func networkFS(path string) string {
	var s unix.Statfs_t
	if unix.Statfs(path, &s) != nil {
		return "" // opening the file will say what is wrong
	}
	return networkName(uint32(s.Type))
}

// networkName names the kind of file system by its number.
func networkName(kind uint32) string {
	switch kind {
	case 0x6969:
		return "NFS"
	case 0x517b, 0xff534d42, 0xfe534d42:
		return "SMB"
	case 0x65735546:
		return "FUSE"
	case 0x5346414f:
		return "AFS"
	case 0x00c36400:
		return "Ceph"
	}
	return ""
}
