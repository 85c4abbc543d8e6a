// Package leaktest runs the tests of a package and finds goroutines that they leave
// behind. It is for tests only.
package leaktest

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// attempts is how often to look for goroutines that have not ended. One attempt of
// goleak waits for half a second; on a busy machine a goroutine may need longer to
// end.
const attempts = 100

// memory is the smallest free space of a file system in memory that short tests use.
const memory = 1 << 30

// Main runs the tests of a package and exits. It fails if goroutines are left.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main, but returns the exit code. With -short, temporary files are in memory
// where the system offers that, unless TMPDIR is set: most of the time of tests of stores
// is otherwise syncing to the disk. The full run uses the disk.
func Run(m *testing.M) int {
	if os.Getenv("GOGC") == "" {
		// The heaps of tests are small, and at 100 a tenth of their processor seconds are
		// collections.
		debug.SetGCPercent(400)
	}
	flag.Parse()
	if flag.Lookup("test.memprofile").Value.String() == "" {
		runtime.MemProfileRate = 0 // samples nobody asked for take one processor second in a hundred
	}
	if folder := inMemory(); testing.Short() && os.Getenv("TMPDIR") == "" && folder != "" {
		fmt.Println("short: temporary files in", folder)
		if err := os.Setenv("TMPDIR", folder); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	if code != 0 {
		return code
	}
	var left error
	for range attempts {
		if left = goleak.Find(); left == nil {
			return 0
		}
	}
	fmt.Fprintln(os.Stderr, "leaktest:", left)
	return 1
}
