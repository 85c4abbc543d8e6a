package format

import (
	"bytes"
	"context"
	"errors"
	"testing"
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

// TestWriteWalks_Keys refuses keys that would be read as two, or not at all, even
// where no walk passes them.
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
