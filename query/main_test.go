package query

import (
	"os"
	"testing"

	"heavytail/.ci/leaktest"
)

func TestMain(m *testing.M) {
	if runChild() || runBusy() {
		return
	}
	leaktest.Main(m)
}

// often returns the number of moments at which a test kills or cancels: short with -short,
// all with HEAVYTAIL_LONG=1, which takes package query about a quarter of an hour.
func often(short, usual, all int) int {
	switch {
	case testing.Short():
		return short
	case os.Getenv("HEAVYTAIL_LONG") != "":
		return all
	}
	return usual
}
