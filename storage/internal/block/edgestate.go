package block

import (
	"sort"

	"heavytail/storage/csr"
)

// ArcList is the list of the arcs of a graph.
var ArcList = &List[ArcValue]{
	Key:     func(v ArcValue) []byte { return Key64(uint64(v.Arc)) },
	Compare: ArcValue.Compare,
	Encode:  EncodeArcs,
	Decode:  DecodeArcValues,
}

// DecodeArcValues appends the arcs of a block to dst, with their values.
func DecodeArcValues(dst []ArcValue, key, payload []byte) ([]ArcValue, error) {
	var block ArcBlock
	if err := block.Decode(key, payload); err != nil {
		return dst, err
	}
	for i := range block.Arcs {
		dst = append(dst, block.At(i))
	}
	return dst, nil
}

// EdgeState is an edge, given as the arc from its smaller slot to its larger, with its values
// and whether it is in the graph.
type EdgeState struct {
	ArcValue
	There bool // in the graph
}

// Weighted returns 1 if the edge is in the graph and has a weight other than 1, and otherwise
// 0.
func (s EdgeState) Weighted() uint64 { return OneIf(s.There && s.Weight != 1) }

// Timed returns 1 if the edge is in the graph and has a timestamp, and otherwise 0.
func (s EdgeState) Timed() uint64 { return OneIf(s.There && s.Time != csr.NoTime) }

// OneIf returns 1 for true and 0 for false.
func OneIf(b bool) uint64 {
	if b {
		return 1
	}
	return 0
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
