package vectorfile

import (
	"context"
	"io"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/writing"
)

// WriteWalks writes walks as text, one per line, with the keys of the vertices separated by
// blanks: sentences, as word2vec, gensim's LineSentence and fastText read them. walk appends
// the vertices of walk i to dst; it is called once for each walk, in order.
//
// All keys are checked before the first walk: a key that is empty, contains white space or NUL,
// or is not UTF-8 gives a *format.KeyError.
func WriteWalks(ctx context.Context, w io.Writer, vertices, walks int, key format.AppendKey, walk func(dst []uint32, i int) []uint32) error {
	return writing.Error("walks", writeWalks(writing.NewOutput(ctx, w), vertices, walks, key, walk))
}

func writeWalks(out *writing.Output, vertices, walks int, key format.AppendKey, walk func(dst []uint32, i int) []uint32) error {
	var line []byte
	err := out.Each(vertices, func(v uint32) (err error) {
		line, err = writing.CheckedKey(key, line[:0], v, writing.CheckVectorKey)
		return err
	})
	if err != nil {
		return err
	}
	var path []uint32
	for i := range walks {
		path, line = walk(path[:0], i), line[:0]
		for at, v := range path {
			if err := out.Tick(); err != nil {
				return err
			}
			if at > 0 {
				line = append(line, ' ')
			}
			line = key(line, v)
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return out.Finish(nil)
}
