package file

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Holders names the processes that have a lock on a file, as far as the system
// shows them: it does not show those of other containers, and of some file
// systems. It is nil if none is known.
func Holders(path string) []string {
	var stat unix.Stat_t
	table, err := os.ReadFile("/proc/locks")
	if err != nil || unix.Stat(path, &stat) != nil {
		return nil
	}
	return HoldersIn(table, fmt.Sprintf("%02x:%02x:%d", unix.Major(stat.Dev), unix.Minor(stat.Dev), stat.Ino))
}

// HoldersIn finds the processes that have locked a file in the lock table of
// the system. Its lines are as follows; a line with "->" is of a process that
// waits.
//
//	1: FLOCK  ADVISORY  WRITE 2437 08:01:123456 0 EOF
func HoldersIn(table []byte, file string) []string {
	const most = 3 // more would make the message too long
	var found []string
	for line := range bytes.Lines(table) {
		words := strings.Fields(string(line))
		if len(words) < 6 || words[1] != "FLOCK" || words[5] != file {
			continue
		}
		pid, err := strconv.Atoi(words[4])
		if err != nil || pid <= 0 {
			continue
		}
		name := processName(pid)
		switch {
		case slices.Contains(found, name): // several handles of one process
		case len(found) == most:
			return append(found, "others")
		default:
			found = append(found, name)
		}
	}
	return found
}

func processName(pid int) string {
	if pid == os.Getpid() {
		return "another handle of this process"
	}
	name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid))
	if err != nil {
		return fmt.Sprintf("process %d", pid)
	}
	return fmt.Sprintf("process %d (%s)", pid, strings.TrimSpace(string(name)))
}
