package vectorfile

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"strconv"
	"sync"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/format/internal/writing"
	"heavytail/storage/internal/excerpt"
)

// word2vecValues is the number of values that a worker formats at a time: this takes a
// millisecond or two and gives about 100 KiB of text.
const word2vecValues = 8 << 10

// WriteWord2VecBinary writes vectors in the binary format of word2vec, which gensim and other
// programs read: a line "rows dim", then for every row its key, a space, its values as
// little-endian float32, and a line feed. It refuses the same keys and values as WriteWord2Vec.
// key and row are called from one goroutine.
func WriteWord2VecBinary(ctx context.Context, w io.Writer, rows, dim int, key format.AppendKey, row func(i int) []float32) error {
	out := writing.NewOutput(ctx, w)
	return writing.Error("word2vec", writeRows(out, fmt.Sprintf("%d %d\n", rows, dim), rows, dim, row, func(dst []byte, i int) ([]byte, error) {
		dst, err := writing.CheckedKey(key, dst, uint32(i), writing.CheckVectorKey)
		return append(dst, ' '), err
	}, "\n"))
}

// writeRows writes a header, then for every row the bytes that before appends, the values, and
// after.
func writeRows(out *writing.Output, header string, rows, dim int, row func(i int) []float32, before func(dst []byte, i int) ([]byte, error), after string) error {
	out.WriteString(header)
	perCheck := max(1, word2vecValues/max(1, dim))
	var line []byte
	for i := range rows {
		if i%perCheck == 0 && out.Ctx.Err() != nil {
			return out.Ctx.Err()
		}
		var err error
		if line, err = before(line[:0], i); err != nil {
			return err
		}
		values := row(i)
		if err := writing.CheckVector(i, values, dim); err != nil {
			return err
		}
		for _, x := range values {
			line = binary.LittleEndian.AppendUint32(line, math.Float32bits(x))
		}
		if _, err := out.Write(append(line, after...)); err != nil {
			return err
		}
	}
	return out.Finish(nil)
}

// WriteWord2Vec writes vectors in the text format of word2vec, which gensim and
// others read: a line "rows dim", then for every row a line of its key and its
// values. A value is the shortest text that reads back as the same float32.
//
// A key that is empty, contains white space or NUL, or is not UTF-8 gives a *format.KeyError: the
// format cannot represent it. NaN and infinities give format.ErrNotFinite. Rows are formatted on all
// processors, so key and row are called by several goroutines at a time; the bytes written do
// not depend on the number of processors.
func WriteWord2Vec(ctx context.Context, w io.Writer, rows, dim int, key format.AppendKey, row func(i int) []float32) error {
	return writing.Error("word2vec", writeWord2Vec(ctx, w, rows, dim, key, row))
}

func writeWord2Vec(ctx context.Context, w io.Writer, rows, dim int, key format.AppendKey, row func(i int) []float32) error {
	out := bufio.NewWriterSize(w, writing.WriteBuffer)
	if _, err := fmt.Fprintf(out, "%d %d\n", rows, dim); err != nil {
		return err
	}
	workers := runtime.GOMAXPROCS(0)
	perBlock := max(1, word2vecValues/max(1, dim))
	texts := make([][]byte, workers)
	errs := make([]error, workers)
	for first := 0; first < rows; first += workers * perBlock {
		if err := ctx.Err(); err != nil {
			return err
		}
		var group sync.WaitGroup
		for i := range texts {
			lo := min(rows, first+i*perBlock)
			hi := min(rows, lo+perBlock)
			group.Go(func() {
				texts[i], errs[i] = appendVectors(texts[i][:0], lo, hi, dim, key, row)
			})
		}
		group.Wait()
		for i, text := range texts {
			if errs[i] != nil {
				return errs[i]
			}
			if _, err := out.Write(text); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

func appendVectors(dst []byte, lo, hi, dim int, key format.AppendKey, row func(i int) []float32) (_ []byte, err error) {
	for i := lo; i < hi; i++ {
		if dst, err = writing.CheckedKey(key, dst, uint32(i), writing.CheckVectorKey); err != nil {
			return nil, err
		}
		values := row(i)
		if err := writing.CheckVector(i, values, dim); err != nil {
			return nil, err
		}
		for _, x := range values {
			dst = strconv.AppendFloat(append(dst, ' '), float64(x), 'g', -1, 32)
		}
		dst = append(dst, '\n')
	}
	return dst, nil
}

// ReadWord2Vec reads vectors in the text or binary format of word2vec, plain or compressed, as
// WriteWord2Vec, WriteWord2VecBinary and gensim write them. A malformed file (including NaN, an
// infinity, or a number of rows other than declared) gives a *Error. Cancelling works as
// in rowtext.ReadEdgeList.
func ReadWord2Vec(ctx context.Context, r io.Reader, opts format.VectorOptions, h format.VectorHandler) error {
	return readVectors(ctx, r, opts, func(v *vectorReader) error { return v.word2vec(h) })
}

// shape reads the line "rows dim".
func (v *vectorReader) shape() error {
	var size [2]int64
	for i := range size {
		word, end, err := v.next(maxNumber)
		if err != nil {
			return err
		}
		if i == 0 {
			word = bytes.TrimPrefix(word, []byte(tokens.ByteOrderMark))
		}
		n, ok := decimal.Count(word)
		if !ok || (end == '\n') != (i == 1) {
			return v.fault(format.ErrSyntax, "expected the numbers of rows and of values, found %s", excerpt.Of(word))
		}
		size[i] = n
	}
	return v.setShape(size[0], size[1])
}

func (v *vectorReader) word2vec(h format.VectorHandler) error {
	if err := v.shape(); err != nil {
		return err
	}
	if v.opts.Binary {
		return v.each(h, v.binaryRow)
	}
	return v.each(h, v.textRow)
}

func (v *vectorReader) textRow(key []byte) ([]byte, error) {
	word, end, err := v.next(v.opts.MaxKey)
	if err != nil {
		return nil, err
	}
	key = append(key, word...)
	if err := v.checkKey(key); err != nil {
		return nil, err
	}
	for i := range v.values {
		if end == '\n' {
			return nil, v.fault(format.ErrSyntax, "%d values instead of %d", i, v.dim)
		}
		if word, end, err = v.next(maxNumber); err != nil {
			return nil, err
		}
		x, err := strconv.ParseFloat(string(word), 32)
		if err != nil || !decimal.Is(word) {
			return nil, v.fault(format.ErrSyntax, "%s is not a decimal number that a float32 can hold", excerpt.Of(word))
		}
		v.values[i] = float32(x)
	}
	for end != '\n' {
		// The first word2vec ended every line with a blank.
		if word, end, err = v.next(maxNumber); err != nil {
			return nil, err
		}
		if len(word) > 0 {
			return nil, v.fault(format.ErrSyntax, "more than %d values", v.dim)
		}
	}
	return key, nil
}

func (v *vectorReader) binaryRow(key []byte) ([]byte, error) {
	for {
		c, err := v.ReadByte()
		switch {
		case err != nil:
			return nil, v.ended(err)
		case c == '\n' && len(key) == 0: // the end of the row before
			continue
		case c != ' ' && len(key) == v.opts.MaxKey:
			return nil, v.fault(format.ErrLimit, "key %s has more than %d bytes", excerpt.Of(key), v.opts.MaxKey)
		case c != ' ':
			key = append(key, c)
			continue
		}
		if err := v.checkKey(key); err != nil {
			return nil, err
		}
		return key, v.floats()
	}
}
