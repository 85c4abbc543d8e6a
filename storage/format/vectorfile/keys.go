package vectorfile

import (
	"bytes"
	"context"
	"io"
	"unicode"

	"heavytail/storage/format"
	"heavytail/storage/format/internal/tokens"
	"heavytail/storage/format/internal/writing"
)

// WriteKeys writes the keys of the vertices below n, one per line, in order. Such a file
// complements a matrix of WriteNPY. If a key needs quotes to fit on one line, or if the first
// key is "vertex" or "key", the file is CSV under the header "vertex", which graphfile.Read with format.LayoutVertices reads;
// otherwise it has no header. It refuses the same keys as rowtext.WriteEdges.
func WriteKeys(ctx context.Context, w io.Writer, n int, key format.AppendKey) error {
	return writing.Error("keys", writeKeys(writing.NewOutput(ctx, w), n, key))
}

func writeKeys(out *writing.Output, n int, key format.AppendKey) error {
	plain := true
	var scratch []byte
	err := out.Each(n, func(v uint32) (err error) {
		scratch, err = writing.CheckedKey(key, scratch[:0], v, writing.CheckKey)
		plain = plain && isLine(scratch) && (v > 0 || !writing.IsKeysHeader(string(scratch)))
		return err
	})
	if err != nil {
		return err
	}
	if !plain {
		out.WriteString(writing.VertexHeader + "\n")
	}
	var line []byte
	return out.Finish(out.Each(n, func(v uint32) error {
		scratch = key(scratch[:0], v)
		if plain {
			line = append(line[:0], scratch...)
		} else {
			line = writing.AppendQuoted(line[:0], scratch)
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
