package format_test

import (
	_ "heavytail/storage/format/arrow" // which the tests read and write
	_ "heavytail/storage/format/parquet"
)
