package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	repeats "heavytail/.ci/repeat"
	"heavytail/storage/format/internal/columnfile"
)

var everyKind = []columnfile.Column{
	{Name: "key", Kind: columnfile.Text}, {Name: "age", Kind: columnfile.Integer, Optional: true}, {Name: "score", Kind: columnfile.Double, Optional: true},
	{Name: "weight", Kind: columnfile.Float}, {Name: "old", Kind: columnfile.Boolean, Optional: true}, {Name: "at", Kind: columnfile.Millis, Optional: true},
	{Name: "born", Kind: columnfile.Days, Optional: true}, {Name: "vector", Kind: columnfile.FloatList},
	{Name: "note", Kind: columnfile.Text, Optional: true}, {Name: "number", Kind: columnfile.Number}, {Name: "names", Kind: columnfile.TextList},
}

// everyRow writes rows of all kinds, with missing values.
func everyRow(t testing.TB, rows int, opts columnfile.WriteOptions) []byte {
	t.Helper()
	return writeRows(t, rows, fewKeys, opts)
}

func fewKeys(i int) string { return fmt.Sprint("key ", i%700) }

// writeRows writes rows with these keys.
func writeRows(t testing.TB, rows int, key func(i int) string, opts columnfile.WriteOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	w := columnfile.NewWriter(&out, everyKind, []columnfile.Entry{{Key: "graph", Text: "social"}, {Key: "a", Text: "ü\n"}}, opts)
	for i := range rows {
		w.Text(0, []byte(key(i)))
		if i%3 > 0 {
			w.Integer(1, int64(i)-50)
			w.Double(2, float64(i)/7)
			w.Text(8, fmt.Append(nil, "note ", i*i%997))
		}
		w.Float(3, float32(i)/4)
		if i%100 > 40 {
			w.Boolean(4, i%2 == 0)
			w.Integer(5, int64(i)*1000)
			w.Integer(6, int64(i)-300)
		}
		w.Integer(9, math.MaxUint32-int64(i))
		for range i % 4 {
			w.Text(10, []byte(key(i)))
		}
		w.Floats(7, []float32{float32(i), 0.5, -1}[:i%4])
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// rowText is what readAll returns for a row of writeRows.
func rowText(i int, key string) string {
	line := key
	if i%3 > 0 {
		line += fmt.Sprintf("|%d|%v", i-50, float64(i)/7)
	} else {
		line += "||"
	}
	line += fmt.Sprint("|", float64(i)/4)
	if i%100 > 40 {
		line += fmt.Sprintf("|%d|%d|%d|", 1-i%2, i*1000, i-300)
	} else {
		line += "||||"
	}
	if i%4 > 0 {
		line += fmt.Sprint([]float64{float64(i), 0.5, -1}[:i%4])
	}
	line += "|"
	if i%3 > 0 {
		line += fmt.Sprint("note ", i*i%997)
	}
	return fmt.Sprint(line, "|", math.MaxUint32-int64(i), "|", strings.Repeat(key+";", i%4), "|")
}

var testLimits = columnfile.Limits{Memory: 64 << 20, Bytes: 1 << 30, Columns: 100}

// readAll returns all rows of all columns that are read, as text.
func readAll(data []byte, limits columnfile.Limits) ([]string, error) {
	f, err := columnfile.Open(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		return nil, err
	}
	var wanted []int
	for i, c := range f.Columns() {
		if c.Kind != columnfile.Other {
			wanted = append(wanted, i)
		}
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	rows, err := f.Read(wanted...)
	if err != nil {
		return nil, err
	}
	var lines []string
	for rows.Next() {
		var line []byte
		for i, c := range wanted {
			line = append(appendCell(line, rows, i, f.Columns()[c].Kind), '|')
		}
		if lines = append(lines, string(line)); len(lines) > 100_000 {
			return lines, errors.New("too many rows for a test")
		}
	}
	return lines, rows.Err()
}

func appendCell(line []byte, rows columnfile.Rows, i int, kind columnfile.Kind) []byte {
	switch {
	case rows.Missing(i):
		return line
	case kind == columnfile.Text:
		return append(line, rows.Text(i)...)
	case kind == columnfile.Float || kind == columnfile.Double:
		return fmt.Append(line, rows.Double(i))
	case kind == columnfile.FloatList:
		return fmt.Append(line, rows.Floats(i))
	case kind == columnfile.TextList:
		for j := range rows.Items(i) {
			line = append(append(line, rows.Item(i, j)...), ';')
		}
		return line
	case kind == columnfile.Unsigned:
		return fmt.Append(line, uint64(rows.Integer(i)))
	}
	return fmt.Append(line, rows.Integer(i))
}

// What is read from a file is what was written: all kinds, missing values in runs and alone,
// empty lists, no row, one page and many, one row group and many, and dictionaries that grow
// too large. TestWriter_LibraryReads has the library alone read such files.
func TestWriter_RoundTrip(t *testing.T) {
	many, long := 70_000, 300 // more than a page of numbers of a dictionary, and some 10 MB of texts
	if testing.Short() {
		many, long = 5000, 60
		t.Log("-short: fewer rows")
	}
	for name, test := range map[string]struct {
		rows int
		key  func(i int) string
		opts columnfile.WriteOptions
	}{
		"none": {0, fewKeys, columnfile.WriteOptions{}}, "one": {1, fewKeys, columnfile.WriteOptions{}}, "many": {many, fewKeys, columnfile.WriteOptions{}},
		"groups":   {5000, fewKeys, columnfile.WriteOptions{RowGroup: 3000}},
		"long":     {long, func(i int) string { return strings.Repeat(fmt.Sprint(i/2), 30_000) }, columnfile.WriteOptions{}},
		"distinct": {2000, func(i int) string { return fmt.Sprint("vertex ", i) }, columnfile.WriteOptions{RowGroup: 100_000}},
	} {
		data := writeRows(t, test.rows, test.key, test.opts)
		if again := writeRows(t, test.rows, test.key, test.opts); !bytes.Equal(data, again) {
			t.Errorf("%s: the same rows gave other bytes", name)
		}
		lines, err := readAll(data, testLimits)
		if err != nil || len(lines) != test.rows {
			t.Fatalf("%s: %d rows, %v", name, len(lines), err)
		}
		for i, got := range lines {
			if want := rowText(i, test.key(i)); got != want {
				t.Fatalf("%s, row %d: %s, want %s", name, i, got, want)
			}
		}
	}
}

// The columns and the metadata are read as they were written.
func TestOpen_Columns(t *testing.T) {
	data := everyRow(t, 30, columnfile.WriteOptions{})
	f, err := columnfile.Open(bytes.NewReader(data), int64(len(data)), testLimits)
	if err != nil {
		t.Fatal(err)
	}
	if list := f.Entries(); !slices.Equal(list, []columnfile.Entry{{Key: "a", Text: "ü\n"}, {Key: "graph", Text: "social"}}) { // by their keys
		t.Errorf("metadata: %v", list)
	}
	for i, c := range f.Columns() {
		w := everyKind[i]
		if w.Kind == columnfile.Number {
			w.Kind = columnfile.Integer
		}
		if c.Name != w.Name || c.Kind != w.Kind {
			t.Errorf("column %d is %+v", i, c)
		}
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
		lines, err := readAll(data, testLimits)
		if err != nil || !slices.Equal(lines, want) {
			t.Errorf("%s: %v, read\n%s\nwant\n%s", file, err, strings.Join(lines, "\n"), text)
		}
		// Damaged pages of each codec.
		for n := len(file); n < len(data); n += len(data)/15 + 1 {
			flipped := bytes.Clone(data)
			flipped[n] ^= 1 << (n % 8)
			known(t, flipped)
		}
	}
}

// The last list of a row group is missing if it is empty, whatever the list before is.
func TestRows_LastList(t *testing.T) {
	for _, sizes := range [][]int{{0, 1}, {1, 0}, {0, 0}, {2, 3}} {
		var out bytes.Buffer
		w := columnfile.NewWriter(&out, []columnfile.Column{{Name: "x", Kind: columnfile.FloatList}}, nil, columnfile.WriteOptions{})
		for _, n := range sizes {
			w.Floats(0, make([]float32, n))
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := columnfile.Open(bytes.NewReader(out.Bytes()), int64(out.Len()), testLimits)
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
	data := everyRow(t, 300, columnfile.WriteOptions{RowGroup: 3000})
	for n := 0; n < len(data); n += 37 {
		if _, err := readAll(data[:n], testLimits); !errors.Is(err, columnfile.ErrDamaged) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
	}
	for n := 0; n < len(data); n += 3 * repeats.Every(4) {
		flipped := bytes.Clone(data)
		flipped[n] ^= 1 << (n % 8)
		known(t, flipped)
	}
}

// known reads a file that may be damaged, which is far smaller than the memory that reading may
// take.
func known(t *testing.T, data []byte) {
	const most = 16 << 20
	before := allocated()
	_, err := readAll(data, testLimits)
	if took := allocated() - before; took > most {
		t.Errorf("a file of %d bytes took %d of memory: %v", len(data), took, err)
	}
	var fault *columnfile.Error
	if err != nil && !errors.As(err, &fault) && err.Error() != "too many rows for a test" {
		t.Fatalf("%v (%T)", err, err)
	}
}

// allocated is the number of bytes of all allocations so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

func TestOpen_Limits(t *testing.T) {
	data := everyRow(t, 3000, columnfile.WriteOptions{})
	for name, limits := range map[string]columnfile.Limits{
		"memory": {Memory: 1000, Bytes: 1 << 30, Columns: 100}, "bytes": {Memory: 64 << 20, Bytes: 10_000, Columns: 100},
		"columns": {Memory: 64 << 20, Bytes: 1 << 30, Columns: 3},
	} {
		if _, err := readAll(data, limits); !errors.Is(err, columnfile.ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(everyRow(f, 5, columnfile.WriteOptions{}))
	f.Add(everyRow(f, 40, columnfile.WriteOptions{RowGroup: 1000}))
	files, _ := filepath.Glob("testdata/*.parquet")
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) { known(t, data) })
}

// A footer with any flipped bit, also in a number of rows, gives an error or all rows: none
// disappears without a sign.
func TestOpen_FooterRows(t *testing.T) {
	t.Parallel()
	const rows = 40
	data := everyRow(t, rows, columnfile.WriteOptions{RowGroup: 3000})
	length := int(binary.LittleEndian.Uint32(data[len(data)-footerTail:]))
	read := 0
	for n := len(data) - footerTail - length; n < len(data)-footerTail; n++ {
		for bit := range 8 {
			flipped := bytes.Clone(data)
			flipped[n] ^= 1 << bit
			f, err := columnfile.Open(bytes.NewReader(flipped), int64(len(flipped)), testLimits)
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
