package format

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func TestWriteWalks(t *testing.T) {
	keys := appendKeys([]string{"a", "é", "42"})
	walks := [][]uint32{{0, 1, 2, 1}, {2}, {}}
	walk := func(dst []uint32, i int) []uint32 { return append(dst, walks[i]...) }
	var out bytes.Buffer
	if err := WriteWalks(t.Context(), &out, 3, len(walks), keys, walk); err != nil || out.String() != "a é 42 é\n42\n\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
	if err := WriteWalks(t.Context(), &failingWriter{}, 3, len(walks), keys, walk); !errors.Is(err, errFull) {
		t.Errorf("a full disk gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := WriteWalks(ctx, &out, 3, len(walks), keys, walk); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// TestWriteWalks_Keys refuses keys that would be read as two keys or as none, even if no
// walk contains them.
func TestWriteWalks_Keys(t *testing.T) {
	for _, key := range []string{"", "a b", "a\t", "a\u00a0b", "a\nb", "\xff", "\x00"} {
		var out bytes.Buffer
		err := WriteWalks(t.Context(), &out, 2, 1, appendKeys([]string{"a", key}), func(dst []uint32, _ int) []uint32 { return append(dst, 0) })
		var refused *KeyError
		if !errors.As(err, &refused) || refused.Key != key || out.Len() > 0 {
			t.Errorf("key %q: %v after %q", key, err, out.String())
		}
	}
}

// TestWriteWalksParquet reads the columns by the library: walks of no vertex, of one and of many, keys
// with white space, and more walks than a row group of the library's pages.
func TestWriteWalksParquet(t *testing.T) {
	type row struct {
		Walk     int64    `parquet:"walk"`
		Vertices []string `parquet:"vertices,list"`
	}
	keys := []string{"a", "é 北", "42\n"}
	var want []row
	for i := range 3000 {
		r := row{Walk: 7 + int64(i), Vertices: []string{keys[i%3]}}
		for j := range i % 5 {
			r.Vertices = append(r.Vertices, keys[(i+j)%3])
		}
		if i%100 == 99 {
			r.Vertices = []string{}
		}
		want = append(want, r)
	}
	walk := func(dst []uint32, i int) []uint32 {
		for _, key := range want[i].Vertices {
			dst = append(dst, uint32(slices.Index(keys, key)))
		}
		return dst
	}
	var out bytes.Buffer
	if err := WriteWalksParquet(t.Context(), &out, 7, len(want), appendKeys(keys), walk, []Note{{"heavytail.graph", "g"}}); err != nil {
		t.Fatal(err)
	}
	got, err := parquet.Read[row](bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%d walks, %v", len(got), err)
	}
	if err := WriteWalksParquet(t.Context(), &failingWriter{}, 7, len(want), appendKeys(keys), walk, nil); !errors.Is(err, errFull) {
		t.Errorf("%v, expected a full disk", err)
	}
	var fault *KeyError
	if err := WriteWalksParquet(t.Context(), &out, 0, 1, appendKeys([]string{""}), func(dst []uint32, _ int) []uint32 { return append(dst, 0) }, nil); !errors.As(err, &fault) {
		t.Errorf("empty key: %v", err)
	}
}
