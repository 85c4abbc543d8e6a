package format

import (
	"bufio"
	"context"
	"io"
	"iter"
	"strconv"
)

// AppendKey appends the key of a vertex to dst, as storage.Snapshot.AppendKey
// does: a way to hand over keys without allocating each.
type AppendKey func(dst []byte, v uint32) []byte

// WriteEdgeList writes the edges of a graph of n vertices, one a line, in the
// order of the sequence.
func WriteEdgeList(ctx context.Context, w io.Writer, n int, key AppendKey, edges iter.Seq2[uint32, uint32]) error {
	bw := bufio.NewWriter(w)
	var line []byte
	for u, v := range edges {
		line = append(key(line[:0], u), ' ')
		line = append(key(line, v), '\n')
		if _, err := bw.Write(line); err != nil {
			return err
		}
	}
	return bw.Flush()
}

// WriteWord2Vec writes vectors in the text format of word2vec: a line "rows
// dim", then one line a row, of its key and its values.
func WriteWord2Vec(ctx context.Context, w io.Writer, rows, dim int, key AppendKey, row func(i int) []float32) error {
	bw := bufio.NewWriter(w)
	line := strconv.AppendInt(nil, int64(rows), 10)
	line = append(strconv.AppendInt(append(line, ' '), int64(dim), 10), '\n')
	if _, err := bw.Write(line); err != nil {
		return err
	}
	for i := range rows {
		line = key(line[:0], uint32(i))
		for _, x := range row(i) {
			line = strconv.AppendFloat(append(line, ' '), float64(x), 'g', -1, 32)
		}
		if _, err := bw.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return bw.Flush()
}
