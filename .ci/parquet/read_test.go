package parquet_test

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/columnfile"
)

var update = flag.Bool("update", false, "write the files of the testdata folders")

// The folders with files of the library that tests of heavytail read.
const (
	columnfiles = "../../storage/format/internal/columnfile/testdata"
	formats     = "../../storage/format/testdata"
)

// meetFile compares a file of a testdata folder with the text that it should have.
func meetFile(t *testing.T, folder, name string, want []byte) {
	t.Helper()
	if got := file(t, folder, name, want); !bytes.Equal(got, want) {
		t.Errorf("%s has another text; to rewrite it: go test -update", name)
	}
}

// meetRows has the library read the rows of a file of a testdata folder that it wrote. Another
// kind of processor may compress them into other bytes.
func meetRows[T any](t *testing.T, folder, name string, rows []T, encoded []byte) {
	t.Helper()
	data := file(t, folder, name, encoded)
	if got, err := parquet.Read[T](bytes.NewReader(data), int64(len(data))); err != nil || !reflect.DeepEqual(got, rows) {
		t.Errorf("%s has other rows, %v; to rewrite it: go test -update", name, err)
	}
}

// file returns a file of a testdata folder, which -update writes.
func file(t *testing.T, folder, name string, data []byte) []byte {
	t.Helper()
	path := filepath.Join(folder, name)
	if *update {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// row has columns of every encoding.
type row struct {
	Text   string    `parquet:"text,delta"`
	Length string    `parquet:"length"`
	Dict   string    `parquet:"dict,dict"`
	Plain  string    `parquet:"plain,plain"`
	Delta  int64     `parquet:"delta,delta"`
	Delta4 *int32    `parquet:"delta4,optional"`
	U4     uint32    `parquet:"u4,delta"`
	U8     uint64    `parquet:"u8"`
	Split  float32   `parquet:"split,split"`
	Double float64   `parquet:"double,split"`
	Bool   *bool     `parquet:"bool,optional"`
	List   []float64 `parquet:"list,list"`
	Ints   []int32   `parquet:"ints"`
}

// makeRows returns rows, and the text that the tests of heavytail read from each.
func makeRows(n int) (rows []row, want []string) {
	for i := range n {
		r := row{
			Text: fmt.Sprint("text", i*i), Length: fmt.Sprint(1 << (i % 60)), Dict: fmt.Sprint("dict", i%3), Plain: fmt.Sprint(i), Delta: int64(i)*int64(i)*1e12 - 7, U4: math.MaxUint32 - uint32(i),
			U8: math.MaxUint64 - uint64(i), Split: float32(i) / 3, Double: 1 / float64(i+1), List: []float64{}, Ints: []int32{},
		}
		line := fmt.Sprintf("%s|%s|%s|%s|%d|", r.Text, r.Length, r.Dict, r.Plain, r.Delta)
		if i%7 > 0 {
			x, b := int32(-i), i%4 == 0
			r.Delta4, r.Bool = &x, &b
			line += fmt.Sprint(x)
		}
		line += fmt.Sprintf("|%d|%d|%v|%v|", r.U4, r.U8, float64(r.Split), r.Double)
		if r.Bool != nil && *r.Bool {
			line += "1"
		} else if r.Bool != nil {
			line += "0"
		}
		line += "|"
		for j := range i % 4 {
			r.List, r.Ints = append(r.List, float64(i+j)), append(r.Ints, int32(j))
		}
		if len(r.List) > 0 {
			line += fmt.Sprintf("%v|%v|", r.List, r.Ints)
		} else {
			line += "||"
		}
		rows, want = append(rows, r), append(want, line)
	}
	return rows, want
}

// Every encoding, codec and version of pages gives the values that were written. Short files
// of all of them are in testdata.
func TestRows_Encodings(t *testing.T) {
	rows, want := makeRows(2500)
	few, text := makeRows(40)
	meetFile(t, columnfiles, "encodings.txt", []byte(strings.Join(text, "\n")+"\n"))
	for _, version := range []int{1, 2} {
		for name, codec := range map[string]parquet.WriterOption{
			"none": parquet.Compression(&parquet.Uncompressed), "snappy": parquet.Compression(&parquet.Snappy), "gzip": parquet.Compression(&parquet.Gzip),
			"zstd": parquet.Compression(&parquet.Zstd), "lz4raw": parquet.Compression(&parquet.Lz4Raw),
			"brotli": parquet.Compression(&parquet.Brotli),
		} {
			name := fmt.Sprintf("%s%d.parquet", name, version)
			meetRows(t, columnfiles, name, few, encode(t, few, version, codec, 30, 400))
			lines := readRows(t, encode(t, rows, version, codec, 900, 2000))
			if len(lines) != len(want) {
				t.Fatalf("%s: %d rows", name, len(lines))
			}
			for i := range want {
				if lines[i] != want[i] {
					t.Fatalf("%s, row %d: %s, want %s", name, i, lines[i], want[i])
				}
			}
		}
	}
}

// encode returns the file of some rows in row groups and pages of these sizes.
func encode(t *testing.T, rows []row, version int, codec parquet.WriterOption, group int64, page int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewGenericWriter[row](&out, parquet.DataPageVersion(version), codec, parquet.PageBufferSize(page), parquet.MaxRowsPerRowGroup(group))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// open returns the columns and the rows of a file, as heavytail reads them.
func open(t *testing.T, data []byte) ([]columnfile.Column, *columnfile.Rows) {
	t.Helper()
	f, err := columnfile.Open(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for i := range f.Columns() {
		all = append(all, i)
	}
	rows, err := f.Read(all...)
	if err != nil {
		t.Fatal(err)
	}
	return f.Columns(), rows
}

// readRows returns all rows as text.
func readRows(t *testing.T, data []byte) (lines []string) {
	t.Helper()
	columns, rows := open(t, data)
	for rows.Next() {
		var line []byte
		for i, c := range columns {
			switch {
			case rows.Missing(i):
			case c.Kind == columnfile.Text:
				line = append(line, rows.Text(i)...)
			case c.Kind == columnfile.Double || c.Kind == columnfile.Float:
				line = fmt.Append(line, rows.Double(i))
			case c.Kind == columnfile.FloatList:
				line = fmt.Append(line, rows.Floats(i))
			case c.Kind == columnfile.Unsigned:
				line = fmt.Append(line, uint64(rows.Integer(i)))
			default:
				line = fmt.Append(line, rows.Integer(i))
			}
			line = append(line, '|')
		}
		lines = append(lines, string(line))
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return lines
}

// foreignRow is a row of a file as other programs write it.
type foreignRow struct {
	From  string   `parquet:"From"`
	To    uint64   `parquet:"To"`
	Score *float64 `parquet:"score,optional"`
	At    int64    `parquet:"at,timestamp(microsecond)"`
	Day   int32    `parquet:"day,date"`
	Tags  []string `parquet:"tags,list"`
}

// TestForeign keeps the file that the tests of heavytail/storage/format read.
func TestForeign(t *testing.T) {
	x, zero := 2.5, 0.0
	var out bytes.Buffer
	rows := []foreignRow{
		{"a", 1<<64 - 1, &x, 1_700_000_000_500_000, 19_000, []string{"x"}},
		{"b", 7, nil, -1, -1, []string{}},
		{"b", 8, &zero, 0, 0, []string{}},
		{"", 9, &x, 0, 0, []string{}},
	}
	if err := parquet.Write(&out, rows, parquet.Compression(&parquet.Snappy)); err != nil {
		t.Fatal(err)
	}
	meetRows(t, formats, "foreign.parquet", rows, out.Bytes())
}

// TestWriteWalksParquet reads the columns by the library: walks of no vertex, of one and of many, keys
// with white space, and more walks than a row group of the library's pages.
func TestWriteWalksParquet(t *testing.T) {
	type row struct {
		Walk     int64    `parquet:"walk"`
		Vertices []string `parquet:"vertices,list"`
	}
	keys := []string{"a", "é 北", "42\n"}
	var want []row
	for i := range 3000 {
		r := row{Walk: 7 + int64(i), Vertices: []string{keys[i%3]}}
		for j := range i % 5 {
			r.Vertices = append(r.Vertices, keys[(i+j)%3])
		}
		if i%100 == 99 {
			r.Vertices = []string{}
		}
		want = append(want, r)
	}
	walk := func(dst []uint32, i int) []uint32 {
		for _, key := range want[i].Vertices {
			dst = append(dst, uint32(slices.Index(keys, key)))
		}
		return dst
	}
	var out bytes.Buffer
	if err := format.WriteWalksParquet(t.Context(), &out, 7, len(want), func(dst []byte, v uint32) []byte { return append(dst, keys[v]...) }, walk, []format.Note{{Key: "heavytail.graph", Text: "g"}}); err != nil {
		t.Fatal(err)
	}
	got, err := parquet.Read[row](bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%d walks, %v", len(got), err)
	}
}

// decimals are edges with decimals that are stored as integers.
type decimals struct {
	Source string `parquet:"source"`
	Target int64  `parquet:"target"`
	Weight int32  `parquet:"weight,decimal(2:9)"`
}

// TestDecimals keeps the file that TestParquet_Decimals of heavytail/storage/format reads.
func TestDecimals(t *testing.T) {
	rows := []decimals{{"a", 1, 250}, {"b", 2, 7}, {"b", 3, 1_000_000}}
	var out bytes.Buffer
	if err := parquet.Write(&out, rows); err != nil {
		t.Fatal(err)
	}
	meetRows(t, formats, "decimals.parquet", rows, out.Bytes())
}
