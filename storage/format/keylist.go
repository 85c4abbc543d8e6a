package format

import (
	"bytes"
	"slices"
)

// KeyList holds the keys of a file of keys in memory.
type KeyList struct {
	text []byte
	ends []int // where each key ends in text
}

// Len returns the number of keys.
func (k *KeyList) Len() int { return len(k.ends) }

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
