package index

import (
	"testing"

	"heavytail/.ci/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }
