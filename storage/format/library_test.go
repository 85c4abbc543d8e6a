package format

import _ "heavytail/storage/format/parquet" // which the tests read and write
