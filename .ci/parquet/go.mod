// Tests of Parquet files by the library parquet-go, in a module of their own so that a program
// which uses heavytail never sees its modules. The path of the module lets them import
// heavytail/storage/format/internal/columnfile.
module heavytail/storage/format/ci/parquet

go 1.26.0

require (
	github.com/parquet-go/parquet-go v0.32.0
	heavytail v0.0.0
)

require (
	github.com/andybalholm/brotli v1.1.1 // indirect
	github.com/dsnet/compress v0.0.1 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/parquet-go/bitpack v1.0.0 // indirect
	github.com/parquet-go/jsonlite v1.0.0 // indirect
	github.com/pierrec/lz4/v4 v4.1.21 // indirect
	github.com/twpayne/go-geom v1.6.1 // indirect
	github.com/ulikunitz/xz v0.5.17 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.28.0 // indirect
	google.golang.org/protobuf v1.34.2 // indirect
)

replace heavytail => ../..
