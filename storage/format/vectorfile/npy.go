package vectorfile

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/internal/excerpt"
)

// npyHeader returns the magic string and the description of a matrix, padded so
// that the values begin at a multiple of 64 bytes.
func npyHeader(rows, dim int) string {
	const align = 64
	const before = len("\x93NUMPY\x01\x00") + 2 // plus the length field of the description
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, dim)
	text += strings.Repeat(" ", align-1-(before+len(text))%align) + "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text
}

// WriteNPY writes vectors as a matrix in numpy's format, version 1.0: float32 in
// little-endian order, row by row. WriteKeys writes the keys of the rows. NaN
// and infinities give format.ErrNotFinite.
func WriteNPY(ctx context.Context, w io.Writer, rows, dim int, row func(i int) []float32) error {
	out := writing.NewOutput(ctx, w)
	nothing := func(dst []byte, _ int) ([]byte, error) { return dst, nil }
	return writing.Error("npy", writeRows(out, npyHeader(rows, dim), rows, dim, row, nothing, ""))
}

// npyMatrix matches the description of a matrix as numpy writes it.
var npyMatrix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\{'descr': '([<>]f[248])', 'fortran_order': (True|False), 'shape': \((\d{1,18}), (\d{1,18})\), \} *\n$`)
})

func (v *vectorReader) npy(h format.VectorHandler) error {
	start := make([]byte, len("\x93NUMPY\x01\x00")+2)
	if _, err := io.ReadFull(v, start); err != nil {
		return v.ended(err)
	}
	if string(start[:8]) != "\x93NUMPY\x01\x00" {
		return v.fault(format.ErrSyntax, "not a file of numpy's format 1.0")
	}
	text := make([]byte, binary.LittleEndian.Uint16(start[8:]))
	if _, err := io.ReadFull(v, text); err != nil {
		return v.ended(err)
	}
	found := npyMatrix().FindSubmatch(text)
	if found == nil || !utf8.Valid(text) {
		return v.fault(format.ErrSyntax, "only matrices, with two dimensions, of float16, float32 or float64 are read, not %s", excerpt.Of(text))
	}
	if string(found[2]) == "True" {
		return v.fault(format.ErrSyntax, "the matrix is stored by columns; numpy.ascontiguousarray(matrix) stores it by rows")
	}
	v.number = npyNumberOf(string(found[1]))
	rows, _ := decimal.Count(found[3])
	dim, _ := decimal.Count(found[4])
	if err := v.setShape(rows, dim); err != nil {
		return err
	}
	if v.dim == 0 { // without values there is no data from which to count rows
		if err := h.Shape(v.rows, v.dim); err != nil {
			return err
		}
		return v.nothingMore()
	}
	return v.each(h, func([]byte) ([]byte, error) { return nil, v.floats() })
}

// ReadNPY reads a matrix of numpy row by row, as WriteNPY and numpy.save write it: float16,
// float32 or float64 in either byte order, converted to the nearest float32. A matrix in column
// order gives a *Error. Keys are nil. See ReadWord2Vec.
func ReadNPY(ctx context.Context, r io.Reader, opts format.VectorOptions, h format.VectorHandler) error {
	return readVectors(ctx, r, opts, func(v *vectorReader) error { return v.npy(h) })
}
