package format

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"heavytail/storage/format/internal/decimal"
	"heavytail/storage/format/internal/delimited"
	"heavytail/storage/format/internal/fault"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/internal/excerpt"
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
		dst, err := checkedKey(key, dst, uint32(i), checkVectorKey)
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
		scratch, err = checkedKey(key, scratch[:0], v, checkKey)
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
	return len(trimmed) == len(key) && !bytes.ContainsAny(key, "\"\n\v\f\r\x1c\x1d\x1e\u0085\u2028\u2029") && !bytes.HasPrefix(key, []byte(tokens.ByteOrderMark))
}

// WriteWord2Vec writes vectors in the text format of word2vec, which gensim and
// others read: a line "rows dim", then for every row a line of its key and its
// values. A value is the shortest text that reads back as the same float32.
//
// A key that is empty, contains white space or NUL, or is not UTF-8 gives a *KeyError: the
// format cannot represent it. NaN and infinities give ErrNotFinite. Rows are formatted on all
// processors, so key and row are called by several goroutines at a time; the bytes written do
// not depend on the number of processors.
func WriteWord2Vec(ctx context.Context, w io.Writer, rows, dim int, key AppendKey, row func(i int) []float32) error {
	return writing("word2vec", writeWord2Vec(ctx, w, rows, dim, key, row))
}

func writeWord2Vec(ctx context.Context, w io.Writer, rows, dim int, key AppendKey, row func(i int) []float32) error {
	out := bufio.NewWriterSize(w, writeBuffer)
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

func appendVectors(dst []byte, lo, hi, dim int, key AppendKey, row func(i int) []float32) (_ []byte, err error) {
	for i := lo; i < hi; i++ {
		if dst, err = checkedKey(key, dst, uint32(i), checkVectorKey); err != nil {
			return nil, err
		}
		values := row(i)
		if err := checkVector(i, values, dim); err != nil {
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
// infinity, or a number of rows other than declared) gives a *VectorError. Cancelling works as
// in ReadEdgeList.
func ReadWord2Vec(ctx context.Context, r io.Reader, opts VectorOptions, h VectorHandler) error {
	return readVectors(ctx, r, opts, func(v *vectorReader) error { return v.word2vec(h) })
}

// ReadNPY reads a matrix of numpy row by row, as WriteNPY and numpy.save write it: float16,
// float32 or float64 in either byte order, converted to the nearest float32. A matrix in column
// order gives a *VectorError. Keys are nil. See ReadWord2Vec.
func ReadNPY(ctx context.Context, r io.Reader, opts VectorOptions, h VectorHandler) error {
	return readVectors(ctx, r, opts, func(v *vectorReader) error { return v.npy(h) })
}

// VectorError reports which row of a file of vectors is wrong, and why. It wraps ErrSyntax, or
// ErrLimit if a limit was exceeded.
type VectorError struct {
	File   string // name of the input, as the options call it; may be empty
	Row    int    // 1 for the first row; 0 for a fault before it
	Reason string
	Kind   error
}

func (e *VectorError) Error() string {
	if e.Row == 0 {
		return fmt.Sprintf("%s: header: %s", fault.Input(e.File), e.Reason)
	}
	return fmt.Sprintf("%s: row %d: %s", fault.Input(e.File), e.Row, e.Reason)
}

func (e *VectorError) Unwrap() error { return e.Kind }

type vectorReader struct {
	*bufio.Reader
	opts      VectorOptions
	rows, dim int
	row       int // the current row, from 1
	word      []byte
	bytes     []byte     // of a row
	number    *npyNumber // form of the values in bytes; nil for little-endian float32
	values    []float32
}

func readVectors(ctx context.Context, r io.Reader, opts VectorOptions, read func(*vectorReader) error) error {
	feedOptions := EdgeListOptions{Name: opts.Name, MaxKey: opts.MaxKey, MaxBytes: opts.MaxBytes, Size: opts.Size, Progress: opts.Progress}
	if err := feedOptions.Validate(); err != nil {
		return err
	}
	if opts.MaxDim < 0 {
		return &OptionError{Option: "max_dim", Value: int64(opts.MaxDim), Allowed: "at least 0"}
	}
	feedOptions, opts = feedOptions.withDefaults(), opts.WithDefaults()
	f := startFeed(ctx, r, &feedOptions, false)
	defer f.close()
	text := newFeedReader(f, opts.MaxBytes)
	v := &vectorReader{Reader: bufio.NewReader(text), opts: opts}
	err := read(v)
	if errors.Is(err, errTooLong) {
		return v.fault(ErrLimit, "the file exceeds the limit of %d bytes", opts.MaxBytes)
	}
	if err == nil {
		f.finish()
	}
	return err
}

func (v *vectorReader) fault(kind error, format string, args ...any) error {
	return &VectorError{v.opts.Name, v.row, fmt.Sprintf(format, args...), kind}
}

// ended returns the error for a text that ended too early.
func (v *vectorReader) ended(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return v.fault(ErrSyntax, "the file ends here, of %d rows", v.rows)
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
			return nil, 0, v.fault(ErrLimit, "%s has more than %d bytes", excerpt.Of(v.word), most)
		default:
			v.word = append(v.word, c)
		}
	}
}

// maxNumber is the largest number of bytes of a number.
const maxNumber = 64

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
			return v.fault(ErrSyntax, "expected the numbers of rows and of values, found %s", excerpt.Of(word))
		}
		size[i] = n
	}
	return v.setShape(size[0], size[1])
}

func (v *vectorReader) setShape(rows, dim int64) error {
	switch {
	case int64(int(rows)) != rows:
		return v.fault(ErrLimit, "%d rows are more than this machine can count", rows)
	case dim > int64(v.opts.MaxDim):
		return v.fault(ErrLimit, "rows of %d values exceed the limit of %d", dim, v.opts.MaxDim)
	}
	v.rows, v.dim = int(rows), int(dim)
	v.values = make([]float32, v.dim)
	return nil
}

func (v *vectorReader) word2vec(h VectorHandler) error {
	if err := v.shape(); err != nil {
		return err
	}
	if v.opts.Binary {
		return v.each(h, v.binaryRow)
	}
	return v.each(h, v.textRow)
}

// each delivers the shape and all rows. read reads the values of a row and returns its key.
func (v *vectorReader) each(h VectorHandler, read func(scratch []byte) (key []byte, err error)) error {
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
			return v.fault(ErrSyntax, "there is more than the %d rows declared", v.rows)
		}
	}
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
			return nil, v.fault(ErrSyntax, "%d values instead of %d", i, v.dim)
		}
		if word, end, err = v.next(maxNumber); err != nil {
			return nil, err
		}
		x, err := strconv.ParseFloat(string(word), 32)
		if err != nil || !decimal.Is(word) {
			return nil, v.fault(ErrSyntax, "%s is not a decimal number that a float32 can hold", excerpt.Of(word))
		}
		v.values[i] = float32(x)
	}
	for end != '\n' {
		// The first word2vec ended every line with a blank.
		if word, end, err = v.next(maxNumber); err != nil {
			return nil, err
		}
		if len(word) > 0 {
			return nil, v.fault(ErrSyntax, "more than %d values", v.dim)
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
			return nil, v.fault(ErrLimit, "key %s has more than %d bytes", excerpt.Of(key), v.opts.MaxKey)
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

func (v *vectorReader) checkKey(key []byte) error {
	if reason := checkVectorKey(key); reason != "" {
		return v.fault(ErrSyntax, "key %s: %s", excerpt.Of(key), reason)
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
			return v.fault(ErrSyntax, "the value of dimension %d is not finite", i+1)
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
			return v.fault(ErrSyntax, "the value of dimension %d is not finite", i+1)
		}
		if math.IsInf(float64(v.values[i]), 0) {
			return v.fault(ErrSyntax, "the value of dimension %d is %v, which a float32 cannot hold", i+1, x)
		}
	}
	return nil
}

// npyMatrix matches the description of a matrix as numpy writes it.
var npyMatrix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\{'descr': '([<>]f[248])', 'fortran_order': (True|False), 'shape': \((\d{1,18}), (\d{1,18})\), \} *\n$`)
})

func (v *vectorReader) npy(h VectorHandler) error {
	start := make([]byte, len("\x93NUMPY\x01\x00")+2)
	if _, err := io.ReadFull(v, start); err != nil {
		return v.ended(err)
	}
	if string(start[:8]) != "\x93NUMPY\x01\x00" {
		return v.fault(ErrSyntax, "not a file of numpy's format 1.0")
	}
	text := make([]byte, binary.LittleEndian.Uint16(start[8:]))
	if _, err := io.ReadFull(v, text); err != nil {
		return v.ended(err)
	}
	found := npyMatrix().FindSubmatch(text)
	if found == nil || !utf8.Valid(text) {
		return v.fault(ErrSyntax, "only matrices, with two dimensions, of float16, float32 or float64 are read, not %s", excerpt.Of(text))
	}
	if string(found[2]) == "True" {
		return v.fault(ErrSyntax, "the matrix is stored by columns; numpy.ascontiguousarray(matrix) stores it by rows")
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

type npyNumber struct {
	bytes int
	order binary.ByteOrder
}

// npyNumberOf returns the number format with a description such as "<f8". It returns nil for
// "<f4", which vectorReader reads without conversion.
func npyNumberOf(text string) *npyNumber {
	n := &npyNumber{int(text[2] - '0'), binary.LittleEndian}
	switch {
	case text == "<f4":
		return nil
	case text[0] == '>':
		n.order = binary.BigEndian
	}
	return n
}

func (n *npyNumber) width() int {
	if n == nil {
		return 4
	}
	return n.bytes
}

func (n *npyNumber) value(b []byte) float64 {
	switch n.bytes {
	case 2:
		return halfFloat(n.order.Uint16(b))
	case 4:
		return float64(math.Float32frombits(n.order.Uint32(b)))
	}
	return math.Float64frombits(n.order.Uint64(b))
}

// halfFloat returns the value of an IEEE 754 binary16 number: a sign bit, 5 bits of exponent
// and 10 bits of fraction.
func halfFloat(bits uint16) float64 {
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	x := math.Ldexp(1+fraction/1024, exponent-15)
	switch {
	case exponent == 0:
		x = math.Ldexp(fraction, -24)
	case exponent == 31 && fraction == 0:
		x = math.Inf(1)
	case exponent == 31:
		x = math.NaN()
	}
	if bits>>15 == 1 {
		x = -x
	}
	return x
}
