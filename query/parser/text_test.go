package parser

import (
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "",
		"plain":                 "plain",
		"größe 世界 🎉 नमस्ते":     "größe 世界 🎉 नमस्ते",
		"a\x1b[2Jb":             `a\x1b[2Jb`,
		"a\r\n\tb\x00\x7f":      `a\x0d\x0a\x09b\x00\x7f`,
		"\x1b]52;c;aGk=\x07":    `\x1b]52;c;aGk=\x07`,
		"\u009b31m":             `\u009b31m`,
		"\x9b31m":               `\x9b31m`,
		"user\u202egpj.exe":     `user\u202egpj.exe`,
		"\u2066a\u2069":         `\u2066a\u2069`,
		"a\u200bb\u200d\ufeffc": `a\u200bb\u200d\ufeffc`,
		"a\u2028b\u00adc":       `a\u2028b\u00adc`,
		"\U000e0041":            `\U000e0041`,
		"\xff\xfe\xc3(":         `\xff\xfe\xc3(`,
		"\uFFFD":                "\uFFFD",
		`C:\new`:                `C:\new`,
	} {
		if got := Escape(text); got != want {
			t.Errorf("Escape(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "größe": 5, "世界": 4, "e\u0301": 1, "ｆｕｌｌ": 8, "half ｶ": 6, "한국": 4, "🎉": 2, "→": 1, "𠀀": 2, "👩🏽": 2, "🇩🇪": 2,
	} {
		if got := Width(text); got != want {
			t.Errorf("Width(%q) = %d, want %d", text, got, want)
		}
	}
}

// FuzzEscape checks that nothing that moves a cursor, changes a terminal or
// turns the direction of writing comes through.
func FuzzEscape(f *testing.F) {
	f.Add("a\x1b[2J\u202e\xff")
	f.Fuzz(func(t *testing.T, text string) {
		got := Escape(text)
		if !utf8.ValidString(got) {
			t.Fatalf("Escape(%q) = %q is not UTF-8", text, got)
		}
		for _, r := range got {
			if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) {
				t.Fatalf("Escape(%q) = %q holds %U", text, got, r)
			}
		}
		if Escape(got) != got {
			t.Fatalf("Escape changes its own result %q", got)
		}
	})
}
