package format

import (
	"context"
	"io"
)

// WriteWalks writes walks as text, one per line, with the keys of the vertices separated by
// blanks: sentences, as word2vec, gensim's LineSentence and fastText read them. walk appends
// the vertices of walk i to dst; it is called once for each walk, in order.
//
// All keys are checked before the first walk: a key that is empty, contains white space or NUL,
// or is not UTF-8 gives a *KeyError.
func WriteWalks(ctx context.Context, w io.Writer, vertices, walks int, key AppendKey, walk func(dst []uint32, i int) []uint32) error {
	return writing("walks", writeWalks(newOutput(ctx, w), vertices, walks, key, walk))
}

func writeWalks(out *output, vertices, walks int, key AppendKey, walk func(dst []uint32, i int) []uint32) error {
	var line []byte
	err := out.each(vertices, func(v uint32) (err error) {
		line, err = checkedKey(key, line[:0], v, checkVectorKey)
		return err
	})
	if err != nil {
		return err
	}
	var path []uint32
	for i := range walks {
		path, line = walk(path[:0], i), line[:0]
		for at, v := range path {
			if err := out.tick(); err != nil {
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
	return out.finish(nil)
}
