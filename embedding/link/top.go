package link

import (
	"cmp"
	"slices"
)

// PredictedLink is a pair of vertices and the score of a link between them. Links of
// a whole graph have the smaller vertex first, links of one vertex that vertex.
type PredictedLink struct {
	U, V  uint32
	Score float64
}

// Likeliest returns the links of a vertex with the highest scores, at most so many, the highest first,
// ties by the other vertex. scores has one for each candidate; NaN is left out.
func Likeliest(u uint32, candidates []uint32, scores []float64, most int) []PredictedLink {
	t := &top{most: most, higher: true}
	for i, v := range candidates {
		if t.wants(scores[i]) {
			t.offer(PredictedLink{u, v, scores[i]})
		}
	}
	return t.sorted()
}

// top keeps the likeliest of the links that it was offered, ordered by score, then by the
// first vertex and the second.
type top struct {
	most   int
	higher bool            // a higher score is likelier
	links  []PredictedLink // a heap, the unlikeliest first
	// threshold is the lowest score that is accepted, or the highest if lower scores
	// are likelier; nil for none.
	threshold *float64
}

// beyond reports whether a score does not reach the threshold.
func (t *top) beyond(score float64) bool {
	if t.threshold == nil {
		return false
	}
	if t.higher {
		return score < *t.threshold
	}
	return score > *t.threshold
}

func (t *top) compare(a, b PredictedLink) int {
	if a.Score != b.Score {
		if (a.Score > b.Score) == t.higher {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(a.U, b.U), cmp.Compare(a.V, b.V))
}

// full reports whether a further link must replace another one.
func (t *top) full() bool { return len(t.links) == t.most }

// wants reports whether a link with a score may be accepted. It is true for equal
// scores, for which the vertices decide, and false for NaN.
func (t *top) wants(score float64) bool {
	if t.beyond(score) {
		return false
	}
	if !t.full() {
		return score == score
	}
	if t.higher {
		return score >= t.links[0].Score
	}
	return score <= t.links[0].Score
}

func (t *top) takes(l PredictedLink) bool {
	return t.wants(l.Score) && (!t.full() || t.compare(l, t.links[0]) < 0)
}

// offer accepts a link if it is among the likeliest so far.
func (t *top) offer(l PredictedLink) {
	if !t.full() {
		t.links = append(t.links, l)
		for i := len(t.links) - 1; i > 0; {
			parent := (i - 1) / 2
			if t.compare(t.links[i], t.links[parent]) <= 0 {
				return
			}
			t.links[i], t.links[parent] = t.links[parent], t.links[i]
			i = parent
		}
		return
	}
	if t.compare(l, t.links[0]) >= 0 {
		return
	}
	t.links[0] = l
	for i := 0; ; {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.links); child++ {
			if t.compare(t.links[child], t.links[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.links[i], t.links[worst] = t.links[worst], t.links[i]
		i = worst
	}
}

// sorted returns the links, the likeliest first, and empties t.
func (t *top) sorted() []PredictedLink {
	links := t.links
	t.links = nil
	slices.SortFunc(links, t.compare)
	return links
}
