package fault

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

// Amount writes a number of units with three digits: "19.1 MiB" where the unit
// is "bytes", and "1.5 M edges" for all others. Bytes have the powers of 1024
// that memory and pages come in, and the names that say so.
func Amount(x float64, unit string) string {
	step, prefixes := 1000.0, []string{"", "k", "M", "G", "T", "P", "E"}
	if unit == "bytes" {
		step, prefixes = 1024, []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	}
	i := 0
	for ; x >= step-0.5 && i < len(prefixes)-1; i++ {
		x /= step
	}
	number := fmt.Sprintf("%.3g", x)
	if x >= 999.5 || i == 0 && x == math.Trunc(x) {
		number = fmt.Sprintf("%.0f", x)
	}
	switch {
	case i == 0:
		return number + " " + unit
	case unit == "bytes":
		return number + " " + prefixes[i] + "B"
	}
	return number + " " + prefixes[i] + " " + unit
}

// ParseBytes reads a number of bytes: "1048576", "500MB" or "1.5 GiB".
func ParseBytes(text string) (int64, error) {
	digits := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit := strings.ToUpper(strings.TrimSpace(text[len(digits):]))
	step := 1000.0
	if strings.HasSuffix(unit, "IB") {
		step, unit = 1024, strings.TrimSuffix(unit, "IB")+"B"
	}
	power := slices.Index([]string{"B", "KB", "MB", "GB", "TB", "PB", "EB"}, cmp.Or(unit, "B"))
	number, err := strconv.ParseFloat(digits, 64)
	bytes := number * math.Pow(step, float64(power))
	if err != nil || power < 0 || !(bytes >= 0 && bytes < math.MaxInt64) {
		return 0, fmt.Errorf("%s is not a number of bytes, such as 4GiB or 500MB", Quote(text))
	}
	return int64(bytes), nil
}
