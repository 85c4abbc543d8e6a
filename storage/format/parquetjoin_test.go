package format

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// parts are files of rows, and functions that open them.
func parts(t *testing.T, files ...[]byte) (open []func() (*os.File, error)) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range files {
		path := filepath.Join(dir, fmt.Sprint(i))
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		open = append(open, func() (*os.File, error) { return os.Open(path) })
	}
	return open
}

// Joined files have the bytes of one file, wherever it is cut: values of every type, missing ones,
// rows that fill several batches, and parts without rows.
func TestJoinParquet_SameBytes(t *testing.T) {
	t.Parallel()
	const n = 5000
	table := func(first, end int, note string) []byte {
		var out bytes.Buffer
		p := NewParquetRows(&out, []string{"text", "n", "x", "ok"}, []Type{Text, Integer, Float, Boolean}, []Note{{"b", note}, {"a", "same"}})
		for i := first; i < end; i++ {
			row := []any{strings.Repeat("é", i%7), int64(i * i), float64(i) / 3, i%3 == 0}
			row[i%5%4] = nil
			if err := p.Row(row); err != nil {
				t.Fatal(err)
			}
		}
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	walks := func(first, end int, note string) []byte {
		var out bytes.Buffer
		walk := func(dst []uint32, i int) []uint32 { return append(dst, []uint32{0, 1, 2, 1, 0}[:(first+i)%6]...) }
		if err := WriteWalksParquet(t.Context(), &out, int64(first), end-first, appendKeys([]string{"a", "b c", "é"}), walk, []Note{{"b", note}}); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	for name, write := range map[string]func(first, end int, note string) []byte{"rows": table, "walks": walks} {
		for _, cuts := range [][]int{{0, n}, {0, 0, n, n}, {0, 1, 1023, 1024, 1025, 3000, n}} {
			var files [][]byte
			for i := range len(cuts) - 1 {
				files = append(files, write(cuts[i], cuts[i+1], fmt.Sprint(i)))
			}
			var got bytes.Buffer
			if err := JoinParquet(t.Context(), &got, parts(t, files...), []Note{{"b", "whole"}, {"none", "no"}}); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), write(0, n, "whole")) {
				t.Errorf("%s cut at %v: other bytes", name, cuts)
			}
		}
	}
}

// Files of other columns, and what is no Parquet, are named; errors of opening, writing and a
// cancelled context are returned.
func TestJoinParquet_Refused(t *testing.T) {
	t.Parallel()
	file := func(name string, t Type) []byte {
		var out bytes.Buffer
		p := NewParquetRows(&out, []string{name}, []Type{t}, nil)
		_ = p.Close() // of a buffer
		return out.Bytes()
	}
	for what, other := range map[string][]byte{"name": file("y", Integer), "type": file("x", Text), "text": []byte("x\n1\n"), "cut off": file("x", Integer)[:40]} {
		open := parts(t, file("x", Integer), other)
		var at *ParquetError
		if err := JoinParquet(t.Context(), &bytes.Buffer{}, open, nil); !errors.As(err, &at) || filepath.Base(at.File) != "1" {
			t.Errorf("%s: %v", what, err)
		}
	}
	gone := errors.New("gone")
	if err := JoinParquet(t.Context(), &bytes.Buffer{}, []func() (*os.File, error){func() (*os.File, error) { return nil, gone }}, nil); !errors.Is(err, gone) {
		t.Error(err)
	}
	open := parts(t, file("x", Integer))
	if err := JoinParquet(t.Context(), &failingWriter{}, open, nil); !errors.Is(err, errFull) {
		t.Error(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := JoinParquet(ended, &bytes.Buffer{}, open, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Columns of given types do not depend on the rows, and a value of another type is refused.
func TestParquetRows_Typed(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := NewParquetRows(&out, []string{"n"}, []Type{Integer}, nil)
	if err := errors.Join(p.Row([]any{nil}), p.Row([]any{int64(1)})); err != nil {
		t.Error(err)
	}
	if err := p.Row([]any{"x"}); !errors.Is(err, ErrValue) {
		t.Error(err)
	}
}
