package memory

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// systemBounds returns the memory of the machine and the limits of the control groups of the process.
func systemBounds() []int64 {
	bounds := groupBounds(os.DirFS("/"))
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		bounds = append(bounds, int64(info.Totalram)*int64(info.Unit))
	}
	return bounds
}

// groupBounds returns the limits of the control groups of the process, of version 1 or 2, and of the
// groups around them (cgroups(7)). In a container the file system may show only the group of the
// container, as its root.
func groupBounds(root fs.FS) []int64 {
	list, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return nil
	}
	var bounds []int64
	for line := range strings.Lines(string(list)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number:controllers:path
		if len(fields) != 3 {
			continue
		}
		folder, file := "sys/fs/cgroup", "memory.max"
		switch {
		case slices.Contains(strings.Split(fields[1], ","), "memory"):
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
		case fields[0] != "0":
			continue
		}
		for group := path.Join("/", fields[2]); ; group = path.Dir(group) {
			text, err := fs.ReadFile(root, path.Join(folder, group, file))
			if bound, notNumber := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && notNumber == nil { // "max" is no limit
				bounds = append(bounds, bound)
			}
			if group == "/" {
				break
			}
		}
	}
	return bounds
}
