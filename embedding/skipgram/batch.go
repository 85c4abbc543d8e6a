package skipgram

import (
	"math/rand/v2"

	"heavytail/storage/vec"
)

// batchPairs is about how many pairs the walks of a batch have. The parts train a batch
// before they exchange their changes. A batch takes each part a few milliseconds, a hundred
// times as long as waking a goroutine. Within a batch, a vertex is in about as many pairs
// as in one window, unless the graph is small or the vertex is a hub.
const batchPairs = 28_000

func (t *trainer) batchWalks() int {
	length := float64(t.total) / float64(t.corpus.Walks)
	return max(1, int(batchPairs/(length*float64(t.Window+1))))
}

// batch has the walks that are trained together, concatenated.
type batch struct {
	walks []uint32
	// Numbers of the first walk and of the one after the last.
	first, end int
	number     int // number of the batch, over all epochs
	alpha      float32

	// The window of the vertex at each place of walks, and the number of its walk
	// within the batch.
	windows []window
	// The distinct vertices of the batch, in the order of their first places,
	// and for each place of walks the index of its vertex among them.
	vertices []uint32
	slots    []uint32
}

// window is the part of the walks around one place that its vertex is trained with.
type window struct{ lo, hi, walk int32 }

// ahead generates the walks of some batches at a time: training displaces the
// graph from the cache, so it is loaded once for all of them.
type ahead struct {
	walks      [][]uint32 // from number begin to below end
	begin, end int
	slot       []uint32 // of each vertex in the batch that is being filled, plus 1; else 0
}

// aheadVisits is about how many visits are generated at a time.
const aheadVisits = 1 << 16

// walk returns the walks [from, to); when it generates walks, it also
// generates later ones.
func (a *ahead) walk(t *trainer, from, to int) [][]uint32 {
	if from < a.begin || to > a.end {
		visits := max(1, int(t.total)/t.corpus.Walks*(to-from))
		batches := max(1, aheadVisits/visits)
		a.begin, a.end = from, min(from+batches*(to-from), t.corpus.Walks)
		for len(a.walks) < a.end-a.begin {
			a.walks = append(a.walks, nil)
		}
		vec.Parallel(a.end-a.begin, abreast, t.Workers, func(_, lo, hi int) {
			t.corpus.refill(a.walks[lo:hi], a.begin+lo)
		})
	}
	return a.walks[from-a.begin : to-a.begin]
}

// fill makes a batch of the given number of walks, beginning with number first, or of the
// remaining walks if there are fewer. Windows depend on the seed, the epoch and the number
// of the walk.
func (t *trainer) fill(b *batch, first, walks int) {
	b.first, b.end = first, min(first+walks, t.corpus.Walks)
	b.walks, b.windows, b.vertices, b.slots = b.walks[:0], b.windows[:0], b.vertices[:0], b.slots[:0]
	if b.first == b.end {
		return
	}
	for i, walk := range t.ahead.walk(t, b.first, b.end) {
		var random rand.PCG
		random.Seed(t.Seed, uint64(t.at.Epoch)<<40|uint64(first+i)<<8|useWindow)
		begin := int32(len(b.walks))
		b.walks = append(b.walks, walk...)
		end := int32(len(b.walks))
		for at := begin; at < end; at++ {
			half := 1 + int32(below(&random, uint64(t.Window)))
			b.windows = append(b.windows, window{lo: max(begin, at-half), hi: min(end, at+half+1), walk: int32(i)})
		}
	}
	t.ahead.number(b)
}

// number assigns slots to the vertices of a batch.
func (a *ahead) number(b *batch) {
	for _, v := range b.walks {
		if a.slot[v] == 0 {
			b.vertices = append(b.vertices, v)
			a.slot[v] = uint32(len(b.vertices))
		}
		b.slots = append(b.slots, a.slot[v]-1)
	}
	for _, v := range b.vertices {
		a.slot[v] = 0
	}
}
