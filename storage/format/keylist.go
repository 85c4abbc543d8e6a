package format

import (
	"bytes"
	"slices"
	"unicode"
)

// KeyList holds the keys of a file of keys in memory.
type KeyList struct {
	text []byte
	ends []int // where each key ends in text
}

// Len returns the number of keys.
func (k *KeyList) Len() int { return len(k.ends) }

// Append adds a key.
func (k *KeyList) Append(key []byte) {
	k.text = append(k.text, key...)
	k.ends = append(k.ends, len(k.text))
}

// At returns the key at a place, counted from 0. The slice is part of the list and must not be
// modified.
func (k *KeyList) At(i int) []byte {
	start := 0
	if i > 0 {
		start = k.ends[i-1]
	}
	return k.text[start:k.ends[i]:k.ends[i]]
}

// Repeated returns the places of two equal keys, if there are any.
func (k *KeyList) Repeated() (first, second int, found bool) {
	order := make([]int, k.Len())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return bytes.Compare(k.At(a), k.At(b)) })
	for i := 1; i < len(order); i++ {
		if bytes.Equal(k.At(order[i-1]), k.At(order[i])) {
			return order[i-1], order[i], true
		}
	}
	return 0, 0, false
}

// HasUnseen reports whether a key has a blank at an end, a control character, or another character that
// takes no place: a key without it is another one and looks the same.
func HasUnseen(key []byte) bool {
	for _, c := range key {
		if c <= ' ' || c >= 0x7f {
			return hasUnseen(key)
		}
	}
	return false
}

func hasUnseen(key []byte) bool {
	if len(bytes.TrimFunc(key, unicode.IsSpace)) < len(key) {
		return true
	}
	return bytes.ContainsFunc(key, func(c rune) bool {
		joiner := c == '\u200c' || c == '\u200d' // parts of words in some scripts, and of emoji
		return (unicode.IsControl(c) && c != '\n' && c != '\r' && c != '\t' || unicode.Is(unicode.Cf, c)) && !joiner
	})
}
