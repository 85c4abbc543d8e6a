package skipgram

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"heavytail/storage/vec"
)

// batchPairs is about how many pairs the walks of a batch have, which are walked,
// and sorted by the parts of their vertices, at a time: some tens of milliseconds of
// training.
const batchPairs = 56_000

// blockPairs is about how many pairs a block trains in a round, at the usual learning
// rate. A node of the top whose sides belong to different parts learns one side alone
// for a round, and the other in the next, so that it swings to and fro between them,
// and drives all vectors that meet it the same way. How far, depends on the pairs that
// the least of these nodes has in a round: blockPairs / partSubtrees, however many
// parts there are. Six are harmless, since a window has as many by itself. On
// preferential attachment (n 10,000, m 40, β 2.5, α 0.03) the best Pearson's
// correlation in a reconstruction was, by that number,
//
//	one part    4    8   16  110
//	    .931 .929 .921 .864 .775
//
// with tops of 31 to 1023 nodes. Larger blocks with larger tops give the same, and take
// longer: their copies leave the first-level cache.
const blockPairs = 6 * partSubtrees

// batchWalks returns how many walks a batch has.
func (t *trainer) batchWalks() int {
	length := float64(t.total) / float64(t.corpus.Walks)
	return max(1, int(batchPairs/(length*float64(t.Window+1))))
}

// sectionVisits returns how many vertices of walks a section has at most: fewer where
// steps are long. A training without copies has no need of sections.
func (t *trainer) sectionVisits() int {
	if t.Partitions == 1 || t.tree == nil {
		return math.MaxInt
	}
	pairs := blockPairs * float64(t.Partitions*t.Partitions) * min(1, 0.025/t.Alpha)
	return max(1, int(pairs/float64(t.Window+1)))
}

// section is a part of a batch, which is trained in as many rounds as there are parts
// of the vertices before the next section is: the places [lo, hi) of its centres, the
// beginning of their windows, and a number that no other section has.
type section struct {
	lo, hi, widest int
	number         uint64
}

// sections returns those of a batch, in order.
func (t *trainer) sections() iter.Seq[section] {
	return func(yield func(section) bool) {
		visits := len(t.batch.walks)
		step := min(t.sectionVisits(), visits)
		for lo := 0; lo < visits; lo += step {
			s := section{lo: lo, hi: min(lo+step, visits), widest: int(t.batch.windows[lo].widest)}
			s.number = uint64(t.batch.number)<<20 + uint64(lo)
			if !yield(s) {
				return
			}
		}
	}
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

// between returns the places [lo, hi) of an ascending list.
func between(places []int32, lo, hi int) []int32 {
	first, _ := slices.BinarySearch(places, int32(lo))
	last, _ := slices.BinarySearch(places[first:], int32(hi))
	return places[first:][:last]
}
