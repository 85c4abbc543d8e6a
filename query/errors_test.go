package query

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// Text that came from data cannot do anything to a terminal.
func TestQuote_EscapesWhatATerminalObeys(t *testing.T) {
	hostile := "a\x1b[2J\r\n\u202eevil\u200b\xff" + strings.Repeat("x", 100)
	for _, text := range []string{quote(hostile), quoteKey(hostile), name(hostile)} {
		for _, r := range text {
			if r < 0x20 || r == 0x7f || r == '\u202e' || r == '\u200b' || r == '\ufffd' {
				t.Errorf("%q has %U", text, r)
			}
		}
		if len(text) > 200 {
			t.Errorf("%d bytes", len(text))
		}
	}
	if got := quoteKey("o'neil \"x\""); got != `'o''neil "x"'` {
		t.Errorf("quoteKey: %s", got)
	}
}

// Messages begin with what is wrong, however many layers the error came through.
func TestPlainly(t *testing.T) {
	err := fmt.Errorf("job: embedding %q: %w", "e", errors.New("storage: no room"))
	for _, c := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("job: storage: %w", errors.New("no room")), "no room"},
		{err, `embedding "e": storage: no room`},
		{errors.Join(errors.New("storage: a"), errors.New("index: read: b")), "a\nread: b"},
		{errors.New("jobs: c"), "jobs: c"},
	} {
		if got := plainly(c.err); got.Error() != c.want || !errors.Is(got, c.err) {
			t.Errorf("%q, expected %q", got, c.want)
		}
	}
}
