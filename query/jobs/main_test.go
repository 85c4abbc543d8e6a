package jobs_test

import (
	"testing"

	"heavytail/.ci/leaktest"
	"heavytail/query/internal/querytest"
)

func TestMain(m *testing.M) {
	if querytest.RunChild() {
		return
	}
	leaktest.Main(m)
}
