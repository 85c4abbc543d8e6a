package unitball

// block is the number of vertices that a worker takes at a time.
const block = 32

// violation is a pair that violates its bound. The gradient of its term is
// by·(x_u − x_v) at u and the opposite at v.
type violation struct {
	u, v  uint32 // u < v
	by    float32
	wrong bool // on the wrong side of 1, not only of the margin
}

// force is one violation from the side of one of its vertices.
type force struct {
	other uint32
	by    float32
}

// forces are the violations of one pass, by vertex.
type forces struct {
	found        [][]violation // of each block of vertices, by their smaller vertex
	start        []int64       // n+1; those of v are list[start[v]:start[v+1]], ascending
	list         []force
	missed, over []float64 // for each vertex, its missed edges and its false pairs
	wrong        Wrong
}

func newForces(n int) *forces {
	return &forces{
		found: make([][]violation, (n+block-1)/block), start: make([]int64, n+1),
		missed: make([]float64, n), over: make([]float64, n),
	}
}

// sort distributes the violations to both of their vertices and counts the wrong
// pairs; many is the number of pairs for which a listed pair without an edge
// counts. Each vertex gets its violations in a fixed order: first those with
// smaller vertices, ascending, and then those with larger vertices, edges before
// listed pairs.
func (f *forces) sort(many float64) {
	clear(f.start)
	clear(f.missed)
	clear(f.over)
	for _, found := range f.found {
		for _, p := range found {
			f.start[p.u+1]++
			f.start[p.v+1]++
			if p.wrong {
				f.count(p, many)
			}
		}
	}
	for v := 1; v < len(f.start); v++ {
		f.start[v] += f.start[v-1]
	}
	all := f.start[len(f.start)-1]
	if int64(cap(f.list)) < all || 8*all < int64(cap(f.list)) {
		f.list = make([]force, all+all/4)
	}
	f.list = f.list[:all]
	// start[v] advances to the end of v, which is the beginning of the next
	// vertex.
	for _, found := range f.found {
		for _, p := range found {
			f.list[f.start[p.u]] = force{p.v, p.by}
			f.start[p.u]++
			f.list[f.start[p.v]] = force{p.u, p.by}
			f.start[p.v]++
		}
	}
	copy(f.start[1:], f.start)
	f.start[0] = 0
}

// violations returns the number of pairs that violate their bound.
func (f *forces) violations() int { return len(f.list) / 2 }

func (f *forces) count(p violation, many float64) {
	if p.by > 0 {
		f.wrong.Missed++
		f.missed[p.u]++
		f.missed[p.v]++
		return
	}
	f.wrong.False += int64(many)
	f.over[p.u] += many
	f.over[p.v] += many
}
