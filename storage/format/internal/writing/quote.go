package writing

import (
	"bytes"

	"heavytail/storage/format/internal/delimited"
)

// AppendName appends the name of a column as a CSV field, in quotes also where a reader that looks
// for the separator could find another in it, or a bracket around several.
func AppendName(dst, name []byte) []byte {
	if bytes.ContainsAny(name, ";|()[]") {
		return quote(dst, name)
	}
	return AppendQuoted(dst, name)
}

// AppendQuoted appends a text that is not empty as a CSV field, with quotes if it needs them.
func AppendQuoted(dst, key []byte) []byte {
	first, last := key[0], key[len(key)-1]
	if !delimited.IsComment(first) && !delimited.IsBlank(first) && !delimited.IsBlank(last) && !bytes.ContainsAny(key, ",\"\t\r\n") {
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
