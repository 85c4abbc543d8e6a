package session

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"heavytail/query/fault"
)

// TestSeekable keeps inputs that need a file up to a limit, and passes others on as they are.
func TestSeekable(t *testing.T) {
	for _, c := range []struct {
		text  string
		most  int64
		keeps bool
		err   error
	}{
		{"", 0, false, nil}, {"a b\n", 0, false, nil}, {"PAR", 0, false, nil}, {"PAR1", 4, true, nil}, {"PAR1x", 4, false, fault.ErrLimit},
		{"ARROW1" + strings.Repeat("x", 5<<20), 6 << 20, true, nil}, {"ARROW1" + strings.Repeat("x", 5<<20), 5 << 20, false, fault.ErrLimit},
		{"\xff\xff\xff\xff....", 100, true, nil}, {"PK\x03\x04", 100, true, nil},
	} {
		in, size, err := seekable(t.Context(), strings.NewReader(c.text), c.most)
		if c.err != nil || err != nil {
			if !errors.Is(err, c.err) {
				t.Errorf("%.9q: %v", c.text, err)
			}
			continue
		}
		if _, keeps := in.(io.ReaderAt); keeps != c.keeps || keeps && size != int64(len(c.text)) {
			t.Errorf("%.9q: kept %v, %d bytes", c.text, keeps, size)
		}
		if got, err := io.ReadAll(in); err != nil || !bytes.Equal(got, []byte(c.text)) {
			t.Errorf("%.9q: %d bytes, %v", c.text, len(got), err)
		}
		if err := in.Close(); err != nil {
			t.Error(err)
		}
	}
}
