package format

import (
	"bytes"
	"fmt"
	"unicode"
	"unicode/utf8"
)

// AppendKey appends the key of vertex v to dst and returns the longer slice, as
// storage.Snapshot.AppendKey does: so that writing allocates nothing per key.
type AppendKey func(dst []byte, v uint32) []byte

// checkKey says why no text can hold a key, not even in quotes, or returns "".
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

// checkVectorKey says why a text of keys between blanks cannot hold a key, or returns "".
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

// isWord reports whether a key is one word to every reader of lists separated
// by whitespace: no blanks of any script, and nothing that looks like a comment
// (networkx takes a # anywhere for one) or like CSV.
func isWord(key []byte) bool {
	if len(key) == 0 || isComment(key[0]) {
		return false
	}
	for _, r := range string(key) {
		if r <= ' ' || r == ',' || r == '"' || r == '#' || r == 0x7f || unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// appendQuoted appends a text, which is not empty, as a CSV field, in quotes if
// it needs them.
func appendQuoted(dst, key []byte) []byte {
	first, last := key[0], key[len(key)-1]
	if !isComment(first) && !isBlank(first) && !isBlank(last) && !bytes.ContainsAny(key, ",\"\t\r\n") {
		return append(dst, key...)
	}
	dst = append(dst, '"')
	for _, c := range key {
		if c == '"' {
			dst = append(dst, '"')
		}
		dst = append(dst, c)
	}
	return append(dst, '"')
}
