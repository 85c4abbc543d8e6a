package format

import (
	"slices"

	"heavytail/storage/format/internal/columnfile"
)

// Columnar is a format of files whose rows are stored by column. Each is read and written by a
// package that a program imports.
type Columnar = columnfile.Form

// The columnar formats.
const (
	Parquet = columnfile.Parquet
	// Arrow is the file format of Arrow IPC, which is also called version 2 of Feather, and
	// ArrowStream the streaming format. Either is read where an Arrow file is asked for.
	Arrow       = columnfile.Arrow
	ArrowStream = columnfile.ArrowStream
)

// columnarEndings are the endings of names. The first of a format is that of files that are written.
var columnarEndings = []struct {
	ending string
	form   Columnar
}{{".parquet", Parquet}, {".arrow", Arrow}, {".feather", Arrow}, {".arrows", ArrowStream}}

// ColumnarEndings returns the endings of columnar files, those of the forms that are given or else of all.
func ColumnarEndings(forms ...Columnar) (endings []string) {
	for _, e := range columnarEndings {
		if len(forms) == 0 || slices.Contains(forms, e.form) {
			endings = append(endings, e.ending)
		}
	}
	return endings
}
