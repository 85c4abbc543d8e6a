package block

import (
	"slices"
	"sort"
	"sync"

	"heavytail/storage/csr"
)

// arcBuffers and arcBlocks keep memory between single changes, which otherwise is most of what they allocate: some 40 KB each.
var (
	arcBuffers = sync.Pool{New: func() any { return new(Buffers[ArcValue]) }}
	arcBlocks  = sync.Pool{New: func() any { return new(ArcBlock) }}
)

// ArcList is the list of the arcs of a graph.
func ArcList(directed bool) *List[ArcValue] {
	l := &List[ArcValue]{
		Buffers: &arcBuffers,
		Key:     func(v ArcValue) []byte { return Key64(uint64(v.Arc)) },
		Compare: ArcValue.Compare,
		Encode:  EncodeArcs,
		Decode: func(dst []ArcValue, key, payload []byte) ([]ArcValue, error) {
			dst, is, err := DecodeArcValues(dst, key, payload)
			if err == nil && is != directed {
				err = wrongDirection(is)
			}
			return dst, err
		},
	}
	if directed {
		l.Encode = EncodeDirected
	}
	return l
}

// DecodeArcValues appends the arcs of a block to dst, with their values, and reports whether the
// block is of a directed graph.
func DecodeArcValues(dst []ArcValue, key, payload []byte) (arcs []ArcValue, directed bool, err error) {
	block := arcBlocks.Get().(*ArcBlock)
	defer arcBlocks.Put(block)
	if err := block.Decode(key, payload); err != nil {
		return dst, false, err
	}
	if block.directed {
		return append(dst, block.values...), true, nil
	}
	dst = slices.Grow(dst, len(block.Arcs))
	for i := range block.Arcs {
		dst = append(dst, block.At(i))
	}
	return dst, false, nil
}

// EdgeState is what joins two vertices, given as the arc from the smaller slot to the larger, with
// its values and whether it is in the graph. In a directed graph that may be two edges.
type EdgeState struct {
	ArcValue
	There bool // in the graph
}

// count counts the edges in the graph for which f is true.
func (s EdgeState) count(f func(weight float32, time int64) bool) uint64 {
	return OneIf(s.There && s.Weight != 0 && f(s.Weight, s.Time)) + OneIf(s.There && s.Back != 0 && f(s.Back, s.BackTime))
}

// Edges returns the number of edges in the graph: up to 1 in an undirected graph, and up to 2 in a
// directed one.
func (s EdgeState) Edges() uint64 { return s.count(func(float32, int64) bool { return true }) }

// Weighted returns how many of these have a weight other than 1.
func (s EdgeState) Weighted() uint64 {
	return s.count(func(weight float32, _ int64) bool { return weight != 1 })
}

// Timed returns how many of these have a timestamp.
func (s EdgeState) Timed() uint64 {
	return s.count(func(_ float32, time int64) bool { return time != csr.NoTime })
}

// Way returns one edge of a directed graph as the state of an undirected one: that from the smaller
// slot to the larger, or back.
func (s EdgeState) Way(back bool) EdgeState {
	if back {
		s.ArcValue = s.Turned()
	}
	s.There = s.There && s.Weight != 0
	if s.Back, s.BackTime = 0, 0; !s.There {
		s.Weight, s.Time = 1, csr.NoTime
	}
	return s
}

// SetWay makes one edge of a directed graph that of a result of Way.
func (s *EdgeState) SetWay(back bool, way EdgeState) {
	v := s.ArcValue
	if !s.There {
		v = ArcValue{Arc: v.Arc}
	}
	if back {
		v = v.Turned()
	}
	if v.Weight, v.Time = way.Weight, way.Time; !way.There {
		v.Weight, v.Time = 0, 0
	}
	if s.There = v.Weight != 0 || v.Back != 0; back {
		v = v.Turned()
	}
	s.ArcValue = v
}

// Find fills in the states of those edges that the block contains; states and block are in
// ascending order.
func (b *ArcBlock) Find(states []EdgeState) {
	at := 0
	for i := range states {
		s := &states[i]
		at += sort.Search(len(b.Arcs)-at, func(j int) bool { return b.Arcs[at+j] >= s.Arc })
		if at < len(b.Arcs) && b.Arcs[at] == s.Arc {
			s.ArcValue, s.There = b.At(at), true
		}
	}
}
