package index

import "cmp"

// candidate is a vertex and its key; smaller keys are nearer.
type candidate struct {
	key    float32
	vertex uint32
}

// before reports whether c comes before d: nearer, or as near with the smaller
// vertex. Keys are never NaN, so this is a total order.
func (c candidate) before(d candidate) bool {
	return c.key < d.key || (c.key == d.key && c.vertex < d.vertex)
}

func (c candidate) compare(d candidate) int {
	if r := cmp.Compare(c.key, d.key); r != 0 {
		return r
	}
	return cmp.Compare(c.vertex, d.vertex)
}

// top keeps the k first candidates offered to it in a binary heap whose root is
// the last of them.
type top struct {
	heap []candidate
}

// offer adds c if it is among the first k.
func (t *top) offer(c candidate, k int) {
	if len(t.heap) < k {
		t.heap = append(t.heap, c)
		for i := len(t.heap) - 1; i > 0; {
			parent := (i - 1) / 2
			if !t.heap[parent].before(t.heap[i]) {
				return
			}
			t.heap[parent], t.heap[i] = t.heap[i], t.heap[parent]
			i = parent
		}
		return
	}
	if k == 0 || !c.before(t.heap[0]) {
		return
	}
	t.heap[0] = c
	for i := 0; ; {
		child := 2*i + 1
		if child >= k {
			return
		}
		if child+1 < k && t.heap[child].before(t.heap[child+1]) {
			child++
		}
		if !t.heap[i].before(t.heap[child]) {
			return
		}
		t.heap[i], t.heap[child] = t.heap[child], t.heap[i]
		i = child
	}
}
