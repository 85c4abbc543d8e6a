package skipgram

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"sort"
)

// noise draws vertices of one part as centres, with probabilities in proportion
// to visits^¾ (Mikolov et al. 2013, section 2.2). That a pair is told apart from
// vertices of its centre's own part only is what keeps the blocks of a round
// apart; over all pairs every vertex is drawn as often as without parts.
type noise struct {
	vertices []uint32
	upTo     []uint64 // cumulated shares of 2⁶⁴, the last one implied
}

func newNoise(visits []int64, part []uint8, of int) *noise {
	n := &noise{}
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
	return n
}

// draw returns a vertex, in O(log n). There is at least one.
func (n *noise) draw(random *rand.PCG) uint32 {
	r := random.Uint64()
	i := sort.Search(len(n.upTo)-1, func(i int) bool { return r < n.upTo[i] })
	return n.vertices[i]
}

// below returns a number below n > 0.
func below(random *rand.PCG, n uint64) uint64 {
	hi, _ := bits.Mul64(random.Uint64(), n)
	return hi
}
