package skipgram

// shared is a row that several parts train in one batch, so that each of them has a copy.
type shared struct {
	row  uint32
	node bool   // of the nodes, or of the vectors
	by   uint64 // the parts, a bit each
}

// sharing finds the rows that several parts train in one batch.
type sharing struct {
	used []shared
	// For each vector and each node 1 plus its place in used, or 0.
	vectors, nodes []uint32
}

func (s *sharing) place(r shared) *uint32 {
	if r.node {
		return &s.nodes[r.row]
	}
	return &s.vectors[r.row]
}

// use notes that parts train a row, and reports whether that is new.
func (s *sharing) use(r shared) bool {
	place := s.place(r)
	if *place == 0 {
		s.used = append(s.used, r)
		*place = uint32(len(s.used))
		return true
	}
	by := &s.used[*place-1].by
	before := *by
	*by |= r.by
	return *by != before
}

// path notes that parts train a vector, and the nodes on the path to its vertex if they
// train it as a centre. Those that train a node train all above it.
func (s *sharing) path(v uint32, path []uint32, by uint64) {
	if !s.use(shared{row: v, by: by}) {
		return
	}
	for i := len(path) - 1; i >= 0; i-- {
		if !s.use(shared{row: path[i] >> 1, node: true, by: by}) {
			return
		}
	}
}

// take appends the rows that more than one part trains, in the order of their first use, and
// forgets all.
func (s *sharing) take(dst []shared) []shared {
	for _, r := range s.used {
		*s.place(r) = 0
		if r.by&(r.by-1) != 0 {
			dst = append(dst, r)
		}
	}
	s.used = s.used[:0]
	return dst
}
