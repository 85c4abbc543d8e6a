package index

// validate verifies that searches stay inside the lists, and find every vertex
// once.
func (h *HNSW) validate() error {
	for v, level := range h.levels {
		if level > maxLevel {
			continue
		}
		h.height = max(h.height, int(level))
		for l := range int(level) + 1 {
			for _, u := range used(h.links(l, uint32(v))) {
				if uint64(u) >= uint64(h.Len()) {
					return damaged("link to vertex %d of %d", u, h.Len())
				}
				if h.levels[u] > maxLevel || int(h.levels[u]) < l || u == uint32(v) {
					return damaged("link of level %d from vertex %d to %d", l, v, u)
				}
			}
		}
	}
	empty := h.height < 0 && h.entry == none
	if !empty && (uint64(h.entry) >= uint64(h.Len()) || int(h.levels[h.entry]) != h.height) {
		return damaged("the entry is vertex %d", h.entry)
	}
	return h.validateDetours()
}

// validateDetours verifies that the twins match the levels, and that bridges
// join vertices of the graph.
func (h *HNSW) validateDetours() error {
	twins := 0
	for _, level := range h.levels {
		if level == twin {
			twins++
		}
	}
	if twins != len(h.twins) {
		return damaged("%d of %d twins", len(h.twins), twins)
	}
	found := make([]bool, h.Len())
	for _, e := range h.twins {
		if !h.inGraph(e.from) || h.levels[e.to] != twin || found[e.to] {
			return damaged("vertex %d as the twin of %d", e.to, e.from)
		}
		found[e.to] = true
	}
	for _, e := range h.bridges {
		if !h.inGraph(e.from) || !h.inGraph(e.to) || e.from == e.to {
			return damaged("bridge from vertex %d to %d", e.from, e.to)
		}
	}
	return nil
}
