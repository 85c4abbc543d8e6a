package vec

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// ErrNotFinite is returned for rows with a value that is NaN or infinite.
var ErrNotFinite = errors.New("vec: value is not finite")

// streamValues is how many values are converted at a time.
const streamValues = 1 << 13

// WriteRows writes the rows of a panel consecutively as little-endian float32,
// in a few large writes.
func WriteRows(w io.Writer, p Panel) error {
	buffer := make([]byte, 0, 4*max(streamValues, p.Cols))
	for i := range p.Rows {
		if len(buffer)+4*p.Cols > cap(buffer) {
			if _, err := w.Write(buffer); err != nil {
				return err
			}
			buffer = buffer[:0]
		}
		buffer, _ = binary.Append(buffer, binary.LittleEndian, p.Data[i*p.Stride:][:p.Cols]) // of a fixed size: it cannot fail
	}
	_, err := w.Write(buffer)
	return err
}

// ReadRows reads rows that WriteRows has written. A stream that ends early is
// io.ErrUnexpectedEOF, and a value that is NaN or infinite is ErrNotFinite. It
// allocates the matrix at once: the caller must know that its size is
// acceptable.
func ReadRows(r io.Reader, rows, cols int) (*Matrix, error) {
	m := NewMatrix(rows, cols)
	for at := 0; at < len(m.Data); {
		values := m.Data[at:min(at+streamValues, len(m.Data))]
		if err := readNumbers(r, values); err != nil {
			return nil, err
		}
		for i, x := range values {
			if x-x != 0 {
				return nil, fmt.Errorf("%w: %v in row %d", ErrNotFinite, x, (at+i)/cols)
			}
		}
		at += len(values)
	}
	return m, nil
}

// WriteNumbers writes values of fixed size, structs and slices of numbers, one after the
// other as little-endian.
func WriteNumbers(w io.Writer, values ...any) error {
	for _, v := range values {
		if err := binary.Write(w, binary.LittleEndian, v); err != nil {
			return err
		}
	}
	return nil
}

// ReadNumbers reads into pointers and slices what WriteNumbers has written of such values.
// An end before the last one wraps invalid, as [StreamError] does.
func ReadNumbers(r io.Reader, invalid error, into ...any) error {
	for _, v := range into {
		if err := readNumbers(r, v); err != nil {
			return StreamError(err, invalid)
		}
	}
	return nil
}

// readNumbers is binary.Read, for which an early end is always io.ErrUnexpectedEOF.
func readNumbers(r io.Reader, into any) error {
	err := binary.Read(r, binary.LittleEndian, into)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}

// StreamError wraps invalid, such as that of a damaged state, around an error that the
// bytes of a stream are to blame for: they end early, or are not finite numbers. It
// returns another error as it is.
func StreamError(err, invalid error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, ErrNotFinite) {
		return fmt.Errorf("%w: %w", invalid, err)
	}
	return err
}
