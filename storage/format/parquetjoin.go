package format

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"heavytail/storage/format/internal/columnfile"
)

// JoinParquet writes the rows of Parquet files, of which there is at least one, in their order
// into one file: the same bytes that the writer of their rows would have written alone, since
// the groups of rows depend on the rows and not on the files. All files must be of this package
// and have the same columns; another one is a *ParquetError. The metadata are those of the
// first file, where notes replace those with their keys. All values are decoded and encoded again.
// Each of the functions opens a file when its rows are next.
func JoinParquet(ctx context.Context, w io.Writer, parts []func() (*os.File, error), notes []Note) error {
	j := &parquetJoin{output: newOutput(ctx, w), notes: notes}
	for _, open := range parts {
		if err := j.part(ctx, open); err != nil {
			return err
		}
	}
	return j.finish(j.w.Close())
}

type parquetJoin struct {
	*output
	notes   []Note
	columns []columnfile.Column
	w       columnfile.Writer // nil before the first part
}

func (j *parquetJoin) part(ctx context.Context, open func() (*os.File, error)) error {
	in, err := open()
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := openParquet(ctx, in, Options{Layout: LayoutParquet, MaxColumns: 1 << 17, EdgeListOptions: EdgeListOptions{Name: in.Name(), MaxBytes: math.MaxInt64}})
	if err != nil {
		return err
	}
	columns := slices.Clone(f.Columns())
	numbers := make([]int, len(columns))
	for i := range columns {
		numbers[i] = i
		columns[i].Type = ""
		if k := columns[i].Kind; k == columnfile.FloatList || k == columnfile.TextList {
			columns[i].Optional = false // a list is never missing in files of this package
		}
	}
	if j.w == nil {
		j.columns = columns
		j.w = columnfile.NewWriter(j.output, columns, j.entries(f.Entries()), columnfile.WriteOptions{})
	}
	if !slices.Equal(columns, j.columns) {
		return &ParquetError{File: in.Name(), Reason: fmt.Sprintf("its columns are %v, and those of the first part %v", columns, j.columns), Kind: ErrDamaged}
	}
	rows, err := f.Read(numbers...)
	if err != nil {
		return f.fault(err)
	}
	for rows.Next() {
		for i, c := range columns {
			j.value(rows, i, c.Kind)
		}
		if err := j.w.EndRow(); err != nil {
			return err
		}
		if err := j.tick(); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return f.fault(err)
	}
	return nil
}

// entries are the metadata of the first part with the notes.
func (j *parquetJoin) entries(list []columnfile.Entry) []columnfile.Entry {
	for _, n := range j.notes {
		for i := range list {
			if list[i].Key == n.Key {
				list[i].Text = n.Text
			}
		}
	}
	return list
}

// value copies a value of the present row.
func (j *parquetJoin) value(rows columnfile.Rows, i int, kind columnfile.Kind) {
	switch {
	case kind == columnfile.TextList:
		for n := range rows.Items(i) {
			j.w.Item(i, rows.Item(i, n))
		}
	case rows.Missing(i):
	case kind == columnfile.Text:
		j.w.Text(i, rows.Text(i))
	case kind == columnfile.Boolean:
		j.w.Boolean(i, rows.Integer(i) != 0)
	case kind == columnfile.Float:
		j.w.Float(i, float32(rows.Double(i)))
	case kind == columnfile.Double:
		j.w.Double(i, rows.Double(i))
	case kind == columnfile.FloatList:
		list := make([]float32, len(rows.Floats(i)))
		for n, x := range rows.Floats(i) {
			list[n] = float32(x)
		}
		j.w.Floats(i, list)
	default:
		j.w.Integer(i, rows.Integer(i))
	}
}
