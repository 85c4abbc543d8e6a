package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	repeats "heavytail/.ci/repeat"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/columntest"
)

// What is read from a file is what was written: all kinds, missing values in runs and alone,
// empty lists, no row, one page and many, one row group and many, and dictionaries that grow
// too large. TestWriter_LibraryReads has the library alone read such files.
func TestWriter_RoundTrip(t *testing.T) {
	many, long := 70_000, 300 // more than a page of numbers of a dictionary, and some 10 MB of texts
	if testing.Short() {
		many, long = 5000, 60
		t.Log("-short: fewer rows")
	}
	columntest.RoundTrip(t, columnfile.Parquet, map[string]columntest.Set{
		"none": {Rows: 0, Key: columntest.FewKeys}, "one": {Rows: 1, Key: columntest.FewKeys}, "many": {Rows: many, Key: columntest.FewKeys},
		"groups":   {Rows: 5000, Key: columntest.FewKeys, Opts: columnfile.WriteOptions{RowGroup: 3000}},
		"long":     {Rows: long, Key: columntest.LongKeys},
		"distinct": {Rows: 2000, Key: func(i int) string { return fmt.Sprint("vertex ", i) }, Opts: columnfile.WriteOptions{RowGroup: 100_000}},
	})
}

// The columns and the metadata are read as they were written.
func TestOpen_Columns(t *testing.T) {
	f := columntest.Head(t, columnfile.Parquet, 30)
	if list := f.Entries(); !slices.Equal(list, []columnfile.Entry{{Key: "a", Text: "ü\n"}, {Key: "graph", Text: "social"}}) { // by their keys
		t.Errorf("metadata: %v", list)
	}
}

// Every encoding, codec and version of pages gives the values that were written by the
// library: go test -update writes the files of testdata again.
func TestRows_Encodings(t *testing.T) {
	text, err := os.ReadFile("testdata/encodings.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	files, _ := filepath.Glob("testdata/*.parquet")
	if len(files) != 12 {
		t.Errorf("%d files", len(files))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := columntest.ReadAll(columnfile.Parquet, data, columntest.Limits)
		if err != nil || !slices.Equal(lines, want) {
			t.Errorf("%s: %v, read\n%s\nwant\n%s", file, err, strings.Join(lines, "\n"), text)
		}
		// Damaged pages of each codec.
		for n := len(file); n < len(data); n += len(data)/15 + 1 {
			flipped := bytes.Clone(data)
			flipped[n] ^= 1 << (n % 8)
			columntest.Known(t, columnfile.Parquet, flipped)
		}
	}
}

// The last list of a row group is missing if it is empty, whatever the list before is.
func TestRows_LastList(t *testing.T) {
	for _, sizes := range [][]int{{0, 1}, {1, 0}, {0, 0}, {2, 3}} {
		var out bytes.Buffer
		w := columnfile.NewWriter(columnfile.Parquet, &out, []columnfile.Column{{Name: "x", Kind: columnfile.FloatList}}, nil, columnfile.WriteOptions{})
		for _, n := range sizes {
			w.Floats(0, make([]float32, n))
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := columnfile.Open(columnfile.Parquet, bytes.NewReader(out.Bytes()), int64(out.Len()), columntest.Limits)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := f.Read(0)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range sizes {
			if !rows.Next() || rows.Missing(0) != (n == 0) || len(rows.Floats(0)) != n {
				t.Errorf("lists of %v items: %v, missing %t, %v", sizes, rows.Floats(0), rows.Missing(0), rows.Err())
			}
		}
	}
}

// A file that is cut off anywhere, or has a flipped bit, gives an error of a known kind
// or the rows; it never panics, and takes no more memory than the limit.
func TestOpen_Damaged(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: damages a file in many places")
	}
	data := columntest.Write(t, columnfile.Parquet, 300, columntest.FewKeys, columnfile.WriteOptions{RowGroup: 3000})
	for n := 0; n < len(data); n += 37 {
		if _, err := columntest.ReadAll(columnfile.Parquet, data[:n], columntest.Limits); !errors.Is(err, columnfile.ErrDamaged) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
	}
	for n := 0; n < len(data); n += 3 * repeats.Every(4) {
		flipped := bytes.Clone(data)
		flipped[n] ^= 1 << (n % 8)
		columntest.Known(t, columnfile.Parquet, flipped)
	}
}

func TestOpen_Limits(t *testing.T) {
	columntest.Limited(t, columnfile.Parquet)
}

// A file whose pages or footer are encrypted is refused as such, and not as damaged.
func TestOpen_Encrypted(t *testing.T) {
	data := columntest.Write(t, columnfile.Parquet, 3, columntest.FewKeys, columnfile.WriteOptions{})
	for _, at := range []int{0, len(data) - len(magic)} {
		marked := bytes.Clone(data)
		copy(marked[at:], "PARE")
		if _, err := columntest.ReadAll(columnfile.Parquet, marked, columntest.Limits); !errors.Is(err, columnfile.ErrUnread) {
			t.Errorf("a mark at byte %d: %v", at, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(columntest.Write(f, columnfile.Parquet, 5, columntest.FewKeys, columnfile.WriteOptions{}))
	f.Add(columntest.Write(f, columnfile.Parquet, 40, columntest.FewKeys, columnfile.WriteOptions{RowGroup: 1000}))
	files, _ := filepath.Glob("testdata/*.parquet")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { columntest.Known(t, columnfile.Parquet, data) })
}

// A footer with any flipped bit, also in a number of rows, gives an error or all rows: none
// disappears without a sign.
func TestOpen_FooterRows(t *testing.T) {
	t.Parallel()
	const rows = 40
	data := columntest.Write(t, columnfile.Parquet, rows, columntest.FewKeys, columnfile.WriteOptions{RowGroup: 3000})
	const footerTail = 8 // the length of the footer, and the magic number
	length := int(binary.LittleEndian.Uint32(data[len(data)-footerTail:]))
	read := 0
	for n := len(data) - footerTail - length; n < len(data)-footerTail; n++ {
		for bit := range 8 {
			flipped := bytes.Clone(data)
			flipped[n] ^= 1 << bit
			f, err := columnfile.Open(columnfile.Parquet, bytes.NewReader(flipped), int64(len(flipped)), columntest.Limits)
			if err != nil || f.Columns()[0].Kind == columnfile.Other {
				continue
			}
			r, err := f.Read(0)
			if err != nil {
				t.Fatal(err)
			}
			got := 0
			for r.Next() {
				got++
			}
			if read++; r.Err() == nil && got != rows {
				t.Errorf("bit %d of byte %d: %d rows of %d", bit, n, got, rows)
			}
		}
	}
	if read < 1000 {
		t.Errorf("only %d files could be opened", read)
	}
}
