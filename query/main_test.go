package query

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if runChild() || runBusy() {
		return
	}
	goleak.VerifyTestMain(m)
}
