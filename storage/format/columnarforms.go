package format

import (
	"slices"

	"heavytail/storage/format/internal/columnfile"
)

// Columnar is a format of files whose rows are stored by column. Each is read and written by a
// package that a program imports.
type Columnar string

const (
	// Parquet is Apache Parquet, of heavytail/storage/format/parquet.
	Parquet Columnar = "parquet"
	// Arrow is the file format of Arrow IPC, which is also called version 2 of Feather, of
	// heavytail/storage/format/arrow.
	Arrow Columnar = "arrow"
	// ArrowStream is the streaming format of Arrow IPC, of the same package. Where one of the two is
	// read, the other is accepted.
	ArrowStream Columnar = "arrow_stream"
)

// Columnars returns all columnar formats.
func Columnars() []Columnar { return []Columnar{Parquet, Arrow, ArrowStream} }

// Title returns the name of the format in messages.
func (c Columnar) Title() string { return columnfile.Form(c).Title() }

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
