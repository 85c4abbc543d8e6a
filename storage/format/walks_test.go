package format_test

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"heavytail/storage/format"
	"heavytail/storage/format/columnar"
	"heavytail/storage/format/internal/columnfile"
	"heavytail/storage/format/vectorfile"
)

func TestWriteWalks(t *testing.T) {
	keys := appendKeys([]string{"a", "é", "42"})
	walks := [][]uint32{{0, 1, 2, 1}, {2}, {}}
	walk := func(dst []uint32, i int) []uint32 { return append(dst, walks[i]...) }
	var out bytes.Buffer
	if err := vectorfile.WriteWalks(t.Context(), &out, 3, len(walks), keys, walk); err != nil || out.String() != "a é 42 é\n42\n\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if err := vectorfile.WriteWalks(t.Context(), &failingWriter{}, 3, len(walks), keys, walk); !errors.Is(err, errFull) {
		t.Errorf("a full disk gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := vectorfile.WriteWalks(ctx, &out, 3, len(walks), keys, walk); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestWriteWalks_Keys refuses keys that would be read as two keys or as none, even if no
// walk contains them.
func TestWriteWalks_Keys(t *testing.T) {
	for _, key := range []string{"", "a b", "a\t", "a\u00a0b", "a\nb", "\xff", "\x00"} {
		var out bytes.Buffer
		err := vectorfile.WriteWalks(t.Context(), &out, 2, 1, appendKeys([]string{"a", key}), func(dst []uint32, _ int) []uint32 { return append(dst, 0) })
		var refused *format.KeyError
		if !errors.As(err, &refused) || refused.Key != key || out.Len() > 0 {
			t.Errorf("key %q: %v after %q", key, err, out.String())
		}
	}
}

// TestWriteWalksParquet reads what it writes: walks of no vertex, of one and of many, and keys
// with white space.
func TestWriteWalksParquet(t *testing.T) {
	keys := []string{"a", "é 北", "42\n"}
	var walks [][]uint32
	for i := range 3000 {
		w := []uint32{uint32(i % 3)}
		for j := range i % 5 {
			w = append(w, uint32((i+j)%3))
		}
		if i%100 == 99 {
			w = nil
		}
		walks = append(walks, w)
	}
	walk := func(dst []uint32, i int) []uint32 { return append(dst, walks[i]...) }
	var out bytes.Buffer
	if err := columnar.WriteWalks(t.Context(), &out, format.Parquet, 7, len(walks), appendKeys(keys), walk, []columnar.Note{{Key: "heavytail.graph", Text: "g"}}); err != nil {
		t.Fatal(err)
	}
	f, err := columnfile.Open(columnfile.Parquet, bytes.NewReader(out.Bytes()), int64(out.Len()), columnfile.Limits{Memory: 1 << 20, Bytes: 1 << 20, Columns: 2})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := f.Read(0, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range walks {
		if !rows.Next() || rows.Integer(0) != 7+int64(i) || rows.Items(1) != len(w) {
			t.Fatalf("walk %d has %d vertices: %v", i, len(w), rows.Err())
		}
		for j, v := range w {
			if got := string(rows.Item(1, j)); got != keys[v] {
				t.Errorf("walk %d: %q, want %q", i, got, keys[v])
			}
		}
	}
	if err := columnar.WriteWalks(t.Context(), &failingWriter{}, format.Parquet, 7, len(walks), appendKeys(keys), walk, nil); !errors.Is(err, errFull) {
		t.Errorf("%v, expected a full disk", err)
	}
	var fault *format.KeyError
	if err := columnar.WriteWalks(t.Context(), &out, format.Parquet, 0, 1, appendKeys([]string{""}), func(dst []uint32, _ int) []uint32 { return append(dst, 0) }, nil); !errors.As(err, &fault) {
		t.Errorf("empty key: %v", err)
	}
}
