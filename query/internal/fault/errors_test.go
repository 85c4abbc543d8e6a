package fault

import (
	"strings"
	"testing"
)

// Text that came from data cannot control a terminal.
func TestQuote_EscapesWhatATerminalObeys(t *testing.T) {
	hostile := "a\x1b[2J\r\n\u202eevil\u200b\xff" + strings.Repeat("x", 100)
	for _, text := range []string{Quote(hostile), QuoteKey(hostile), Name(hostile)} {
		for _, r := range text {
			if r < 0x20 || r == 0x7f || r == '\u202e' || r == '\u200b' || r == '\ufffd' {
				t.Errorf("%q has %U", text, r)
			}
		}
		if len(text) > 200 {
			t.Errorf("%d bytes", len(text))
		}
	}
	if got := QuoteKey("o'neil \"x\""); got != `'o''neil "x"'` {
		t.Errorf("quoteKey: %s", got)
	}
}
