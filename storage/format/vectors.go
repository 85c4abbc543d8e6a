package format

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode"
)

// word2vecValues is the number of values that a worker formats at a time: this takes a
// millisecond or two and gives about 100 KiB of text.
const word2vecValues = 8 << 10

// WriteWord2VecBinary writes vectors in the binary format of word2vec, which gensim and other
// programs read: a line "rows dim", then for every row its key, a space, its values as
// little-endian float32, and a line feed. It refuses the same keys and values as WriteWord2Vec.
// key and row are called from one goroutine.
func WriteWord2VecBinary(ctx context.Context, w io.Writer, rows, dim int, key AppendKey, row func(i int) []float32) error {
	out := newOutput(ctx, w)
	return writing("word2vec", writeRows(out, fmt.Sprintf("%d %d\n", rows, dim), rows, dim, row, func(dst []byte, i int) ([]byte, error) {
		dst, err := key.checked(dst, uint32(i), checkVectorKey)
		return append(dst, ' '), err
	}, "\n"))
}

// WriteNPY writes vectors as a matrix in numpy's format, version 1.0: float32 in
// little-endian order, row by row. WriteKeys writes the keys of the rows. NaN
// and infinities give ErrNotFinite.
func WriteNPY(ctx context.Context, w io.Writer, rows, dim int, row func(i int) []float32) error {
	out := newOutput(ctx, w)
	nothing := func(dst []byte, _ int) ([]byte, error) { return dst, nil }
	return writing("npy", writeRows(out, npyHeader(rows, dim), rows, dim, row, nothing, ""))
}

// npyHeader returns the magic string and the description of a matrix, padded so
// that the values begin at a multiple of 64 bytes.
func npyHeader(rows, dim int) string {
	const align = 64
	const before = len("\x93NUMPY\x01\x00") + 2 // plus the length field of the description
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }", rows, dim)
	text += strings.Repeat(" ", align-1-(before+len(text))%align) + "\n"
	return "\x93NUMPY\x01\x00" + string(binary.LittleEndian.AppendUint16(nil, uint16(len(text)))) + text
}

// writeRows writes a header, then for every row the bytes that before appends, the values, and
// after.
func writeRows(out *output, header string, rows, dim int, row func(i int) []float32, before func(dst []byte, i int) ([]byte, error), after string) error {
	out.WriteString(header)
	perCheck := max(1, word2vecValues/max(1, dim))
	var line []byte
	for i := range rows {
		if i%perCheck == 0 && out.ctx.Err() != nil {
			return out.ctx.Err()
		}
		var err error
		if line, err = before(line[:0], i); err != nil {
			return err
		}
		values := row(i)
		if err := checkVector(i, values, dim); err != nil {
			return err
		}
		for _, x := range values {
			line = binary.LittleEndian.AppendUint32(line, math.Float32bits(x))
		}
		if _, err := out.Write(append(line, after...)); err != nil {
			return err
		}
	}
	return out.finish(nil)
}

// checkVector refuses a row of another length, and values that are not finite.
func checkVector(row int, values []float32, dim int) error {
	if len(values) != dim {
		return fmt.Errorf("row %d has %d values instead of %d", row, len(values), dim)
	}
	for j, x := range values {
		if x-x != 0 { // NaN and infinities
			return fmt.Errorf("value %d of row %d: %w", j, row, ErrNotFinite)
		}
	}
	return nil
}

// vertexHeader is the name of the column of the keys of vertices in files that are written, and the
// first line of a file of keys in CSV. Readers take keyHeader as well.
const (
	vertexHeader = "vertex"
	keyHeader    = "key"
)

// isKeysHeader reports whether the first line of a file of keys says that it is CSV.
func isKeysHeader(line string) bool { return line == vertexHeader || line == keyHeader }

// WriteKeys writes the keys of the vertices below n, one per line, in order. Such a file
// complements a matrix of WriteNPY. If a key needs quotes to fit on one line, or if the first
// key is "vertex" or "key", the file is CSV under the header "vertex", which Read with LayoutVertices reads;
// otherwise it has no header. It refuses the same keys as WriteEdges.
func WriteKeys(ctx context.Context, w io.Writer, n int, key AppendKey) error {
	return writing("keys", writeKeys(newOutput(ctx, w), n, key))
}

func writeKeys(out *output, n int, key AppendKey) error {
	plain := true
	var scratch []byte
	err := out.each(n, func(v uint32) (err error) {
		scratch, err = key.checked(scratch[:0], v, checkKey)
		plain = plain && isLine(scratch) && (v > 0 || !isKeysHeader(string(scratch)))
		return err
	})
	if err != nil {
		return err
	}
	if !plain {
		out.WriteString(vertexHeader + "\n")
	}
	var line []byte
	return out.finish(out.each(n, func(v uint32) error {
		scratch = key(scratch[:0], v)
		if plain {
			line = append(line[:0], scratch...)
		} else {
			line = appendQuoted(line[:0], scratch)
		}
		out.Write(append(line, '\n'))
		return nil
	}))
}

// isLine reports whether every reader reads a key as one line: it contains nothing that some
// readers treat as the end of a line, and has no white space at its ends, which some readers
// drop.
func isLine(key []byte) bool {
	trimmed := bytes.TrimFunc(key, unicode.IsSpace)
	return len(trimmed) == len(key) && !bytes.ContainsAny(key, "\"\n\v\f\r\x1c\x1d\x1e\u0085\u2028\u2029") && !bytes.HasPrefix(key, []byte(byteOrderMark))
}
