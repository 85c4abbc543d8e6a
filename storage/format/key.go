package format

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"heavytail/storage/format/internal/delimited"
)

// AppendKey appends the key of vertex v to dst and returns the extended slice, like
// storage.Snapshot.AppendKey, so that writing does not allocate per key.
type AppendKey func(dst []byte, v uint32) []byte

// checkKey returns the reason why no text can contain a key, even in quotes, or "".
func checkKey(key []byte) string {
	switch {
	case len(key) == 0:
		return "it is empty"
	case len(key) > defaultMaxKey:
		return fmt.Sprintf("it has %d bytes, the limit is %d", len(key), defaultMaxKey)
	case bytes.IndexByte(key, 0) >= 0:
		return "it holds a NUL"
	case !utf8.Valid(key):
		return "it is not valid UTF-8"
	}
	return ""
}

// checkVectorKey returns the reason why a text of keys separated by blanks cannot contain a
// key, or "".
func checkVectorKey(key []byte) string {
	switch {
	case len(key) == 0:
		return "it is empty"
	case !utf8.Valid(key):
		return "it is not valid UTF-8"
	case bytes.IndexByte(key, 0) >= 0 || bytes.IndexFunc(key, unicode.IsSpace) >= 0:
		return "it holds white space or a NUL, which separates keys there"
	}
	return ""
}

// checked appends the key of a vertex. A check that gives a reason against it makes a *KeyError.
func (key AppendKey) checked(dst []byte, v uint32, checks ...func(key []byte) string) ([]byte, error) {
	start := len(dst)
	dst = key(dst, v)
	for _, check := range checks {
		if reason := check(dst[start:]); reason != "" {
			return nil, &KeyError{string(dst[start:]), reason}
		}
	}
	return dst, nil
}

// isWord reports whether a key is one word to every reader of lists separated by whitespace: it
// has no white space of any script, nothing that looks like a comment (to networkx a # anywhere
// begins one), and no character that could separate columns or enclose a field.
func isWord(key []byte) bool {
	if len(key) == 0 || isComment(key[0]) {
		return false
	}
	for _, r := range string(key) {
		if r <= ' ' || r == 0x7f || unicode.IsSpace(r) || strings.ContainsRune(`,;|"#`, r) {
			return false
		}
	}
	return true
}

// appendName appends the name of a column as a CSV field, in quotes also where a reader that looks
// for the separator could find another in it, or a bracket around several.
func appendName(dst, name []byte) []byte {
	if bytes.ContainsAny(name, ";|()[]") {
		return quote(dst, name)
	}
	return appendQuoted(dst, name)
}

// appendQuoted appends a text that is not empty as a CSV field, with quotes if it needs them.
func appendQuoted(dst, key []byte) []byte {
	first, last := key[0], key[len(key)-1]
	if !isComment(first) && !delimited.IsBlank(first) && !delimited.IsBlank(last) && !bytes.ContainsAny(key, ",\"\t\r\n") {
		return append(dst, key...)
	}
	return quote(dst, key)
}

// quote appends a text in quotes, in which those of the text are doubled.
func quote(dst, key []byte) []byte {
	dst = append(dst, '"')
	for _, c := range key {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}
