package run

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"heavytail/embedding"
	"heavytail/storage"
)

// TestStarts writes, reads and aligns the state of fastrp, and damages it.
func TestStarts(t *testing.T) {
	t.Parallel()
	var file bytes.Buffer
	if err := newStarts(4).write(&file); err != nil {
		t.Fatal(err)
	}
	whole := file.Bytes()
	s, err := readStarts(bytes.NewReader(whole), 4)
	if err != nil || !reflect.DeepEqual(s, newStarts(4)) {
		t.Fatalf("%+v, %v", s, err)
	}
	want := starts{of: []uint32{3, 4, 1, 5}, next: 6}
	if aligned := s.align([]uint32{3, storage.NoRow, 1, storage.NoRow}); !reflect.DeepEqual(aligned, want) {
		t.Errorf("aligned %+v, not %+v", aligned, want)
	}
	high := bytes.Clone(whole)
	high[len(high)-1] = 1
	for what, bad := range map[string][]byte{"nothing": nil, "cut off": whole[:len(whole)-1], "other magic": append([]byte("x"), whole[1:]...), "a start too high": high} {
		if _, err := readStarts(bytes.NewReader(bad), 4); !errors.Is(err, embedding.ErrState) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := readStarts(bytes.NewReader(whole), 5); !errors.Is(err, embedding.ErrState) {
		t.Errorf("of another number of vertices: %v", err)
	}
}
