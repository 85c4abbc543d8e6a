package vectorfile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/feed"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/internal/excerpt"
)

// Error reports which row of a file of vectors is wrong, and why. It wraps format.ErrSyntax, or
// format.ErrLimit if a limit was exceeded.
type Error struct {
	File   string // name of the input, as the options call it; may be empty
	Row    int    // 1 for the first row; 0 for a fault before it
	Reason string
	Kind   error
}

func (e *Error) Error() string {
	if e.Row == 0 {
		return fmt.Sprintf("%s: header: %s", fault.Input(e.File), e.Reason)
	}
	return fmt.Sprintf("%s: row %d: %s", fault.Input(e.File), e.Row, e.Reason)
}

func (e *Error) Unwrap() error { return e.Kind }

type vectorReader struct {
	*bufio.Reader
	opts      format.VectorOptions
	rows, dim int
	row       int // the current row, from 1
	word      []byte
	bytes     []byte     // of a row
	number    *npyNumber // form of the values in bytes; nil for little-endian float32
	values    []float32
}

func readVectors(ctx context.Context, r io.Reader, opts format.VectorOptions, read func(*vectorReader) error) error {
	feedOptions := format.EdgeListOptions{Name: opts.Name, MaxKey: opts.MaxKey, MaxBytes: opts.MaxBytes, Size: opts.Size, Progress: opts.Progress}
	if err := feedOptions.Validate(); err != nil {
		return err
	}
	if opts.MaxDim < 0 {
		return &format.OptionError{Option: "max_dim", Value: int64(opts.MaxDim), Allowed: "at least 0"}
	}
	feedOptions, opts = feedOptions.WithDefaults(), opts.WithDefaults()
	f := feed.Start(ctx, r, &feedOptions, false)
	defer f.Close()
	text := feed.NewReader(f)
	v := &vectorReader{Reader: bufio.NewReader(text), opts: opts}
	err := read(v)
	if errors.Is(err, feed.ErrTooLong) {
		return v.fault(format.ErrLimit, "the file exceeds the limit of %d bytes", opts.MaxBytes)
	}
	if err == nil {
		f.Finish()
	}
	return err
}

func (v *vectorReader) fault(kind error, format string, args ...any) error {
	return &Error{v.opts.Name, v.row, fmt.Sprintf(format, args...), kind}
}

// ended returns the error for a text that ended too early.
func (v *vectorReader) ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return v.fault(format.ErrSyntax, "the file ends here, of %d rows", v.rows)
	}
	return err
}

// next reads a word and the one byte after it, which is a blank or a line feed. It skips only
// blanks before the word.
func (v *vectorReader) next(most int) (word []byte, end byte, err error) {
	v.word = v.word[:0]
	for {
		c, err := v.ReadByte()
		switch {
		case err == io.EOF && len(v.word) > 0:
			return v.word, '\n', nil
		case err != nil:
			return nil, 0, v.ended(err)
		case c == '\n' || delimited.IsBlank(c) && len(v.word) > 0:
			return bytes.TrimSuffix(v.word, []byte("\r")), c, nil
		case delimited.IsBlank(c):
		case len(v.word) == most:
			return nil, 0, v.fault(format.ErrLimit, "%s has more than %d bytes", excerpt.Of(v.word), most)
		default:
			v.word = append(v.word, c)
		}
	}
}

// maxNumber is the largest number of bytes of a number.
const maxNumber = 64

func (v *vectorReader) setShape(rows, dim int64) error {
	switch {
	case int64(int(rows)) != rows:
		return v.fault(format.ErrLimit, "%d rows are more than this machine can count", rows)
	case dim > int64(v.opts.MaxDim):
		return v.fault(format.ErrLimit, "rows of %d values exceed the limit of %d", dim, v.opts.MaxDim)
	}
	v.rows, v.dim = int(rows), int(dim)
	v.values = make([]float32, v.dim)
	return nil
}

// each delivers the shape and all rows. read reads the values of a row and returns its key.
func (v *vectorReader) each(h format.VectorHandler, read func(scratch []byte) (key []byte, err error)) error {
	if err := h.Shape(v.rows, v.dim); err != nil {
		return err
	}
	var key []byte
	for v.row = 1; v.row <= v.rows; v.row++ {
		var err error
		if key, err = read(key[:0]); err != nil {
			return err
		}
		if err := h.Row(key, v.values); err != nil {
			return err
		}
	}
	return v.nothingMore()
}

// nothingMore requires that nothing but line feeds follows.
func (v *vectorReader) nothingMore() error {
	for {
		switch c, err := v.ReadByte(); {
		case err == io.EOF:
			return nil
		case err != nil:
			return err
		case c != '\n' && c != '\r':
			return v.fault(format.ErrSyntax, "there is more than the %d rows declared", v.rows)
		}
	}
}

func (v *vectorReader) checkKey(key []byte) error {
	if reason := writing.CheckVectorKey(key); reason != "" {
		return v.fault(format.ErrSyntax, "key %s: %s", excerpt.Of(key), reason)
	}
	return nil
}

// floats reads the values of a row from their bytes.
func (v *vectorReader) floats() error {
	if v.bytes == nil {
		v.bytes = make([]byte, v.number.width()*v.dim)
	}
	if _, err := io.ReadFull(v, v.bytes); err != nil && v.dim > 0 {
		return v.ended(err)
	}
	if v.number != nil {
		return v.converted()
	}
	for i := range v.values {
		x := math.Float32frombits(binary.LittleEndian.Uint32(v.bytes[4*i:]))
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return v.fault(format.ErrSyntax, "the value of dimension %d is not finite", i+1)
		}
		v.values[i] = x
	}
	return nil
}

// converted reads the values of a row from bytes in a number format other than float32.
func (v *vectorReader) converted() error {
	width := v.number.width()
	for i := range v.values {
		x := v.number.value(v.bytes[width*i:])
		v.values[i] = float32(x)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return v.fault(format.ErrSyntax, "the value of dimension %d is not finite", i+1)
		}
		if math.IsInf(float64(v.values[i]), 0) {
			return v.fault(format.ErrSyntax, "the value of dimension %d is %v, which a float32 cannot hold", i+1, x)
		}
	}
	return nil
}
