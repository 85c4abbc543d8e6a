package storage

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"heavytail/storage/internal/file"
)

func TestHoldersIn(t *testing.T) {
	t.Parallel()
	self := "another handle of this process"
	table := strings.ReplaceAll(`1: FLOCK  ADVISORY  READ SELF 08:01:77 0 EOF
2: POSIX  ADVISORY  WRITE SELF 08:01:42 0 EOF
3: FLOCK  ADVISORY  WRITE SELF 08:01:42 0 EOF
3: -> FLOCK  ADVISORY  WRITE SELF 08:01:42 0 EOF
4: FLOCK  ADVISORY  WRITE 0 08:01:42 0 EOF
5: cut off
`, "SELF", strconv.Itoa(os.Getpid()))
	if got := file.HoldersIn([]byte(table), "08:01:42"); !slices.Equal(got, []string{self}) {
		t.Errorf("%q", got)
	}
	if got := file.HoldersIn([]byte(table), "08:01:43"); got != nil {
		t.Errorf("of another file: %q", got)
	}
	many := ""
	for pid := range 5 { // of which the last three have no name here, whichever processes there are
		many += strings.Repeat("1: FLOCK  ADVISORY  READ "+strconv.Itoa(os.Getpid()+pid<<24)+" 08:01:42 0 EOF\n", 2)
	}
	names := make([]string, 3)
	names[0] = self
	for i := 1; i < 3; i++ {
		names[i] = "process " + strconv.Itoa(os.Getpid()+i<<24)
	}
	if got := file.HoldersIn([]byte(many), "08:01:42"); !slices.Equal(got, append(names, "others")) {
		t.Errorf("%q", got)
	}
}

// The error for a locked file names the process that holds the lock, if the system shows
// its locks.
func TestOpen_NamesHolder(t *testing.T) {
	t.Parallel()
	path := pathStore(t)
	cmd, out := startChild(t, "hold", path)
	if !out.Scan() {
		t.Fatal("the child says nothing")
	}
	_, err := Open(path, &Options{LockTimeout: -1})
	if table, _ := os.ReadFile("/proc/locks"); !strings.Contains(string(table), " "+strconv.Itoa(cmd.Process.Pid)+" ") {
		t.Logf("this system does not show locks: %q", table)
	} else if want := "process " + strconv.Itoa(cmd.Process.Pid) + " ("; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v does not name %s", err, want)
	}
	if err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}
