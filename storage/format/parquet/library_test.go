package parquet

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	library "github.com/parquet-go/parquet-go"

	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/columntest"
)

var update = flag.Bool("update", false, "write the files of the testdata folders")

// The folders with files of the library that tests of heavytail read.
const (
	columnfiles = "testdata"
	formats     = "../testdata"
)

// meetFile compares a file of a testdata folder with the text that it should have.
func meetFile(t *testing.T, folder, name string, want []byte) {
	t.Helper()
	if got := kept(t, folder, name, want); !bytes.Equal(got, want) {
		t.Errorf("%s has another text; to rewrite it: go test -update", name)
	}
}

// meetRows has the library read the rows of a file of a testdata folder that it wrote. Another
// kind of processor may compress them into other bytes.
func meetRows[T any](t *testing.T, folder, name string, rows []T, encoded []byte) {
	t.Helper()
	data := kept(t, folder, name, encoded)
	if got, err := library.Read[T](bytes.NewReader(data), int64(len(data))); err != nil || !reflect.DeepEqual(got, rows) {
		t.Errorf("%s has other rows, %v; to rewrite it: go test -update", name, err)
	}
}

// kept returns a file of a testdata folder, which -update writes.
func kept(t *testing.T, folder, name string, data []byte) []byte {
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
func TestRows_LibraryWrote(t *testing.T) {
	rows, want := makeRows(2500)
	few, text := makeRows(40)
	meetFile(t, columnfiles, "encodings.txt", []byte(strings.Join(text, "\n")+"\n"))
	for _, version := range []int{1, 2} {
		for name, codec := range map[string]library.WriterOption{
			"none": library.Compression(&library.Uncompressed), "snappy": library.Compression(&library.Snappy), "gzip": library.Compression(&library.Gzip),
			"zstd": library.Compression(&library.Zstd), "lz4raw": library.Compression(&library.Lz4Raw),
			"brotli": library.Compression(&library.Brotli),
		} {
			name := fmt.Sprintf("%s%d.parquet", name, version)
			meetRows(t, columnfiles, name, few, encode(t, few, version, codec, 30, 400))
			lines, err := columntest.ReadAll(columnfile.Parquet, encode(t, rows, version, codec, 900, 2000), columntest.Limits)
			if err != nil {
				t.Fatal(err)
			}
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
func encode(t *testing.T, rows []row, version int, codec library.WriterOption, group int64, page int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := library.NewGenericWriter[row](&out, library.DataPageVersion(version), codec, library.PageBufferSize(page), library.MaxRowsPerRowGroup(group))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
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
	if err := library.Write(&out, rows, library.Compression(&library.Snappy)); err != nil {
		t.Fatal(err)
	}
	meetRows(t, formats, "foreign.parquet", rows, out.Bytes())
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
	if err := library.Write(&out, rows); err != nil {
		t.Fatal(err)
	}
	meetRows(t, formats, "decimals.parquet", rows, out.Bytes())
}

// cells is a row of every kind, as the library reads it. The tags are the schema that files
// have.
type cells struct {
	Key    string    `parquet:"key"`
	Note   *string   `parquet:"note"`
	Age    *int64    `parquet:"age"`
	Score  *float64  `parquet:"score"`
	Weight float32   `parquet:"weight"`
	Old    *bool     `parquet:"old"`
	At     *int64    `parquet:"at,timestamp(millisecond)"`
	Born   *int32    `parquet:"born,date"`
	Number uint32    `parquet:"number"`
	Vector []float32 `parquet:"vector,list"`
	Names  []string  `parquet:"names,list"`
}

var cellColumns = []columnfile.Column{
	{Name: "key", Kind: columnfile.Text}, {Name: "note", Kind: columnfile.Text, Optional: true}, {Name: "age", Kind: columnfile.Integer, Optional: true},
	{Name: "score", Kind: columnfile.Double, Optional: true}, {Name: "weight", Kind: columnfile.Float}, {Name: "old", Kind: columnfile.Boolean, Optional: true},
	{Name: "at", Kind: columnfile.Millis, Optional: true}, {Name: "born", Kind: columnfile.Days, Optional: true}, {Name: "number", Kind: columnfile.Number},
	{Name: "vector", Kind: columnfile.FloatList}, {Name: "names", Kind: columnfile.TextList},
}

// makeCells returns rows with missing values in runs and alone, empty lists, and texts that
// are few, many or long.
func makeCells(rows int) []cells {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]cells, rows)
	for i := range list {
		c := cells{Key: fmt.Sprint("key ", i%700), Weight: float32(i) / 4, Number: math.MaxUint32 - uint32(i), Vector: []float32{}, Names: []string{}}
		if i%3 > 0 {
			age, score, note := int64(i)-50, r.NormFloat64(), fmt.Sprint("note ", r.IntN(1000))
			c.Age, c.Score, c.Note = &age, &score, &note
		}
		if i%100 > 40 {
			old, at, born := i%2 == 0, int64(i)*1000, int32(i)-300
			c.Old, c.At, c.Born = &old, &at, &born
		}
		for j := range i % 4 {
			c.Vector, c.Names = append(c.Vector, float32(i+j), -1), append(c.Names, fmt.Sprint(j), c.Key)
		}
		list[i] = c
	}
	return list
}

// writeCells returns the file of some rows.
func writeCells(t *testing.T, rows []cells, opts columnfile.WriteOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	w := columnfile.NewWriter(columnfile.Parquet, &out, cellColumns, []columnfile.Entry{{Key: "z", Text: "ü\n"}, {Key: "a"}}, opts)
	for _, c := range rows {
		w.Text(0, []byte(c.Key))
		if c.Note != nil {
			w.Text(1, []byte(*c.Note))
		}
		if c.Age != nil {
			w.Integer(2, *c.Age)
		}
		if c.Score != nil {
			w.Double(3, *c.Score)
		}
		w.Float(4, c.Weight)
		if c.Old != nil {
			w.Boolean(5, *c.Old)
		}
		if c.At != nil {
			w.Integer(6, *c.At)
		}
		if c.Born != nil {
			w.Integer(7, int64(*c.Born))
		}
		w.Integer(8, int64(c.Number))
		w.Floats(9, c.Vector)
		for _, name := range c.Names {
			w.Text(10, []byte(name))
		}
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// What the library alone reads from a file is what was written: all kinds, missing
// values, empty lists, no row, one page and many, one row group and many, and dictionaries
// that grow too large.
func TestWriter_LibraryReads(t *testing.T) {
	t.Parallel()
	long := makeCells(300)
	for i := range long {
		long[i].Key = strings.Repeat(fmt.Sprint(i/2), 30_000) // some 10 MB of different texts
		long[i].Names = append(long[i].Names, long[i].Key[:i*10])
	}
	distinct := makeCells(2000)
	for i := range distinct {
		distinct[i].Key = fmt.Sprint("vertex ", i)
		distinct[i].Note = nil
	}
	many := 70_000 // more than a page of numbers of a dictionary, and than one of integers
	if testing.Short() {
		many = 5000
	}
	for name, test := range map[string]struct {
		rows []cells
		opts columnfile.WriteOptions
	}{
		"none": {nil, columnfile.WriteOptions{}}, "one": {makeCells(1), columnfile.WriteOptions{}}, "many": {makeCells(many), columnfile.WriteOptions{}},
		"groups": {makeCells(3000), columnfile.WriteOptions{RowGroup: 20_000}}, "long": {long, columnfile.WriteOptions{}}, "distinct": {distinct, columnfile.WriteOptions{RowGroup: 100_000}},
	} {
		data := writeCells(t, test.rows, test.opts)
		theirs, err := library.Read[cells](bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(theirs) != len(test.rows) {
			t.Fatalf("%s: %d rows, want %d", name, len(theirs), len(test.rows))
		}
		for i, want := range test.rows {
			if !reflect.DeepEqual(theirs[i], want) {
				t.Fatalf("%s, row %d: the library reads %+v, want %+v", name, i, theirs[i], want)
			}
		}
	}
}
