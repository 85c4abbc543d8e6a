package columnfile

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	repeats "heavytail/.ci/repeat"
)

var everyKind = []Column{
	{Name: "key", Kind: Text}, {Name: "age", Kind: Integer, Optional: true}, {Name: "score", Kind: Double, Optional: true},
	{Name: "weight", Kind: Float}, {Name: "old", Kind: Boolean, Optional: true}, {Name: "at", Kind: Millis, Optional: true},
	{Name: "born", Kind: Days, Optional: true}, {Name: "vector", Kind: FloatList},
}

// everyRow writes rows of all kinds, with missing values.
func everyRow(t testing.TB, rows int, opts WriteOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, everyKind, []Entry{{"graph", "social"}, {"a", "ü\n"}}, opts)
	for i := range rows {
		w.Text(0, fmt.Appendf(nil, "key %d", i%700))
		if i%3 > 0 {
			w.Integer(1, int64(i)-50)
			w.Double(2, float64(i)/7)
		}
		w.Float(3, float32(i)/4)
		if i%5 > 0 {
			w.Boolean(4, i%2 == 0)
			w.Integer(5, int64(i)*1000)
			w.Integer(6, int64(i))
		}
		w.Floats(7, []float32{float32(i), 0.5, -1})
		if err := w.EndRow(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

var testLimits = Limits{Memory: 64 << 20, Bytes: 1 << 30, Columns: 100}

// readAll returns all rows of all columns that are read, as text.
func readAll(data []byte, limits Limits) ([]string, error) {
	f, err := Open(bytes.NewReader(data), int64(len(data)), limits)
	if err != nil {
		return nil, err
	}
	var wanted []int
	for i, c := range f.Columns() {
		if c.Kind != Other {
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

func appendCell(line []byte, rows *Rows, i int, kind Kind) []byte {
	switch {
	case rows.Missing(i):
		return line
	case kind == Text:
		return append(line, rows.Text(i)...)
	case kind == Float || kind == Double:
		return fmt.Append(line, rows.Double(i))
	case kind == FloatList:
		return fmt.Append(line, rows.Floats(i))
	case kind == Unsigned:
		return fmt.Append(line, uint64(rows.Integer(i)))
	}
	return fmt.Append(line, rows.Integer(i))
}

func TestWriter_RoundTrip(t *testing.T) {
	for _, opts := range []WriteOptions{{}, {RowGroup: 3000}} {
		const rows = 5000
		data := everyRow(t, rows, opts)
		if again := everyRow(t, rows, opts); !bytes.Equal(data, again) {
			t.Error("the same rows gave other bytes")
		}
		lines, err := readAll(data, testLimits)
		if err != nil || len(lines) != rows {
			t.Fatal(len(lines), err)
		}
		for i, want := range map[int]string{
			0:    "key 0|||0||||[0 0.5 -1]|",
			1:    "key 1|-49|0.14285714285714285|0.25|0|1000|1|[1 0.5 -1]|",
			4999: "key 99|4949|714.1428571428571|1249.75|0|4999000|4999|[4999 0.5 -1]|",
		} {
			if lines[i] != want {
				t.Errorf("row %d: %s, want %s", i, lines[i], want)
			}
		}
	}
}

// The columns and the metadata are read as they were written.
func TestOpen_Columns(t *testing.T) {
	data := everyRow(t, 30, WriteOptions{})
	f, err := Open(bytes.NewReader(data), int64(len(data)), testLimits)
	if err != nil {
		t.Fatal(err)
	}
	if list := f.Entries(); !slices.Equal(list, []Entry{{"graph", "social"}, {"a", "ü\n"}}) {
		t.Errorf("metadata: %v", list)
	}
	for i, c := range f.Columns() {
		if w := everyKind[i]; c.Name != w.Name || c.Kind != w.Kind {
			t.Errorf("column %d is %+v", i, c)
		}
	}
}

// Every encoding, codec and version of pages gives the values that were written.
func TestRows_Encodings(t *testing.T) {
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
	var rows []row
	var want []string
	for i := range 2500 {
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
	versions, group := []int{1, 2}, int64(900)
	if testing.Short() {
		versions, rows, want, group = versions[1:], rows[:500], want[:500], 300
		t.Log("-short: data pages of version 2 only, and fewer rows")
	}
	for _, version := range versions {
		for _, codec := range []parquet.WriterOption{
			parquet.Compression(&parquet.Uncompressed), parquet.Compression(&parquet.Snappy), parquet.Compression(&parquet.Gzip),
			parquet.Compression(&parquet.Zstd), parquet.Compression(&parquet.Lz4Raw),
			parquet.Compression(&parquet.Brotli),
		} {
			var out bytes.Buffer
			w := parquet.NewGenericWriter[row](&out, parquet.DataPageVersion(version), codec, parquet.PageBufferSize(2000), parquet.MaxRowsPerRowGroup(group))
			if _, err := w.Write(rows); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			lines, err := readAll(out.Bytes(), testLimits)
			if err != nil || len(lines) != len(want) {
				t.Fatalf("version %d: %d rows, %v", version, len(lines), err)
			}
			for i := range want {
				if lines[i] != want[i] {
					t.Fatalf("version %d, row %d: %s, want %s", version, i, lines[i], want[i])
				}
			}
			// Damaged pages of each codec.
			for n := version; n < out.Len(); n += out.Len()/15 + 1 {
				flipped := bytes.Clone(out.Bytes())
				flipped[n] ^= 1 << (n % 8)
				known(t, flipped)
			}
		}
	}
}

// The last list of a row group is missing if it is empty, whatever the list before is.
func TestRows_LastList(t *testing.T) {
	for _, sizes := range [][]int{{0, 1}, {1, 0}, {0, 0}, {2, 3}} {
		var out bytes.Buffer
		w := NewWriter(&out, []Column{{Name: "x", Kind: FloatList}}, nil, WriteOptions{})
		for _, n := range sizes {
			w.Floats(0, make([]float32, n))
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := Open(bytes.NewReader(out.Bytes()), int64(out.Len()), testLimits)
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
	data := everyRow(t, 300, WriteOptions{RowGroup: 3000})
	for n := 0; n < len(data); n += 37 {
		if _, err := readAll(data[:n], testLimits); !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d of %d bytes: %v", n, len(data), err)
		}
	}
	for n := 0; n < len(data); n += 3 * repeats.Every(4) {
		flipped := bytes.Clone(data)
		flipped[n] ^= 1 << (n % 8)
		known(t, flipped)
	}
}

// known reads a file that may be damaged.
func known(t *testing.T, data []byte) {
	_, err := readAll(data, testLimits)
	var fault *Error
	if err != nil && !errors.As(err, &fault) && err.Error() != "too many rows for a test" {
		t.Fatalf("%v (%T)", err, err)
	}
}

func TestOpen_Limits(t *testing.T) {
	data := everyRow(t, 3000, WriteOptions{})
	for name, limits := range map[string]Limits{
		"memory": {Memory: 1000, Bytes: 1 << 30, Columns: 100}, "bytes": {Memory: 64 << 20, Bytes: 10_000, Columns: 100},
		"columns": {Memory: 64 << 20, Bytes: 1 << 30, Columns: 3},
	} {
		if _, err := readAll(data, limits); !errors.Is(err, ErrLimit) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(everyRow(f, 5, WriteOptions{}))
	f.Add(everyRow(f, 40, WriteOptions{RowGroup: 1000}))
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
