package columnfile

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// Levels and numbers of a dictionary of any width are decoded as they were.
func TestAppendRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		width := r.IntN(33)
		var want []uint32
		for range r.IntN(40) {
			x := uint32(uint64(r.Uint32()) & (1<<width - 1))
			for range 1 + r.IntN(1+r.IntN(30)) {
				want = append(want, x)
			}
		}
		got := make([]uint32, len(want))
		if err := decodeRuns(got, appendRuns(nil, want, width), width); err != nil || !reflect.DeepEqual(got, append([]uint32{}, want...)) {
			t.Fatalf("width %d: %v, %v, want %v", width, err, got, want)
		}
	}
}

// A row without the value of a column that must have one is an error, as is a full disk,
// whenever it becomes full.
func TestWriter_Errors(t *testing.T) {
	w := NewWriter(&bytes.Buffer{}, []Column{{Name: "x", Kind: Text}}, nil, WriteOptions{})
	if err := w.EndRow(); err == nil || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("a missing value: %v", err)
	}
	for room := range 40 {
		out := &fullDisk{room: room}
		w := NewWriter(out, []Column{{Name: "x", Kind: Text}}, nil, WriteOptions{RowGroup: 1})
		var err error
		for range 3 {
			w.Text(0, []byte("text"))
			err = errors.Join(err, w.EndRow())
		}
		failed := err
		err = errors.Join(err, w.Close())
		if out.full != errors.Is(err, errFull) || !out.full && room < 4 || failed != nil && !errors.Is(failed, errFull) {
			t.Errorf("a disk for %d writes: %v", room, err)
		}
	}
}

var errFull = errors.New("no space left")

// fullDisk takes some writes.
type fullDisk struct {
	room int
	full bool
}

func (d *fullDisk) Write(p []byte) (int, error) {
	if d.room--; d.room < 0 {
		d.full = true
		return 0, errFull
	}
	return len(p), nil
}
