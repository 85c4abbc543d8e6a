package skipgram

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"heavytail/storage/vec"
)

// negativeSampler draws the centres of negative samples from the vertices of one part, with
// probabilities in proportion to visits^¾ (Mikolov et al. 2013, section 2.2). Negative
// samples come only from the part of the pair's centre, so that the vector of a centre
// belongs to one part. Over all pairs, every vertex is drawn as often as it would be
// without parts.
type negativeSampler struct {
	vertices []uint32
	upTo     []uint64 // cumulative fractions of 2⁶⁴, the last one implied
	// guide[r>>shift] is where the search for r begins: about one step on average.
	guide []uint32
	shift int
}

func newNegativeSampler(visits []int64, part []uint8, of int) *negativeSampler {
	n := &negativeSampler{}
	sum := 0.0
	for v, p := range part {
		if int(p) == of && visits[v] > 0 {
			n.vertices = append(n.vertices, uint32(v))
			sum += math.Pow(float64(visits[v]), 0.75)
		}
	}
	upTo := 0.0
	for _, v := range n.vertices {
		upTo += math.Pow(float64(visits[v]), 0.75)
		n.upTo = append(n.upTo, uint64(min(upTo/sum, 1-0x1p-53)*(1<<64)))
	}
	n.guideTo()
	return n
}

// guideTo makes the guide, with at least as many entries as there are vertices.
func (n *negativeSampler) guideTo() {
	n.shift = 64 - bits.Len(uint(len(n.upTo)))
	n.guide = vec.Zeros[uint32](1 << (64 - n.shift))
	at := 0
	for i := range n.guide {
		for at < len(n.upTo)-1 && n.upTo[at] <= uint64(i)<<n.shift {
			at++
		}
		n.guide[i] = uint32(at)
	}
}

// draw returns a vertex, in O(1) on average. The part must have at least one vertex.
func (n *negativeSampler) draw(random *rand.PCG) uint32 {
	r := random.Uint64()
	i := int(n.guide[r>>n.shift])
	for i < len(n.upTo)-1 && r >= n.upTo[i] {
		i++
	}
	return n.vertices[i]
}

// below returns a number below n > 0.
func below(random *rand.PCG, n uint64) uint64 {
	hi, _ := bits.Mul64(random.Uint64(), n)
	return hi
}
