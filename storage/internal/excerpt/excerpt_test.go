package excerpt

import (
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for text, want := range map[string]string{
		"Größe":                       `"Größe"`,
		"北京":                          `"北京"`,
		"a\x1b[31m\n":                 `"a\x1b[31m\n"`,
		"\u202eabc":                   `"\u202eabc"`, // turns the direction of what follows
		"\xff":                        `"\xff"`,
		strings.Repeat("ß", 20):       `"` + strings.Repeat("ß", 20) + `"`,
		"a" + strings.Repeat("ß", 20): `"a` + strings.Repeat("ß", 19) + `"…`,
	} {
		if got := Of([]byte(text)); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if got := Name([]byte("Größe")); got != "Größe" {
		t.Error(got)
	}
	if got := Name([]byte("a\tb")); got != `"a\tb"` {
		t.Error(got)
	}
}
