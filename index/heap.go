package index

import (
	"cmp"
	"math"
	"slices"
)

// candidate packs a vertex and its key into one number; a smaller key is
// nearer. So candidates in ascending order are nearest first, ties by vertex.
// The upper half has the bits of the key, changed so that they ascend as keys
// do.
type candidate uint64

// candidateOf packs a key, which must not be NaN, and a vertex.
func candidateOf(key float32, vertex uint32) candidate {
	bits := math.Float32bits(key + 0) // −0 becomes 0: both are equally near
	bits ^= uint32(int32(bits)>>31) | 1<<31
	return candidate(bits)<<32 | candidate(vertex)
}

func (c candidate) vertex() uint32 { return uint32(c) }

func (c candidate) key() float32 {
	bits := uint32(c >> 32)
	bits ^= ^uint32(int32(bits)>>31) | 1<<31
	return math.Float32frombits(bits)
}

// top keeps the first k of the candidates offered to it in a binary heap whose
// root is the last of them.
type top struct {
	heap []candidate
}

// offer adds c if it is among the first k.
func (t *top) offer(c candidate, k int) {
	if len(t.heap) < k {
		t.heap = append(t.heap, c)
		h := t.heap
		i := len(h) - 1
		for i > 0 {
			parent := (i - 1) / 2
			if h[parent] >= c {
				break
			}
			h[i] = h[parent]
			i = parent
		}
		h[i] = c
		return
	}
	if k == 0 || c >= t.heap[0] {
		return
	}
	h := t.heap
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child] < h[child+1] {
			child++
		}
		if c >= h[child] {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = c
}

// queue returns candidates first to last. It is a heap with four children per
// node, which has fewer levels than a binary heap: a pushed candidate seldom
// rises far, and the candidate that replaces the root sinks half as many
// levels.
type queue struct {
	heap []candidate
}

// push adds a candidate.
func (q *queue) push(c candidate) {
	q.heap = append(q.heap, c)
	h := q.heap
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if h[parent] <= c {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = c
}

// pop removes and returns the first candidate; there must be one.
func (q *queue) pop() candidate {
	h := q.heap
	first, c := h[0], h[len(h)-1]
	h = h[:len(h)-1]
	q.heap = h
	if len(h) == 0 {
		return first
	}
	i := 0
	for {
		child := 4*i + 1
		if child >= len(h) {
			break
		}
		least := h[child]
		for j := child + 1; j < min(child+4, 4*i+5, len(h)); j++ {
			if h[j] < least {
				least, child = h[j], j
			}
		}
		if c <= least {
			break
		}
		h[i] = least
		i = child
	}
	h[i] = c
	return first
}

// kth returns the k-th smallest of some numbers, none of which is NaN, and changes their order: the k smallest are the first.
func kth[T cmp.Ordered](x []T, k int) T {
	for lo, hi := 0, len(x)-1; lo < hi; {
		pivot, i, j := x[(lo+hi)/2], lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k-1 <= j:
			hi = j
		case k-1 >= i:
			lo = i
		default:
			lo, hi = k-1, k-1
		}
	}
	return x[k-1]
}

// addLeast adds a number to some, ascending, of which it replaces the last, which is larger.
func addLeast(least []int64, x int64) {
	const few = 16 // so many are sorted as fast as the place is found: minima and maxima need no branch
	if len(least) > few {
		i, _ := slices.BinarySearch(least, x)
		copy(least[i+1:], least[i:])
		least[i] = x
		return
	}
	for i, l := range least {
		least[i], x = min(l, x), max(l, x)
	}
}
