package query

import (
	"testing"

	"heavytail/.ci/leaktest"
)

func TestMain(m *testing.M) {
	if runChild() || runBusy() {
		return
	}
	leaktest.Main(m)
}
