package format

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
)

// writeBuffer is the size of the buffer of a writer: with it system calls and
// the compressor's calls cost nothing that can be measured.
const writeBuffer = 1 << 18

// writeCheck is how many edges go by between two looks at the context: well
// below 10 ms.
const writeCheck = 1 << 14

// WriteEdgeList writes edges, one a line, in the order of the sequence, between
// vertices below n. Vertices without an edge leave no trace.
//
// If every key is one word, a line is "u v", under the comment "# source
// target". Otherwise it is CSV under the header "source,target", with quotes
// where a key needs them. ReadEdgeList with the zero options reads the same
// keys back in both cases; the first form is what most other tools read, too. A
// key that is empty, longer than 1024 bytes, not UTF-8, or that holds NUL or a
// line break gives a *KeyError. It takes one call of key per vertex and two per
// edge.
func WriteEdgeList(ctx context.Context, w io.Writer, n int, key AppendKey, edges iter.Seq2[uint32, uint32]) error {
	if err := writeEdgeList(ctx, w, n, key, edges); err != nil {
		return fmt.Errorf("write edge list: %w", err)
	}
	return nil
}

func writeEdgeList(ctx context.Context, w io.Writer, n int, key AppendKey, edges iter.Seq2[uint32, uint32]) error {
	words, err := allWords(ctx, n, key)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, writeBuffer)
	// The header keeps a reader from taking the first edge for one.
	header, separator := "# source target\n", byte(' ')
	if !words {
		header, separator = "source,target\n", ','
	}
	if _, err := out.WriteString(header); err != nil {
		return err
	}
	appendField := func(dst []byte, v uint32) ([]byte, error) { return key(dst, v), nil }
	if !words {
		var scratch []byte
		appendField = func(dst []byte, v uint32) ([]byte, error) {
			scratch = key(scratch[:0], v)
			if reason := checkKey(scratch); reason != "" {
				return nil, &KeyError{string(scratch), reason}
			}
			return appendQuoted(dst, scratch), nil
		}
	}
	var line []byte
	written := 0
	for u, v := range edges {
		if written++; written%writeCheck == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if line, err = appendField(line[:0], u); err != nil {
			return err
		}
		if line, err = appendField(append(line, separator), v); err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err // the sequence may have ended for the same reason
	}
	return out.Flush()
}

// allWords reports whether every key can stand in a list separated by spaces.
func allWords(ctx context.Context, n int, key AppendKey) (bool, error) {
	var scratch []byte
	for v := range n {
		if v%writeCheck == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		scratch = key(scratch[:0], uint32(v))
		if !isWord(scratch) || checkKey(scratch) != "" {
			return false, nil
		}
	}
	return true, nil
}
