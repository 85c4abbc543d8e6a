package graphs_test

import (
	"testing"

	"heavytail/.ci/leaktest"
	_ "heavytail/storage/format/arrow"
	_ "heavytail/storage/format/parquet"
)

func TestMain(m *testing.M) {
	leaktest.Main(m)
}
