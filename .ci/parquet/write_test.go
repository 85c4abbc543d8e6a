// Package parquet_test exchanges Parquet files with the library parquet-go. The files that the
// library writes are in testdata folders of the packages that read them, and go test -update
// writes them again.
package parquet_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"heavytail/storage/format/internal/columnfile"
)

// boundBytes is the size beyond which the bounds of texts are left out.
const boundBytes = 4096

var limits = columnfile.Limits{Memory: 64 << 20, Bytes: 1 << 30, Columns: 100}

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
	w := columnfile.NewWriter(&out, cellColumns, []columnfile.Entry{{Key: "z", Text: "ü\n"}, {Key: "a"}}, opts)
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
			w.Item(10, []byte(name))
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

// readCells reads a file by this package.
func readCells(t *testing.T, data []byte) (list []cells) {
	t.Helper()
	_, rows := open(t, data)
	for rows.Next() {
		c := cells{Key: string(rows.Text(0)), Weight: float32(rows.Double(4)), Number: uint32(rows.Integer(8)), Vector: []float32{}, Names: []string{}}
		if !rows.Missing(1) {
			c.Note = new(string(rows.Text(1)))
		}
		if !rows.Missing(2) {
			c.Age = new(rows.Integer(2))
		}
		if !rows.Missing(3) {
			c.Score = new(rows.Double(3))
		}
		if !rows.Missing(5) {
			c.Old = new(rows.Integer(5) == 1)
		}
		if !rows.Missing(6) {
			c.At = new(rows.Integer(6))
		}
		if !rows.Missing(7) {
			c.Born = new(int32(rows.Integer(7)))
		}
		for _, x := range rows.Floats(9) {
			c.Vector = append(c.Vector, float32(x))
		}
		for j := range rows.Items(10) {
			c.Names = append(c.Names, string(rows.Item(10, j)))
		}
		list = append(list, c)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return list
}

// What the library and this package read from a file is what was written: all kinds, missing
// values, empty lists, no row, one page and many, one row group and many, and dictionaries
// that grow too large.
func TestWriter_LibraryReads(t *testing.T) {
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
	for name, test := range map[string]struct {
		rows []cells
		opts columnfile.WriteOptions
	}{
		"none": {nil, columnfile.WriteOptions{}}, "one": {makeCells(1), columnfile.WriteOptions{}}, "many": {makeCells(many), columnfile.WriteOptions{}},
		"groups": {makeCells(3000), columnfile.WriteOptions{RowGroup: 20_000}}, "long": {long, columnfile.WriteOptions{}}, "distinct": {distinct, columnfile.WriteOptions{RowGroup: 100_000}},
	} {
		data := writeCells(t, test.rows, test.opts)
		if !bytes.Equal(data, writeCells(t, test.rows, test.opts)) {
			t.Errorf("%s: the same rows gave other bytes", name)
		}
		theirs, err := parquet.Read[cells](bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ours := readCells(t, data)
		if len(theirs) != len(test.rows) || len(ours) != len(test.rows) {
			t.Fatalf("%s: %d and %d rows, want %d", name, len(theirs), len(ours), len(test.rows))
		}
		for i, want := range test.rows {
			if !reflect.DeepEqual(theirs[i], want) || !reflect.DeepEqual(ours[i], want) {
				t.Fatalf("%s, row %d: the library reads %+v, and this package %+v, want %+v", name, i, theirs[i], ours[i], want)
			}
		}
		if len(test.rows) <= 3000 {
			meetMetadata(t, data, test.rows)
		}
	}
}

// meetMetadata compares the metadata of a file as the library reads them with the rows.
func meetMetadata(t *testing.T, data []byte, rows []cells) {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if want := parquet.SchemaOf(cells{}).String(); strings.Replace(f.Schema().String(), "rows", "cells", 1) != want {
		t.Errorf("schema %s, want %s", f.Schema(), want)
	}
	meta := f.Metadata()
	if list := meta.KeyValueMetadata; len(list) != 2 || list[1].Key != "z" || list[1].Value != "ü\n" || meta.CreatedBy != "heavytail version 2" || len(meta.ColumnOrders) != len(cellColumns) {
		t.Errorf("metadata %+v, %q", meta.KeyValueMetadata, meta.CreatedBy)
	}
	for _, group := range meta.RowGroups {
		here := rows[:group.NumRows]
		rows = rows[group.NumRows:]
		first, last, missing := here[0].Key, here[0].Key, int64(0)
		for _, c := range here {
			first, last = min(first, c.Key), max(last, c.Key)
			if c.Note == nil {
				missing++
			}
		}
		if len(first)+len(last) > boundBytes {
			first, last = "", ""
		}
		key, note := group.Columns[0].MetaData.Statistics, group.Columns[1].MetaData.Statistics
		if string(key.MinValue) != first || string(key.MaxValue) != last || key.NullCount != 0 || note.NullCount != missing {
			t.Errorf("bounds of %d rows: %q to %q, want %q to %q; %d notes are missing, want %d", len(here), key.MinValue, key.MaxValue, first, last, note.NullCount, missing)
		}
		size := int64(0)
		for _, chunk := range group.Columns {
			size += chunk.MetaData.TotalCompressedSize
		}
		if size != group.TotalCompressedSize {
			t.Errorf("a row group of %d bytes has chunks of %d", group.TotalCompressedSize, size)
		}
	}
	if len(rows) > 0 {
		t.Errorf("%d rows are in no row group", len(rows))
	}
}

// Bounds are in the order of their type: unsigned, of bytes, and of floats without NaN and
// with both zeros.
func TestWriter_Bounds(t *testing.T) {
	zero := math.Copysign(0, -1)
	for _, test := range []struct {
		kind        columnfile.Kind
		values      []any
		least, most any // nil without bounds
	}{
		{columnfile.Double, []any{2.0, -3.5, 1e300}, -3.5, 1e300},
		{columnfile.Double, []any{-2.0, zero}, -2.0, 0.0},
		{columnfile.Double, []any{0.0, math.Inf(1)}, zero, math.Inf(1)},
		{columnfile.Double, []any{1.0, math.NaN()}, nil, nil},
		{columnfile.Double, []any{nil, nil}, nil, nil},
		{columnfile.Float, []any{float32(0.25), float32(-7)}, float32(-7), float32(0.25)},
		{columnfile.Integer, []any{int64(3), int64(math.MinInt64), nil}, int64(math.MinInt64), int64(3)},
		{columnfile.Number, []any{int64(math.MaxUint32), int64(5)}, uint32(5), uint32(math.MaxUint32)},
		{columnfile.Days, []any{int64(-1), int64(5)}, int32(-1), int32(5)},
		{columnfile.Boolean, []any{true, nil}, true, true},
		{columnfile.Text, []any{"b", "é", "", "z"}, "", "é"},
		{columnfile.Text, []any{"b", strings.Repeat("c", boundBytes)}, nil, nil},
	} {
		var out bytes.Buffer
		w := columnfile.NewWriter(&out, []columnfile.Column{{Name: "x", Kind: test.kind, Optional: true}}, nil, columnfile.WriteOptions{})
		missing := int64(0)
		for _, x := range test.values {
			switch x := x.(type) {
			case nil:
				missing++
			case float64:
				w.Double(0, x)
			case float32:
				w.Float(0, x)
			case int64:
				w.Integer(0, x)
			case bool:
				w.Boolean(0, x)
			case string:
				w.Text(0, []byte(x))
			}
			if err := w.EndRow(); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
		if err != nil {
			t.Fatal(err)
		}
		s := f.Metadata().RowGroups[0].Columns[0].MetaData.Statistics
		if !bytes.Equal(s.MinValue, stored(test.least)) || !bytes.Equal(s.MaxValue, stored(test.most)) || s.NullCount != missing || (s.MinValue == nil) != (test.least == nil) {
			t.Errorf("%s %v: %v to %v with %d missing, want %v to %v with %d", test.kind, test.values, s.MinValue, s.MaxValue, s.NullCount, test.least, test.most, missing)
		}
	}
}

// stored returns the bytes of a bound.
func stored(x any) []byte {
	if x == nil {
		return nil
	}
	return parquet.ValueOf(x).Bytes()
}
