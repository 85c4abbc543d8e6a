package query

import (
	"testing"

	"heavytail/.ci/leaktest"
	_ "heavytail/storage/format/parquet"
)

func TestMain(m *testing.M) {
	if runChild() || runBusy() {
		return
	}
	leaktest.Main(m)
}
