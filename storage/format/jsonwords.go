package format

import (
	"bytes"
	"encoding/json"
	"strings"
)

// jsonWords replaces the words NaN and Infinity, which Python and JavaScript libraries write and
// JSON does not have, outside of texts: by numbers of the same length, which the decoder takes.
type jsonWords struct {
	inside, escaped bool   // of a text in quotes, behind a backslash
	held            []byte // the beginning of a word at the end of the block before
}

// The numbers that replace the words. No program writes a zero in these forms.
const (
	nanMark      = "0e9"
	infinityMark = "0e-98765"
)

// isNotFinite reports whether a number replaces NaN, Infinity or -Infinity.
func isNotFinite(n json.Number) bool {
	return n == nanMark || strings.TrimPrefix(string(n), "-") == infinityMark
}

// wordOf returns the word that a number replaces.
func wordOf(n json.Number) string {
	switch n {
	case nanMark:
		return "NaN"
	case infinityMark:
		return "Infinity"
	}
	return "-Infinity"
}

// jsonClass marks the bytes that matter to jsonWords.
var jsonClass = [256]bool{'"': true, '\\': true, 'N': true, 'I': true}

// block replaces the words in a block, which it changes in place. The result is the block, with
// what was held of the one before and without what is held for the next.
func (w *jsonWords) block(text []byte, last bool) []byte {
	if len(w.held) > 0 {
		text = append(w.held, text...)
		w.held = nil
	}
	i := 0
	if w.escaped && len(text) > 0 {
		i, w.escaped = 1, false
	}
	for ; i < len(text); i++ {
		c := text[i]
		if !jsonClass[c] {
			continue
		}
		switch {
		case c == '"':
			w.inside = !w.inside
		case c == '\\':
			if w.inside {
				i++
				w.escaped = i == len(text)
			}
		case !w.inside:
			word, mark := "NaN", nanMark
			if c == 'I' {
				word, mark = "Infinity", infinityMark
			}
			rest := text[i:]
			switch {
			case bytes.HasPrefix(rest, []byte(word)):
				i += copy(rest, mark) - 1
			case !last && len(rest) < len(word) && strings.HasPrefix(word, string(rest)):
				w.held = bytes.Clone(rest)
				return text[:i]
			}
		}
	}
	return text
}
