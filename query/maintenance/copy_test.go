package maintenance

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"heavytail/query/internal/engine"
	"heavytail/query/internal/session"
)

// A copy is complete, and returns the errors of its source.
func TestCopyFile(t *testing.T) {
	c := &engine.Call{Call: session.New(t.Context(), nil, nil, nil, "BACKUP")}
	text := strings.Repeat("x", 3<<20+5)
	var b strings.Builder
	if err := copyFile(c, &b, strings.NewReader(text), int64(len(text))); err != nil || b.String() != text {
		t.Errorf("%d of %d bytes, %v", b.Len(), len(text), err)
	}
	broken := errors.New("broken")
	if err := copyFile(c, io.Discard, iotest.ErrReader(broken), 2); !errors.Is(err, broken) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}
