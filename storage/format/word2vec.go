package format

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"runtime"
	"strconv"
	"sync"
)

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
		if dst, err = key.checked(dst, uint32(i), checkVectorKey); err != nil {
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
