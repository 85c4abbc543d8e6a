package conditions

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A text is like a pattern where it matches the regular expression that says the same.
func TestPattern_Regexp(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		escape := rapid.SampledFrom([]rune{noEscape, '!', '%', 'é'}).Draw(t, "escape")
		runes := func(of []rune, most int, name string) string {
			return string(rapid.SliceOfN(rapid.SampledFrom(of), 0, most).Draw(t, name))
		}
		text, written := runes([]rune{'a', 'b', 'é', '%', '_', '!', '\n'}, 8, "text"), runes([]rune{'a', 'b', 'é', '%', '%', '_', '!', '\n'}, 6, "pattern")
		var re strings.Builder
		escaped := false
		for _, r := range written {
			switch {
			case !escaped && r == escape:
				escaped = true
				continue
			case !escaped && r == '%':
				re.WriteString(".*")
			case !escaped && r == '_':
				re.WriteString(".")
			default:
				re.WriteString(regexp.QuoteMeta(string(r)))
			}
			escaped = false
		}
		p, ok := patternOf(written, escape)
		if ok == escaped {
			t.Fatalf("%q: %v", written, ok)
		}
		if ok && p.matches(text) != regexp.MustCompile(`\A(?s:`+re.String()+`)\z`).MatchString(text) {
			t.Errorf("%q LIKE %q ESCAPE %q: %v", text, written, escape, p.matches(text))
		}
	})
}
