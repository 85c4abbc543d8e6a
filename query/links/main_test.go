package links_test

import (
	"testing"

	"heavytail/.ci/leaktest"
	"heavytail/query/internal/querytest"
	_ "heavytail/storage/format/arrow"
	_ "heavytail/storage/format/parquet"
)

func TestMain(m *testing.M) {
	if querytest.RunChild() {
		return
	}
	leaktest.Main(m)
}
