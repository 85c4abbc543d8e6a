package skipgram

import (
	"math/rand/v2"

	"heavytail/storage/vec"
)

// batchPairs is about how many pairs a batch has with two parts, at the usual
// learning rate. Fewer make the rounds so short that workers wait for each other,
// more let the copies of the top drift apart.
const batchPairs = 56_000

// batchWalks returns how many walks are trained at a time. What the copies of the
// top are apart in the end, and by how much their sum overshoots, grows with the
// pairs of a round, with the number of copies and with the learning rate.
func (t *trainer) batchWalks() int {
	pairs := batchPairs * min(1, 0.025/t.Alpha)
	pairs *= min(1, 4/float64(t.Partitions*t.Partitions))
	length := float64(t.total) / float64(t.corpus.Walks)
	return max(1, int(pairs/(length*float64(t.Window+1))))
}

// aheadVisits is about how many visits are walked at a time. Training drives the
// graph out of the cache; so it is loaded once for several batches.
const aheadVisits = 1 << 16

// batch is the walks that are being trained, one behind the other.
type batch struct {
	walks  []uint32
	first  int // number of the first walk
	number int // of the batch, over all epochs
	alpha  float32

	// The window of the vertex at a place of walks, and the number of its walk
	// within the batch.
	windows []window
	// Places of walks by the part of their vertex, ascending: as x and as centre.
	in, out [][]int32

	// Each walk by itself, from number begin to below end: of the batch and of some
	// that follow.
	ahead      [][]uint32
	begin, end int
}

// window is the part of the walks around one place that its vertex is trained
// with, and the beginning of the widest window that might have been drawn.
type window struct{ lo, hi, widest, walk int32 }

// walk returns the walks [from, to), and walks on beyond them where it has to walk.
func (b *batch) walk(t *trainer, from, to int) [][]uint32 {
	if from < b.begin || to > b.end {
		visits := max(1, int(t.total)/t.corpus.Walks*(to-from))
		batches := max(1, aheadVisits/visits)
		b.begin, b.end = from, min(from+batches*(to-from), t.corpus.Walks)
		for len(b.ahead) < b.end-b.begin {
			b.ahead = append(b.ahead, nil)
		}
		vec.Parallel(b.end-b.begin, abreast, t.Workers, func(_, lo, hi int) {
			t.corpus.refill(b.ahead[lo:hi], b.begin+lo)
		})
	}
	return b.ahead[from-b.begin : to-b.begin]
}

// fill asks for the walks [from, to) and draws their windows, which depend on the
// seed, the epoch and the number of the walk.
func (b *batch) fill(t *trainer, epoch, from, to int) {
	b.first = from
	b.number++
	b.walks, b.windows = b.walks[:0], b.windows[:0]
	for i, walk := range b.walk(t, from, to) {
		var random rand.PCG
		random.Seed(t.Seed, uint64(epoch)<<40|uint64(from+i)<<8|useWindow)
		begin := int32(len(b.walks))
		b.walks = append(b.walks, walk...)
		end := int32(len(b.walks))
		for at := begin; at < end; at++ {
			half := 1 + int32(below(&random, uint64(t.Window)))
			b.windows = append(b.windows, window{
				lo: max(begin, at-half), hi: min(end, at+half+1), widest: max(begin, at-int32(t.Window)), walk: int32(i),
			})
		}
	}
	b.in = places(b.in, b.walks, t.inPart, t.Partitions)
	b.out = places(b.out, b.walks, t.outPart, t.Partitions)
}

// places sorts the places of walks by the part of their vertex.
func places(lists [][]int32, walks []uint32, part []uint8, parts int) [][]int32 {
	if lists == nil {
		lists = make([][]int32, parts)
	}
	for p := range lists {
		lists[p] = lists[p][:0]
	}
	for at, v := range walks {
		p := part[v]
		lists[p] = append(lists[p], int32(at))
	}
	return lists
}
