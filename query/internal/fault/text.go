package fault

import (
	"fmt"
	"strconv"
	"strings"
)

// Quote makes text that came from data safe to print: in double quotes,
// shortened if it is long, and with everything escaped that could control a
// terminal.
func Quote(text string) string { return strconv.Quote(Shorten(text)) }

// QuoteKey is quote for a vertex key, in the quotes of the language.
func QuoteKey(key string) string {
	inner := Quote(key)
	inner = strings.ReplaceAll(inner[1:len(inner)-1], `\"`, `"`)
	return "'" + strings.ReplaceAll(inner, "'", "''") + "'"
}

// QuoteKeys is QuoteKey for each text of a list.
func QuoteKeys(keys []string) []string {
	quoted := make([]string, len(keys))
	for i, key := range keys {
		quoted[i] = QuoteKey(key)
	}
	return quoted
}

// Name writes the name of a graph or an embedding inside a sentence: without
// quotes if that is safe.
func Name(text string) string {
	bare, generation, _ := strings.Cut(text, "@")
	if _, err := strconv.ParseUint(generation, 10, 64); err != nil {
		bare = text
	}
	if bare == "" || strings.IndexFunc(bare, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	}) >= 0 {
		return Quote(text)
	}
	return Shorten(text)
}

// Shorten cuts text after 60 characters.
func Shorten(text string) string {
	const most = 60
	characters := 0
	for i := range text {
		if characters++; characters > most {
			return text[:i] + "…"
		}
	}
	return text
}

// Count writes a number with its noun: 1 version, 2 versions.
func Count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "x"):
		return fmt.Sprintf("%d %sices", n, strings.TrimSuffix(noun, "ex"))
	case strings.HasSuffix(noun, "s"):
		return fmt.Sprintf("%d %ses", n, noun)
	case strings.HasSuffix(noun, "ity"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// OrList joins alternatives as in "a, b or c".
func OrList(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}
