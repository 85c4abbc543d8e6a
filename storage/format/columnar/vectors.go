package columnar

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/reading"
	"heavytail/storage/internal/excerpt"
)

// ReadVectors reads vectors from a columnar file, one per row: keys, which are texts or
// integers, and lists of numbers, all of the same length. opts.Key and opts.Vector name the
// columns. By default the keys are in the column called key, id, vertex or node, or else in the
// first column that can be keys; the vectors are in the column called vector or embedding, or
// else in the first column of lists. A fault is a *Error. r must be a RandomReader.
func ReadVectors(ctx context.Context, r io.Reader, form format.Columnar, opts format.VectorOptions, h format.VectorHandler) error {
	opts.MaxDim = opts.WithDefaults().MaxDim
	if layoutIn(form) == "" {
		return Check(form)
	}
	f, err := Open(ctx, r, format.Options{Layout: layoutIn(form), EdgeListOptions: format.EdgeListOptions{
		Name: opts.Name, MaxKey: opts.MaxKey, MaxBytes: opts.MaxBytes, Size: opts.Size, Progress: opts.Progress,
	}})
	if err != nil {
		return err
	}
	key, err := f.vectorColumn(opts.Key, keyKind, "a key is a text or an integer", "vertex", "key", "id", "node")
	if err != nil {
		return err
	}
	list, err := f.vectorColumn(opts.Vector, func(k columnfile.Kind) bool { return k == columnfile.FloatList }, "a vector is a list of numbers", "vector", "embedding")
	if err != nil {
		return err
	}
	v := columnarVectors{File: f, h: h, key: key, list: list, maxDim: opts.MaxDim}
	if f.file.Rows() == 0 {
		return h.Shape(0, 0)
	}
	return f.each(&v.stats, []int{key, list}, v.row)
}

// vectorColumn returns the column that the options name, or else the first with a usual name,
// or else the first of a type that fits.
func (f *File) vectorColumn(named string, fits func(columnfile.Kind) bool, what string, usual ...string) (int, error) {
	if named != "" {
		number, ok := delimited.ColumnNumber(named)
		if !ok {
			var doubt string
			if number, doubt = delimited.ColumnNamed(f.names(), named); doubt != "" {
				return 0, &Error{File: f.opts.Name, Reason: doubt, Kind: format.ErrSyntax}
			}
		}
		switch {
		case number < 1 || number > len(f.file.Columns()):
			return 0, &Error{File: f.opts.Name, Reason: fmt.Sprintf("there is no column %s; the file has %d", named, len(f.file.Columns())), Kind: format.ErrSyntax}
		case !fits(f.file.Columns()[number-1].Kind):
			return 0, f.unfit(number-1, what)
		}
		return number - 1, nil
	}
	for _, name := range append(usual, "") {
		for i, c := range f.file.Columns() {
			if (name == "" || strings.EqualFold(c.Name, name)) && fits(c.Kind) {
				return i, nil
			}
		}
	}
	return 0, &Error{File: f.opts.Name, Reason: what + ", and the file has no such column; there are " + excerpt.List(f.names()), Kind: format.ErrSyntax}
}

// columnarVectors reads vectors from the rows of two columns.
type columnarVectors struct {
	*File
	h         format.VectorHandler
	stats     reading.Stats
	key, list int // of the file
	maxDim    int
	values    []float32
	scratch   []byte
}

func (v *columnarVectors) row(rows columnfile.Rows) error {
	list := rows.Floats(1)
	if v.values == nil {
		if err := v.shape(len(list)); err != nil {
			return err
		}
	}
	if len(list) != len(v.values) || len(list) == 0 {
		return v.bad(&v.stats, v.list, "the vector has the length %d instead of %d", len(list), len(v.values))
	}
	for i, x := range list {
		v.values[i] = float32(x)
		if math.IsNaN(x) || math.IsInf(float64(v.values[i]), 0) {
			return v.bad(&v.stats, v.list, "the value of dimension %d is not finite, or a float32 cannot hold it", i+1)
		}
	}
	key, reason := v.File.key(rows, 0, v.key, v.scratch[:0])
	if reason != "" {
		return v.bad(&v.stats, v.key, "%s", reason)
	}
	v.scratch = key
	return v.h.Row(key, v.values)
}

// shape sets the length of all vectors from that of the first.
func (v *columnarVectors) shape(dim int) error {
	if dim > v.maxDim {
		return &Error{v.opts.Name, v.file.Columns()[v.list].Name, 1, fmt.Sprintf("a vector of %d values exceeds the limit of %d", dim, v.maxDim), format.ErrLimit}
	}
	v.values = make([]float32, dim)
	return v.h.Shape(int(v.file.Rows()), dim)
}
