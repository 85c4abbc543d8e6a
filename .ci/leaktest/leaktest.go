// Package leaktest finds goroutines that tests leave behind. It is for tests only.
package leaktest

import (
	"fmt"
	"os"
	"runtime/debug"
	"testing"

	"go.uber.org/goleak"
)

// attempts is how often to look for goroutines that have not ended. One attempt of
// goleak waits for half a second; on a busy machine a goroutine may need longer to
// end.
const attempts = 100

// Main runs the tests of a package and exits. It fails if goroutines are left.
func Main(m *testing.M) { os.Exit(Run(m)) }

// Run is Main, but returns the exit code.
func Run(m *testing.M) int {
	if os.Getenv("GOGC") == "" {
		// The heaps of tests are small, and at 100 a tenth of their processor seconds are
		// collections.
		debug.SetGCPercent(400)
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
