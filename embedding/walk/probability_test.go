package walk

import "sort"

// Transition is one possible step of a walk.
type Transition struct {
	Vertex      uint32
	Probability float64
}

// Transitions returns the probabilities of all steps from v, ordered by vertex, as computed
// from the tables of the walker. For Biased they are those of the first step, which has no
// previous vertex. Its time is O(p log p), where p is the number of paths of two steps from
// v.
func (w *Walker) Transitions(v uint32) []Transition {
	g := w.graph
	if g.Degree(v) == 0 {
		return nil
	}
	sums := map[uint32]float64{}
	direct := w.rowWeights(v, w.penalty, nil)
	if w.ways == nil {
		addProbability(sums, g.Neighbors(v), direct, 1, v)
		return sorted(sums)
	}
	totals := make([]float64, 0, len(direct)+1)
	for _, m := range g.Neighbors(v) {
		totals = append(totals, total(w.rowWeights(m, w.penalty, nil)))
	}
	perVertex := make([]float64, g.Vertices())
	for k, m := range g.Neighbors(v) {
		perVertex[m] = totals[k]
	}
	perVertex[v] = total(direct)
	ways := w.pathWeights(v, w.penalty, perVertex, nil)
	all := total(ways)
	for k, m := range g.Neighbors(v) {
		if ways[k] > 0 {
			addProbability(sums, g.Neighbors(m), w.rowWeights(m, w.penalty, nil), ways[k]/all, v)
		}
	}
	addProbability(sums, g.Neighbors(v), direct, ways[len(ways)-1]/all, v)
	return sorted(sums)
}

func total(weights []float64) float64 {
	sum := 0.0
	for _, x := range weights {
		sum += x
	}
	return sum
}

// addProbability distributes a probability over the vertices of a row in proportion to their
// weights, leaving out one vertex.
func addProbability(sums map[uint32]float64, row []uint32, weights []float64, probability float64, without uint32) {
	sum := 0.0
	for k, j := range row {
		if j != without {
			sum += weights[k]
		}
	}
	for k, j := range row {
		if j != without {
			sums[j] += probability * weights[k] / sum
		}
	}
}

func sorted(sums map[uint32]float64) []Transition {
	list := make([]Transition, 0, len(sums))
	for v, p := range sums {
		list = append(list, Transition{v, p})
	}
	sort.Slice(list, func(a, b int) bool { return list[a].Vertex < list[b].Vertex })
	return list
}
