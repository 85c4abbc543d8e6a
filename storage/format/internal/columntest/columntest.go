// Package columntest has the rows with which the packages of columnar formats are tested, and reads whole
// files as text.
package columntest

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"runtime/metrics"
	"strings"
	"testing"

	"heavytail/storage/format/internal/columnfile"
)

// Columns are columns of all kinds.
var Columns = []columnfile.Column{
	{Name: "key", Kind: columnfile.Text}, {Name: "age", Kind: columnfile.Integer, Optional: true}, {Name: "score", Kind: columnfile.Double, Optional: true},
	{Name: "weight", Kind: columnfile.Float}, {Name: "old", Kind: columnfile.Boolean, Optional: true}, {Name: "at", Kind: columnfile.Millis, Optional: true},
	{Name: "born", Kind: columnfile.Days, Optional: true}, {Name: "vector", Kind: columnfile.FloatList},
	{Name: "note", Kind: columnfile.Text, Optional: true}, {Name: "number", Kind: columnfile.Number}, {Name: "names", Kind: columnfile.TextList},
}

// FewKeys are 700 keys.
func FewKeys(i int) string { return fmt.Sprint("key ", i%700) }

// Write writes rows of all kinds, with missing values and empty lists, and with these keys.
func Write(t testing.TB, form columnfile.Form, rows int, key func(i int) string, opts columnfile.WriteOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	w := columnfile.NewWriter(form, &out, Columns, []columnfile.Entry{{Key: "graph", Text: "social"}, {Key: "a", Text: "ü\n"}}, opts)
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

// RowText is what ReadAll returns for a row of Write.
func RowText(i int, key string) string {
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

// Set are rows that are written, with their keys.
type Set struct {
	Rows int
	Key  func(i int) string
	Opts columnfile.WriteOptions
}

// LongKeys are keys of 30,000 bytes and more, each of two rows.
func LongKeys(i int) string { return strings.Repeat(fmt.Sprint(i/2), 30_000) }

// RoundTrip checks that what is read from a file is what was written, and that the same rows give the same bytes.
func RoundTrip(t *testing.T, form columnfile.Form, sets map[string]Set) {
	t.Helper()
	for name, set := range sets {
		data := Write(t, form, set.Rows, set.Key, set.Opts)
		if again := Write(t, form, set.Rows, set.Key, set.Opts); !bytes.Equal(data, again) {
			t.Errorf("%s, %s: the same rows gave other bytes", form, name)
		}
		lines, err := ReadAll(form, data, Limits)
		if err != nil || len(lines) != set.Rows {
			t.Fatalf("%s, %s: %d rows, %v", form, name, len(lines), err)
		}
		for i, got := range lines {
			if want := RowText(i, set.Key(i)); got != want {
				t.Fatalf("%s, %s, row %d: %s, want %s", form, name, i, got, want)
			}
		}
	}
}

// Head checks that the columns are read as they were written, and returns the file.
func Head(t *testing.T, form columnfile.Form, rows int) columnfile.File {
	t.Helper()
	data := Write(t, form, rows, FewKeys, columnfile.WriteOptions{})
	f, err := columnfile.Open(form, bytes.NewReader(data), int64(len(data)), Limits)
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows() != int64(rows) || len(f.Columns()) != len(Columns) {
		t.Errorf("%s: %d rows of %d columns", form, f.Rows(), len(f.Columns()))
	}
	for i, c := range f.Columns() {
		w := Columns[i]
		if w.Kind == columnfile.Number {
			w.Kind = columnfile.Integer
		}
		if form == columnfile.Parquet && w.Kind.IsList() {
			w.Optional = true // Parquet has no other lists
		}
		if c.Name != w.Name || c.Kind != w.Kind || c.Optional != w.Optional {
			t.Errorf("%s: column %d is %+v", form, i, c)
		}
	}
	return f
}

// Limited checks that a file beyond each of the limits is refused.
func Limited(t *testing.T, form columnfile.Form) {
	t.Helper()
	data := Write(t, form, 3000, FewKeys, columnfile.WriteOptions{})
	for name, limits := range map[string]columnfile.Limits{
		"memory": {Memory: 1000, Bytes: 1 << 30, Columns: 100}, "bytes": {Memory: 64 << 20, Bytes: 10_000, Columns: 100},
		"columns": {Memory: 64 << 20, Bytes: 1 << 30, Columns: 3},
	} {
		if _, err := ReadAll(form, data, limits); !errors.Is(err, columnfile.ErrLimit) {
			t.Errorf("%s, %s: %v", form, name, err)
		}
	}
}

// Limits are those of most tests.
var Limits = columnfile.Limits{Memory: 64 << 20, Bytes: 1 << 30, Columns: 100}

// ReadAll returns all rows of all columns that are read, as text.
func ReadAll(form columnfile.Form, data []byte, limits columnfile.Limits) ([]string, error) {
	f, err := columnfile.Open(form, bytes.NewReader(data), int64(len(data)), limits)
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
			line = append(AppendCell(line, rows, i, f.Columns()[c].Kind), '|')
		}
		if lines = append(lines, string(line)); len(lines) > 100_000 {
			return lines, errors.New("too many rows for a test")
		}
	}
	return lines, rows.Err()
}

// AppendCell appends the value of a column of the current row.
func AppendCell(line []byte, rows columnfile.Rows, i int, kind columnfile.Kind) []byte {
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

// Known reads a file that may be damaged. That takes little memory, and an error has a known type.
func Known(t *testing.T, form columnfile.Form, data []byte) {
	t.Helper()
	const most = 16 << 20
	before := allocated()
	_, err := ReadAll(form, data, Limits)
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
